"""Undo (R7.7): whether an event can be taken back. Pure; `plan.undo_of` gives how."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.model import Event

# What may be shared without the one depending on the other: many events speak of one entity.
_SHARED = frozenset({"entities"})
# What is nobody's decision, so that nothing builds on it and undo passes over it: upkeep changes only
# scores and what has passed, telling a reminder only that it was told, what a backup brought what was decided before.
UPKEEP = frozenset({"tend", "tell", "bring_back", "restored"})
_DELETED = "was a deletion, which is for good"
_FOR_GOOD = {
    "edit": "mended a text in its place, and the wording before is not kept",
}


def is_open(event: Event, later: Sequence[Event]) -> bool:
    """True for a decision or a message (not for upkeep or an undo) that has not been taken back."""
    decided = event.undoes is None and event.kind not in UPKEEP
    return decided and event.n not in {one.undoes for one in later}


def can_undo(event: Event, later: Sequence[Event]) -> bool:
    """True where nothing stands in the way of taking the event back."""
    return not why_not(event, later)


def why_not(event: Event, later: Sequence[Event]) -> str:
    """What stands in the way of taking `event` back, given all events after it; "" for nothing.

    An event depends on an earlier one where it touched the same fact, snapshot, conflict or
    reminder and has not itself been taken back.
    """
    if event.undoes is not None:
        return f"event {event.n} took back event {event.undoes}"
    taken_back = {each.undoes for each in later if each.undoes is not None}
    if event.n in taken_back:
        return f"event {event.n} was taken back already"
    if not event.undo:
        return f"event {event.n} ({event.kind}) {_FOR_GOOD.get(event.kind, _DELETED)}"
    mine = _things(event)
    for each in later:
        if each.undoes is not None or each.n in taken_back or each.kind in UPKEEP:
            continue
        if mine & _things(each):
            return f"event {each.n} ({each.kind}) builds on it; undo that first"
    return ""


def _things(event: Event) -> frozenset[tuple[str, str]]:
    return frozenset(
        (kind, each) for kind, ids in event.touched.items() if kind not in _SHARED for each in ids
    )
