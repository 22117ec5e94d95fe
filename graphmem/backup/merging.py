"""What one record of a backup changes in a memory: it is added, brought up to date, or left alone where the
memory has changed or deleted it later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

from graphmem.backup.changes import last_changes
from graphmem.backup.layout import Record, changed_at, read, unnumbered
from graphmem.lifecycle.review import open_conflict
from graphmem.model import Entity, Fact, Relation, Snapshot, State, Trigger
from graphmem.plan import (
    AddAlias,
    AddEntity,
    AddEvidence,
    AddFact,
    AddSnapshot,
    AddTrigger,
    DecideConflict,
    LinkReplaced,
    Mention,
    MoveFact,
    Op,
    OpenConflict,
    RedactSnapshot,
    RemoveAlias,
    SetFact,
    SetTrigger,
    UnlinkReplaced,
)
from graphmem.store.graph import Graph
from graphmem.store.ops_facts import RESETTABLE, SETTABLE
from graphmem.store.records import ConflictRow

_TOGETHER = "both came together when a backup was restored"


class Merger:
    """Decides record by record; reads the memory, writes nothing. Records come in the file's order."""

    def __init__(self, store: Graph) -> None:
        self._store = store
        self._changed: Mapping[str, datetime] = last_changes(store)
        self._empty = store.last_event() == 0
        self._coming: set[str] = set()  # ids that this restore adds
        self._left_out: dict[str, Entity] = {}  # deleted here later, unless a fact needs them
        self.links: list[tuple[str, str, datetime]] = []  # old, new, when the old was changed

    def ops(self, record: Record) -> list[Op]:
        """The operations for one record, none where nothing changes. Raises BrokenFile."""
        if is_masked(record):  # it can be looked at, but what it hides is not in the file
            return []
        value = unnumbered(read(record))
        at = changed_at(record)
        match value:
            case Entity():
                return self._entity(value, at, named=record.get("named") is not False)
            case Snapshot():
                return self._snapshot(value, at, record.get("mentions", ()))
            case Fact():
                return self._fact(value, at)
            case ConflictRow():
                return self._conflict(value, at)
            case Trigger():
                return self._trigger(value, at)
            case _:
                return []

    def link_ops(self) -> list[Op]:
        """The replaced-by links of all facts, once these are there."""
        ops: list[Op] = []
        for old_id, new_id, at in self.links:
            old, new = self._store.fact(old_id), self._store.fact(new_id)
            if old is None or new is None or old.replaced_by == new_id:
                continue
            if old_id not in self._coming and not self._is_later(old_id, at):
                continue
            if not self._empty and any(one.id == old_id for one in self._store.successors(new_id)):
                continue  # it would go round in a circle
            if old.replaced_by is not None:
                ops.append(UnlinkReplaced(old_id, old.replaced_by))
            ops.append(LinkReplaced(old_id, new_id))
        return ops

    def _is_later(self, id_: str, at: datetime) -> bool:
        """Whether the backup's change is later than the memory's own."""
        own = self._changed.get(id_)
        return own is None or own < at.astimezone(UTC)

    def _comes(self, id_: str, at: datetime) -> bool:
        """Whether something that is not there is to be added: not where it was deleted since."""
        if id_ in self._changed and not self._is_later(id_, at):
            return False
        self._coming.add(id_)
        return True

    def _entity(self, entity: Entity, at: datetime, *, named: bool) -> list[Op]:
        known = self._known_entity(entity.id)
        if known is None:
            if self._comes(entity.id, at):
                unnamed = [] if named else [RemoveAlias(entity.id, entity.name)]
                return [AddEntity(entity), *unnamed]
            self._left_out[entity.id] = entity
            return []
        if not self._is_later(entity.id, at):
            return []
        missing = [name for name in entity.aliases if name not in (known.name, *known.aliases)]
        return [AddAlias(entity.id, name) for name in missing]

    def _known_entity(self, id_: str) -> Entity | None:
        return None if self._empty else self._store.entity(id_)

    def _needed(self, ids: tuple[str, ...]) -> list[Op] | None:
        """What makes the entities there; None where one is nowhere."""
        ops: list[Op] = []
        for one in ids:
            if not one or one in self._coming or self._known_entity(one) is not None:
                continue
            if one not in self._left_out:
                return None
            self._coming.add(one)
            ops.append(AddEntity(self._left_out.pop(one)))
        return ops

    def _snapshot(self, snapshot: Snapshot, at: datetime, mentions: Any) -> list[Op]:
        known = None if self._empty else self._store.snapshot(snapshot.id)
        if known is not None:
            if known.text != snapshot.text and self._is_later(snapshot.id, at):
                return [RedactSnapshot(snapshot.id, snapshot.text)]
            return []
        if not self._comes(snapshot.id, at):
            return []
        told = [one for one in mentions if one in self._coming or self._known_entity(one)]
        return [AddSnapshot(snapshot), *(Mention(snapshot.id, one) for one in told)]

    def _fact(self, fact: Fact, at: datetime) -> list[Op]:
        if fact.replaced_by is not None:
            self.links.append((fact.id, fact.replaced_by, at))
        sources = tuple(one for one in fact.sources if self._has_snapshot(one))
        known = None if self._empty else self._store.fact(fact.id)
        if known is not None:
            return (
                self._brought_up_to_date(known, fact, sources)
                if self._is_later(fact.id, at)
                else []
            )
        needed = self._needed((fact.entity_id, fact.object_id))
        if not sources or needed is None or not self._comes(fact.id, at):
            return []
        added = replace(fact, sources=sources, replaced_by=None)
        return [*needed, AddFact(added), *self._beside(added, at)]

    def _has_snapshot(self, id_: str) -> bool:
        if id_ in self._coming:
            return True
        return not self._empty and self._store.snapshot(id_) is not None

    def _beside(self, fact: Fact, at: datetime) -> list[Op]:
        """A slot that is filled here already is put before the owner: nothing replaces in silence."""
        if self._empty or fact.slot is None or fact.state is not State.CURRENT:
            return []
        ops: list[Op] = []
        for other in self._store.slot_current(fact.entity_id, fact.slot):
            if other.id != fact.id and other.id not in self._coming:
                old, new = sorted((other, fact), key=lambda one: one.said_at)
                ops += open_conflict(
                    old, new, relation=Relation.CONTRADICTS, reason=_TOGETHER, cue="", now=at
                )
        return ops

    def _brought_up_to_date(self, known: Fact, fact: Fact, sources: tuple[str, ...]) -> list[Op]:
        ops: list[Op] = []
        for side, id_name, name in (
            ("subject", "entity_id", "entity"),
            ("object", "object_id", "object"),
        ):
            before, after = getattr(known, id_name), getattr(fact, id_name)
            needed = self._needed((after,))
            if before and after and before != after and needed is not None:
                moved = MoveFact(
                    fact.id, side, before, getattr(known, name), after, getattr(fact, name)
                )
                ops += [*needed, moved]
        ops += [AddEvidence(fact.id, one) for one in sources if one not in known.sources]
        changed = _differing(known, fact, SETTABLE)
        if changed:
            before_ = {name: getattr(known, name) for name in changed}
            ops.append(SetFact(fact.id, before_, changed))
        if fact.replaced_by is None and known.replaced_by is not None:
            ops.append(UnlinkReplaced(fact.id, known.replaced_by))
        return ops

    def _conflict(self, row: ConflictRow, at: datetime) -> list[Op]:
        known = None if self._empty else self._store.conflict_row(row.id)
        decided = DecideConflict(row.id, None, row.decision, row.decided_at)
        if known is not None:
            if known.decision == row.decision or not self._is_later(row.id, at):
                return []
            return [replace(decided, before=known.decision)]
        there = all(
            one in self._coming or self._store.fact(one) for one in (row.old_id, row.new_id)
        )
        if not there or not self._comes(row.id, at):
            return []
        same = {one.name: getattr(row, one.name) for one in fields(OpenConflict)}
        opened = OpenConflict(**same)
        return [opened, decided] if row.decision is not None else [opened]

    def _trigger(self, trigger: Trigger, at: datetime) -> list[Op]:
        known = self._store.trigger(trigger.id)
        if known is None:
            return [AddTrigger(trigger)] if self._comes(trigger.id, at) else []
        changed = _differing(known, trigger, RESETTABLE)
        if not changed or not self._is_later(trigger.id, at):
            return []
        return [SetTrigger(trigger.id, {name: getattr(known, name) for name in changed}, changed)]


def is_masked(record: Record) -> bool:
    """Whether a record of an export hides a secret."""
    return record.get("masked") is True


def _differing(known: Any, value: Any, names: frozenset[str]) -> dict[str, Any]:
    return {
        name: getattr(value, name)
        for name in sorted(names)
        if getattr(value, name) != getattr(known, name)
    }
