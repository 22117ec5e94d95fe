"""Operations on snapshots, mentions, entities and their names, worked into a draft."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphmem import plan
from graphmem.errors import WriteFailed
from graphmem.plan import Op
from graphmem.store import schema
from graphmem.store.draft import Draft, Overlay, Pair, Take, known
from graphmem.store.ops_facts import drop_source
from graphmem.words import clean, key

# --- snapshots ---------------------------------------------------------------------------------


def _add_snapshot(draft: Draft, op: plan.AddSnapshot) -> list[Op]:
    snapshot = op.snapshot
    if not draft.is_free(schema.SNAPSHOT, draft.snapshots, snapshot.id) or (
        draft.snapshots.removed(snapshot.id)
    ):
        raise known("snapshot", snapshot.id)
    draft.numbers.snapshots += 1
    draft.snapshots.add(snapshot.id, replace(snapshot, n=draft.numbers.snapshots))
    draft.touch("snapshots", snapshot.id)
    return [op]


def _redact_snapshot(draft: Draft, op: plan.RedactSnapshot) -> list[Op]:
    before = draft.needed_snapshot(op.snapshot_id)
    draft.snapshots.put(op.snapshot_id, replace(before, text=op.text))
    draft.touch("snapshots", op.snapshot_id)
    return [op]


def _remove_snapshot(draft: Draft, op: plan.RemoveSnapshot) -> list[Op]:
    draft.needed_snapshot(op.snapshot_id)
    stored = {fact.id for fact in draft.reader.facts_stated_by(op.snapshot_id)}
    drafted = {
        fact.id
        for fact in draft.facts.known().values()
        if fact is not None and op.snapshot_id in fact.sources
    }
    for fact_id in sorted(stored | drafted):
        if draft.facts.get(fact_id) is not None:
            drop_source(draft, fact_id, op.snapshot_id)
    for pair, held in draft.mentions.known().items():
        if held and pair[0] == op.snapshot_id:
            draft.mentions.put(pair, None)
    draft.snapshots.put(op.snapshot_id, None)
    draft.touch("snapshots", op.snapshot_id)
    return [op]


def _mention(draft: Draft, op: plan.Mention) -> list[Op]:
    draft.needed_snapshot(op.snapshot_id)
    draft.needed_entity(op.entity_id)
    return _turn(draft, op, draft.mentions, (op.snapshot_id, op.entity_id), on=True)


def _remove_mention(draft: Draft, op: plan.RemoveMention) -> list[Op]:
    return _turn(draft, op, draft.mentions, (op.snapshot_id, op.entity_id), on=False)


def _turn(draft: Draft, op: Op, edges: Overlay[Pair, bool], pair: Pair, *, on: bool) -> list[Op]:
    if bool(edges.get(pair)) == on:
        return []
    edges.put(pair, True if on else None)
    draft.touch("snapshots", pair[0])
    return [op]


# --- entities ----------------------------------------------------------------------------------


def _add_entity(draft: Draft, op: plan.AddEntity) -> list[Op]:
    entity = op.entity
    done: list[Op] = []
    if draft.entities.get(entity.id) is None:
        draft.entities.put(entity.id, replace(entity, aliases=()))
        draft.touch("entities", entity.id)
        _name(draft, entity.id, entity.name)
        for alias in entity.aliases:
            _name(draft, entity.id, alias)
        return [op]
    for alias in entity.aliases:
        done += _add_alias(draft, plan.AddAlias(entity.id, alias))
    return done


def _add_alias(draft: Draft, op: plan.AddAlias) -> list[Op]:
    draft.needed_entity(op.entity_id)
    return [op] if _name(draft, op.entity_id, op.alias) else []


def _name(draft: Draft, entity_id: str, name: str) -> bool:
    pair = (entity_id, key(clean(name)))
    if not pair[1] or draft.names.get(pair) is not None:
        return False
    draft.names.put(pair, clean(name))
    draft.touch("entities", entity_id)
    return True


def _remove_alias(draft: Draft, op: plan.RemoveAlias) -> list[Op]:
    pair = (op.entity_id, key(clean(op.alias)))
    if draft.names.get(pair) is None:
        return []
    draft.names.put(pair, None)
    draft.touch("entities", op.entity_id)
    return [op]


def _move_alias(draft: Draft, op: plan.MoveAlias) -> list[Op]:
    draft.needed_entity(op.after_id)
    moved = _remove_alias(draft, plan.RemoveAlias(op.before_id, op.alias))
    if not moved:
        raise WriteFailed(f"the entity {op.before_id} has no such alias to move")
    if not _name(draft, op.after_id, op.alias):  # it has the name already: only taken away here
        return [plan.RemoveAlias(op.before_id, op.alias)]
    return [op]


def _remove_entity(draft: Draft, op: plan.RemoveEntity) -> list[Op]:
    draft.needed_entity(op.entity_id)
    stored = ((op.entity_id, name) for name in draft.reader.names_of(op.entity_id))
    drafted = [pair for pair in draft.names.known() if pair[0] == op.entity_id]
    for pair in (*stored, *drafted):
        draft.names.put(pair, None)
    draft.entities.put(op.entity_id, None)
    draft.touch("entities", op.entity_id)
    return [op]


TAKE: dict[type[Any], Take] = {
    plan.AddSnapshot: _add_snapshot,
    plan.RedactSnapshot: _redact_snapshot,
    plan.RemoveSnapshot: _remove_snapshot,
    plan.Mention: _mention,
    plan.RemoveMention: _remove_mention,
    plan.AddEntity: _add_entity,
    plan.AddAlias: _add_alias,
    plan.RemoveAlias: _remove_alias,
    plan.MoveAlias: _move_alias,
    plan.RemoveEntity: _remove_entity,
}
