"""Review: what each of the owner's four decisions about an open conflict changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from graphmem.identity import digest
from graphmem.lifecycle.states import may_move, move
from graphmem.model import Conflict, Decision, Fact, Relation, State
from graphmem.plan import DecideConflict, LinkReplaced, Op, OpenConflict, RemoveConflict, RemoveFact


def conflict_id(old_id: str, new_id: str) -> str:
    """The id of the conflict between two facts: the same pair is one conflict."""
    return digest("c", old_id, new_id)


def open_conflict(
    old: Fact, new: Fact, *, relation: Relation, reason: str, cue: str, now: datetime
) -> tuple[Op, ...]:
    """Put a pair before the owner: the new fact stays current, the older becomes unsure."""
    opened = OpenConflict(
        conflict_id(old.id, new.id), old.id, new.id, relation, reason, cue, opened_at=now
    )
    if old.state is State.CURRENT:
        return (opened, move(old, State.UNSURE, now=now))
    return (opened,)


def replace(old: Fact, new: Fact, *, now: datetime) -> tuple[Op, ...]:
    """Make `old` history with `new` as its successor; a successor it already has is kept.

    The edge always points from what was said earlier to what was said later, so there are no cycles.
    """
    ops: list[Op] = []
    if may_move(old, State.HISTORICAL):
        ops.append(move(old, State.HISTORICAL, now=now))
    if old.replaced_by is None and old.id != new.id:
        ops.append(LinkReplaced(old.id, new.id))
    return tuple(ops)


def decide(
    conflict: Conflict,
    decision: Decision,
    *,
    now: datetime,
    others: Sequence[Conflict] = (),
) -> tuple[Op, ...]:
    """The operations of a decision; none where the conflict is decided already.

    `others` are the further conflicts that either fact is part of: an older fact stays unsure while
    another of them is open, and deleting a fact closes those it is part of. A deletion removes the
    fact alone; the caller adds what `by_hand.forget` gives for its sentence.
    """
    if conflict.decision is not None:
        return ()
    decided = DecideConflict(conflict.id, None, decision, now)
    old, new = conflict.old, conflict.new
    match decision:
        case Decision.KEEP_BOTH:
            return (decided, *_settle(old, conflict, others, now))
        case Decision.MARK_OLDER_AS_PAST:
            return (decided, *replace(old, new, now=now))
        case Decision.REPLACE_OLDER:
            return _delete(old, conflict, others, now)
        case Decision.DISCARD_NEWER:
            return (
                *_delete(new, conflict, others, now),
                *_settle(old, conflict, others, now),
            )


def _settle(
    old: Fact, conflict: Conflict, others: Sequence[Conflict], now: datetime
) -> tuple[Op, ...]:
    """Back to current, unless another open conflict still asks about the fact."""
    waiting = any(
        other.decision is None and other.id != conflict.id and other.old.id == old.id
        for other in others
    )
    if old.state is State.UNSURE and not waiting:
        return (move(old, State.CURRENT, now=now),)
    return ()


def _delete(
    gone: Fact, conflict: Conflict, others: Sequence[Conflict], now: datetime
) -> tuple[Op, ...]:
    """Delete a fact with the conflicts it is part of; older facts only it put in doubt are current again."""
    touched = [
        other
        for other in others
        if other.id != conflict.id and gone.id in {other.old.id, other.new.id}
    ]
    ops: list[Op] = [RemoveConflict(conflict.id), *(RemoveConflict(other.id) for other in touched)]
    left = [other for other in others if other not in touched]
    freed: dict[str, Fact] = {
        other.old.id: other.old
        for other in touched
        if other.decision is None and other.new.id == gone.id
    }
    for old in freed.values():
        ops += _settle(old, conflict, left, now)
    return (*ops, RemoveFact(gone.id))
