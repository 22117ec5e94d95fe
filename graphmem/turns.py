"""Taking turns: the threads of this process one after the other, and the processes on one memory (R7.5).

A process holds the memory while it works and, where nobody waits, from one verb to the next: then a verb costs
nothing more. Another process that wants the memory announces itself by waiting at the turnstile (see
graphmem.store.lock). The holder lets go after its verb, or between two verbs by the watcher, closes the
engine, and at its next verb waits for its own turn, opens again and catches up with what others wrote.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from graphmem.in_order import InOrder
from graphmem.protocols import SearchIndex
from graphmem.store.graph import Graph

HELD = 0.25  # seconds for which work goes on though others wait: handing over costs some 0.03
_LOOKED = 0.05  # seconds between two looks of the watcher


class Turns:
    """`with turns:` around each verb. Reentrant; `others_wrote` is called where what is remembered of the
    memory may be out of date.
    """

    def __init__(
        self,
        store: Graph,
        search: SearchIndex,
        *,
        wait: float,
        now: Callable[[], datetime],
        others_wrote: Callable[[], None],
    ) -> None:
        self._store = store
        self._search = search
        self._wait = wait
        self._now = now
        self._others_wrote = others_wrote
        self._mutex = InOrder()
        self._depth = 0
        self._since = time.monotonic()
        self._closed = False
        self._awake = threading.Event()

    def __enter__(self) -> None:
        """Wait for this thread's turn and this process's. Raises MemoryLocked naming the holder, and what
        opening raises.
        """
        self._mutex.acquire()
        ready = False
        try:
            if not self._depth and not self._closed and self._store.suspended:
                self._take_up()
            self._depth += 1
            ready = True
        finally:
            if not ready:
                self._mutex.release()

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        try:
            if not self._depth and time.monotonic() - self._since >= HELD:
                self._let_others()
        finally:
            self._mutex.release()

    def watch(self) -> None:
        """Let others in between two verbs too, from now on until `close`."""
        threading.Thread(
            target=_watch, args=(weakref.ref(self), self._awake), name="graphmem-turns", daemon=True
        ).start()

    @contextmanager
    def last(self) -> Iterator[None]:
        """The last turn, for closing: it waits for the threads, but for no other process."""
        with self._mutex:
            self._closed = True
            self._awake.set()
            yield

    @property
    def suspended(self) -> bool:
        """Whether another process may hold the memory at this moment."""
        return self._store.suspended

    def look(self) -> bool:
        """What the watcher does at each look; False where it has nothing to do any more."""
        if self._mutex.acquire(blocking=False):
            try:
                if not self._depth and not self._closed:
                    self._let_others()
            finally:
                self._mutex.release()
        return not self._closed

    def _let_others(self) -> None:
        if not self._closed and not self._store.suspended and self._store.wanted():
            self._store.suspend()

    def _take_up(self) -> None:
        changed = self._store.resume(self._wait, since=self._now())
        self._since = time.monotonic()
        if changed:
            self._others_wrote()
            self._search.catch_up(self._store)


def _watch(reference: weakref.ref[Turns], awake: threading.Event) -> None:
    """Looks until the memory is closed or gone."""
    while not awake.wait(_LOOKED):
        turns = reference()
        if turns is None or not turns.look():
            return
        del turns
