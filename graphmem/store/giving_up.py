"""Takes an engine out of use that cannot be closed in the usual way: closing, it writes, and crashes where it cannot."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_OPEN = Path("/proc/self/fd")  # Linux


def turned_away(file: Path) -> bool:
    """Let all that this process still writes to a file that it has open go nowhere; False where that cannot be done."""
    wanted = os.path.realpath(file)
    try:
        opened = [int(one.name) for one in _OPEN.iterdir() if _leads_to(one) == wanted]
        nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        for one in opened:
            os.dup2(nowhere, one, inheritable=False)
    finally:
        os.close(nowhere)
    return True


def keep_for_ever(thing: object) -> None:
    """Never let Python free it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _leads_to(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # closed meanwhile
        return ""
