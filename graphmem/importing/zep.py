"""Zep and Graphiti: the edges of a graph (facts with their times), and the episodes they were taken from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from graphmem.importing.statements import Problem, Reading, Statement, entries, text_of
from graphmem.model import Message, Role

_FACTS = ("edges", "facts", "relevant_facts", "results")
_EPISODES = ("episodes", "messages")
_ROLES: dict[str, Role] = {role: role for role in get_args(Role)}
_NAMES = {"human": "user", "ai": "assistant", "function": "tool"}


class Zep:
    """Facts come in as statements, those with an end as history; episodes as what was said."""

    name = "zep"
    looks_for = (
        'a list of edges, or {"edges": [...]} or {"facts": [...]}, each with "uuid" and "fact"; '
        '"episodes" or "messages" with "content" beside them'
    )

    def knows(self, value: Any) -> bool:
        """Whether there are facts or episodes."""
        facts, episodes = _parts(value)
        return any(text_of(one, "fact") for one in facts[:5]) or any(
            text_of(one, "content") and ("uuid" in one or "uuid_" in one) for one in episodes[:5]
        )

    def read(self, value: Any, reading: Reading, where: str) -> Iterator[Statement | Problem]:
        """Facts first, then episodes."""
        facts, episodes = _parts(value)
        for number, one in enumerate(facts, 1):
            yield from _fact(one, number, reading, f"{where}, fact {number}")
        for number, one in enumerate(episodes, 1):
            yield from _episode(one, number, reading, f"{where}, episode {number}")


def _parts(value: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(value, list):
        facts = [one for one in value if not (text_of(one, "content") and not text_of(one, "fact"))]
        return facts, [one for one in value if one not in facts]
    return entries(value, *_FACTS), entries(value, *_EPISODES)


def _fact(one: Any, number: int, reading: Reading, place: str) -> Iterator[Statement | Problem]:
    text = text_of(one, "fact")
    if not text:
        yield Problem(place, "no text", 'a "fact" with words in it')
        return
    times = [reading.times.read(one.get(key)) for key in ("valid_at", "created_at")]
    moment = next((time for time in times if time is not None), None)
    if moment is None:
        yield Problem(
            place, "no readable time; today is taken for it", '"valid_at" or "created_at"'
        )
    ended = any(reading.times.read(one.get(key)) for key in ("invalid_at", "expired_at"))
    graph = text_of(one, "group_id", "graph_id", "graph_uuid", "user_id")
    yield Statement(
        message=Message(
            text=reading.wording.first_person(text),
            speaker=reading.me,
            said_at=moment or reading.now,
            source=f"zep:{text_of(one, 'uuid', 'uuid_') or number}",
            conversation=f"zep:{graph}" if graph else "zep",
        ),
        past=ended,
    )


def _episode(one: Any, number: int, reading: Reading, place: str) -> Iterator[Statement | Problem]:
    text = text_of(one, "content", "body")
    if not text:
        yield Problem(place, "no text", '"content" with words in it')
        return
    said = text_of(one, "role_type", "role").casefold()
    role = _ROLES.get(_NAMES.get(said, said), "user")
    name = text_of(one, "name", "role") if role == "user" else role
    speaker = reading.me if not name or name.casefold() in {"user", "human"} else name
    moment = next(
        (
            time
            for key in ("valid_at", "created_at")
            if (time := reading.times.read(one.get(key))) is not None
        ),
        None,
    )
    thread = text_of(one, "thread_id", "session_id", "group_id", "graph_id")
    yield Statement(
        message=Message(
            text=text,
            speaker=speaker,
            role=role,
            said_at=moment or reading.now,
            source=f"zep:{text_of(one, 'uuid', 'uuid_') or number}",
            conversation=f"zep:{thread}" if thread else "zep",
        )
    )
