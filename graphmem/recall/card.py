"""The memory card: what was recalled as plain values, ordered by time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from graphmem.model import Recalled


def memory_card(items: Sequence[Recalled]) -> list[dict[str, Any]]:
    """JSON-ready records, oldest first: text, time (when it happens, else when it was said), said_at,
    speaker, state, source (snapshot id).
    """
    ordered = sorted(items, key=lambda item: (item.said_at.astimezone(UTC), item.text))
    return [
        {
            "text": item.text,
            "time": _time(item),
            "said_at": item.said_at.isoformat(),
            "speaker": item.speaker,
            "state": item.state.value,
            "source": item.sources[0].id if item.sources else "",
        }
        for item in ordered
    ]


def _time(item: Recalled) -> str:
    happens = [str(fact.happens_at) for fact in item.facts if fact.happens_at is not None]
    return happens[0] if happens else item.said_at.isoformat()
