"""Small values for store tests: one owner, towns, and what was said of them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from graphmem.model import Entity, Fact, Kind, Snapshot
from graphmem.plan import AddEntity, AddFact, AddSnapshot, Mention, Op, Plan

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2025, 7, 25, 9, 30, 15, 123456, tzinfo=ZONE)
ANA = Entity(id="e_ana", name="Ana", kind="person")


def place(name: str) -> Entity:
    return Entity(id=f"e_{name.lower()}", name=name, kind="place")


def snapshot(n: int, text: str = "I live in Oslo", **more: Any) -> Snapshot:
    said = NOW + timedelta(minutes=n)
    values = {"speaker": "Ana", "said_at": said, "recorded_at": said} | more
    return Snapshot(id=f"s{n}", text=text, **values)


def home(fact_id: str, town: Entity, source: str, **more: Any) -> Fact:
    values = {
        "entity": ANA.name,
        "entity_id": ANA.id,
        "predicate": "lives_in",
        "object": town.name,
        "object_id": town.id,
        "text": f"I live in {town.name}",
        "slot": "home",
        "said_at": NOW,
        "recorded_at": NOW,
        "sources": (source,),
    } | more
    return Fact(id=fact_id, **values)


def note(fact_id: str, source: str, text: str = "Lovely weather") -> Fact:
    return Fact(
        id=fact_id,
        kind=Kind.NOTE,
        entity=ANA.name,
        entity_id=ANA.id,
        predicate="said",
        text=text,
        said_at=NOW,
        recorded_at=NOW,
        sources=(source,),
    )


def a_plan(*ops: Op, kind: str = "add", undoable: bool = True, undoes: int | None = None) -> Plan:
    return Plan(kind=kind, at=NOW, ops=ops, undoable=undoable, undoes=undoes)


def says_home(n: int, town: str, **more: Any) -> tuple[Op, ...]:
    """What one message "I live in TOWN" adds: snapshot s{n}, fact f{n}."""
    where, said = place(town), snapshot(n, f"I live in {town}")
    return (
        AddSnapshot(said),
        AddEntity(ANA),
        AddEntity(where),
        Mention(said.id, ANA.id),
        Mention(said.id, where.id),
        AddFact(home(f"f{n}", where, said.id, **more)),
    )
