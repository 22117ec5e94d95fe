"""Has the C library hand out zeroed memory while the engine writes its file.

kuzu writes whole pages of which it has filled only the start; the rest is whatever stood in that memory
before: a kilobyte or four of the process's own heap, in which may lie another memory's text, a key or a passphrase
(measured with MALLOC_PERTURB_ on kuzu 0.11.3: behind the 28 bytes of its header, and behind its catalogue). glibc
fills what it hands out where it is told to; other C libraries do not, see SECURITY.md.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_M_PERTURB = -6  # of mallopt: memory that is handed out is filled with the complement of this byte
_TO_ZERO = 0xFF


class _Malloc:
    """The C library's memory, told to be zeroed while anybody is inside."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0

    def count(self, change: int) -> None:
        """So many more, or fewer, are inside."""
        with self._lock:
            self._inside += change
            if (tell := _mallopt()) is not None:
                tell(_M_PERTURB, _TO_ZERO if self._inside else _usual())


_malloc = _Malloc()


@contextmanager
def zeroed() -> Iterator[None]:
    """Memory that any thread of this process gets meanwhile holds nothing of before."""
    _malloc.count(1)
    try:
        yield
    finally:
        _malloc.count(-1)


def _usual() -> int:
    """What the environment asks for, as glibc reads it."""
    asked = os.environ.get("MALLOC_PERTURB_", "0")
    return int(asked) & 0xFF if asked.isdecimal() else 0


@cache
def _mallopt() -> Any:
    """The function of glibc, None where this is another C library."""
    try:
        library = ctypes.CDLL(None)
        found = library.mallopt if hasattr(library, "gnu_get_libc_version") else None
    except (OSError, AttributeError, TypeError):
        return None
    return found
