"""From a name in a message to an entity of the memory: the known one, or a new one."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.identity import digest
from graphmem.model import Entity
from graphmem.plan import AddAlias, AddEntity, MoveAlias, MoveFact, Op, RemoveEntity
from graphmem.protocols import AliasCandidate, GraphStore
from graphmem.words import key

EVERY = 1_000_000
BEINGS = frozenset({"person", "animal", "name"})


class Linker:
    """Links the names of one plan. What it creates is in `ops`, in order.

    Two names are one entity where an alias says so; a person is never linked with a thing of the same
    name (Cooper the boy and Cooper the car).
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._known: dict[tuple[bool, str], Entity] = {}
        self.ops: list[Op] = []

    def link(self, name: str, kind: str) -> Entity:
        """The entity that `name` means, made where the memory has none."""
        known = self.find(name, kind)
        if known is not None:
            return known
        being = kind in BEINGS
        entity = Entity(
            id=digest("e", "being" if being else "thing", key(name)), name=name, kind=kind
        )
        self._known[being, key(name)] = entity
        self.ops.append(AddEntity(entity))
        return entity

    def find(self, name: str, kind: str) -> Entity | None:
        """The known entity that `name` means, or None."""
        place = (kind in BEINGS, key(name))
        if place not in self._known:
            fitting = [
                entity
                for entity in self._store.entities_named(name)
                if (entity.kind in BEINGS) is place[0]
            ]
            if not fitting:
                return None
            self._known[place] = fitting[0]
        return self._known[place]

    def learn(self, aliases: Iterable[AliasCandidate]) -> None:
        """Take over what the text says of names: a second name for an entity, or two that are one."""
        for pair in aliases:
            if key(pair.name) == key(pair.alias):
                continue
            first, second = self.find(pair.name, "person"), self.find(pair.alias, "person")
            if first is None:
                first, second = second, first
                known, new = pair.alias, pair.name
            else:
                known, new = pair.name, pair.alias
            if first is None:
                first = self.link(known, "person")
            if second is None:
                self._name(first, new)
            elif second.id != first.id:
                self._join(first, second)

    def _name(self, entity: Entity, alias: str) -> None:
        self.ops.append(AddAlias(entity.id, alias))
        self._known[True, key(alias)] = entity

    def _join(self, kept: Entity, gone: Entity) -> None:
        self.ops += merge(self._store, kept, gone)
        for place, entity in list(self._known.items()):
            if entity.id == gone.id:
                self._known[place] = kept


def merge(store: GraphStore, kept: Entity, gone: Entity) -> list[Op]:
    """The operations that make two entities one: every fact and alias of `gone` moves to `kept`.

    They can be undone: `gone` itself stays as an empty shell, which costs one node and loses nothing.
    """
    ops: list[Op] = []
    ops += [
        MoveFact(fact.id, "subject", gone.id, fact.entity, kept.id, fact.entity)
        for fact in store.facts_of(gone.id, limit=EVERY)
    ]
    ops += [
        MoveFact(fact.id, "object", gone.id, fact.object, kept.id, fact.object)
        for fact in store.facts_with_object(gone.id, limit=EVERY)
    ]
    ops += [MoveAlias(alias, gone.id, kept.id) for alias in (gone.name, *gone.aliases)]
    return ops


def remove_if_empty(store: GraphStore, entity: Entity) -> list[Op]:
    """The operation that deletes an entity nothing refers to any more; none where something does."""
    if store.facts_of(entity.id, limit=1) or store.facts_with_object(entity.id, limit=1):
        return []
    return [RemoveEntity(entity.id)]
