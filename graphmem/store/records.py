"""Values to rows and back: what is written into a node's properties, and read out of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from graphmem.model import (
    Conflict,
    Decision,
    Entity,
    Event,
    Fact,
    Kind,
    Relation,
    Snapshot,
    State,
    Tier,
    Trigger,
    Worth,
)
from graphmem.when import When, offset_minutes
from graphmem.words import clean

Row = dict[str, Any]

_ENDS = frozenset({"valid_to", "expires_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRow:
    """A conflict as it is kept: with the ids of its facts instead of the facts."""

    id: str
    n: int = 0
    old_id: str
    new_id: str
    relation: Relation
    reason: str
    cue: str
    opened_at: datetime
    decision: Decision | None = None
    decided_at: datetime | None = None


def utc(moment: datetime) -> datetime:
    """`moment` in UTC without zone, as the engine keeps it (at the edge of time: its wall clock)."""
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        return moment.replace(tzinfo=None)


def moment_row(name: str, moment: datetime | None) -> Row:
    """The two properties of a moment."""
    if moment is None:
        return {name: None, f"{name}_offset": None}
    return {name: utc(moment), f"{name}_offset": offset_minutes(moment)}


def when_row(name: str, when: When | None) -> Row:
    """The three properties of a time as stated."""
    if when is None:
        return {name: None, f"{name}_offset": None, f"{name}_text": None}
    exclusive = name in _ENDS and when.precision != "instant"
    edge = when.end if exclusive else when.start
    return {name: utc(edge), f"{name}_offset": when.offset, f"{name}_text": when.iso}


def _moment(row: Mapping[str, Any], name: str) -> datetime | None:
    bare = row[name]
    if bare is None:
        return None
    zone = timezone(timedelta(minutes=row[f"{name}_offset"]))
    aware: datetime = bare.replace(tzinfo=UTC)
    try:
        return aware.astimezone(zone)
    except OverflowError:
        return aware


def _always(row: Mapping[str, Any], name: str) -> datetime:
    found = _moment(row, name)
    if found is None:
        raise ValueError(f"{name} is empty in the node {row}")
    return found


def _when(row: Mapping[str, Any], name: str) -> When | None:
    text = row[f"{name}_text"]
    return None if text is None else When(text, row[f"{name}_offset"])


def _list(texts: Sequence[str]) -> str:
    return json.dumps([clean(text) for text in texts], ensure_ascii=False)


def texts(stored: str) -> tuple[str, ...]:
    """The texts of a column that holds several, such as the readers."""
    return tuple(json.loads(stored)) if stored != "[]" else ()


def entity_row(entity: Entity) -> Row:
    """An entity's node (its aliases are nodes of their own)."""
    return {"id": entity.id, "name": clean(entity.name), "kind": entity.kind}


def snapshot_row(snapshot: Snapshot) -> Row:
    """A snapshot's node."""
    return {
        "id": snapshot.id,
        "n": snapshot.n,
        "text": clean(snapshot.text),
        "speaker": clean(snapshot.speaker),
        "role": snapshot.role,
        **moment_row("said_at", snapshot.said_at),
        **moment_row("recorded_at", snapshot.recorded_at),
        "source": clean(snapshot.source),
        "conversation": clean(snapshot.conversation),
        "language": snapshot.language,
        "worth": snapshot.worth.value,
        "sensitive": snapshot.sensitive,
        "readers": _list(snapshot.readers),
    }


def snapshot_of(row: Mapping[str, Any]) -> Snapshot:
    """The snapshot of a node."""
    return Snapshot(
        id=row["id"],
        n=row["n"],
        text=row["text"],
        speaker=row["speaker"],
        role=row["role"],
        said_at=_always(row, "said_at"),
        recorded_at=_always(row, "recorded_at"),
        source=row["source"],
        conversation=row["conversation"],
        language=row["language"],
        worth=Worth(row["worth"]),
        sensitive=row["sensitive"],
        readers=texts(row["readers"]),
    )


def standing_row(fact: Fact) -> Row:
    """The properties of a fact that may change after it was recorded."""
    return {
        "entity": clean(fact.entity),
        "entity_id": fact.entity_id,
        "object": clean(fact.object),
        "object_id": fact.object_id,
        "state": fact.state.value,
        "tier": fact.tier.value,
        "importance": fact.importance,
        "confidence": float(fact.confidence),
        "pinned": fact.pinned,
        **when_row("valid_from", fact.valid_from),
        **when_row("valid_to", fact.valid_to),
        **when_row("expires_at", fact.expires_at),
        **moment_row("confirmed_at", fact.confirmed_at),
        **moment_row("retired_at", fact.retired_at),
        "replaced_by": fact.replaced_by,
        "source": fact.sources[0] if fact.sources else "",
        "evidence": len(fact.sources),
        "readers": _list(fact.readers),
    }


def fact_row(fact: Fact) -> Row:
    """A fact's node."""
    return {
        "id": fact.id,
        "n": fact.n,
        "kind": fact.kind.value,
        "predicate": clean(fact.predicate),
        "polarity": fact.polarity,
        "tense": fact.tense,
        "text": clean(fact.text),
        "language": fact.language,
        "slot": fact.slot,
        "sensitive": fact.sensitive,
        **when_row("happens_at", fact.happens_at),
        **moment_row("said_at", fact.said_at),
        **moment_row("recorded_at", fact.recorded_at),
        **standing_row(fact),
    }


def fact_of(row: Mapping[str, Any], sources: tuple[str, ...]) -> Fact:
    """The fact of a node, with the ids of the snapshots that state it."""
    return Fact(
        id=row["id"],
        n=row["n"],
        kind=Kind(row["kind"]),
        entity=row["entity"],
        entity_id=row["entity_id"],
        predicate=row["predicate"],
        object=row["object"],
        object_id=row["object_id"],
        polarity=row["polarity"],
        tense=row["tense"],
        text=row["text"],
        language=row["language"],
        state=State(row["state"]),
        slot=row["slot"],
        tier=Tier(row["tier"]),
        importance=row["importance"],
        confidence=row["confidence"],
        pinned=row["pinned"],
        sensitive=row["sensitive"],
        valid_from=_when(row, "valid_from"),
        valid_to=_when(row, "valid_to"),
        happens_at=_when(row, "happens_at"),
        expires_at=_when(row, "expires_at"),
        said_at=_always(row, "said_at"),
        recorded_at=_always(row, "recorded_at"),
        confirmed_at=_moment(row, "confirmed_at"),
        retired_at=_moment(row, "retired_at"),
        replaced_by=row["replaced_by"],
        sources=sources,
        readers=texts(row["readers"]),
    )


def without_facts(conflict: Conflict) -> ConflictRow:
    """The conflict with the ids of its facts; its number is not told by it."""
    return ConflictRow(
        id=conflict.id,
        old_id=conflict.old.id,
        new_id=conflict.new.id,
        relation=conflict.relation,
        reason=conflict.reason,
        cue=conflict.cue,
        opened_at=conflict.opened_at,
        decision=conflict.decision,
        decided_at=conflict.decided_at,
    )


def conflict_row(conflict: ConflictRow) -> Row:
    """A conflict's node."""
    return {
        "id": conflict.id,
        "n": conflict.n,
        "old_id": conflict.old_id,
        "new_id": conflict.new_id,
        "relation": conflict.relation.value,
        "reason": clean(conflict.reason),
        "cue": clean(conflict.cue),
        **moment_row("opened_at", conflict.opened_at),
        **decision_row(conflict),
    }


def decision_row(conflict: ConflictRow) -> Row:
    """The properties of a conflict that the owner's decision sets."""
    decision = conflict.decision.value if conflict.decision else ""
    return {"decision": decision, **moment_row("decided_at", conflict.decided_at)}


def conflict_of(row: Mapping[str, Any]) -> ConflictRow:
    """The conflict of a node."""
    return ConflictRow(
        id=row["id"],
        n=row["n"],
        old_id=row["old_id"],
        new_id=row["new_id"],
        relation=Relation(row["relation"]),
        reason=row["reason"],
        cue=row["cue"],
        opened_at=_always(row, "opened_at"),
        decision=Decision(row["decision"]) if row["decision"] else None,
        decided_at=_moment(row, "decided_at"),
    )


def alarm_row(trigger: Trigger) -> Row:
    """The properties of a trigger that may change."""
    return {
        **when_row("at", trigger.at),
        "state": trigger.state,
        **moment_row("snoozed_until", trigger.snoozed_until),
        **moment_row("fired_at", trigger.fired_at),
    }


def trigger_row(trigger: Trigger) -> Row:
    """A trigger's node."""
    return {
        "id": trigger.id,
        "cue": clean(trigger.cue),
        "action": clean(trigger.action),
        "text": clean(trigger.text),
        "rule": trigger.rule,
        "routine": trigger.routine,
        "keywords": _list(trigger.keywords),
        **moment_row("created_at", trigger.created_at),
        "snapshot_id": trigger.snapshot_id,
        "speaker": clean(trigger.speaker),
        "readers": _list(trigger.readers),
        **alarm_row(trigger),
    }


def trigger_of(row: Mapping[str, Any]) -> Trigger:
    """The trigger of a node."""
    return Trigger(
        id=row["id"],
        cue=row["cue"],
        action=row["action"],
        text=row["text"],
        at=_when(row, "at"),
        rule=row["rule"],
        routine=row["routine"],
        keywords=texts(row["keywords"]),
        state=row["state"],
        snoozed_until=_moment(row, "snoozed_until"),
        fired_at=_moment(row, "fired_at"),
        created_at=_always(row, "created_at"),
        snapshot_id=row["snapshot_id"],
        speaker=row["speaker"],
        readers=texts(row["readers"]),
    )


def event_row(event: Event) -> Row:
    """An event's node, without the counters."""
    touched = {name: list(ids) for name, ids in event.touched.items()}
    return {
        "n": event.n,
        "kind": event.kind,
        **moment_row("at", event.at),
        "touched": json.dumps(touched, separators=(",", ":")),
        "undo": event.undo,
        "undoes": event.undoes,
    }


def event_of(row: Mapping[str, Any]) -> Event:
    """The event of a node."""
    touched = json.loads(row["touched"])
    return Event(
        n=row["n"],
        kind=row["kind"],
        at=_always(row, "at"),
        touched={name: tuple(ids) for name, ids in touched.items()},
        undo=row["undo"],
        undoes=row["undoes"],
    )
