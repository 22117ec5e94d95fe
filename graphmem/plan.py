"""A plan: what one event changes, decided purely and written once.

A plan is a list of small operations on frozen values. `store.apply(plan)` carries all of them out in
one transaction, in the given order, or none. Each operation knows its inverse, so that an event can be
undone without having kept any text: the inverse of adding is removing by id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.model import Decision, Entity, Fact, Relation, Snapshot, Trigger


@dataclass(frozen=True, slots=True)
class AddSnapshot:
    """Store a snapshot."""

    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class AddEntity:
    """Store an entity; its name and aliases become Alias nodes that name it."""

    entity: Entity


@dataclass(frozen=True, slots=True)
class AddAlias:
    """Let `alias` name the entity too."""

    entity_id: str
    alias: str


@dataclass(frozen=True, slots=True)
class Mention:
    """(Snapshot)-[:MENTIONS]->(Entity)."""

    snapshot_id: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class AddFact:
    """Store a fact with its subject, object, direct edge, slot and first piece of evidence
    (`fact.sources`; each of those snapshots exists already or earlier in the plan).
    """

    fact: Fact


@dataclass(frozen=True, slots=True)
class AddEvidence:
    """One more snapshot states the fact."""

    fact_id: str
    snapshot_id: str


@dataclass(frozen=True, slots=True)
class SetFact:
    """Change a fact's standing: any of state, tier, importance, confidence, pinned, confirmed_at,
    retired_at, valid_from, valid_to, expires_at, readers. Never its text. `before` holds the values
    that are replaced. The store keeps (Slot)-[:CURRENT]->(Fact) and the state on RELATES in step.
    """

    fact_id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LinkReplaced:
    """(old)-[:REPLACED_BY]->(new)."""

    old_id: str
    new_id: str


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """(old)-[:MAY_REPLACE]->(new): `new` may replace `old`; the owner decides."""

    id: str
    old_id: str
    new_id: str
    relation: Relation
    reason: str
    cue: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class DecideConflict:
    """Set or (undo) clear the decision of a conflict."""

    conflict_id: str
    before: Decision | None
    after: Decision | None
    at: datetime | None


@dataclass(frozen=True, slots=True)
class AddTrigger:
    """Store a reminder."""

    trigger: Trigger


@dataclass(frozen=True, slots=True)
class SetTrigger:
    """Change a reminder's state, snoozed_until, fired_at or at."""

    trigger_id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MoveFact:
    """Hang a fact on another entity (merge and split); `side` is "subject" or "object".

    Empty names leave the fact's own name for it as it was said.
    """

    fact_id: str
    side: str
    before_id: str
    before_name: str
    after_id: str
    after_name: str


@dataclass(frozen=True, slots=True)
class MoveAlias:
    """Let an alias name another entity (merge and split)."""

    alias: str
    before_id: str
    after_id: str


@dataclass(frozen=True, slots=True)
class RemoveFact:
    """Delete a fact and every edge of it."""

    fact_id: str


@dataclass(frozen=True, slots=True)
class RemoveEvidence:
    """Take back AddEvidence."""

    fact_id: str
    snapshot_id: str


@dataclass(frozen=True, slots=True)
class RemoveSnapshot:
    """Delete a snapshot and every edge of it."""

    snapshot_id: str


@dataclass(frozen=True, slots=True)
class RedactSnapshot:
    """Replace a snapshot's text (a deleted fact's sentence is cut out of it)."""

    snapshot_id: str
    text: str


@dataclass(frozen=True, slots=True)
class RemoveEntity:
    """Delete an entity that nothing refers to, with its aliases and slots."""

    entity_id: str


@dataclass(frozen=True, slots=True)
class RemoveAlias:
    """Take back AddAlias."""

    entity_id: str
    alias: str


@dataclass(frozen=True, slots=True)
class RemoveMention:
    """Take back Mention."""

    snapshot_id: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class UnlinkReplaced:
    """Take back LinkReplaced."""

    old_id: str
    new_id: str


@dataclass(frozen=True, slots=True)
class RemoveConflict:
    """Take back OpenConflict."""

    conflict_id: str


@dataclass(frozen=True, slots=True)
class RemoveTrigger:
    """Take back AddTrigger."""

    trigger_id: str


Op = (
    AddSnapshot
    | AddEntity
    | AddAlias
    | Mention
    | AddFact
    | AddEvidence
    | SetFact
    | LinkReplaced
    | OpenConflict
    | DecideConflict
    | AddTrigger
    | SetTrigger
    | MoveFact
    | MoveAlias
    | RemoveFact
    | RemoveEvidence
    | RemoveSnapshot
    | RedactSnapshot
    | RemoveEntity
    | RemoveAlias
    | RemoveMention
    | UnlinkReplaced
    | RemoveConflict
    | RemoveTrigger
)


DELETING = (
    RemoveFact,
    RemoveEvidence,
    RemoveSnapshot,
    RemoveEntity,
    RemoveAlias,
    RemoveMention,
    UnlinkReplaced,
    RemoveConflict,
    RemoveTrigger,
    MoveFact,
    MoveAlias,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One event's changes. `kind` names the event ("add", "update", "resolve", ...)."""

    kind: str
    at: datetime
    ops: tuple[Op, ...] = ()
    undoable: bool = True
    undoes: int | None = None


def inverse(op: Op) -> Op | None:
    """The operation that takes `op` back; None for a deletion, which cannot be taken back."""
    match op:
        case AddSnapshot(snapshot):
            return RemoveSnapshot(snapshot.id)
        case AddEntity(entity):
            return RemoveEntity(entity.id)
        case AddAlias(entity_id, alias):
            return RemoveAlias(entity_id, alias)
        case Mention(snapshot_id, entity_id):
            return RemoveMention(snapshot_id, entity_id)
        case AddFact(fact):
            return RemoveFact(fact.id)
        case AddEvidence(fact_id, snapshot_id):
            return RemoveEvidence(fact_id, snapshot_id)
        case SetFact(fact_id, before, after):
            return SetFact(fact_id, after, before)
        case LinkReplaced(old_id, new_id):
            return UnlinkReplaced(old_id, new_id)
        case UnlinkReplaced(old_id, new_id):
            return LinkReplaced(old_id, new_id)
        case OpenConflict(id=conflict_id):
            return RemoveConflict(conflict_id)
        case DecideConflict(conflict_id, before, after, _at):
            return DecideConflict(conflict_id, after, before, None)
        case AddTrigger(trigger):
            return RemoveTrigger(trigger.id)
        case SetTrigger(trigger_id, before, after):
            return SetTrigger(trigger_id, after, before)
        case MoveFact(fact_id, side, before_id, before_name, after_id, after_name):
            return MoveFact(fact_id, side, after_id, after_name, before_id, before_name)
        case MoveAlias(alias, before_id, after_id):
            return MoveAlias(alias, after_id, before_id)
        case _:
            return None


def undo_of(ops: tuple[Op, ...]) -> tuple[Op, ...] | None:
    """The operations that take `ops` back, last first; None where one of them is a deletion."""
    back = [inverse(op) for op in reversed(ops)]
    return None if any(op is None for op in back) else tuple(op for op in back if op is not None)
