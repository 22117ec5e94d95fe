"""Addresses of this machine alone: what a server of ours may listen on."""

from __future__ import annotations

import ipaddress
import signal
import socket
from typing import Protocol

from graphmem.errors import InvalidSettings

_WAITING = 128  # connections before they are answered


def loopback(host: str) -> str:
    """The loopback address that `host` names. Raises InvalidSettings for any other."""
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise InvalidSettings(
            f"--host {host}: the memory is served to this machine only",
            expected="127.0.0.1, ::1 or localhost",
            next_step="from another machine, reach it through an SSH tunnel",
        )
    return str(address)


def bound(address: str, port: int) -> socket.socket:
    """A socket that listens on the address; port 0 takes any free one. Whoever is told the address may
    connect at once, and is answered when the server runs. Raises InvalidSettings where it is taken.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address, port))
        made.listen(_WAITING)
    except (OSError, OverflowError) as cause:
        made.close()
        raise InvalidSettings(
            f"--port {port}: {cause}",
            expected="a free port",
            next_step="name another, or --port 0 for any",
        ) from cause
    return made


def names_of(address: str) -> tuple[str, ...]:
    """The names under which a browser or client may speak to the address."""
    return (f"[{address}]" if ":" in address else address, "localhost")


class Ends(Protocol):
    """A server that ends where this is set."""

    should_exit: bool


def ends_when_told(server: Ends) -> None:
    """Let SIGTERM and SIGINT end the server, also before it has begun to look at them itself; it hands
    them on to us at its end.
    """

    def end(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
