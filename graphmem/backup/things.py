"""All that a memory, or the view of one that a reader has, holds: thing by thing, as files tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import groupby
from operator import itemgetter
from typing import Any

from graphmem.model import Conflict, Entity
from graphmem.protocols import GraphStore
from graphmem.store.graph import Graph
from graphmem.store.records import ConflictRow
from graphmem.words import key

_PAGE = 1000
_EVERY = 1 << 40


@dataclass(frozen=True, slots=True)
class Thing:
    """A value, its kind of record, and what is told beside its own fields."""

    kind: str
    value: Any
    beside: Mapping[str, Any] = field(default_factory=dict)


def things(store: GraphStore) -> Iterator[Thing]:
    """Entities, snapshots, facts, conflicts and reminders, in this order; one at a time."""
    for entity in entities(store):
        yield Thing("entity", entity, {"named": _named(store, entity)})
    mentions = _mentions(store)
    for snapshot in store.scan_snapshots():
        yield Thing("snapshot", snapshot, {"mentions": mentions(snapshot.id)})
    for fact in store.scan_facts():
        yield Thing("fact", fact)
    for conflict in store.conflicts(open_only=False, limit=_EVERY):
        yield Thing("conflict", row_of(conflict))
    for trigger in store.triggers(active_only=False):
        yield Thing("trigger", trigger)


def entities(store: GraphStore) -> Iterator[Entity]:
    """Every entity, page by page."""
    last = ""
    while page := store.entities(after=last, limit=_PAGE):
        yield from page
        last = page[-1].id


def row_of(conflict: Conflict) -> ConflictRow:
    """A conflict with the ids of its facts instead of the facts."""
    same = {one.name for one in fields(ConflictRow)} & {one.name for one in fields(conflict)}
    return ConflictRow(
        old_id=conflict.old.id,
        new_id=conflict.new.id,
        **{name: getattr(conflict, name) for name in same},
    )


def _named(store: GraphStore, entity: Entity) -> bool:
    """Whether its own name is still one of its names: not where a merge took it."""
    return not isinstance(store, Graph) or key(entity.name) in store.names_of(entity.id)


def _mentions(store: GraphStore) -> Callable[[str], list[str]]:
    """Which entities a snapshot mentions, asked in the order of their numbers."""
    if not isinstance(store, Graph):
        return lambda snapshot_id: [entity.id for entity in store.mentioned_in(snapshot_id)]
    told = groupby(store.scan_mentions(), key=itemgetter(0))
    following = next(told, None)

    def of(snapshot_id: str) -> list[str]:
        nonlocal following
        if following is None or following[0] != snapshot_id:
            return []
        found = [entity_id for _, entity_id in following[1]]
        following = next(told, None)
        return found

    return of
