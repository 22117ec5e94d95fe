"""mem0: what get_all() returns, an export of the platform, or such memories line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem.importing.statements import Problem, Reading, Statement, entries, text_of
from graphmem.model import Message

_LISTS = ("results", "memories", "data")
_TEXTS = ("memory", "text", "data")
_OWNERS = ("user_id", "agent_id", "run_id")


class Mem0:
    """Each memory is a statement of its user, dated when it was last changed; its id is the source."""

    name = "mem0"
    looks_for = 'a list of memories, or {"results": [...]}, each with "id" and "memory"'

    def knows(self, value: Any) -> bool:
        """Whether the first entry has a memory."""
        found = entries(value, *_LISTS)
        return any(isinstance(one, dict) and "memory" in one for one in found[:5])

    def read(self, value: Any, reading: Reading, where: str) -> Iterator[Statement | Problem]:
        """One statement a memory; where all are one user's, that user is the owner."""
        found = entries(value, *_LISTS)
        users = {text_of(one, "user_id") for one in found if isinstance(one, dict)}
        for number, one in enumerate(found, 1):
            place = f"{where}, memory {number}"
            text = text_of(one, *_TEXTS)
            if not text:
                yield Problem(place, "no text", 'a "memory" with words in it')
                continue
            user = text_of(one, *_OWNERS)
            speaker = reading.me if len(users) <= 1 or not user else user
            moment = reading.times.read(one.get("updated_at")) or reading.times.read(
                one.get("created_at")
            )
            if moment is None and (one.get("updated_at") or one.get("created_at")):
                yield Problem(place, "an unreadable time; today is taken for it", "ISO 8601")
            yield Statement(
                message=Message(
                    text=reading.wording.first_person(text),
                    speaker=speaker,
                    said_at=moment or reading.now,
                    source=f"mem0:{text_of(one, 'id', 'hash') or number}",
                    conversation=f"mem0:{user}" if user else "mem0",
                ),
                past=bool(one.get("is_deleted")),
            )
