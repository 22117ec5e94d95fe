"""Which entities a reader may know, and by which names: those that stand in what it may see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from graphmem.model import Entity, Fact
from graphmem.protocols import GraphStore
from graphmem.readers.hidden import Hidden
from graphmem.words import key

_BETWEEN = re.compile(r"'s\b|\W+|的")
_LOOKED_AT = 500  # things said of an entity in which its names are looked for


class Named:
    """Entities for one reader."""

    def __init__(self, whole: GraphStore, hidden: Hidden) -> None:
        self._whole = whole
        self._hidden = hidden

    def of(self, entity: Entity, *, called: str | None = None) -> Entity | None:
        """The entity with the names that the reader may know; None where it may know none of them, or
        not the one that it is `called`.
        """
        if entity.id not in self._hidden.touched:
            return entity
        facts = [fact for user in self._uses(entity) if (fact := self._whole.fact(user))]
        said = tuple(self._said(entity))
        known = [name for name in (entity.name, *entity.aliases) if _stands_in(name, said)]
        known = known or [name for fact in facts if (name := _name_in(fact, entity.id))][:1]
        if not known or (called is not None and key(called) not in map(key, known)):
            return None
        return replace(entity, name=known[0], aliases=tuple(dict.fromkeys(known[1:])))

    def users_of(self, entity_id: str, *, limit: int) -> Iterator[tuple[str, str]]:
        """The facts and snapshots that refer to the entity, of those that the reader may see."""
        away = self._hidden.facts | self._hidden.snapshots
        counted: dict[str, int] = {}
        for user, how in self._whole.users_of(entity_id, limit=limit + len(away)):
            counted[how] = counted.get(how, 0) + (user not in away)
            if user not in away and counted[how] <= limit:
                yield user, how

    def hidden(self) -> int:
        """How many entities the reader may not know at all."""
        found = (self._whole.entity(one) for one in self._hidden.touched if one)
        return sum(1 for entity in found if entity is not None and self.of(entity) is None)

    def _uses(self, entity: Entity) -> Iterator[str]:
        users = self.users_of(entity.id, limit=_LOOKED_AT)
        return (user for user, _ in islice(users, _LOOKED_AT))

    def _said(self, entity: Entity) -> Iterator[str]:
        for user in self._uses(entity):
            fact = self._whole.fact(user)
            snapshot = None if fact is not None else self._whole.snapshot(user)
            if fact is not None:
                yield key(f"{fact.text} {fact.entity} {fact.object}")
                for source in fact.sources:
                    told = self._whole.snapshot(source)
                    if told is not None and source not in self._hidden.snapshots:
                        yield key(f"{told.text} {told.speaker}")
            elif snapshot is not None:
                yield key(f"{snapshot.text} {snapshot.speaker}")


def _stands_in(name: str, said: Iterable[str]) -> bool:
    """Whether one thing said has every word of the name: "Ana's sister" stands in Ana's "my sister"."""
    words = [word for word in _BETWEEN.split(key(name)) if word]
    return any(all(word in one for word in words) for one in said)


def _name_in(fact: Fact, entity_id: str) -> str:
    return fact.entity if fact.entity_id == entity_id else fact.object
