"""The steps of tools/kills.py in whose middle a process kills itself."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partialmethod
from typing import Any

from graphmem.store import seal, vectors
from graphmem.store.engine import Engine
from graphmem.store.graph import Graph
from graphmem.store.search import PassageIndex

STEPS: dict[
    str, tuple[type[Any] | Any, str, bool]
] = {  # where a process kills itself: what, before it or after
    "after the graph's commit": (Graph, "_commit", False),
    "before the graph's commit": (Graph, "_commit", True),
    "before the index is saved": (PassageIndex, "_finish", True),
    "after the engine was let go": (Engine, "_release", False),
    "before a fold is sealed": (seal.Seal, "fold_ended", True),
    "before a file is replaced": (seal, "replace_file", True),
    "before the vectors are written": (vectors.VectorFile, "write", True),
}
FOLD = "inside a fold of the engine's log"
LONGEST_FOLD = 0.05  # seconds in which the alarm comes


@contextmanager
def killing_in_a_fold(draw: random.Random) -> Iterator[None]:
    """The process is ended by an alarm of the kernel, which no lock of Python holds up, while the engine folds its log;
    where the fold ends before, at the next one. The memory is folded whenever it is closed.
    """
    original, close = Engine._release, Engine.close  # noqa: SLF001 - between two rules of the engine
    signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def releasing(self: Engine, *, fold: bool) -> None:
        if fold:
            signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.0005, LONGEST_FOLD))
        original(self, fold=fold)
        signal.setitimer(signal.ITIMER_REAL, 0)

    setattr(Engine, "_release", releasing)  # noqa: B010 - as above
    Engine.close = partialmethod(close, fold_above=0)  # type: ignore[method-assign,assignment]
    yield  # the process ends


@contextmanager
def killing_itself(step: str, times: int, ready: Callable[[], object]) -> Iterator[None]:
    """The process ends by SIGKILL at the so many-th time that it comes to the step."""
    owner, name, before = STEPS[step]
    original, left = getattr(owner, name), [times]

    def die() -> None:
        ready()
        os.kill(os.getpid(), signal.SIGKILL)

    def dying(*args: Any, **more: Any) -> Any:
        left[0] -= 1
        if before and left[0] <= 0:
            die()
        found = original(*args, **more)
        if left[0] <= 0:
            die()
        return found

    setattr(owner, name, dying)
    try:
        yield
    finally:
        setattr(owner, name, original)
