"""From what a person types to what it means: an entity by name or id, facts by id, slot or word."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from graphmem.errors import UnknownId
from graphmem.forget.tiers import stood
from graphmem.model import Entity, Fact, Kind, Snapshot, State
from graphmem.protocols import Clock, GraphStore
from graphmem.readers.allowed import may_read
from graphmem.remember.facts import NOTED
from graphmem.remember.linking import is_shell
from graphmem.secrecy.masking import without_secrets
from graphmem.words import clean, key

EVERY = 1_000_000
PAGE = 500


class Names:
    """Finds entities and facts; what a reader may not see does not exist for it, and what has come to its
    end is expired from that instant on.
    """

    def __init__(self, store: GraphStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def entities(self, *, limit: int) -> tuple[Entity, ...]:
        """Who and what is known, by id; what a merge has emptied is left out."""
        found: list[Entity] = []
        after = ""
        while len(found) < limit:
            page = self._store.entities(after=after, limit=PAGE)
            if not page:
                break
            after = page[-1].id
            found += [one for one in page if not is_shell(self._store, one)]
        return tuple(found[:limit])

    def entity(self, name: str) -> Entity:
        """The entity with this id or name. Raises UnknownId."""
        found = self._entities(name)
        if not found:
            raise UnknownId(
                f"nobody and nothing is known as {without_secrets(name)!r}",
                expected="an entity's id, name or alias",
                next_step="see: graphmem entities list",
            )
        return found[0]

    def fact(self, fact_id: str, *, reader: str | None = None) -> Fact:
        """The fact with this id. Raises UnknownId."""
        fact = self._store.fact(clean(fact_id))
        if fact is None or not readable(fact, reader):
            raise UnknownId(
                f"no fact {fact_id!r}",
                expected="a fact's id",
                next_step="see: graphmem facts --all",
            )
        return stood(fact, now=self._clock.now())

    def snapshot(self, snapshot_id: str, *, reader: str | None = None) -> Snapshot:
        """The snapshot with this id. Raises UnknownId."""
        found = self._store.snapshot(clean(snapshot_id))
        if found is None or not may_read(reader, found.readers):
            raise UnknownId(
                f"no message {snapshot_id!r}",
                expected="a message's id",
                next_step="see the sources of what recall gives",
            )
        return found

    def facts(
        self,
        entity: str | None,
        *,
        slot: str | None,
        states: frozenset[State] | None,
        kinds: frozenset[Kind] | None,
        limit: int,
        reader: str | None,
        before: int | None = None,
    ) -> tuple[Fact, ...]:
        """Facts by entity, slot, state and kind, newest first, recorded before the number `before`.

        Without `kinds`: claims, and the notes that speak of a slot or of what a claim said.
        """
        noted = states
        if states is not None and State.EXPIRED in states:
            noted = states | {State.CURRENT, State.UNSURE}
        found = (
            self._newest(slot, noted, before)
            if entity is None
            else (
                fact
                for one in self._entities(entity) or (self.entity(entity),)
                for fact in self._store.facts_of(one.id, slot=slot, states=noted, limit=EVERY)
                if before is None or fact.n < before
            )
        )
        now = self._clock.now()
        kept = (
            fact
            for fact in (stood(one, now=now) for one in found)
            if (states is None or fact.state in states)
            and readable(fact, reader)
            and (_ordinary(fact) if kinds is None else fact.kind in kinds)
        )
        return tuple(islice(kept, limit))

    def _newest(
        self, slot: str | None, states: frozenset[State] | None, before: int | None
    ) -> Iterator[Fact]:
        while page := self._store.newest_facts(states=states, slot=slot, before=before, limit=PAGE):
            yield from page
            before = page[-1].n

    def chain(
        self, entity: str, topic: str | None, *, reader: str | None = None
    ) -> tuple[Fact, ...]:
        """The facts that a lineage starts from: the fact with this id, or those of an entity in a
        slot, with a predicate, or with a word in their object or text. Raises UnknownId.
        """
        fact = self._store.fact(clean(entity))
        if fact is not None and readable(fact, reader):
            return (fact,)
        owners = self._entities(entity) or (self.entity(entity),)
        found = [
            fact
            for owner in owners
            for fact in self._store.facts_of(owner.id, limit=EVERY)
            if readable(fact, reader) and (topic is None or _about(fact, topic))
        ]
        if not found:
            raise UnknownId(
                without_secrets(f"{entity!r} has no facts about {topic!r}"),
                expected="a slot, a predicate or a word of the fact",
                next_step=f"see: graphmem facts {entity!r} --all",
            )
        return tuple(reversed(found))

    def _entities(self, name: str) -> tuple[Entity, ...]:
        by_id = self._store.entity(clean(name))
        return (by_id,) if by_id is not None else self._store.entities_named(clean(name))


def readable(fact: Fact, reader: str | None) -> bool:
    """True where the reader may see the fact; the owner (None) sees everything."""
    return reader is None or not fact.readers or reader in fact.readers


def _ordinary(fact: Fact) -> bool:
    return fact.kind is Kind.CLAIM or fact.slot is not None or fact.predicate != NOTED


def _about(fact: Fact, topic: str) -> bool:
    if topic in {fact.slot, fact.predicate}:
        return True
    word = key(topic)
    return word in key(fact.object) or word in key(fact.text)
