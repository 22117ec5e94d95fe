"""A round of upkeep over the whole memory, in slices that can be interrupted (R5.5).

Where a round stands is kept in `upkeep.json` beside the data. The file is derived: where it is lost, upkeep
is simply due again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from graphmem.forget.upkeep import tended
from graphmem.model import State
from graphmem.plan import SetFact
from graphmem.protocols import Clock, GraphStore
from graphmem.remember.commander import Commander

FILE_NAME = "upkeep.json"
SLICE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tended:
    """What a round of upkeep did. `complete` is False where its time was up before the end."""

    seen: int = 0
    expired: int = 0
    archived: int = 0
    retiered: int = 0
    complete: bool = True
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Standing:
    """When the last whole round ended (ISO), and behind which fact a begun one goes on."""

    done_at: str = ""
    after: int = 0


class Tender:
    """Upkeep of one memory: idempotent, interruptible, bounded in time where asked."""

    def __init__(
        self, store: GraphStore, commander: Commander, *, clock: Clock, folder: Path | None
    ) -> None:
        self._store = store
        self._commander = commander
        self._clock = clock
        self._file = folder / FILE_NAME if folder else None

    def overdue(self, *, hours: float) -> bool:
        """True where the last whole round is more than `hours` ago, or a round was interrupted."""
        standing = self._standing()
        if not standing.done_at:
            return self._store.last_event() > 0
        done = datetime.fromisoformat(standing.done_at)
        return standing.after > 0 or self._clock.now() - done > timedelta(hours=hours)

    def last_round(self) -> str:
        """When the last whole round ended (ISO), empty where there was none."""
        return self._standing().done_at

    def tend(self, *, budget: float | None = None) -> Tended:
        """Do a round, or as much of it as fits into `budget` seconds; the next one goes on there."""
        started = time.perf_counter()
        now = self._clock.now()
        done = Tended()
        after = self._standing().after
        facts = self._store.scan_facts(after=after)
        while part := list(islice(facts, SLICE)):
            ops = [op for fact in part if (op := tended(fact, now=now)) is not None]
            self._commander.carry_out("tend", ops)
            done = _counted(done, len(part), ops)
            after = part[-1].n
            if budget is not None and time.perf_counter() - started > budget:
                self._keep(replace(self._standing(), after=after))
                return replace(done, complete=False, seconds=_since(started))
            facts = self._store.scan_facts(after=after)
        self._keep(_Standing(now.isoformat(), 0))
        return replace(done, seconds=_since(started))

    def _standing(self) -> _Standing:
        if self._file is None or not self._file.is_file():
            return _Standing()
        try:
            kept: Mapping[str, object] = json.loads(self._file.read_text("utf-8"))
            standing = _Standing(str(kept["done_at"]), int(str(kept["after"])))
            if standing.done_at:
                datetime.fromisoformat(standing.done_at)
        except (ValueError, KeyError, TypeError):
            return _Standing()
        return standing

    def _keep(self, standing: _Standing) -> None:
        if self._file is None:
            return
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(standing)), "utf-8")
        os.replace(fresh, self._file)  # noqa: PTH105 - atomic, also where the file exists


def _counted(done: Tended, seen: int, ops: list[SetFact]) -> Tended:
    states = [op.after.get("state") for op in ops]
    return replace(
        done,
        seen=done.seen + seen,
        expired=done.expired + states.count(State.EXPIRED),
        archived=done.archived + states.count(State.ARCHIVED),
        retiered=done.retiered + sum("tier" in op.after for op in ops),
    )


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 3)
