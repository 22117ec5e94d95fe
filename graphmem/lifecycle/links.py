"""What decisions are made of: retiring with a successor, settling doubts, deleting. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from graphmem.identity import digest
from graphmem.lifecycle.states import may_move, move
from graphmem.model import Conflict, Decision, Fact, Relation, State
from graphmem.plan import (
    DecideConflict,
    LinkReplaced,
    Op,
    OpenConflict,
    RemoveConflict,
    RemoveFact,
    UnlinkReplaced,
)

_HELD = frozenset({State.CURRENT, State.UNSURE})
_BETWEEN = "what stood between the two was deleted"


def replaced(
    old: Fact, new: Fact, *, now: datetime, beyond: Collection[str] = ()
) -> tuple[Op, ...]:
    """Make `old` history with `new` as its successor.

    A successor it already has is kept, so that chains never fork. `beyond` are the ids of what
    replaced `new` in its turn: where `old` is among them no edge is made, so that chains never close.
    """
    ops: list[Op] = []
    if may_move(old, State.HISTORICAL):
        ops.append(move(old, State.HISTORICAL, now=now))
    if old.replaced_by is None and old.id != new.id and not {old.id} & {new.replaced_by, *beyond}:
        ops.append(LinkReplaced(old.id, new.id))
    return tuple(ops)


def settled(fact: Fact, conflicts: Iterable[Conflict], *, now: datetime) -> tuple[Op, ...]:
    """Answer the open conflicts which doubt `fact` with "keep both"."""
    return tuple(
        DecideConflict(each.id, None, Decision.KEEP_BOTH, now) for each in doubting(fact, conflicts)
    )


def doubting(fact: Fact, conflicts: Iterable[Conflict]) -> tuple[Conflict, ...]:
    """The open conflicts in which `fact` is the older side."""
    found = {
        each.id: each for each in conflicts if each.decision is None and each.old.id == fact.id
    }
    return tuple(found.values())


def certain_again(fact: Fact, conflicts: Iterable[Conflict], *, now: datetime) -> tuple[Op, ...]:
    """Back to current where the fact was unsure and none of `conflicts` still doubts it."""
    if fact.state is State.UNSURE and not doubting(fact, conflicts):
        return (move(fact, State.CURRENT, now=now),)
    return ()


def removed(
    fact: Fact,
    conflicts: Sequence[Conflict],
    *,
    now: datetime,
    predecessors: Sequence[Fact] = (),
    successor: str | None = None,
) -> tuple[Op, ...]:
    """Delete a fact with the conflicts it is part of.

    What it had replaced (`predecessors`) is handed on to its own successor, or to `successor`; an
    older fact which only this one put in doubt is current again, or is doubted by the newer one that doubted
    this one, where both would fill one slot. The sentence itself is cut out by
    `by_hand.redact`.
    """
    heir = successor or fact.replaced_by
    ops: list[Op] = []
    for before in predecessors:
        if before.replaced_by == fact.id:
            ops.append(UnlinkReplaced(before.id, fact.id))
            if heir is not None and heir != before.id:
                ops.append(LinkReplaced(before.id, heir))
    touched = {each.id: each for each in conflicts if fact.id in {each.old.id, each.new.id}}
    left = [each for each in conflicts if each.id not in touched]
    ops += [RemoveConflict(each) for each in touched]
    waiting = [each for each in touched.values() if each.decision is None]
    newer = [each.new for each in waiting if each.old.id == fact.id]
    freed = {each.old.id: each.old for each in waiting if each.new.id == fact.id}
    for old in freed.values():
        passed_on = _passed_on(old, newer, conflicts, now=now)
        ops += passed_on or certain_again(old, left, now=now)
    return (*ops, RemoveFact(fact.id))


def _passed_on(
    old: Fact, newer: Sequence[Fact], conflicts: Sequence[Conflict], *, now: datetime
) -> tuple[Op, ...]:
    """Conflicts of `old` with those that doubted what stood between them: two fillers of a slot are
    never current beside each other unless the owner said so.
    """
    known = {(each.old.id, each.new.id) for each in conflicts}
    return tuple(
        OpenConflict(
            digest("c", old.id, new.id),
            old.id,
            new.id,
            Relation.CONTRADICTS,
            _BETWEEN,
            "",
            opened_at=now,
        )
        for new in {each.id: each for each in newer}.values()
        if old.slot is not None and old.slot == new.slot and old.entity_id == new.entity_id
        if new.state in _HELD and (old.id, new.id) not in known
    )
