"""A receipt as one reader may see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graphmem.model import Fact, Receipt, Trigger
from graphmem.protocols import GraphStore


def told(receipt: Receipt, seen: GraphStore) -> Receipt:
    """The receipt without what the reader may not see, and without counts of everything."""
    return replace(
        receipt,
        event=None if receipt.event is None else 0,
        facts=_facts(receipt.facts, seen),
        notes=_facts(receipt.notes, seen),
        merged=_facts(receipt.merged, seen),
        replaced=tuple(
            (old, new)
            for old, new in receipt.replaced
            if seen.fact(old.id) is not None and seen.fact(new.id) is not None
        ),
        conflicts=tuple(one for one in receipt.conflicts if seen.conflict(one.id) is not None),
        reminders=_reminders(receipt.reminders, seen),
        brought_up=_reminders(receipt.brought_up, seen),
        open_conflicts=int(seen.counts()["open_conflicts"]),
    )


def _facts(found: Iterable[Fact], seen: GraphStore) -> tuple[Fact, ...]:
    return tuple(shown for one in found if (shown := seen.fact(one.id)) is not None)


def _reminders(found: Iterable[Trigger], seen: GraphStore) -> tuple[Trigger, ...]:
    return tuple(one for one in found if seen.trigger(one.id) is not None)
