"""graphmem as an adapter of the retrieval harness: turns go in through Memory.add, questions through
Memory.recall, as any user's would. Run it from the harness:

    python run.py locomo tests/bench/harness_adapter.py:GraphmemAdapter
"""

from __future__ import annotations

import re
import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem import Memory, Message
from graphmem.embed.use import UniversalEncoder

_MONTHS = {
    name: number
    for number, name in enumerate(
        [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        start=1,
    )
}
_SPOKEN = re.compile(r"(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) (\w+), (\d{4})")
_DATE = re.compile(r"(\d{4})\D(\d{1,2})\D(\d{1,2})(?:\D+(\d{1,2}):(\d{2}))?")
_UNDATED = datetime(2024, 1, 1, 9, tzinfo=UTC)
_TURN = timedelta(seconds=20)  # between two turns of one session


class GraphmemAdapter:
    """One memory per history. A recalled item is its turn, by the snapshot it came from."""

    name = "graphmem"
    embedder = UniversalEncoder()  # loaded once for all histories

    def index(self, turns: list[Any]) -> None:
        """Store every turn as a message."""
        self._folder = tempfile.TemporaryDirectory()
        self._memory = Memory.open(f"{self._folder.name}/memory", embedder=self.embedder)
        self._turn: dict[str, str] = {}
        self._last = _UNDATED
        spoken: dict[datetime, int] = {}
        messages = []
        for turn in turns:
            start = said_at(turn.time) or self._last
            spoken[start] = spoken.get(start, 0) + 1
            moment = start + _TURN * spoken[start]
            self._last = max(self._last, moment) if turn.time else moment
            messages.append(
                Message(
                    text=turn.text,
                    speaker=turn.speaker or "user",
                    role="assistant" if turn.role == "assistant" else "user",
                    said_at=moment,
                    conversation=turn.session,
                )
            )
        for turn, receipt in zip(turns, self._memory.ingest(messages), strict=True):
            self._turn[receipt.snapshot.id] = turn.id

    def search(self, query: str, k: int, now: str = "") -> list[str]:
        """Turn ids, best first."""
        at = said_at(now) or self._last + timedelta(days=1)
        found = self._memory.recall(query, at=at, limit=k)
        ids = [source.id for item in found.items for source in item.sources[:1]]
        return list(dict.fromkeys(self._turn[one] for one in ids if one in self._turn))

    def close(self) -> None:
        """Throw the memory away."""
        self._memory.close()
        self._folder.cleanup()


def said_at(text: str) -> datetime | None:
    """ "1:56 pm on 8 May, 2023", "2023-05-08 14:30" or "2023年5月8日" as an instant, else None."""
    spoken = _SPOKEN.search(text)
    if spoken:
        hour, minute, half, day, month, year = spoken.groups()
        hours = int(hour) % 12 + (12 if half == "pm" else 0)
        number = _MONTHS[month.lower()]
        return datetime(int(year), number, int(day), hours, int(minute), tzinfo=UTC)
    dated = _DATE.search(text)
    if dated:
        year, month, day, hour, minute = dated.groups()
        return datetime(
            int(year), int(month), int(day), int(hour or 9), int(minute or 0), tzinfo=UTC
        )
    return None
