"""Reads of the graph: every method starts from a key, or says that it scans."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from graphmem.errors import MemoryDamaged, MemoryLocked, StoreError
from graphmem.model import Conflict, Entity, Event, Fact, Snapshot, State, Tier, Trigger
from graphmem.protocols import Limits
from graphmem.readers.allowed import meet
from graphmem.store import cypher, records, schema
from graphmem.store.engine import Engine, EngineRefused, Rows
from graphmem.words import key

_PAGE = 20_000  # records per page of a scan
_EXPANDED = 200  # entities whose edges are followed in one neighbourhood


class Reader:
    """The reading half of the graph store. Thread-safe: one mutex around each use of the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._mutex = threading.RLock()
        self._process = os.getpid()

    # --- one record by id --------------------------------------------------------------------------

    def snapshot(self, snapshot_id: str) -> Snapshot | None:
        """The snapshot with this id."""
        rows = self._rows(cypher.SNAPSHOT, id=snapshot_id)
        return _snapshot(rows[0]) if rows else None

    def fact(self, fact_id: str) -> Fact | None:
        """The fact with this id, complete."""
        with self._mutex:
            found = self._facts(self._rows(cypher.FACT, id=fact_id))
        return found[0] if found else None

    def entity(self, entity_id: str) -> Entity | None:
        """The entity with this id and its aliases in the order in which they were learnt."""
        with self._mutex:
            found = self.entity_itself(entity_id)
            if found is None:
                return None
            names = self._rows(cypher.NAMES_OF, id=entity_id)
        return _entities(
            [[found.id, found.name, found.kind, *name] for name in names]
            or [[found.id, found.name, found.kind, None, None, None]]
        )[0]

    def conflict(self, conflict_id: str) -> Conflict | None:
        """The conflict with this id, open or decided."""
        with self._mutex:
            row = self.conflict_row(conflict_id)
            return self._conflict(row) if row else None

    def trigger(self, trigger_id: str) -> Trigger | None:
        """The reminder with this id."""
        rows = self._rows(cypher.TRIGGER, id=trigger_id)
        return _trigger(rows[0]) if rows else None

    def event(self, n: int) -> Event | None:
        """The event with this number."""
        rows = self._rows(cypher.EVENT, n=n)
        return _event(rows[0]) if rows else None

    def conflict_row(self, conflict_id: str) -> records.ConflictRow | None:
        """A conflict with the ids of its facts."""
        rows = self._rows(cypher.CONFLICT, id=conflict_id)
        return _conflict(rows[0]) if rows else None

    # --- around one key ----------------------------------------------------------------------------

    def entities_named(self, name: str) -> tuple[Entity, ...]:
        """Entities of which `name`, in its normal form, is the name or an alias."""
        with self._mutex:
            rows = self._rows(cypher.ENTITIES_NAMED, key=key(name))
            found = [self.entity(row[0]) for row in rows]
        return tuple(entity for entity in found if entity is not None)

    def facts_of(
        self,
        entity_id: str,
        *,
        slot: str | None = None,
        predicate: str | None = None,
        states: frozenset[State] | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts whose subject is the entity, newest first by `n`, at most `limit`."""
        text = cypher.facts_of(
            slot=slot is not None, predicate=predicate is not None, states=_names(states)
        )
        values: dict[str, Any] = {"limit": limit}
        if slot is None:
            values["id"] = entity_id
        else:
            values["slot"] = schema.slot_id(entity_id, slot)
        if predicate is not None:
            values["predicate"] = predicate
        return self._read_facts(text, **values)

    def facts_with_object(self, entity_id: str, *, limit: int = 1000) -> tuple[Fact, ...]:
        """Facts whose object is the entity, by `n`."""
        return self._read_facts(cypher.FACTS_WITH_OBJECT, id=entity_id, limit=limit)

    def mentioned_in(self, snapshot_id: str) -> tuple[Entity, ...]:
        """Entities that the snapshot mentions."""
        found = (self.entity(row[0]) for row in self._rows(cypher.MENTIONED_IN, id=snapshot_id))
        return tuple(entity for entity in found if entity is not None)

    def slot_current(self, entity_id: str, slot: str) -> tuple[Fact, ...]:
        """The facts that fill the slot now, by the CURRENT pointer."""
        return self._read_facts(cypher.SLOT_CURRENT, id=schema.slot_id(entity_id, slot))

    def facts_stated_by(self, snapshot_id: str) -> tuple[Fact, ...]:
        """The facts of which the snapshot is evidence."""
        return self._read_facts(cypher.FACTS_STATED_BY, id=snapshot_id)

    def evidence(self, fact_id: str) -> tuple[Snapshot, ...]:
        """The snapshots that state the fact, oldest first."""
        return tuple(_snapshot(row) for row in self._rows(cypher.EVIDENCE, id=fact_id))

    def replaced_directly_by(self, fact_id: str) -> tuple[Fact, ...]:
        """The facts that a REPLACED_BY edge leads to."""
        return self._read_facts(cypher.SUCCESSORS, id=fact_id)

    def directly_replaced(self, fact_id: str) -> tuple[Fact, ...]:
        """The facts from which a REPLACED_BY edge leads here."""
        return self._read_facts(cypher.PREDECESSORS, id=fact_id)

    def successors(self, fact_id: str) -> tuple[Fact, ...]:
        """What replaced the fact, and what replaced that, nearest first."""
        return self._lineage(cypher.SUCCESSORS, fact_id)

    def predecessors(self, fact_id: str) -> tuple[Fact, ...]:
        """What the fact replaced, and what that replaced, nearest first."""
        return self._lineage(cypher.PREDECESSORS, fact_id)

    def conflicts(
        self, *, open_only: bool = True, fact_id: str | None = None, limit: int = 1000
    ) -> tuple[Conflict, ...]:
        """Conflicts in the order of their opening; of one fact where `fact_id` is given."""
        with self._mutex:
            if fact_id is None:
                text = cypher.OPEN_CONFLICTS if open_only else cypher.CONFLICTS
                rows = tuple(_conflict(row) for row in self._rows(text, limit=limit))
            else:
                rows = self.conflict_rows_of(fact_id)
            return self._told(rows, open_only=open_only, limit=limit)

    def _told(
        self, rows: Iterable[records.ConflictRow], *, open_only: bool, limit: int
    ) -> tuple[Conflict, ...]:
        wanted = (row for row in rows if row.decision is None or not open_only)
        return tuple(self._conflict(row) for row in islice(wanted, limit))

    def conflict_rows_of(self, fact_id: str) -> tuple[records.ConflictRow, ...]:
        """Every conflict that the fact takes part in, with the ids of the facts."""
        return tuple(_conflict(row) for row in self._rows(cypher.CONFLICTS_OF, id=fact_id))

    def neighbourhood(
        self, entity_ids: Sequence[str], *, hops: int = 2, limit: int = 500
    ) -> tuple[tuple[str, str, int], ...]:
        """Direct edges (subject id, object id, fact number) around the entities, nearest hop first.

        Bounded: at most `limit` edges, newest first per entity, and the edges of at most 200 entities.
        """
        edges: dict[int, tuple[str, str, int]] = {}
        seen = set(entity_ids)
        frontier = list(dict.fromkeys(entity_ids))
        budget = _EXPANDED
        with self._mutex:
            for _ in range(hops):
                reached: dict[str, None] = {}
                for entity_id in frontier[:budget]:
                    for subject, object_, n in self._edges_of(entity_id, limit):
                        edges.setdefault(n, (subject, object_, n))
                        reached.update(dict.fromkeys((subject, object_)))
                        if len(edges) >= limit:
                            return tuple(edges.values())
                budget -= len(frontier[:budget])
                frontier = [entity_id for entity_id in reached if entity_id not in seen]
                seen.update(frontier)
        return tuple(edges.values())

    def _edges_of(self, entity_id: str, limit: int) -> Iterator[tuple[str, str, int]]:
        for other, n in self._rows(cypher.RELATED_OUT, id=entity_id, limit=limit):
            yield entity_id, other, n
        for other, n in self._rows(cypher.RELATED_IN, id=entity_id, limit=limit):
            yield other, entity_id, n

    # --- what a plan needs to know -----------------------------------------------------------------

    def names_of(self, entity_id: str) -> dict[str, str]:
        """Every name of the entity, its own included: normal form to the form first written."""
        return {row[0]: row[1] for row in self._rows(cypher.NAMES_OF, id=entity_id)}

    def mentions(self, pair: tuple[str, str]) -> bool | None:
        """True where the snapshot mentions the entity, else None."""
        rows = self._rows(cypher.MENTIONS, snapshot=pair[0], entity=pair[1])
        return True if rows else None

    def users_of(self, entity_id: str, *, limit: int) -> Iterator[tuple[str, str]]:
        """What refers to the entity: the id of a fact or snapshot, and how; `limit` of each kind."""
        for text in cypher.ENTITY_IN_USE:
            yield from map(tuple, self._rows(text, id=entity_id, limit=limit))

    def slots_of(self, entity_id: str) -> tuple[str, ...]:
        """The keys of the entity's slots."""
        return tuple(row[0] for row in self._rows(cypher.SLOTS_OF, id=entity_id))

    def has(self, table: schema.NodeTable, key_: str | int) -> bool:
        """Whether a node of the table has this key."""
        return bool(self._rows(cypher.exists(table), key=key_))

    def entity_itself(self, entity_id: str) -> Entity | None:
        """The entity without its aliases: cheaper."""
        rows = self._rows(cypher.ENTITY_ITSELF, id=entity_id)
        return Entity(id=rows[0][0], name=rows[0][1], kind=rows[0][2]) if rows else None

    def has_fillers(self, slot_id: str, *, besides: set[str]) -> bool:
        """Whether facts other than these fill the slot."""
        rows = self._rows(cypher.FILLERS, id=slot_id, limit=len(besides) + 1)
        return any(row[0] not in besides for row in rows)

    def is_name_of(self, alias_key: str, *, besides: set[str]) -> bool:
        """Whether the alias names entities other than these."""
        rows = self._rows(cypher.NAMED_BY, key=alias_key, limit=len(besides) + 1)
        return any(row[0] not in besides for row in rows)

    # --- lists: these scan a table -----------------------------------------------------------------

    def entities(self, *, after: str = "", limit: int = 1000) -> tuple[Entity, ...]:
        """Entities by id, for paging."""
        return _entities(self._rows(cypher.ENTITIES_AFTER, after=after, limit=limit))

    def triggers(self, *, active_only: bool = True) -> tuple[Trigger, ...]:
        """Reminders in the order in which they were made."""
        text = cypher.ACTIVE_TRIGGERS if active_only else cypher.TRIGGERS
        return tuple(_trigger(row) for row in self._rows(text))

    def facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts with a number above `after`, by number."""
        values: dict[str, Any] = {"after": after, "limit": limit}
        if slot is not None:
            values["slot"] = slot
        text = cypher.facts(slot=slot is not None, states=_names(states))
        return self._read_facts(text, **values)

    def scan_facts(self, *, after: int = 0) -> Iterator[Fact]:
        """Every fact by number, page by page."""
        last = self._highest("facts")
        for start in range(after, last, _PAGE):
            upto = min(start + _PAGE, last)
            yield from self._read_facts(cypher.FACTS_BETWEEN, after=start, upto=upto)

    def scan_snapshots(self, *, after: int = 0) -> Iterator[Snapshot]:
        """Every snapshot by number, page by page."""
        last = self._highest("snapshots")
        for start in range(after, last, _PAGE):
            upto = min(start + _PAGE, last)
            for row in self._rows(cypher.SNAPSHOTS_BETWEEN, after=start, upto=upto):
                yield _snapshot(row)

    def scan_mentions(self) -> Iterator[tuple[str, str]]:
        """Every mention: the ids of a snapshot, by number, and of an entity; page by page."""
        last = self._highest("snapshots")
        for start in range(0, last, _PAGE):
            upto = min(start + _PAGE, last)
            yield from map(tuple, self._rows(cypher.MENTIONS_BETWEEN, after=start, upto=upto))

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Events with a number above `after`, in order."""
        return tuple(_event(row) for row in self._rows(cypher.EVENTS, after=after, limit=limit))

    def last_event(self) -> int:
        """The number of the newest event, 0 for none: a search by key, as numbers have no gaps."""
        with self._mutex:
            low, step = 0, 1
            while self._event_exists(low + step):
                low, step = low + step, step * 2
            high = low + step
            while high - low > 1:
                middle = (low + high) // 2
                if self._event_exists(middle):
                    low = middle
                else:
                    high = middle
            return low

    def limits(self) -> Limits:
        """What is not for everybody."""
        with self._mutex:
            facts = self._rows(cypher.LIMITED_FACTS)
            found = [*self._rows(cypher.LIMITED_SNAPSHOTS), *self._rows(cypher.LIMITED_BY_FACTS)]
        snapshots: dict[str, tuple[str, ...]] = {}
        for id_, stored in found:
            snapshots[id_] = meet(snapshots.get(id_, ()), records.texts(stored))
        return Limits(
            facts={id_: records.texts(stored) for id_, stored, _ in facts},
            snapshots=snapshots,
            numbers={id_: n for id_, _, n in facts},
        )

    def counts(self) -> Mapping[str, int]:
        """Nodes per table ("facts", "entities", ...) and "open_conflicts"."""
        with self._mutex:
            found = {
                name: int(self._rows(cypher.count(table))[0][0]) for name, table in _COUNTED.items()
            }
            found["open_conflicts"] = int(self._rows(cypher.COUNT_OPEN_CONFLICTS)[0][0])
        return found

    def standings(self) -> Mapping[str, Mapping[str, int]]:
        """How many facts are in each state and tier: {"states": {...}, "tiers": {...}}."""
        states: dict[str, int] = {state.value: 0 for state in State}
        tiers: dict[str, int] = {tier.value: 0 for tier in Tier}
        for state, tier, count in self._rows(cypher.STANDINGS):
            states[state] += count
            tiers[tier] += count
        return {"states": states, "tiers": tiers}

    # --- shared ------------------------------------------------------------------------------------

    def _rows(self, text: str, **values: Any) -> Rows:
        with self._mutex:
            self._usable()
            try:
                return self._engine.run(text, values)
            except EngineRefused as cause:
                self._read_failed()
                raise StoreError(
                    f"the engine could not read: {cause}",
                    next_step="run `graphmem check`",
                ) from cause

    def _usable(self) -> None:
        if os.getpid() != self._process:
            raise MemoryLocked(
                f"this memory was opened by process {self._process}, which forked",
                next_step="open the memory in the process that uses it",
            )
        if not self._engine.is_open:
            raise StoreError("the memory is closed", next_step="open it again")

    def _read_failed(self) -> None:
        """A statement failed: an open transaction is lost with it."""

    def _highest(self, counter: str) -> int:
        """The highest number given to facts, snapshots, ..."""
        n = self.last_event()
        if not n:
            return 0
        row = dict(zip(schema.EVENT.names, self._rows(cypher.EVENT, n=n)[0], strict=True))
        return int(row[counter])

    def _event_exists(self, n: int) -> bool:
        return self.has(schema.EVENT, n)

    def _read_facts(self, text: str, **values: Any) -> tuple[Fact, ...]:
        with self._mutex:
            return self._facts(self._rows(text, **values))

    def _facts(self, rows: Rows) -> tuple[Fact, ...]:
        found = []
        for values in rows:
            row = dict(zip(schema.FACT.names, values, strict=True))
            sources: tuple[str, ...] = (row["source"],) if row["evidence"] == 1 else ()
            if row["evidence"] > 1:
                sources = tuple(one[0] for one in self._rows(cypher.SOURCES, id=row["id"]))
            found.append(records.fact_of(row, sources))
        return tuple(found)

    def _lineage(self, text: str, fact_id: str) -> tuple[Fact, ...]:
        found: dict[str, Fact] = {}
        frontier = [fact_id]
        with self._mutex:
            while frontier:
                reached = [fact for one in frontier for fact in self._read_facts(text, id=one)]
                new = {fact.id: fact for fact in reached if fact.id not in found}
                new.pop(fact_id, None)
                found.update(new)
                frontier = list(new)
        return tuple(found.values())

    def _conflict(self, row: records.ConflictRow) -> Conflict:
        old, new = self.fact(row.old_id), self.fact(row.new_id)
        if old is None or new is None:
            raise MemoryDamaged(
                f"the conflict {row.id} is about a fact that is not there",
                next_step="run `graphmem check --repair`",
            )
        return Conflict(
            id=row.id,
            old=old,
            new=new,
            relation=row.relation,
            reason=row.reason,
            cue=row.cue,
            opened_at=row.opened_at,
            decision=row.decision,
            decided_at=row.decided_at,
        )


_COUNTED = {
    "facts": "Fact",
    "snapshots": "Snapshot",
    "entities": "Entity",
    "aliases": "Alias",
    "slots": "Slot",
    "conflicts": "Conflict",
    "triggers": "Trigger",
    "events": "Event",
}


def _names(states: frozenset[State] | None) -> frozenset[str] | None:
    return None if states is None else frozenset(state.value for state in states)


def _snapshot(values: Sequence[Any]) -> Snapshot:
    return records.snapshot_of(dict(zip(schema.SNAPSHOT.names, values, strict=True)))


def _trigger(values: Sequence[Any]) -> Trigger:
    return records.trigger_of(dict(zip(schema.TRIGGER.names, values, strict=True)))


def _conflict(values: Sequence[Any]) -> records.ConflictRow:
    return records.conflict_of(dict(zip(schema.CONFLICT.names, values, strict=True)))


def _event(values: Sequence[Any]) -> Event:
    return records.event_of(dict(zip(schema.EVENT.names, values, strict=True)))


def _entities(rows: Rows) -> tuple[Entity, ...]:
    named: dict[str, tuple[str, str, list[tuple[int, str, str]]]] = {}
    for entity_id, name, kind, alias_key, alias, n in rows:
        names = named.setdefault(entity_id, (name, kind, []))[2]
        if alias_key is not None and alias_key != key(name):
            names.append((n, alias_key, alias))
    return tuple(
        Entity(id=entity_id, name=name, kind=kind, aliases=tuple(one[2] for one in sorted(names)))
        for entity_id, (name, kind, names) in sorted(named.items())
    )
