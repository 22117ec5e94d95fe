"""One process at a time: a lock file of our own that names its holder.

The kernel's lock (flock) is what counts and ends with the process, however it dies; the JSON in the
file only tells others who holds it. Taking turns is fair: a waiter holds the turnstile while it waits,
so that a process which lets go and comes back at once queues behind it, and so that the holder can see
that somebody waits.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
import time
import weakref
from contextlib import ExitStack, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from graphmem.errors import MemoryLocked, MemoryUnwritable

LOCK = "memory.lock"
TURNSTILE = "memory.turn"

_PAUSE = 0.005  # seconds between two attempts
_COMMAND = 200  # characters
_SUBCOMMAND = re.compile(r"[a-z][a-z-]{1,20}")


class Lock:
    """The lock of one memory directory; `acquire` waits, `release` lets others in."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / LOCK
        self._turnstile = directory / TURNSTILE
        self._file: int | None = None
        os.register_at_fork(after_in_child=partial(_forget, weakref.ref(self)))

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._file is not None

    def wanted(self) -> bool:
        """Whether another process (or another memory object of this one) waits for the lock."""
        try:
            turn = os.open(self._turnstile, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(turn, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(turn)
        return False

    def acquire(self, wait: float, *, since: datetime) -> None:
        """Take the lock within `wait` seconds. Raises MemoryLocked naming the holder."""
        deadline = time.monotonic() + max(0.0, wait)
        turn = self._open(self._turnstile)
        try:
            self._take(turn, deadline, wait)
            with ExitStack() as opened:
                mine = self._open(self._path)
                opened.callback(os.close, mine)
                self._take(mine, deadline, wait)
                opened.pop_all()  # taken: it stays open until `release`
        finally:
            os.close(turn)
        self._file = mine
        self._sign(mine, since)

    def release(self) -> None:
        """Let others in; harmless where the lock is not held."""
        held, self._file = self._file, None
        if held is not None:
            with suppress(OSError):
                os.ftruncate(held, 0)
            os.close(held)

    def drop(self) -> None:
        """Close the file without unsigning: in a forked child the parent still holds the lock."""
        held, self._file = self._file, None
        if held is not None:
            os.close(held)

    def _open(self, path: Path) -> int:
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as cause:
            raise MemoryUnwritable(
                f"{path} cannot be opened for writing: {cause.strerror}",
                next_step="check the permissions of the directory, or choose another one",
            ) from cause

    def _take(self, file: int, deadline: float, wait: float) -> None:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise self._refusal(wait) from None
                time.sleep(_PAUSE)
            else:
                return

    def _sign(self, file: int, since: datetime) -> None:
        note = {
            "pid": os.getpid(),
            "command": _command(),
            "since": since.isoformat(timespec="seconds"),
        }
        with suppress(OSError):  # it is held, whatever can be told of it
            os.ftruncate(file, 0)
            os.pwrite(file, json.dumps(note).encode("utf-8", "replace"), 0)

    def _refusal(self, wait: float) -> MemoryLocked:
        directory = self._path.parent
        try:
            note = json.loads(self._path.read_bytes())
            pid, command, since = note["pid"], note["command"], note["since"]
        except (OSError, ValueError, KeyError, TypeError):
            return MemoryLocked(
                f"the memory {directory} is in use by another process",
                next_step=f"try again; it was waited for {wait:g} s",
            )
        if pid == os.getpid():
            return MemoryLocked(
                f"the memory {directory} is already open in this process (since {since})",
                next_step="use the open memory, or close it first",
            )
        return MemoryLocked(
            f"the memory {directory} is held by process {pid} ({command}) since {since}",
            next_step=f"wait for it or end it; it was waited for {wait:g} s",
        )


def _command() -> str:
    """The program and, where it has one, its subcommand: arguments may hold what is nobody's business."""
    program, *arguments = sys.argv or [sys.executable]
    name = Path(program).name if program not in ("", "-c") else "python -c"
    if name == "__main__.py":
        name = f"python -m {Path(program).parent.name}"
    words = [one for one in arguments[:1] if _SUBCOMMAND.fullmatch(one)]
    return " ".join([name, *words])[:_COMMAND]


def _forget(reference: weakref.ref[Lock]) -> None:
    lock = reference()
    if lock is not None:
        lock.drop()
