"""How facts stood at a date: what was true then and known then."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.model import Fact, State
from graphmem.protocols import GraphStore, Passage

_BEST_FIRST = (
    State.CURRENT,
    State.UNSURE,
    State.HISTORICAL,
    State.EXPIRED,
    State.ARCHIVED,
)


def state_at(store: GraphStore, fact: Fact, moment: datetime) -> State | None:
    """The state of a fact at `moment`, None where it had not been said yet."""
    if fact.said_at >= moment:
        return None
    if fact.valid_to is not None and fact.valid_to.end <= moment:
        return State.HISTORICAL
    if fact.expires_at is not None and fact.expires_at.end <= moment:
        return State.EXPIRED
    if fact.tense == "past" and fact.retired_at is None:
        return State.HISTORICAL
    heir = store.fact(fact.replaced_by) if fact.replaced_by else None
    if heir is not None:
        return State.HISTORICAL if heir.said_at < moment else State.CURRENT
    if fact.state is State.HISTORICAL:
        retired = fact.retired_at
        return State.HISTORICAL if retired is None or retired <= moment else State.CURRENT
    if fact.state is State.UNSURE:
        newer = [c.new.said_at for c in store.conflicts(fact_id=fact.id) if c.old.id == fact.id]
        return State.UNSURE if any(said < moment for said in newer) else State.CURRENT
    return State.CURRENT


def as_it_stood(
    store: GraphStore, passages: Sequence[Passage], moment: datetime
) -> dict[int, State]:
    """The best state of each passage's facts at `moment`; a passage without facts was simply current."""
    states: dict[int, State] = {}
    for passage in passages:
        facts = [f for fact_id in passage.fact_ids if (f := store.fact(fact_id)) is not None]
        known = [state for fact in facts if (state := state_at(store, fact, moment)) is not None]
        if not facts:
            states[passage.n] = State.CURRENT
        elif known:
            states[passage.n] = min(known, key=_BEST_FIRST.index)
    return states
