"""From what `add` takes (a text, a message, a list of them) to messages of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graphmem.compat.mem0.refusals import Rejected
from graphmem.compat.mem0.scope import Scope
from graphmem.errors import InvalidTime
from graphmem.model import Message, Role
from graphmem.when import parse_moment

SOURCE = "mem0"
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as it came: its role, who is named, its words."""

    role: Role
    name: str | None
    text: str


def turns(messages: Any) -> list[Turn]:
    """The messages that have words. Raises Rejected for other shapes, and where no words are left."""
    given = [messages] if isinstance(messages, (str, Mapping)) else messages
    if not isinstance(given, (list, tuple)):
        raise Rejected(
            f"messages is {type(messages).__name__}", expected="a text, a dict, or a list of dicts"
        )
    found = [turn for one in given if (turn := _turn(one)).text.strip()]
    if not found:
        raise Rejected("messages: no words", expected="some words to remember")
    return found


def message(turn: Turn, scope: Scope, said_at: datetime) -> Message:
    """A turn as a message; agent and run make its conversation."""
    return Message(
        text=turn.text,
        role=turn.role,
        speaker=turn.name or turn.role,
        said_at=said_at,
        source=SOURCE,
        conversation="/".join(filter(None, (scope.agent_id, scope.run_id))),
    )


def moment(value: Any) -> datetime:
    """A time as mem0's callers give it: a datetime, seconds since 1970, or ISO. Raises Rejected."""
    try:
        if isinstance(value, datetime):
            return value if value.tzinfo else value.astimezone()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        return parse_moment(str(value))
    except (InvalidTime, ValueError, OverflowError, OSError) as cause:
        raise Rejected(f"time {value!r}", expected="ISO, or seconds since 1970") from cause


def _turn(given: Any) -> Turn:
    if isinstance(given, str):
        return Turn("user", None, given)
    if not isinstance(given, Mapping):
        raise Rejected(
            f"a message is {type(given).__name__}", expected="a dict with role and content"
        )
    role = given.get("role", "user")
    if role not in _ROLES:
        raise Rejected(f"role {role!r}", expected="one of " + ", ".join(_ROLES))
    name = given.get("name")
    return Turn(_ROLES[role], str(name).strip() or None if name else None, _words(given))


def _words(given: Mapping[str, Any]) -> str:
    """The text of a content; of one in parts the text parts, for pictures are not read."""
    content = given.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = [content] if isinstance(content, Mapping) else content
    if not isinstance(parts, (list, tuple)):
        raise Rejected(f"content is {type(content).__name__}", expected="a text or a list of parts")
    texts = [
        str(part.get("text") or "") if isinstance(part, Mapping) else str(part) for part in parts
    ]
    return "\n".join(text for text in texts if text)
