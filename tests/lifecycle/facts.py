"""Facts for the tests of the life cycle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.model import Fact, Kind, State
from graphmem.words import language_of

DAY = datetime(2025, 3, 3, 9, 0, tzinfo=UTC)


def note(text: str, *, id: str = "f_1", day: int = 0, **more: Any) -> Fact:
    """A whole statement kept as one fact."""
    at = DAY + timedelta(days=day)
    values: dict[str, Any] = {
        "kind": Kind.NOTE,
        "entity": "Ana",
        "entity_id": "e_ana",
        "predicate": "noted",
        "language": language_of(text),
        "state": State.CURRENT,
        "said_at": at,
        "recorded_at": at,
    }
    return Fact(id=id, text=text, **{**values, **more})


def claim(
    predicate: str, object: str, *, text: str = "", id: str = "f_1", day: int = 0, **more: Any
) -> Fact:
    """An atomic claim about Ana."""
    return note(
        text or f"I {predicate} {object}",
        id=id,
        day=day,
        kind=Kind.CLAIM,
        predicate=predicate,
        object=object,
        **more,
    )
