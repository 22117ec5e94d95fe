"""A plan worked out in memory: what each record is before and after it, checked before any write.

The operations are taken in their given order on an overlay over the stored records, so that only the
net difference is written, creations first and changes last, and a plan that cannot be carried out is
refused before the engine sees a write. Operations without effect (an alias, mention, link or piece of
evidence that is there already, an entity with a known id) are skipped and leave nothing to undo; a
snapshot, fact, conflict or trigger with a known id is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from graphmem import plan
from graphmem.errors import WriteFailed
from graphmem.model import Entity, Fact, Snapshot, Trigger
from graphmem.plan import Op
from graphmem.store import schema
from graphmem.store.reading import Reader
from graphmem.store.records import ConflictRow

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Pair = tuple[str, str]


@dataclass(slots=True)
class Numbers:
    """The highest numbers given so far."""

    event: int = 0
    facts: int = 0
    snapshots: int = 0
    names: int = 0
    conflicts: int = 0


class Overlay(Generic[K, V]):
    """Records by key, read when first met; `changes` tells which differ from what is stored."""

    def __init__(self, load: Callable[[K], V | None]) -> None:
        self._load = load
        self._before: dict[K, V | None] = {}
        self._now: dict[K, V | None] = {}

    def get(self, key_: K) -> V | None:
        """The record as the plan has left it so far."""
        if key_ not in self._now:
            self._before[key_] = self._now[key_] = self._load(key_)
        return self._now[key_]

    def put(self, key_: K, value: V | None) -> None:
        """Set a record; None removes it."""
        self.get(key_)
        self._now[key_] = value

    def known(self) -> Mapping[K, V | None]:
        """Every record met so far, as it is now."""
        return self._now

    def is_new(self, key_: K) -> bool:
        """Whether the record is met in this plan and not stored."""
        return key_ in self._before and self._before[key_] is None

    def add(self, key_: K, value: V) -> None:
        """Set a record that is known not to be stored."""
        if key_ not in self._before:
            self._before[key_] = None
        self._now[key_] = value

    def removed(self, key_: K) -> bool:
        """Whether the record is stored and this plan removes it."""
        met = key_ in self._now
        return met and self._now[key_] is None and self._before[key_] is not None

    def changes(self) -> list[tuple[K, V | None, V | None]]:
        """Key, before and after of every record that differs, in the order in which they were met."""
        return [
            (key_, self._before[key_], now)
            for key_, now in self._now.items()
            if now != self._before[key_]
        ]


class Draft:
    """The net effect of one plan. `take` each operation, then `finish`.

    `taking` holds the function for each kind of operation (ops_facts.TAKE, ops_evidence.TAKE).
    """

    def __init__(self, reader: Reader, numbers: Numbers, taking: Mapping[type[Any], Take]) -> None:
        self.reader = reader
        self._taking = taking
        self.numbers = numbers
        self.snapshots: Overlay[str, Snapshot] = Overlay(reader.snapshot)
        self.entities: Overlay[str, Entity] = Overlay(reader.entity_itself)
        self.facts: Overlay[str, Fact] = Overlay(reader.fact)
        self.triggers: Overlay[str, Trigger] = Overlay(reader.trigger)
        self.conflicts: Overlay[str, ConflictRow] = Overlay(reader.conflict_row)
        self.names: Overlay[Pair, str] = Overlay(self._name)
        self.mentions: Overlay[Pair, bool] = Overlay(self._is_mentioned)
        self.replaced: Overlay[Pair, bool] = Overlay(self._is_replaced)
        self.touched: dict[str, dict[str, None]] = {}
        self.undo: list[Op] | None = []
        self.deletes = False

    def take(self, op: Op) -> None:
        """Work one operation in. Raises WriteFailed where it cannot be carried out."""
        self.deletes = self.deletes or isinstance(op, plan.DELETING)
        effective = self._taking[type(op)](self, op)
        for done in effective:
            back = plan.inverse(done)
            if back is None or self.undo is None:
                self.undo = None
            else:
                self.undo.append(back)

    def finish(self) -> None:
        """Raise WriteFailed where the result would break the graph."""
        for fact_id, _, fact in self.facts.changes():
            if fact is not None and not fact.sources:
                raise WriteFailed(
                    f"the fact {fact_id} would be left without evidence",
                    expected="at least one snapshot that states it",
                )
        for entity_id, before, after in self.entities.changes():
            if before is not None and after is None:
                self._unused(entity_id)

    def inverse(self) -> tuple[Op, ...] | None:
        """The operations that take everything back, last first; None for a deletion."""
        return None if self.undo is None else tuple(reversed(self.undo))

    def touch(self, kind: str, *ids: str) -> None:
        """Note ids for the event."""
        self.touched.setdefault(kind, {}).update(dict.fromkeys(ids))

    # --- what must be there ------------------------------------------------------------------------

    def is_free(self, table: schema.NodeTable, records: Overlay[str, V], id_: str) -> bool:
        """Whether a node may be made under this id; cheaper than reading what is there."""
        if id_ in records.known():
            return records.get(id_) is None
        return not self.reader.has(table, id_)

    def needed_fact(self, fact_id: str) -> Fact:
        """The fact as the plan has left it. Raises WriteFailed where there is none."""
        fact = self.facts.get(fact_id)
        if fact is None:
            raise _unknown("fact", fact_id)
        return fact

    def needed_snapshot(self, snapshot_id: str) -> Snapshot:
        """The snapshot as the plan has left it. Raises WriteFailed where there is none."""
        snapshot = self.snapshots.get(snapshot_id)
        if snapshot is None:
            raise _unknown("snapshot", snapshot_id)
        return snapshot

    def needed_entity(self, entity_id: str) -> Entity:
        """The entity as the plan has left it. Raises WriteFailed where there is none."""
        entity = self.entities.get(entity_id)
        if entity is None:
            raise _unknown("entity", entity_id)
        return entity

    def needed_conflict(self, conflict_id: str) -> ConflictRow:
        """The conflict as the plan has left it. Raises WriteFailed where there is none."""
        conflict = self.conflicts.get(conflict_id)
        if conflict is None:
            raise _unknown("conflict", conflict_id)
        return conflict

    def needed_trigger(self, trigger_id: str) -> Trigger:
        """The trigger as the plan has left it. Raises WriteFailed where there is none."""
        trigger = self.triggers.get(trigger_id)
        if trigger is None:
            raise _unknown("trigger", trigger_id)
        return trigger

    def _unused(self, entity_id: str) -> None:
        met = self.facts.known().keys() | self.snapshots.known().keys()
        for user, how in self.reader.users_of(entity_id, limit=len(met) + 1):
            fact = self.facts.get(user) if user in self.facts.known() else None
            gone = self.facts.known().get(user, self) is None or self.snapshots.removed(user)
            moved = fact is not None and entity_id not in (fact.entity_id, fact.object_id)
            unmentioned = self.mentions.known().get((user, entity_id), self) is None
            if not (gone or moved or unmentioned):
                raise WriteFailed(
                    f"the entity {entity_id} {how} {user}, so it cannot be removed",
                    expected="an entity that nothing refers to",
                )

    # A record that the plan itself makes has no edges yet: no need to read.

    def _name(self, pair: Pair) -> str | None:
        if self.entities.is_new(pair[0]):
            return None
        return self.reader.names_of(pair[0]).get(pair[1])

    def _is_mentioned(self, pair: Pair) -> bool | None:
        if self.snapshots.is_new(pair[0]) or self.entities.is_new(pair[1]):
            return None
        return self.reader.mentions(pair)

    def _is_replaced(self, pair: Pair) -> bool | None:
        if self.facts.is_new(pair[0]) or self.facts.is_new(pair[1]):
            return None
        following = self.reader.replaced_directly_by(pair[0])
        return True if any(fact.id == pair[1] for fact in following) else None


Take = Callable[[Draft, Any], list[Op]]


def _unknown(what: str, id_: str) -> WriteFailed:
    return WriteFailed(
        f"there is no {what} {id_}", expected="an id stored already or earlier in the plan"
    )


def known(what: str, id_: str) -> WriteFailed:
    """The refusal of something that is stored already."""
    return WriteFailed(f"the {what} {id_} is stored already", expected="a new id")
