"""Where the time of a write goes: a stop-watch with named stages, and a memory whose parts report to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from graphmem.clock import SystemClock
from graphmem.config import Settings
from graphmem.embed.make import make
from graphmem.memory import Memory
from graphmem.store.home import open_store
from graphmem.store.search import open_search

EXTRACT, EMBED, PLAN, WRITE, INDEX = "extract", "embed", "link_and_plan", "write", "index"


class Stages:
    """Seconds by stage, each without the stages inside it. `clock` tells seconds: of the wall or the CPU."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._running: list[str] = []
        self._since = 0.0
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Count what happens inside for `stage`."""
        self._turn()
        self._running.append(stage)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()

    def _turn(self) -> None:
        now = self._clock()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


class Watched:
    """Stands before a part of a memory: calls of the methods in `stages` are counted for their stage,
    and so are the beginning and the end of the context managers in `around`, whose inside is counted
    for the stage given second.
    """

    def __init__(
        self,
        part: Any,
        count: Stages,
        stages: Mapping[str, str],
        around: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self._part = part
        self._count = count
        self._stages = stages
        self._around = around or {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if name in self._stages:
            return self._counted(found, self._stages[name])
        if name in self._around:
            return self._entered(found, *self._around[name])
        return found

    def _counted(self, method: Callable[..., Any], stage: str) -> Callable[..., Any]:
        @wraps(method)
        def counted(*args: Any, **more: Any) -> Any:
            with self._count(stage):
                return method(*args, **more)

        return counted

    def _entered(
        self, method: Callable[[], AbstractContextManager[None]], stage: str, inside: str
    ) -> Callable[[], AbstractContextManager[None]]:
        @contextmanager
        def entered() -> Iterator[None]:
            with self._count(stage), method(), self._count(inside):
                yield

        return entered


@contextmanager
def watched_memory(place: Path, count: Stages, settings: Settings) -> Iterator[Memory]:
    """A memory in `place` which counts its own writes; count the call itself for EXTRACT."""
    clock = SystemClock()
    embedder: Any = Watched(make(settings.embedder), count, {"passages": EMBED})
    store = open_store(place, engine=settings.engine, clock=clock, wait=settings.lock_wait)
    search = open_search(place, embedder)
    search.catch_up(store)
    store.read_copies(lambda: search.copies)
    watched_store: Any = Watched(store, count, {"apply": WRITE}, {"transaction": (WRITE, PLAN)})
    watched_search: Any = Watched(search, count, {"update": INDEX}, {"together": (INDEX, PLAN)})
    memory = Memory(
        watched_store, watched_search, embedder, settings=settings, clock=clock, path=place
    )
    try:
        yield memory
    finally:
        memory.close()
