"""When each thing of a memory was last changed: the later change wins when two memories meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from graphmem.model import Event
from graphmem.protocols import GraphStore

RESTORE = "bring_back"  # the event of what a restore brought; restoring a fact by hand is "restore"
RESTORED = "restored"  # the events that tell when that was changed where it comes from
NEVER = datetime.min.replace(tzinfo=UTC)  # when something was changed of which no event tells
_PAGE = 5000


def events_of(store: GraphStore) -> Iterator[Event]:
    """Every event in its order."""
    last = 0
    while page := store.events(after=last, limit=_PAGE):
        yield from page
        last = page[-1].n


def last_changes(store: GraphStore) -> Mapping[str, datetime]:
    """The instant (UTC) of the last change, by id of fact, snapshot, entity, conflict or reminder. What was
    deleted has one too.
    """
    changed: dict[str, datetime] = {}
    for event in events_of(store):
        if event.kind == RESTORE:
            continue
        at = event.at.astimezone(UTC)
        for ids in event.touched.values():
            for one in ids:
                if one not in changed or changed[one] < at:
                    changed[one] = at
    return changed
