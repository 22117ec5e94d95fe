"""Review (R3.6): putting a pair before the owner, and what each of the four decisions changes. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from graphmem.errors import TransitionRefused
from graphmem.identity import digest
from graphmem.lifecycle.links import certain_again, removed, replaced
from graphmem.lifecycle.states import move
from graphmem.model import Conflict, Decision, Fact, Relation, State
from graphmem.plan import DecideConflict, Op, OpenConflict


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


def decide(
    conflict: Conflict,
    decision: Decision,
    *,
    now: datetime,
    others: Sequence[Conflict] = (),
    predecessors: Sequence[Fact] = (),
    beyond: Collection[str] = (),
) -> tuple[Op, ...]:
    """The operations of a decision; none where the conflict was decided so already.

    Raises TransitionRefused where it was decided otherwise: the owner's word stands until he takes it
    back.

    `others` are the further conflicts that either fact is part of: an older fact stays unsure while
    another of them is open. `predecessors` are the facts that the one to be deleted had replaced;
    `beyond` the ids of what has replaced the newer fact in its turn. A deletion removes the fact
    alone; its sentence is cut out by `by_hand.redact`.
    """
    if conflict.decision is decision:
        return ()
    if conflict.decision is not None:
        raise _decided_otherwise(conflict, decision)
    old, new = conflict.old, conflict.new
    rest = [other for other in others if other.id != conflict.id]
    decided = DecideConflict(conflict.id, None, decision, now)
    match decision:
        case Decision.KEEP_BOTH:
            return (decided, *certain_again(old, rest, now=now))
        case Decision.MARK_OLDER_AS_PAST:
            return (decided, *replaced(old, new, now=now, beyond=beyond))
        case Decision.REPLACE_OLDER:
            return removed(
                old, [conflict, *rest], now=now, predecessors=predecessors, successor=new.id
            )
        case Decision.DISCARD_NEWER:
            return removed(new, [conflict, *rest], now=now, predecessors=predecessors)


def _decided_otherwise(conflict: Conflict, decision: Decision) -> TransitionRefused:
    """How to get from the decision that stands to the one that is asked for."""
    old, new = conflict.old.id, conflict.new.id
    ways = {
        Decision.KEEP_BOTH: f"restore {old} to make it current again",
        Decision.MARK_OLDER_AS_PAST: f"update or retire {old}",
        Decision.REPLACE_OLDER: f"forget {old} to delete it for good",
        Decision.DISCARD_NEWER: f"forget {new} to delete it for good",
    }
    return TransitionRefused(
        f"conflict {conflict.id} was decided already: {conflict.decision}, not {decision}",
        expected="a conflict that is open, or the same decision again",
        next_step=f"undo takes the decision back if nothing was built on it; else {ways[decision]}",
    )
