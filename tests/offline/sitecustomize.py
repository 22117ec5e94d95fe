"""No address but loopback, in this Python and in every one that it starts.

`tests/conftest.py` puts this folder at the head of PYTHONPATH, where each Python that a test starts finds it as its
`sitecustomize`. The block is an audit hook: it stands below the `socket` module, and nothing can take it away again.
Each attempt is refused, and noted in the file that OFFLINE_NOTES names, so that code which swallows the refusal is
found out all the same.
"""

from __future__ import annotations

import os
import sys

NOTES = "GRAPHMEM_TEST_OFFLINE_NOTES"
_LOOPBACK = ("127.", "::1", "::ffff:127.", "localhost")
_STATE = {"installed": False}


class Refused(OSError):
    """A test, or what it started, tried to reach another machine."""


def _host(event: str, arguments: tuple[object, ...]) -> str | None:
    """Whom an event would reach; None where that is nobody else."""
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = arguments[1]
        if not isinstance(address, tuple):  # a Unix socket, or one that is connected
            return None
        found = address[0]
    elif event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}:
        found = arguments[0]
    else:
        return None
    if found is None or found == "":
        return None
    name = found.decode("ascii", "replace") if isinstance(found, bytes) else str(found)
    return None if name.startswith(_LOOPBACK) else name


def _numeric(event: str, name: str) -> bool:
    """Looking an address up that is one already asks nobody."""
    return event == "socket.getaddrinfo" and (":" in name or name.replace(".", "").isdigit())


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):
        return
    name = _host(event, arguments)
    if name is None or _numeric(event, name):
        return
    note = os.environ.get(NOTES)
    if note:
        line = f"{event} {name}\n".encode()
        handle = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(handle, line)
        os.close(handle)
    raise Refused(f"{event}: {name} is not this machine")


def install() -> None:
    """Refuse from now on, for as long as this process lives."""
    if not _STATE["installed"]:
        _STATE["installed"] = True
        sys.addaudithook(_hook)


if os.environ.get(NOTES):
    install()
