"""Triggers for tests."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from graphmem.model import Trigger

PARIS = ZoneInfo("Europe/Paris")
HOURS = {"morning": time(9), "after_work": time(18), "bedtime": time(22, 30)}


def trigger(**values: Any) -> Trigger:
    """A trigger made on 1 January 2026 in Paris unless told otherwise."""
    made = datetime(2026, 1, 1, 8, tzinfo=PARIS)
    return Trigger(**{"id": "t1", "cue": "", "action": "do it", "created_at": made, **values})


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def paris(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=PARIS)  # type: ignore[misc,arg-type]
