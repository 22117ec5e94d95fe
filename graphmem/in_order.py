"""A lock that threads get in the order in which they ask for it. Python's own goes to whoever is quickest, which is
the thread that has just let go: of eight threads on one memory some waited half a minute.
"""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType


class InOrder:
    """Like threading.RLock: reentrant, to be let go as often as it was taken, `with` takes it."""

    def __init__(self) -> None:
        self._state = threading.Lock()  # held for a few instructions at a time
        self._owner: int | None = None
        self._depth = 0
        self._waiting: deque[tuple[int, threading.Lock]] = deque()

    def acquire(self, blocking: bool = True) -> bool:  # noqa: FBT001, FBT002 - as in threading
        """Take it, behind those who wait already; whether it was taken, where not `blocking`."""
        me = threading.get_ident()
        with self._state:
            if self._owner in {None, me}:
                self._owner = me
                self._depth += 1
                return True
            if not blocking:
                return False
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append((me, turn))
        came = False
        try:
            turn.acquire()  # whoever lets go hands it over
            came = True
        finally:
            if not came:  # an interrupt
                self._give_up(me, turn)
        return True

    def release(self) -> None:
        """Let go; the last of several times hands it to whoever has waited longest. Raises RuntimeError for
        a thread that does not hold it.
        """
        with self._state:
            if self._owner != threading.get_ident():
                raise RuntimeError("a thread lets go of what it does not hold")
            self._depth -= 1
            if not self._depth:
                self._hand_over()

    def _hand_over(self) -> None:
        self._owner = None
        if self._waiting:
            self._owner, turn = self._waiting.popleft()
            self._depth = 1
            turn.release()

    def _give_up(self, me: int, turn: threading.Lock) -> None:
        with self._state:
            if (me, turn) in self._waiting:
                self._waiting.remove((me, turn))
            else:  # it was handed over at that very moment
                self._depth = 0
                self._hand_over()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
