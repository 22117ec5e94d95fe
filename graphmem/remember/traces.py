"""What a deletion leaves behind: entities, names and mentions that nothing refers to any more (R3.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphmem.model import Entity, Fact
from graphmem.plan import (
    AddFact,
    MoveFact,
    Op,
    RedactSnapshot,
    RemoveAlias,
    RemoveEntity,
    RemoveMention,
    RemoveSnapshot,
)
from graphmem.protocols import GraphStore
from graphmem.words import key

LOOKED_AT = 200  # statements about an entity in which a name of it is looked for


def cleared(store: GraphStore, gone: Sequence[Fact], ops: Sequence[Op]) -> list[Op]:
    """The operations that take away what only the deleted facts spoke of; they follow `ops`.

    `ops` are those of the deletion. An entity goes with its names where no fact and no snapshot is left
    that refers to it; one that stays loses the further names that only the deleted sentence gave it.
    """
    clearing = _Clearing(store, gone, ops)
    return [*clearing.mentions(), *clearing.entities()]


class _Clearing:
    def __init__(self, store: GraphStore, gone: Sequence[Fact], ops: Sequence[Op]) -> None:
        self._store = store
        self._gone = {fact.id: fact for fact in gone}
        self._cut = {op.snapshot_id: op.text for op in ops if isinstance(op, RedactSnapshot)}
        self._removed = {op.snapshot_id for op in ops if isinstance(op, RemoveSnapshot)}
        added = [op.fact for op in ops if isinstance(op, AddFact)]
        self._kept = {each for fact in added for each in (fact.entity_id, fact.object_id)}
        self._kept |= {op.after_id for op in ops if isinstance(op, MoveFact)}
        self._unmentioned: set[tuple[str, str]] = set()
        self._near: dict[str, Entity] = {}
        for fact in gone:
            for entity_id in (fact.entity_id, fact.object_id):
                entity = store.entity(entity_id) if entity_id else None
                if entity is not None:
                    self._near[entity.id] = entity
        for snapshot_id in self._removed | self._cut.keys():
            self._near |= {entity.id: entity for entity in store.mentioned_in(snapshot_id)}

    def mentions(self) -> Iterator[Op]:
        """A redacted statement no longer mentions what stood in its deleted sentence alone."""
        for snapshot_id, text in sorted(self._cut.items()):
            left = [
                fact
                for fact in self._store.facts_stated_by(snapshot_id)
                if fact.id not in self._gone
            ]
            meant = {each for fact in left for each in (fact.entity_id, fact.object_id)}
            for entity in self._store.mentioned_in(snapshot_id):
                named = any(key(name) in key(text) for name in (entity.name, *entity.aliases))
                if entity.id not in meant and not named:
                    self._unmentioned.add((snapshot_id, entity.id))
                    yield RemoveMention(snapshot_id, entity.id)

    def entities(self) -> Iterator[Op]:
        """Entities without a use, and names without a statement that has them."""
        for entity in self._near.values():
            if entity.id in self._kept:
                continue
            if next(self._uses(entity), None) is None:
                yield RemoveEntity(entity.id)
            else:
                yield from (RemoveAlias(entity.id, name) for name in self._unsaid(entity))

    def _uses(self, entity: Entity) -> Iterator[str]:
        """The facts and snapshots that will still refer to it."""
        limit = len(self._gone) + len(self._removed) + len(self._unmentioned) + LOOKED_AT
        for user, _ in self._store.users_of(entity.id, limit=limit):
            away = user in self._gone or user in self._removed
            if not away and (user, entity.id) not in self._unmentioned:
                yield user

    def _unsaid(self, entity: Entity) -> Iterator[str]:
        told = " ".join(key(fact.text) for fact in self._gone.values())
        names = [name for name in entity.aliases if name != entity.name and key(name) in told]
        if not names:
            return
        left = " ".join(self._said(entity))
        yield from (name for name in names if key(name) not in left)

    def _said(self, entity: Entity) -> Iterator[str]:
        for user in self._uses(entity):
            fact = self._store.fact(user)
            snapshot = None if fact is not None else self._store.snapshot(user)
            if fact is not None:
                yield key(f"{fact.text} {fact.entity} {fact.object}")
            elif snapshot is not None:
                yield key(self._cut.get(user, snapshot.text))
