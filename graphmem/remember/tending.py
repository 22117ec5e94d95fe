"""A round of upkeep over the whole memory, in slices that can be interrupted (R5.5).

Where a round stands is kept in `upkeep.json` beside the data, after each slice. The file is derived: where it
is lost, upkeep is simply due again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from graphmem.errors import InvalidTime, MemoryUnwritable
from graphmem.forget.upkeep import tended
from graphmem.model import State
from graphmem.plan import SetFact, SetTrigger
from graphmem.protocols import Clock, GraphStore, SearchIndex
from graphmem.remember.commander import Commander
from graphmem.remind.ended import has_ended
from graphmem.remind.owner_time import OwnerTime
from graphmem.when import offset_minutes

FILE_NAME = "upkeep.json"
KIND = "tend"  # of the events; undo passes over them
SLICE = 5000  # facts in one commit
SMALL_SLICE = 100  # where the time is short: well below the shortest budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Tended:
    """What a round of upkeep did: facts seen, expired, archived and put into another tier, reminders
    that had come to their end. `complete` is False where its time was up before the end.
    """

    seen: int = 0
    expired: int = 0
    archived: int = 0
    retiered: int = 0
    ended: int = 0
    complete: bool = True
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Standing:
    """When the last whole round began (ISO), when an unfinished one did, and behind which fact it goes on."""

    done_at: str = ""
    after: int = 0
    begun_at: str = ""


class Tender:
    """Upkeep of one memory: idempotent, interruptible, bounded in time where asked."""

    def __init__(
        self,
        store: GraphStore,
        search: SearchIndex,
        commander: Commander,
        *,
        clock: Clock,
        times: OwnerTime,
        folder: Path | None,
    ) -> None:
        self._store = store
        self._search = search
        self._commander = commander
        self._clock = clock
        self._times = times
        self._file = folder / FILE_NAME if folder else None

    def overdue(self, *, hours: float) -> bool:
        """True where the last whole round is more than `hours` ago, or a round was interrupted."""
        standing = self._standing()
        if not standing.done_at:
            return self._store.last_event() > 0
        done = datetime.fromisoformat(standing.done_at)
        return standing.after > 0 or self._clock.now() - done > timedelta(hours=hours)

    def last_round(self) -> str:
        """When the last whole round began (ISO), empty where there was none."""
        return self._standing().done_at

    def tend(self, *, budget: float | None = None) -> Tended:
        """Do a round, or as much of it as fits into `budget` seconds; the next one goes on there.

        Each slice is one commit: an interruption loses nothing, and doing a slice again changes
        nothing. Raises what the store raises.
        """
        started = time.perf_counter()
        now = self._clock.now()
        done, standing = Tended(), self._standing()
        if not standing.after:
            standing = replace(standing, begun_at=now.isoformat())
        size = SLICE if budget is None else SMALL_SLICE
        slowest = 0.0
        while facts := self._store.facts(after=standing.after, limit=size):
            begun = time.perf_counter()
            ops = [op for fact in facts if (op := tended(fact, now=now)) is not None]
            self._commander.carry_out(KIND, ops, undoable=False)
            done = _counted(done, len(facts), ops)
            standing = replace(standing, after=facts[-1].n)
            self._keep(standing)
            slowest = max(slowest, time.perf_counter() - begun)
            if budget is not None and _since(started) + slowest > budget:
                return replace(done, complete=False, seconds=_since(started))
        done = replace(done, ended=self._end_reminders(now))
        if budget is None:
            self._search.flush()
        self._keep(_Standing(standing.begun_at))
        return replace(done, seconds=_since(started))

    def _end_reminders(self, now: datetime) -> int:
        """Mark reminders as done that were told for the last time a while ago."""
        zone = self._times.zone_at(now)
        ops = [
            SetTrigger(one.id, {"state": one.state}, {"state": "done"})
            for one in self._store.triggers()
            if has_ended(one, now=now, zone=zone, hours=self._times.hours)
        ]
        self._commander.carry_out(KIND, ops, undoable=False)
        return len(ops)

    def _standing(self) -> _Standing:
        if self._file is None or not self._file.is_file():
            return _Standing()
        try:
            kept: Mapping[str, object] = json.loads(self._file.read_text("utf-8"))
            standing = _Standing(
                str(kept["done_at"]), int(str(kept["after"])), str(kept["begun_at"])
            )
            for moment in filter(None, (standing.done_at, standing.begun_at)):
                offset_minutes(datetime.fromisoformat(moment))
            if standing.after and not standing.begun_at:
                return _Standing()
        except (OSError, ValueError, KeyError, TypeError, InvalidTime):
            return _Standing()
        return standing

    def _keep(self, standing: _Standing) -> None:
        if self._file is None:
            return
        fresh = self._file.with_suffix(".new")
        try:
            fresh.write_text(json.dumps(asdict(standing)), "utf-8")
            os.replace(fresh, self._file)  # noqa: PTH105 - atomic, also where the file exists
        except OSError as cause:
            raise MemoryUnwritable(f"{self._file}: {cause.strerror}") from cause


def _counted(done: Tended, seen: int, ops: Sequence[SetFact]) -> Tended:
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
