"""Kills of tools/kills.py in the middle of an upgrade of the schema and of a restore, into a new place and into a memory.

A memory of tools/fault_world.py is upgraded or restored by a process that is ended by an alarm at a random moment
of it, or kills itself at a named step. Another process must then find all that was there before or all that is
there afterwards, and the same upgrade or restore must succeed.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from fault_world import NOON, Look, Told, a_newer_schema, look, made, message, opened, oracle
from kills import in_child

from graphmem import Memory
from graphmem.store import home, manifest, migrations
from graphmem.store.engine import Engine
from graphmem.store.graph import Graph
from graphmem.testing import FixedClock

UPGRADE, RESTORE, MERGE = (
    "in an upgrade",
    "in a restore to a new place",
    "in a restore into a memory",
)
STEPS: dict[str, tuple[tuple[Any, str], ...]] = {  # what it kills itself at, before or after
    UPGRADE: (
        (migrations, "_keep"),
        (Engine, "open"),
        (Engine, "change"),
        (Engine, "close"),
        (manifest, "write"),
        (migrations, "finish"),
    ),
    RESTORE: ((Graph, "_commit"), (Graph, "log"), (Engine, "close"), (home, "open_store")),
    MERGE: ((Graph, "_commit"), (Graph, "log"), (Engine, "close")),
}


class Moments:
    """Kills in upgrades and restores."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "moments"
        self._folder.mkdir()
        self._whole = made(self._folder / "whole", killed=False)
        copy = self._copy()
        self._before = oracle(copy)
        self._backup = self._folder / "later.gmb"
        # not in this process: the threads of OpenMP do not come along into its forks, which would wait for them
        ended, _ = in_child(lambda _: self._goes_on(copy))
        if ended:
            raise SystemExit("the memory cannot be written before anything was done")
        self._after = oracle(copy)

    def _goes_on(self, copy: Path) -> None:
        with opened(copy) as memory:
            for n in range(300):
                memory.add(message(f"My friend number {n} lives in Oslo."))
            memory.backup(self._backup)

    def _copy(self) -> Path:
        place = self._folder / "copy"
        shutil.rmtree(place, ignore_errors=True)
        for left in self._folder.glob(".*restor*"):
            shutil.rmtree(left)
        shutil.copytree(self._whole, place)
        return place

    def run(self, draw: random.Random, *, kills: int) -> dict[str, Any]:
        """So many kills; the figures."""
        figures: Counter[str] = Counter()
        at: Counter[str] = Counter()
        lasts = {kind: self._lasts(kind) for kind in STEPS}
        while sum(at.values()) < kills:
            kind = draw.choice([*STEPS])
            copy = self._copy()
            if kind == RESTORE:
                shutil.rmtree(copy)
            ended = self._killed(copy, kind, draw, lasts[kind])
            if ended >= 0:
                continue  # it came to its end
            at[kind] += 1
            figures["killed in upgrades and restores"] += 1
            figures.update(self._judged(copy, kind))
        return {"killed": at, **figures}

    def _lasts(self, kind: str) -> float:
        """Seconds that it takes when nothing happens."""
        copy = self._copy()
        if kind == RESTORE:
            shutil.rmtree(copy)
        start = time.monotonic()
        in_child(lambda _: self._does(copy, kind))
        return time.monotonic() - start

    def _does(self, copy: Path, kind: str) -> None:
        if kind == UPGRADE:
            with a_newer_schema(), opened(copy):
                return
        Memory.restore_backup(self._backup, copy, clock=FixedClock(NOON))

    def _killed(self, copy: Path, kind: str, draw: random.Random, lasts: float) -> int:
        step = draw.choice([None, None, *STEPS[kind]])

        def act(_: int) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            if step is None:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.005, lasts))
                self._does(copy, kind)
            else:
                with dying_at(*step, before=draw.random() < 0.5, times=draw.choice((1, 1, 2, 3))):
                    self._does(copy, kind)

        ended, _ = in_child(act)
        return ended

    def _judged(self, copy: Path, kind: str) -> Counter[str]:
        figures: Counter[str] = Counter()
        newer: Callable[[], Any] = a_newer_schema if kind == UPGRADE else nullcontext
        wanted: tuple[Told, ...] = (
            (self._before,) if kind == UPGRADE else (self._before, self._after)
        )
        with newer():
            if copy.exists():
                self._count(figures, look(copy), wanted, partly=kind == MERGE)
            elif kind != RESTORE:
                figures["lost"] += 1
            if kind != UPGRADE:
                ended, _ = in_child(lambda _: self._does(copy, kind))
                if ended:
                    figures["not as before or after"] += 1
                else:
                    self._count(figures, look(copy), (self._after,), partly=False)
                left = [one.name for one in self._folder.glob(".*restor*")]
                figures["not as before or after"] += bool(left)
        return figures

    def _count(
        self, figures: Counter[str], found: Look, wanted: tuple[Told, ...], *, partly: bool
    ) -> None:
        if found.told is None:
            crashed = "crashed" in found.outcome
            figures["interpreter crashes" if crashed else "refused to open"] += 1
            return
        figures["statements compared"] += len(found.told["statements"])
        if partly:  # a restore into a memory commits some hundred records at a time
            there, before = found.told["statements"], self._before["statements"]
            figures["lost"] += len(set(before) - set(there))
            figures["doubled"] += len(there) != len(set(there)) and len(before) == len(set(before))
        elif found.told not in wanted:
            figures["not as before or after"] += 1
        if found.findings:
            figures["checks that found something"] += 1
        figures["not mended by repair"] += bool(found.unmended)


@contextmanager
def dying_at(owner: Any, name: str, *, before: bool, times: int) -> Iterator[None]:
    """This process kills itself at the so many-th time that it comes there."""
    original, left = getattr(owner, name), [times]

    def dying(*arguments: Any, **more: Any) -> Any:
        left[0] -= 1
        if before and left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        found = original(*arguments, **more)
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    setattr(owner, name, dying)
    yield  # the process ends, here or there
