"""What the in-memory store holds, and how each operation of a plan changes it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from graphmem import plan as ops
from graphmem.errors import WriteFailed
from graphmem.model import Decision, Entity, Event, Fact, Snapshot, Trigger
from graphmem.plan import Op


@dataclass(slots=True)
class Shelves:
    """Everything the store holds; copied at the start of a transaction, put back on an error."""

    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    evidence: dict[str, tuple[str, ...]] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    mentions: dict[tuple[str, str], None] = field(default_factory=dict)
    replaced: dict[tuple[str, str], None] = field(default_factory=dict)
    conflicts: dict[str, tuple[ops.OpenConflict, Decision | None, datetime | None]] = field(
        default_factory=dict
    )
    triggers: dict[str, Trigger] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    undo: dict[int, tuple[Op, ...] | None] = field(default_factory=dict)
    last_snapshot: int = 0
    last_fact: int = 0

    def copied(self) -> Shelves:
        """A copy to put back: the values are frozen, so that copying the containers is enough."""
        return Shelves(**{name: copy.copy(getattr(self, name)) for name in self.__slots__})

    def carry_out(self, op: Op) -> tuple[str, tuple[str, ...]]:
        """Do one operation; returns the kind and ids it touched."""
        match op:
            case (
                ops.AddSnapshot()
                | ops.RemoveSnapshot()
                | ops.RedactSnapshot()
                | ops.Mention()
                | ops.RemoveMention()
            ):
                return "snapshots", self._on_snapshots(op)
            case (
                ops.AddEntity()
                | ops.AddAlias()
                | ops.MoveAlias()
                | ops.RemoveEntity()
                | ops.RemoveAlias()
            ):
                return "entities", self._on_entities(op)
            case ops.OpenConflict() | ops.DecideConflict() | ops.RemoveConflict():
                return "conflicts", self._on_conflicts(op)
            case ops.AddTrigger() | ops.SetTrigger() | ops.RemoveTrigger():
                return "triggers", self._on_triggers(op)
            case _:
                return "facts", self._on_facts(op)

    def _on_snapshots(
        self,
        op: ops.AddSnapshot
        | ops.RemoveSnapshot
        | ops.RedactSnapshot
        | ops.Mention
        | ops.RemoveMention,
    ) -> tuple[str, ...]:
        match op:
            case ops.AddSnapshot(snapshot):
                self.last_snapshot += 1
                self.snapshots[snapshot.id] = replace(snapshot, n=self.last_snapshot)
                return (snapshot.id,)
            case ops.RemoveSnapshot(snapshot_id):
                del self.snapshots[snapshot_id]
                for edge in [e for e in self.mentions if e[0] == snapshot_id]:
                    del self.mentions[edge]
                for fact_id, sources in self.evidence.items():
                    self.evidence[fact_id] = tuple(s for s in sources if s != snapshot_id)
                return (snapshot_id,)
            case ops.RedactSnapshot(snapshot_id, text):
                self.snapshots[snapshot_id] = replace(self.snapshots[snapshot_id], text=text)
                return (snapshot_id,)
            case ops.Mention(snapshot_id, entity_id):
                self.mentions[self.snapshots[snapshot_id].id, self.entities[entity_id].id] = None
                return (snapshot_id,)
            case ops.RemoveMention(snapshot_id, entity_id):
                del self.mentions[snapshot_id, entity_id]
                return (snapshot_id,)

    def _on_entities(
        self,
        op: ops.AddEntity | ops.AddAlias | ops.MoveAlias | ops.RemoveEntity | ops.RemoveAlias,
    ) -> tuple[str, ...]:
        has = self.entities
        match op:
            case ops.AddEntity(entity):
                has[entity.id] = entity
                return (entity.id,)
            case ops.RemoveEntity(entity_id):
                del has[entity_id]
                return (entity_id,)
            case ops.AddAlias(entity_id, alias):
                self._set_alias(entity_id, alias, there=True)
                return (entity_id,)
            case ops.RemoveAlias(entity_id, alias):
                self._set_alias(entity_id, alias, there=False)
                return (entity_id,)
            case ops.MoveAlias(alias, before_id, after_id):
                self._set_alias(before_id, alias, there=False)
                self._set_alias(after_id, alias, there=True)
                return (before_id, after_id)

    def _set_alias(self, entity_id: str, alias: str, *, there: bool) -> None:
        entity = self.entities[entity_id]
        others = tuple(a for a in entity.aliases if a != alias)
        self.entities[entity_id] = replace(entity, aliases=(*others, alias) if there else others)

    def _on_conflicts(
        self, op: ops.OpenConflict | ops.DecideConflict | ops.RemoveConflict
    ) -> tuple[str, ...]:
        has = self.conflicts
        match op:
            case ops.OpenConflict():
                has[op.id] = (op, None, None)
                return (op.id,)
            case ops.DecideConflict(conflict_id, _before, after, at):
                has[conflict_id] = (has[conflict_id][0], after, at)
                return (conflict_id,)
            case ops.RemoveConflict(conflict_id):
                del has[conflict_id]
                return (conflict_id,)

    def _on_triggers(
        self, op: ops.AddTrigger | ops.SetTrigger | ops.RemoveTrigger
    ) -> tuple[str, ...]:
        has = self.triggers
        match op:
            case ops.AddTrigger(trigger):
                has[trigger.id] = trigger
                return (trigger.id,)
            case ops.SetTrigger(trigger_id, _before, after):
                has[trigger_id] = replace(has[trigger_id], **after)
                return (trigger_id,)
            case ops.RemoveTrigger(trigger_id):
                del has[trigger_id]
                return (trigger_id,)

    def _on_facts(self, op: Op) -> tuple[str, ...]:
        match op:
            case ops.AddFact(fact):
                for source in fact.sources:
                    _ = self.snapshots[source]
                self.last_fact += 1
                self.facts[fact.id] = replace(fact, n=self.last_fact)
                self.evidence[fact.id] = fact.sources
                return (fact.id,)
            case ops.AddEvidence(fact_id, snapshot_id):
                others = tuple(s for s in self.evidence[fact_id] if s != snapshot_id)
                self.evidence[fact_id] = (*others, self.snapshots[snapshot_id].id)
                return (fact_id,)
            case ops.RemoveEvidence(fact_id, snapshot_id):
                self.evidence[fact_id] = tuple(
                    s for s in self.evidence[fact_id] if s != snapshot_id
                )
                return (fact_id,)
            case ops.SetFact(fact_id, _before, after):
                self.facts[fact_id] = replace(self.facts[fact_id], **after)
                return (fact_id,)
            case ops.MoveFact(fact_id, side, _, _, after_id, after_name):
                name = "entity" if side == "subject" else "object"
                changes: dict[str, Any] = {f"{name}_id": after_id}
                if after_name:
                    changes[name] = after_name
                self.facts[fact_id] = replace(self.facts[fact_id], **changes)
                return (fact_id,)
            case ops.LinkReplaced(old_id, new_id):
                self.replaced[self.facts[old_id].id, self.facts[new_id].id] = None
                return (old_id, new_id)
            case ops.UnlinkReplaced(old_id, new_id):
                del self.replaced[old_id, new_id]
                return (old_id, new_id)
            case ops.RemoveFact(fact_id):
                self._remove_fact(fact_id)
                return (fact_id,)
            case _:
                raise WriteFailed(f"{op!r} is no operation", expected="one of plan.Op")

    def _remove_fact(self, fact_id: str) -> None:
        del self.facts[fact_id]
        del self.evidence[fact_id]
        for edge in [e for e in self.replaced if fact_id in e]:
            del self.replaced[edge]
        for conflict_id, (opened, _, _) in list(self.conflicts.items()):
            if fact_id in {opened.old_id, opened.new_id}:
                del self.conflicts[conflict_id]
