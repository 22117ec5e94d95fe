"""Undo (R7.7): whether an event can be taken back. Pure; `plan.undo_of` gives how."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.model import Event

# What may be shared without the one depending on the other: many events speak of one entity.
_SHARED = frozenset({"entities"})
# What is nobody's decision, so that nothing builds on it and undo passes over it: upkeep changes only
# scores and what has passed, telling a reminder only that it was told.
UPKEEP = frozenset({"tend", "tell"})


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
        return f"event {event.n} ({event.kind}) was a deletion, which is for good"
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
