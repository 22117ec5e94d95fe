"""What the owner does by hand (R3.7) as operations: update, edit, retire, restore, confirm, pin, forget. Pure.

The caller looks facts up and writes the operations as one event. Doing the same twice gives no
operations the second time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from graphmem.errors import TransitionRefused
from graphmem.identity import digest
from graphmem.lifecycle.links import doubting, removed, replaced, settled
from graphmem.lifecycle.states import move, standing
from graphmem.model import Conflict, Decision, Fact, Relation, Snapshot, State
from graphmem.plan import (
    DecideConflict,
    LinkReplaced,
    Op,
    OpenConflict,
    RedactSnapshot,
    RemoveConflict,
    RemoveFact,
    RemoveSnapshot,
    UnlinkReplaced,
)

_BLANKS = re.compile(r"[ \t]{2,}")


def update(
    old: Fact, new: Fact, *, now: datetime, conflicts: Sequence[Conflict] = ()
) -> tuple[Op, ...]:
    """`new`, added earlier in the same plan, takes the place of `old`, which becomes history (R3.4).

    Open conflicts that doubted `old` are answered by it.
    """
    answered = [
        DecideConflict(each.id, None, Decision.MARK_OLDER_AS_PAST, now)
        for each in doubting(old, conflicts)
    ]
    return (*answered, *replaced(old, new, now=now))


def edit(
    old: Fact,
    mended: Fact,
    *,
    conflicts: Sequence[Conflict] = (),
    predecessors: Sequence[Fact] = (),
) -> tuple[Op, ...]:
    """`mended`, added earlier in the same plan, stands in the place of `old`, which is deleted.

    Facts are immutable, so mending a typo makes a new fact with the old one's standing: its place in
    the chain and its open conflicts pass to the new one. Decided conflicts are dropped.
    """
    ops: list[Op] = []
    for before in predecessors:
        if before.replaced_by == old.id:
            ops += [UnlinkReplaced(before.id, old.id), LinkReplaced(before.id, mended.id)]
    if old.replaced_by is not None:
        ops += [UnlinkReplaced(old.id, old.replaced_by), LinkReplaced(mended.id, old.replaced_by)]
    for each in {each.id: each for each in conflicts}.values():
        ops.append(RemoveConflict(each.id))
        if each.decision is None:
            older = mended.id if each.old.id == old.id else each.old.id
            newer = mended.id if each.new.id == old.id else each.new.id
            ops.append(
                OpenConflict(
                    digest("c", older, newer), older, newer, each.relation, each.reason, each.cue,
                    opened_at=each.opened_at,
                )
            )  # fmt: skip
    return (*ops, RemoveFact(old.id))


def retire(fact: Fact, *, now: datetime, conflicts: Sequence[Conflict] = ()) -> tuple[Op, ...]:
    """The fact is past. An open conflict that doubted it names its successor."""
    if fact.state is State.HISTORICAL:
        return ()
    doubts = doubting(fact, conflicts)
    answered = [DecideConflict(each.id, None, Decision.MARK_OLDER_AS_PAST, now) for each in doubts]
    if doubts:
        return (*answered, *replaced(fact, doubts[-1].new, now=now))
    return (move(fact, State.HISTORICAL, now=now),)


def restore(
    fact: Fact,
    *,
    now: datetime,
    fillers: Sequence[Fact] = (),
    conflicts: Sequence[Conflict] = (),
) -> tuple[Op, ...]:
    """The fact is current again, without a successor; an end of its own that has passed is lifted.

    `fillers` are what fills its slot now: they are put under review against it, since two facts can
    hardly fill one slot. Nothing to do for a current fact.
    """
    if fact.state is State.CURRENT:
        return ()
    expires_at = fact.expires_at
    if expires_at is not None and expires_at.start <= now:
        expires_at = None
    ops: list[Op] = [*settled(fact, conflicts, now=now)]
    ops.append(move(fact, State.CURRENT, now=now, confirmed_at=now, expires_at=expires_at))
    if fact.replaced_by is not None:
        ops.append(UnlinkReplaced(fact.id, fact.replaced_by))
    for filler in fillers:
        if filler.id == fact.id or filler.state is not State.CURRENT:
            continue
        ops.append(
            OpenConflict(
                digest("c", filler.id, fact.id, now.isoformat()),
                filler.id,
                fact.id,
                Relation.CONTRADICTS,
                "the older one was restored by hand",
                "",
                opened_at=now,
            )
        )
        ops.append(move(filler, State.UNSURE, now=now))
    return tuple(ops)


def confirm(fact: Fact, *, now: datetime, conflicts: Sequence[Conflict] = ()) -> tuple[Op, ...]:
    """The fact still holds: it is fresh, and current where it was unsure or archived.

    Open conflicts that doubted it are answered with "keep both". Raises TransitionRefused for a
    historical or expired fact: restore it instead.
    """
    answered = settled(fact, conflicts, now=now)
    if fact.state is State.CURRENT:
        fresh = standing(fact, confirmed_at=now)
        return (*answered, fresh) if fresh.after else answered
    if fact.state in {State.UNSURE, State.ARCHIVED}:
        return (*answered, move(fact, State.CURRENT, now=now, confirmed_at=now))
    raise TransitionRefused(
        f"fact {fact.id} is {fact.state}, and confirming does not make it {State.CURRENT}",
        expected=f"a fact that is {State.CURRENT}, {State.UNSURE} or {State.ARCHIVED}",
        next_step="restore it, then it is current",
    )


def pin(fact: Fact, *, pinned: bool) -> tuple[Op, ...]:
    """The fact never fades (core), or fades again."""
    return (standing(fact, pinned=pinned),) if fact.pinned is not pinned else ()


def forget(
    fact: Fact,
    *,
    now: datetime,
    conflicts: Sequence[Conflict] = (),
    predecessors: Sequence[Fact] = (),
) -> tuple[Op, ...]:
    """Delete the fact for good; see `links.removed`. `redact` gives what happens to its sentence."""
    return removed(fact, conflicts, now=now, predecessors=predecessors)


def redact(fact: Fact, snapshot: Snapshot, others: Sequence[Fact]) -> tuple[Op, ...]:
    """Cut the sentence of a deleted fact out of a snapshot, where nothing else stands on it.

    `others` are the further facts that the snapshot states. A snapshot of which nothing is left is
    deleted.
    """
    sentence = fact.text.strip()
    if any(sentence in other.text or other.text.strip() in sentence for other in others):
        return ()
    before, found, after = snapshot.text.partition(sentence)
    if not sentence or not found:
        return () if others else (RemoveSnapshot(snapshot.id),)
    left = _BLANKS.sub(" ", f"{before.rstrip(' ')} {after.lstrip(' ')}").strip()
    if not any(char.isalnum() for char in left):
        return (RemoveSnapshot(snapshot.id),)
    return (RedactSnapshot(snapshot.id, left),)
