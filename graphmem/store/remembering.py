"""Reads that remember what was read or written lately, so that the engine is not asked twice.

Only one process holds a memory open, and every write of it goes through `Graph.apply`, which hands each
draft that was written to `_follow`: what is remembered is what the engine would answer. After a
rollback everything is forgotten. "Not there" is remembered too.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations
from typing import NamedTuple

from graphmem.model import Entity, Fact, Snapshot, State, Trigger
from graphmem.protocols import Limits
from graphmem.store import cypher, records, schema
from graphmem.store.copied import CopiedReader
from graphmem.store.draft import Draft
from graphmem.store.engine import Engine
from graphmem.store.recent import Recent
from graphmem.words import clean, key

_RECORDS = 10_000  # facts, snapshots, entities and names: of each
_EVERY = 1 << 40
_TOPICS = 2_000  # lists of an entity's facts and edges
_ALONE = 5  # one in so many facts is as cheap to read alone as all of them together

Topic = tuple[str, str | None, str | None]  # an entity's id with a slot, a predicate, or both


_Edge = tuple[int, str]  # a fact's number and the entity at the other end


class _Listed(NamedTuple):
    """A fact in a list; the list is in the order of `n`."""

    n: int
    id: str
    state: State


class RememberingReader(CopiedReader):
    """A Reader whose reads by key are answered from memory where they can be."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._known_snapshots: Recent[str, Snapshot | None] = Recent(_RECORDS)
        self._known_facts: Recent[str, Fact | None] = Recent(_RECORDS)
        self._known_entities: Recent[str, Entity | None] = Recent(_RECORDS)
        self._known_names: Recent[str, tuple[str, ...]] = Recent(_RECORDS)
        self._stated: Recent[str, list[tuple[int, str]]] = Recent(_RECORDS)
        self._topics: Recent[Topic, list[_Listed]] = Recent(_TOPICS)
        self._conflicts: Recent[str, tuple[records.ConflictRow, ...]] = Recent(_RECORDS)
        self._conflicts_by_id: Recent[str, records.ConflictRow | None] = Recent(_RECORDS)
        self._slots: Recent[str, bool] = Recent(_RECORDS)  # those that are known to be there
        self._triggers: dict[bool, tuple[Trigger, ...]] = {}
        self._limits: Limits | None = None
        self._edges: Recent[str, tuple[list[_Edge], list[_Edge]]] = Recent(_TOPICS)

    # --- reads -------------------------------------------------------------------------------------

    def snapshot(self, snapshot_id: str) -> Snapshot | None:
        """The snapshot with this id."""
        with self._mutex:
            self._usable()
            if snapshot_id not in self._known_snapshots:
                self._known_snapshots[snapshot_id] = super().snapshot(snapshot_id)
            return self._known_snapshots[snapshot_id]

    def fact(self, fact_id: str) -> Fact | None:
        """The fact with this id, complete."""
        with self._mutex:
            self._usable()
            if fact_id not in self._known_facts:
                self._known_facts[fact_id] = super().fact(fact_id)
            return self._known_facts[fact_id]

    def entity(self, entity_id: str) -> Entity | None:
        """The entity with this id and its aliases in the order in which they were learnt."""
        with self._mutex:
            self._usable()
            if entity_id not in self._known_entities:
                self._known_entities[entity_id] = super().entity(entity_id)
            return self._known_entities[entity_id]

    def entity_itself(self, entity_id: str) -> Entity | None:
        """The entity without its aliases: cheaper."""
        if entity_id not in self._known_entities:
            return super().entity_itself(entity_id)
        known = self._known_entities[entity_id]
        return replace(known, aliases=()) if known and known.aliases else known

    def entities_named(self, name: str) -> tuple[Entity, ...]:
        """Entities of which `name`, in its normal form, is the name or an alias."""
        alias = key(name)
        with self._mutex:
            self._usable()
            if alias not in self._known_names:
                self._known_names[alias] = self._ids_named(alias)
            found = [self.entity(one) for one in self._known_names[alias]]
        return tuple(entity for entity in found if entity is not None)

    def facts_stated_by(self, snapshot_id: str) -> tuple[Fact, ...]:
        """The facts of which the snapshot is evidence."""
        with self._mutex:
            self._usable()
            if snapshot_id in self._stated:
                return self._each_fact([one for _, one in self._stated[snapshot_id]])
            found = super().facts_stated_by(snapshot_id)
            self._stated[snapshot_id] = [(fact.n, fact.id) for fact in found]
            return found

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
        with self._mutex:
            self._usable()
            listed = self._topic((entity_id, slot, predicate))
            fitting = (one.id for one in reversed(listed) if states is None or one.state in states)
            wanted = list(islice(fitting, limit))
            if self._few_unknown(wanted):
                return self._each_fact(wanted)
            return self._taken_over(
                super().facts_of(
                    entity_id, slot=slot, predicate=predicate, states=states, limit=limit
                )
            )

    def facts_with_object(self, entity_id: str, *, limit: int = 1000) -> tuple[Fact, ...]:
        """Facts whose object is the entity, by `n`."""
        with self._mutex:
            wanted = self._ids_with_object(entity_id, limit)
            if self._beside() is not None or self._few_unknown(wanted):
                return self._each_fact(wanted)
            return self._taken_over(super().facts_with_object(entity_id, limit=limit))

    def newest_facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        before: int | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts with a number below `before`, newest first: window by window, each wider."""
        named = None if states is None else frozenset(state.value for state in states)
        copied = self._newest(states=states, slot=slot, before=before, limit=limit)
        if copied is not None:
            return copied
        text = cypher.newest_facts(slot=slot is not None, states=named)
        values = {} if slot is None else {"slot": slot}
        found: list[Fact] = []
        with self._mutex:
            end = self._highest("facts") + 1 if before is None else before
            width = limit
            while end > 1 and len(found) < limit:
                start = max(0, end - 1 - width)
                left = limit - len(found)
                found += self._read_facts(text, after=start, before=end, limit=left, **values)
                end, width = start + 1, width * 4
        return tuple(found)

    def conflict_row(self, conflict_id: str) -> records.ConflictRow | None:
        """A conflict with the ids of its facts."""
        with self._mutex:
            self._usable()
            if conflict_id not in self._conflicts_by_id:
                self._conflicts_by_id[conflict_id] = super().conflict_row(conflict_id)
            return self._conflicts_by_id[conflict_id]

    def conflict_rows_of(self, fact_id: str) -> tuple[records.ConflictRow, ...]:
        """Every conflict that the fact takes part in, with the ids of the facts."""
        with self._mutex:
            self._usable()
            if fact_id not in self._conflicts:
                self._conflicts[fact_id] = super().conflict_rows_of(fact_id)
            return self._conflicts[fact_id]

    def facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts with a number above `after`, by number; a page is remembered for what follows on it."""
        with self._mutex:
            found = super().facts(states=states, slot=slot, after=after, limit=limit)
            if len(found) <= _RECORDS // 2:
                for fact in found:
                    self._known_facts[fact.id] = fact
            return found

    def triggers(self, *, active_only: bool = True) -> tuple[Trigger, ...]:
        """Reminders in the order in which they were made."""
        with self._mutex:
            self._usable()
            if active_only not in self._triggers:
                self._triggers[active_only] = super().triggers(active_only=active_only)
            return self._triggers[active_only]

    def has(self, table: schema.NodeTable, key_: str | int) -> bool:
        """Whether a node of the table has this key."""
        id_ = str(key_)
        with self._mutex:
            if table is schema.SNAPSHOT and id_ in self._known_snapshots:
                return self._known_snapshots[id_] is not None
            if table is schema.FACT and id_ in self._known_facts:
                return self._known_facts[id_] is not None
            if table is schema.ALIAS and id_ in self._known_names:
                return bool(self._known_names[id_])
            if table is schema.SLOT and id_ in self._slots:
                return True
            found = super().has(table, key_)
            if table is schema.SLOT and found:
                self._slots[id_] = True
            return found

    def _edges_of(self, entity_id: str, limit: int) -> Iterator[tuple[str, str, int]]:
        beside = self._edges_beside(entity_id, limit)
        if beside is None and entity_id not in self._edges:
            self._edges[entity_id] = (
                [
                    (n, other)
                    for other, n in self._rows(cypher.RELATED_OUT, id=entity_id, limit=_EVERY)
                ],
                [
                    (n, other)
                    for other, n in self._rows(cypher.RELATED_IN, id=entity_id, limit=_EVERY)
                ],
            )
        following, leading = beside or self._edges[entity_id]
        for n, other in islice(following, limit):
            yield entity_id, other, n
        for n, other in islice(leading, limit):
            yield other, entity_id, n

    def _topic(self, topic: Topic) -> list[_Listed]:
        if topic not in self._topics:
            rows = self._listed(*topic)
            self._topics[topic] = [_Listed(n, id_, State(state)) for n, id_, state in rows]
        return self._topics[topic]

    def _few_unknown(self, ids: Sequence[str]) -> bool:
        """Whether so few of the facts are not remembered that to read them one by one is cheaper."""
        return sum(one not in self._known_facts for one in ids) <= max(2, len(ids) // _ALONE)

    def _taken_over(self, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        for fact in facts:
            self._known_facts[fact.id] = fact
        return facts

    def _each_fact(self, ids: list[str]) -> tuple[Fact, ...]:
        return tuple(fact for one in ids if (fact := self.fact(one)) is not None)

    # --- keeping in step ---------------------------------------------------------------------------

    def _forget_everything(self) -> None:
        self._known_snapshots.clear()
        self._known_facts.clear()
        self._known_entities.clear()
        self._known_names.clear()
        self._stated.clear()
        self._topics.clear()
        self._conflicts.clear()
        self._conflicts_by_id.clear()
        self._slots.clear()
        self._edges.clear()
        self._triggers.clear()
        self._limits = None

    def limits(self) -> Limits:
        """What is not for everybody; the same object until that changes."""
        with self._mutex:
            self._usable()
            if self._limits is None:
                self._limits = super().limits()
            return self._limits

    def _follow(self, draft: Draft) -> None:
        """Take over what a draft has just written, in the form in which it would be read."""
        for id_, before, snapshot in draft.snapshots.changes():
            if snapshot is None:
                self._known_snapshots[id_] = None
                self._stated.forget(id_)
                continue
            self._known_snapshots[id_] = records.snapshot_of(records.snapshot_row(snapshot))
            if before is None:
                self._stated[id_] = []
        fresh = {id_ for id_, before, _ in draft.snapshots.changes() if before is None}
        for fact_id, old, new in draft.facts.changes():
            self._follow_fact(fact_id, old, new, fresh)
            if new is not None and new.slot is not None:
                self._slots[schema.slot_id(new.entity_id, new.slot)] = True
        for _, old, new in draft.facts.changes():
            if old is not None and old.slot is not None and not _fills_the_same(old, new):
                # with its last filler a slot goes too
                self._slots.forget(schema.slot_id(old.entity_id, old.slot))
        if any(entity is None for _, _, entity in draft.entities.changes()):
            self._slots.clear()  # an entity's slots go with it
        if self._limits is not None and _concerns(draft, self._limits):
            self._limits = None
        if draft.triggers.changes():
            self._triggers.clear()
        self._follow_conflicts(draft)
        self._follow_names(draft)

    def _follow_conflicts(self, draft: Draft) -> None:
        for id_, before, _ in draft.facts.changes():
            if before is None:
                self._conflicts[id_] = ()
        for id_, old, new in draft.conflicts.changes():
            row = new or old
            self._conflicts_by_id[id_] = (
                None if new is None else records.conflict_of(records.conflict_row(new))
            )
            for fact_id in (row.old_id, row.new_id) if row else ():
                if old is None and new is not None and fact_id in self._conflicts:
                    opened = records.conflict_of(records.conflict_row(new))
                    self._conflicts[fact_id] = (*self._conflicts[fact_id], opened)
                else:
                    self._conflicts.forget(fact_id)

    def _follow_fact(
        self, id_: str, before: Fact | None, after: Fact | None, fresh: Collection[str]
    ) -> None:
        if after is None:
            self._known_facts[id_] = None
        elif len(after.sources) == 1 or _continues(before, after, fresh):
            self._known_facts[id_] = records.fact_of(records.fact_row(after), after.sources)
        else:
            self._known_facts.forget(id_)  # its sources come in an order that only the engine knows
        for snapshot in before.sources if before else ():
            if before is not None and snapshot in self._stated:
                self._stated[snapshot].remove((before.n, id_))
        for snapshot in after.sources if after else ():
            if after is not None and snapshot in self._stated:
                insort(self._stated[snapshot], (after.n, id_))
        for topic in _topics(before):
            if before is not None and topic in self._topics:
                self._topics[topic].remove(_Listed(before.n, id_, before.state))
        for topic in _topics(after):
            if after is not None and topic in self._topics:
                insort(self._topics[topic], _Listed(after.n, id_, after.state))
        self._follow_edges(before, after)

    def _follow_edges(self, before: Fact | None, after: Fact | None) -> None:
        """Edges are held newest first."""
        if before and after and _ends(before) == _ends(after):
            return
        if before is not None and before.object_id:
            for side, (here, other) in enumerate(permutations(_ends(before))):
                if here in self._edges:
                    self._edges[here][side].remove((before.n, other))
        if after is not None and after.object_id:
            for side, (here, other) in enumerate(permutations(_ends(after))):
                if here in self._edges:
                    insort(self._edges[here][side], (after.n, other), key=_newest_first)

    def _follow_names(self, draft: Draft) -> None:
        renamed = [(pair, name) for pair, _, name in draft.names.changes()]
        for (entity_id, alias), name in renamed:
            self._known_entities.forget(entity_id)
            if alias in self._known_names:
                others = {one for one in self._known_names[alias] if one != entity_id}
                named = others if name is None else others | {entity_id}
                self._known_names[alias] = tuple(sorted(named))
        for id_, _, entity in draft.entities.changes():
            own = [alias for (one, alias), _ in renamed if one == id_]
            if entity is None:
                self._known_entities[id_] = None
            elif own == [key(clean(entity.name))]:
                self._known_entities[id_] = replace(entity, name=clean(entity.name), aliases=())
            else:
                self._known_entities.forget(id_)


def _fills_the_same(old: Fact, new: Fact | None) -> bool:
    return new is not None and (new.entity_id, new.slot) == (old.entity_id, old.slot)


def _continues(before: Fact | None, after: Fact, fresh: Collection[str]) -> bool:
    """Whether the sources are those of before, and behind them, as the newest, at most one new snapshot."""
    if before is None or after.sources[: len(before.sources)] != before.sources:
        return False
    more = after.sources[len(before.sources) :]
    return not more or (len(more) == 1 and more[0] in fresh)


def _ends(fact: Fact) -> tuple[str, str]:
    return fact.entity_id, fact.object_id


def _newest_first(edge: _Edge) -> tuple[int, str]:
    return -edge[0], edge[1]


def _topics(fact: Fact | None) -> tuple[Topic, ...]:
    """The lists that a fact belongs to."""
    if fact is None:
        return ()
    found: tuple[Topic, ...] = (
        (fact.entity_id, None, None),
        (fact.entity_id, None, fact.predicate),
    )
    if fact.slot is not None:
        found += ((fact.entity_id, fact.slot, None), (fact.entity_id, fact.slot, fact.predicate))
    return found


def _concerns(draft: Draft, limits: Limits) -> bool:
    """Whether a draft changes what is limited: a limit itself, or what a limited fact stands on."""
    changed = [
        *((limits.facts, change) for change in draft.facts.changes()),
        *((limits.snapshots, change) for change in draft.snapshots.changes()),
    ]
    return any(
        id_ in known or any(one is not None and one.readers for one in (before, after))
        for known, (id_, before, after) in changed
    )
