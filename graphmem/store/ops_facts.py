"""Operations on facts, their links and conflicts, and on reminders, worked into a draft."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphmem import plan
from graphmem.errors import WriteFailed
from graphmem.model import State, Tier
from graphmem.plan import Op
from graphmem.store import schema
from graphmem.store.draft import Draft, Take, known
from graphmem.store.records import ConflictRow

SETTABLE = frozenset(
    [
        "state",
        "tier",
        "importance",
        "confidence",
        "pinned",
        "confirmed_at",
        "retired_at",
        "valid_from",
        "valid_to",
        "expires_at",
        "readers",
    ]
)
RESETTABLE = frozenset({"state", "snoozed_until", "fired_at", "at"})


# --- facts -------------------------------------------------------------------------------------


def _add_fact(draft: Draft, op: plan.AddFact) -> list[Op]:
    fact = op.fact
    if not draft.is_free(schema.FACT, draft.facts, fact.id):
        raise known("fact", fact.id)
    draft.needed_entity(fact.entity_id)
    if fact.object_id:
        draft.needed_entity(fact.object_id)
    for snapshot_id in fact.sources:
        draft.needed_snapshot(snapshot_id)
    draft.numbers.facts += 1
    sources = tuple(dict.fromkeys(fact.sources))
    added = replace(fact, n=draft.numbers.facts, sources=sources, replaced_by=None)
    draft.facts.add(fact.id, added)
    draft.touch("facts", fact.id)
    draft.touch("snapshots", *sources)
    return [op]


def _add_evidence(draft: Draft, op: plan.AddEvidence) -> list[Op]:
    fact = draft.needed_fact(op.fact_id)
    draft.needed_snapshot(op.snapshot_id)
    if op.snapshot_id in fact.sources:
        return []
    draft.facts.put(fact.id, replace(fact, sources=(*fact.sources, op.snapshot_id)))
    draft.touch("facts", fact.id)
    draft.touch("snapshots", op.snapshot_id)
    return [op]


def _remove_evidence(draft: Draft, op: plan.RemoveEvidence) -> list[Op]:
    return [op] if drop_source(draft, op.fact_id, op.snapshot_id) else []


def drop_source(draft: Draft, fact_id: str, snapshot_id: str) -> bool:
    """Take a piece of evidence from a fact; False where the snapshot does not state it."""
    fact = draft.needed_fact(fact_id)
    if snapshot_id not in fact.sources:
        return False
    kept = tuple(one for one in fact.sources if one != snapshot_id)
    draft.facts.put(fact_id, replace(fact, sources=kept))
    draft.touch("facts", fact_id)
    draft.touch("snapshots", snapshot_id)
    return True


def _set_fact(draft: Draft, op: plan.SetFact) -> list[Op]:
    fact = draft.needed_fact(op.fact_id)
    _allowed(op.after, SETTABLE, "fact")
    after = {name: _standing(name, value) for name, value in op.after.items()}
    before = {name: getattr(fact, name) for name in after}
    if before == after:
        return []
    draft.facts.put(fact.id, replace(fact, **after))
    draft.touch("facts", fact.id)
    return [plan.SetFact(fact.id, before, after)]


def _move_fact(draft: Draft, op: plan.MoveFact) -> list[Op]:
    fact = draft.needed_fact(op.fact_id)
    draft.needed_entity(op.after_id)
    if op.side not in ("subject", "object"):
        raise WriteFailed(f"side is {op.side!r}", expected="subject or object")
    id_field, name_field = (
        ("entity_id", "entity") if op.side == "subject" else ("object_id", "object")
    )
    if getattr(fact, id_field) != op.before_id:
        raise WriteFailed(
            f"the {op.side} of {op.fact_id} is {getattr(fact, id_field)}",
            expected=op.before_id,
        )
    name = op.after_name or getattr(fact, name_field)
    moved: dict[str, Any] = {id_field: op.after_id, name_field: name}
    draft.facts.put(fact.id, replace(fact, **moved))
    draft.touch("facts", fact.id)
    draft.touch("entities", op.before_id, op.after_id)
    return [op]


def _remove_fact(draft: Draft, op: plan.RemoveFact) -> list[Op]:
    fact = draft.needed_fact(op.fact_id)
    for conflict in _conflicts_of(draft, op.fact_id):
        draft.conflicts.put(conflict, None)
        draft.touch("conflicts", conflict)
    before = {(one.id, op.fact_id) for one in draft.reader.directly_replaced(op.fact_id)}
    after = {(op.fact_id, one.id) for one in draft.reader.replaced_directly_by(op.fact_id)}
    drafted = {pair for pair in draft.replaced.known() if op.fact_id in pair}
    for pair in sorted(before | after | drafted):
        _unlink_replaced(draft, plan.UnlinkReplaced(*pair))
    draft.facts.put(op.fact_id, None)
    draft.touch("facts", op.fact_id)
    draft.touch("snapshots", *fact.sources)
    return [op]


def _conflicts_of(draft: Draft, fact_id: str) -> list[str]:
    stored = [row.id for row in draft.reader.conflict_rows_of(fact_id)]
    drafted = [
        row.id
        for row in draft.conflicts.known().values()
        if row is not None and fact_id in (row.old_id, row.new_id)
    ]
    return [one for one in dict.fromkeys((*stored, *drafted)) if draft.conflicts.get(one)]


def _link_replaced(draft: Draft, op: plan.LinkReplaced) -> list[Op]:
    old = draft.needed_fact(op.old_id)
    draft.needed_fact(op.new_id)
    if op.old_id == op.new_id:
        raise WriteFailed(f"the fact {op.old_id} cannot replace itself")
    if draft.replaced.get((op.old_id, op.new_id)):
        return []
    draft.replaced.put((op.old_id, op.new_id), value=True)
    draft.facts.put(old.id, replace(old, replaced_by=op.new_id))
    draft.touch("facts", op.old_id, op.new_id)
    return [op]


def _unlink_replaced(draft: Draft, op: plan.UnlinkReplaced) -> list[Op]:
    if not draft.replaced.get((op.old_id, op.new_id)):
        return []
    draft.replaced.put((op.old_id, op.new_id), None)
    draft.touch("facts", op.old_id, op.new_id)
    old = draft.facts.get(op.old_id)
    if old is not None:
        draft.facts.put(old.id, replace(old, replaced_by=_replacement(draft, old.id)))
    return [op]


def _replacement(draft: Draft, fact_id: str) -> str | None:
    stored = [(fact_id, fact.id) for fact in draft.reader.replaced_directly_by(fact_id)]
    drafted = [pair for pair in draft.replaced.known() if pair[0] == fact_id]
    left = [pair[1] for pair in dict.fromkeys((*stored, *drafted)) if draft.replaced.get(pair)]
    return left[-1] if left else None


# --- conflicts and triggers --------------------------------------------------------------------


def _open_conflict(draft: Draft, op: plan.OpenConflict) -> list[Op]:
    draft.needed_fact(op.old_id)
    draft.needed_fact(op.new_id)
    if not draft.is_free(schema.CONFLICT, draft.conflicts, op.id) or (
        draft.conflicts.removed(op.id)
    ):
        raise known("conflict", op.id)
    draft.numbers.conflicts += 1
    row = ConflictRow(
        id=op.id,
        n=draft.numbers.conflicts,
        old_id=op.old_id,
        new_id=op.new_id,
        relation=op.relation,
        reason=op.reason,
        cue=op.cue,
        opened_at=op.opened_at,
    )
    draft.conflicts.add(op.id, row)
    draft.touch("conflicts", op.id)
    return [op]


def _decide_conflict(draft: Draft, op: plan.DecideConflict) -> list[Op]:
    row = draft.needed_conflict(op.conflict_id)
    if row.decision == op.after:
        return []
    decided_at = op.at if op.after is not None else None
    draft.conflicts.put(row.id, replace(row, decision=op.after, decided_at=decided_at))
    draft.touch("conflicts", row.id)
    return [plan.DecideConflict(row.id, row.decision, op.after, op.at)]


def _remove_conflict(draft: Draft, op: plan.RemoveConflict) -> list[Op]:
    draft.needed_conflict(op.conflict_id)
    draft.conflicts.put(op.conflict_id, None)
    draft.touch("conflicts", op.conflict_id)
    return [op]


def _add_trigger(draft: Draft, op: plan.AddTrigger) -> list[Op]:
    if draft.triggers.get(op.trigger.id) is not None:
        raise known("trigger", op.trigger.id)
    draft.triggers.put(op.trigger.id, op.trigger)
    draft.touch("triggers", op.trigger.id)
    return [op]


def _set_trigger(draft: Draft, op: plan.SetTrigger) -> list[Op]:
    trigger = draft.needed_trigger(op.trigger_id)
    _allowed(op.after, RESETTABLE, "trigger")
    before = {name: getattr(trigger, name) for name in op.after}
    if before == op.after:
        return []
    draft.triggers.put(trigger.id, replace(trigger, **op.after))
    draft.touch("triggers", trigger.id)
    return [plan.SetTrigger(trigger.id, before, op.after)]


def _remove_trigger(draft: Draft, op: plan.RemoveTrigger) -> list[Op]:
    draft.needed_trigger(op.trigger_id)
    draft.triggers.put(op.trigger_id, None)
    draft.touch("triggers", op.trigger_id)
    return [op]


def _standing(name: str, value: Any) -> Any:
    if name == "state":
        return State(value)
    if name == "tier":
        return Tier(value)
    return tuple(value) if name == "readers" else value


def _allowed(after: Mapping[str, Any], names: frozenset[str], what: str) -> None:
    wrong = sorted(after.keys() - names)
    if wrong:
        raise WriteFailed(
            f"{', '.join(wrong)} of a {what} cannot be changed",
            expected="one of " + ", ".join(sorted(names)),
        )


TAKE: dict[type[Any], Take] = {
    plan.AddFact: _add_fact,
    plan.AddEvidence: _add_evidence,
    plan.RemoveEvidence: _remove_evidence,
    plan.SetFact: _set_fact,
    plan.MoveFact: _move_fact,
    plan.RemoveFact: _remove_fact,
    plan.LinkReplaced: _link_replaced,
    plan.UnlinkReplaced: _unlink_replaced,
    plan.OpenConflict: _open_conflict,
    plan.DecideConflict: _decide_conflict,
    plan.RemoveConflict: _remove_conflict,
    plan.AddTrigger: _add_trigger,
    plan.SetTrigger: _set_trigger,
    plan.RemoveTrigger: _remove_trigger,
}
