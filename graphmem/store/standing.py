"""How a passage stands, by the facts it states: pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphmem.model import Fact, Interval, State, Tier, When
from graphmem.store.filters import NEVER

_TIERS = (Tier.CORE, Tier.WORKING, Tier.LONG_TERM, Tier.ARCHIVED)
_ACTIVE = (State.CURRENT, State.UNSURE)
NOBODY = ""  # a limit that no reader meets


@dataclass(frozen=True, slots=True)
class FactRow:
    """What the index keeps of a fact, per passage that states it; the columns of passage_facts.

    `place` is the passage's snapshot among the fact's sources. Times are seconds since 1970;
    `happens` is "start|end" as ISO instants; `readers` a JSON list.
    """

    fact_id: str
    n: int
    place: int
    fact_n: int
    state: str
    tier: str
    importance: int
    predicate: str
    entity_id: str
    object_id: str
    happens_start: float | None
    happens_end: float | None
    happens: str
    expires: float
    expires_at: str
    readers: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The columns of a passage that follow from its facts.

    It is current until `current_until`, then unsure until `unsure_until`, then `rest`.
    """

    state: str
    rest: str
    current_until: float
    unsure_until: float
    expires_at: str
    tier: str
    importance: int
    happens: str
    fact_ids: str
    entity_ids: str
    readers: str
    limited: int


def fact_row(fact: Fact, n: int, place: int) -> FactRow:
    """The row of a fact for passage `n`, in its source number `place`."""
    event = fact.happens_at.interval if fact.happens_at else None
    return FactRow(
        fact_id=fact.id,
        n=n,
        place=place,
        fact_n=fact.n,
        state=str(fact.state),
        tier=str(fact.tier),
        importance=fact.importance,
        predicate=fact.predicate,
        entity_id=fact.entity_id,
        object_id=fact.object_id,
        happens_start=event.start.timestamp() if event and event.start else None,
        happens_end=event.end.timestamp() if event and event.end else None,
        happens=_span(event),
        expires=_expiry(fact.expires_at or _stated_end(fact)),
        expires_at=fact.expires_at.end.isoformat() if fact.expires_at else "",
        readers=json.dumps(sorted(fact.readers)) if fact.readers else "",
    )


def standing(rows: Sequence[FactRow], readers: Iterable[str]) -> Standing:
    """How a passage with these facts stands; `readers` is its snapshot's own limit."""
    current = max((r.expires for r in rows if _holds_until_its_end(r)), default=0.0)
    unsure = max((r.expires for r in rows if r.state == State.UNSURE), default=0.0)
    states = {row.state for row in rows}
    ordered = sorted(rows, key=lambda row: row.fact_n)
    events = sorted((r.happens_start, r.happens) for r in rows if r.happens_start is not None)
    ends = {row.expires: row.expires_at for row in rows if row.state in _ACTIVE}
    allowed = _allowed([frozenset(readers), *(_names(row.readers) for row in rows)])
    entities = dict.fromkeys(e for row in ordered for e in (row.entity_id, row.object_id) if e)
    tiers = {row.tier for row in rows}
    return Standing(
        state=next((s for s in State if s in states), State.CURRENT),
        rest=_rest(states),
        current_until=current if rows else NEVER,
        unsure_until=unsure,
        expires_at=ends[max(ends)] if ends else "",
        tier=next((tier for tier in _TIERS if tier in tiers), Tier.LONG_TERM),
        importance=max((row.importance for row in rows), default=3),
        happens=events[0][1] if events else "",
        fact_ids=json.dumps([row.fact_id for row in ordered]),
        entity_ids=json.dumps(list(entities)),
        readers=json.dumps(sorted(allowed)) if allowed is not None else "[]",
        limited=int(allowed is not None),
    )


def _holds_until_its_end(row: FactRow) -> bool:
    """Asked about a time before its end, a fact that has expired since was still current."""
    return row.state == State.CURRENT or (row.state == State.EXPIRED and row.expires < NEVER)


def _rest(states: set[str]) -> str:
    """The state once everything that has an end has come to it."""
    if State.HISTORICAL in states:
        return State.HISTORICAL
    if states and states <= {str(State.ARCHIVED)}:
        return State.ARCHIVED
    return State.EXPIRED


def _stated_end(fact: Fact) -> When | None:
    """Up to when it held ("no lessons until September"), of what is over by that alone."""
    return fact.valid_to if fact.state is State.EXPIRED and fact.tense != "past" else None


def _expiry(end: When | None) -> float:
    return end.end.timestamp() if end else NEVER


def _span(event: Interval | None) -> str:
    if event is None or event.start is None or event.end is None:
        return ""
    return f"{event.start.isoformat()}|{event.end.isoformat()}"


def _names(readers: str) -> frozenset[str]:
    return frozenset(json.loads(readers)) if readers else frozenset()


def _allowed(limits: Iterable[frozenset[str]]) -> frozenset[str] | None:
    """Who meets every limit; None where there is none."""
    set_limits = [limit for limit in limits if limit]
    if not set_limits:
        return None
    return frozenset.intersection(*set_limits) or frozenset({NOBODY})
