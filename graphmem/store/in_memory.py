"""A graph store in dictionaries: for tests and trials, with the semantics of the real one but for disk and Cypher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

from graphmem import plan as ops
from graphmem.errors import InvalidQuery, WriteFailed
from graphmem.model import (
    Conflict,
    Entity,
    Event,
    Fact,
    Snapshot,
    State,
    Table,
    Tier,
    Trigger,
)
from graphmem.plan import Op, Plan
from graphmem.protocols import Limits
from graphmem.readers.allowed import meet
from graphmem.store.shelves import Shelves
from graphmem.words import key


class DictStore:
    """An in-memory `protocols.GraphStore`. `query` always raises InvalidQuery."""

    def __init__(self) -> None:
        self._has = Shelves()
        self._depth = 0

    def apply(self, plan: Plan) -> Event:
        """Carry a plan out whole or not at all. Raises WriteFailed, naming the operation."""
        with self.transaction():
            touched: dict[str, dict[str, None]] = {}
            for op in plan.ops:
                try:
                    kind, ids = self._has.carry_out(op)
                except KeyError as cause:
                    raise WriteFailed(
                        f"{type(op).__name__} refers to {cause}",
                        expected="the id of something stored",
                        next_step="put the operation that stores it earlier in the plan",
                    ) from cause
                touched.setdefault(kind, {}).update(dict.fromkeys(ids))
            event = Event(
                n=self.last_event() + 1,
                kind=plan.kind,
                at=plan.at,
                touched={kind: tuple(ids) for kind, ids in touched.items()},
                undoes=plan.undoes,
            )
            self._has.events.append(event)
            self._has.undo[event.n] = ops.undo_of(plan.ops) if plan.undoable else None
        return event

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several plans at once; any error puts back what was there before."""
        before = self._has.copied() if self._depth == 0 else None
        self._depth += 1
        done = False
        try:
            yield
            done = True
        finally:
            if not done and before is not None:
                self._has = before
            self._depth -= 1

    def undo_ops(self, event_n: int) -> tuple[Op, ...] | None:
        """The operations that take the event back; None where it cannot be undone."""
        return self._has.undo.get(event_n)

    # --- reads by id ---

    def snapshot(self, snapshot_id: str) -> Snapshot | None:
        """The snapshot, if it is stored."""
        return self._has.snapshots.get(snapshot_id)

    def fact(self, fact_id: str) -> Fact | None:
        """The fact with its sources and what replaced it."""
        found = self._has.facts.get(fact_id)
        if found is None:
            return None
        heirs = [new for old, new in self._has.replaced if old == fact_id]
        return replace(
            found,
            sources=self._has.evidence.get(fact_id, ()),
            replaced_by=heirs[-1] if heirs else None,
        )

    def entity(self, entity_id: str) -> Entity | None:
        """The entity, if it is stored."""
        return self._has.entities.get(entity_id)

    def conflict(self, conflict_id: str) -> Conflict | None:
        """The conflict with its two facts as they stand now."""
        found = self._has.conflicts.get(conflict_id)
        if found is None:
            return None
        opened, decision, decided_at = found
        old, new = self.fact(opened.old_id), self.fact(opened.new_id)
        if old is None or new is None:
            return None
        return Conflict(
            id=conflict_id,
            old=old,
            new=new,
            relation=opened.relation,
            reason=opened.reason,
            cue=opened.cue,
            opened_at=opened.opened_at,
            decision=decision,
            decided_at=decided_at,
        )

    def trigger(self, trigger_id: str) -> Trigger | None:
        """The reminder, if it is stored."""
        return self._has.triggers.get(trigger_id)

    def event(self, n: int) -> Event | None:
        """The event with this number, if it was recorded."""
        return self._has.events[n - 1] if 0 < n <= len(self._has.events) else None

    # --- reads by relation ---

    def entities_named(self, name: str) -> tuple[Entity, ...]:
        """Entities of which `name` is the name or an alias, in any spelling with the same key."""
        wanted = key(name)
        return tuple(
            entity
            for entity in self._has.entities.values()
            if wanted in {key(each) for each in (entity.name, *entity.aliases)}
        )

    def entities(self, *, after: str = "", limit: int = 1000) -> tuple[Entity, ...]:
        """Entities by id."""
        found = sorted((e for e in self._has.entities.values() if e.id > after), key=lambda e: e.id)
        return tuple(found[:limit])

    def facts_of(
        self,
        entity_id: str,
        *,
        slot: str | None = None,
        predicate: str | None = None,
        states: frozenset[State] | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts about the entity, newest first."""
        found = [
            fact
            for fact in self.scan_facts()
            if fact.entity_id == entity_id
            and (slot is None or fact.slot == slot)
            and (predicate is None or fact.predicate == predicate)
            and (states is None or fact.state in states)
        ]
        return tuple(reversed(found))[:limit]

    def facts_with_object(self, entity_id: str, *, limit: int = 1000) -> tuple[Fact, ...]:
        """Facts whose object is the entity."""
        return tuple(f for f in self.scan_facts() if f.object_id == entity_id)[:limit]

    def mentioned_in(self, snapshot_id: str) -> tuple[Entity, ...]:
        """Entities that the snapshot mentions."""
        found = (self.entity(e) for s, e in self._has.mentions if s == snapshot_id)
        return tuple(entity for entity in found if entity is not None)

    def users_of(self, entity_id: str, *, limit: int) -> Iterator[tuple[str, str]]:
        """What refers to the entity: the id of a fact or snapshot, and how; `limit` of each kind."""
        facts = tuple(self.scan_facts())
        yield from islice(
            ((f.id, "is the subject of") for f in facts if f.entity_id == entity_id), limit
        )
        yield from islice(
            ((f.id, "is the object of") for f in facts if f.object_id == entity_id), limit
        )
        told = ((s, "is mentioned in") for s, e in self._has.mentions if e == entity_id)
        yield from islice(told, limit)

    def slot_current(self, entity_id: str, slot: str) -> tuple[Fact, ...]:
        """The current facts of the slot."""
        found = self.facts_of(entity_id, slot=slot, states=frozenset({State.CURRENT}))
        return tuple(reversed(found))

    def facts_stated_by(self, snapshot_id: str) -> tuple[Fact, ...]:
        """Facts for which the snapshot is evidence."""
        return tuple(f for f in self.scan_facts() if snapshot_id in f.sources)

    def evidence(self, fact_id: str) -> tuple[Snapshot, ...]:
        """The snapshots that state the fact, oldest first."""
        return tuple(self._has.snapshots[s] for s in self._has.evidence.get(fact_id, ()))

    def successors(self, fact_id: str) -> tuple[Fact, ...]:
        """What replaced the fact, nearest first."""
        return self._chain(fact_id, dict(self._has.replaced.keys()))

    def predecessors(self, fact_id: str) -> tuple[Fact, ...]:
        """What the fact replaced, nearest first."""
        return self._chain(fact_id, {new: old for old, new in self._has.replaced})

    def conflicts(
        self, *, open_only: bool = True, fact_id: str | None = None, limit: int = 1000
    ) -> tuple[Conflict, ...]:
        """Conflicts in the order in which they were opened."""
        found = (self.conflict(conflict_id) for conflict_id in self._has.conflicts)
        kept = [
            conflict
            for conflict in found
            if conflict is not None
            and not (open_only and conflict.decision)
            and (fact_id is None or fact_id in {conflict.old.id, conflict.new.id})
        ]
        return tuple(kept[:limit])

    def triggers(self, *, active_only: bool = True) -> tuple[Trigger, ...]:
        """Reminders in the order in which they were made."""
        return tuple(
            t for t in self._has.triggers.values() if t.state == "active" or not active_only
        )

    def neighbourhood(
        self, entity_ids: Sequence[str], *, hops: int = 2, limit: int = 500
    ) -> tuple[tuple[str, str, int], ...]:
        """Direct edges around the entities, nearest first."""
        reached, edges = set(entity_ids), dict[tuple[str, str, int], None]()
        for _ in range(hops):
            ring = [
                (fact.entity_id, fact.object_id, fact.n)
                for fact in self.scan_facts()
                if fact.object_id and {fact.entity_id, fact.object_id} & reached
            ]
            edges.update(dict.fromkeys(ring))
            reached |= {end for edge in ring for end in edge[:2]}
        return tuple(edges)[:limit]

    # --- scans ---

    def facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts by number."""
        found = [
            fact
            for fact in self.scan_facts(after=after)
            if (states is None or fact.state in states) and (slot is None or fact.slot == slot)
        ]
        return tuple(found[:limit])

    def newest_facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        before: int | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts with a number below `before`, newest first."""
        found = self.facts(states=states, slot=slot, limit=len(self._has.facts))
        older = (fact for fact in reversed(found) if before is None or fact.n < before)
        return tuple(islice(older, limit))

    def scan_facts(self, *, after: int = 0) -> Iterator[Fact]:
        """Every fact by number."""
        for fact_id, kept in list(self._has.facts.items()):
            fact = self.fact(fact_id) if kept.n > after else None
            if fact is not None:
                yield fact

    def scan_snapshots(self, *, after: int = 0) -> Iterator[Snapshot]:
        """Every snapshot by number."""
        yield from [s for s in self._has.snapshots.values() if s.n > after]

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Events by number."""
        return tuple(self._has.events[after : after + limit])

    def last_event(self) -> int:
        """The number of the last event, 0 for none."""
        return len(self._has.events)

    def limits(self) -> Limits:
        """What is not for everybody."""
        facts = {fact.id: fact.readers for fact in self.scan_facts() if fact.readers}
        snapshots = {s.id: s.readers for s in self._has.snapshots.values() if s.readers}
        for fact_id, readers in facts.items():
            for source in self._has.evidence.get(fact_id, ()):
                snapshots[source] = meet(snapshots.get(source, ()), readers)
        return Limits(facts, snapshots, {one: self._has.facts[one].n for one in facts})

    def counts(self) -> Mapping[str, int]:
        """How many of everything."""
        has = self._has
        return {
            "snapshots": len(has.snapshots),
            "facts": len(has.facts),
            "entities": len(has.entities),
            "triggers": len(has.triggers),
            "events": len(has.events),
            "open_conflicts": len(self.conflicts()),
        }

    def standings(self) -> Mapping[str, Mapping[str, int]]:
        """How many facts are in each state and tier."""
        facts = self._has.facts.values()
        return {
            "states": {str(one): sum(f.state is one for f in facts) for one in State},
            "tiers": {str(one): sum(f.tier is one for f in facts) for one in Tier},
        }

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int = 10_000
    ) -> Table:
        """Always raises InvalidQuery: dictionaries speak no Cypher."""
        raise InvalidQuery(
            f"the in-memory store cannot run {cypher!r} ({parameters!r}, {limit})",
            next_step="use a memory on disk",
        )

    def close(self) -> None:
        """Nothing to do."""

    def _chain(self, fact_id: str, step: Mapping[str, str]) -> tuple[Fact, ...]:
        chain: dict[str, Fact] = {}
        at = step.get(fact_id)
        while at is not None and at not in chain and at != fact_id:
            fact = self.fact(at)
            if fact is None:
                break
            chain[at] = fact
            at = step.get(at)
        return tuple(chain.values())
