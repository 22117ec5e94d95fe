"""OpenAI-style messages: a JSON array, {"messages": [...]}, an array of those, or JSON Lines of either."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphmem.chatlogs.decode import lines
from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.jsonstream import walk
from graphmem.chatlogs.parts import text_of_parts
from graphmem.chatlogs.source import Head, Source
from graphmem.model import Role

_WANTED = (("*",), ("messages", "*"), ("id",), ("title",))
_ROLES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_TIMES = ("created_at", "timestamp", "create_time", "created", "time", "date")
_MESSAGE = 'an object with "role" and "content"'


class OpenAIMessages:
    """Reads chats as the OpenAI API takes them; see docs/chat-logs.md for the optional fields."""

    name = "openai"
    looks_for = 'JSON or JSON Lines with "role" and "content"'

    def sniff(self, head: Head) -> float:
        """Sure where role and content stand where a message is expected."""
        for base in ("", "*.", "messages.*.", "*.messages.*.", "*.*."):
            if f"{base}role" in head.paths and (
                f"{base}content" in head.paths or f"{base}tool_calls" in head.paths
            ):
                return 0.9
        return 0.0

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """One draft per message with words in it."""
        if source.head(options.words).json_lines:
            yield from self._lines(source, options)
        else:
            yield from self._document(source, options)

    def _lines(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        with source.open() as stream:
            for line in lines(stream):
                place = f"{source.name}, line {line.number}, byte {line.start}"
                if line.text is None:
                    yield Problem(place, line.fault, "a JSON object a line", line.position)
                elif line.text.strip():
                    try:
                        value = json.loads(line.text, strict=False)
                    except (ValueError, RecursionError) as cause:
                        met = f"broken JSON: {cause}"
                        yield Problem(place, met, "a JSON object a line", line.position)
                        continue
                    spot = _Spot(place, line.position, source.stem, options)
                    yield from _values(value, spot, line.number)

    def _document(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        conversation = source.stem
        with source.open() as stream:
            for found in walk(stream, _WANTED, source.name):
                if isinstance(found, Problem):
                    yield found
                elif found.path[-1] in {"id", "title"}:
                    conversation = str(found.value or conversation)
                else:
                    number = found.indexes[0] + 1
                    place = f"{source.name}, item {number}, line {found.line}, byte {found.start}"
                    spot = _Spot(place, found.position, conversation, options)
                    if found.path == ("*",):
                        yield from _values(found.value, spot, number)
                    else:
                        yield _draft(found.value, spot)


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a value stands, and the conversation it belongs to."""

    place: str
    position: int
    conversation: str
    options: Options

    def problem(self, met: str, expected: str = _MESSAGE) -> Problem:
        return Problem(self.place, met, expected, self.position)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value


def _values(value: Any, spot: _Spot, number: int) -> Iterator[Draft | Problem]:
    """What line or item `number` holds: a message, or a whole conversation."""
    if _is_message(value):
        yield _draft(value, spot)
        return
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        yield spot.problem(_kind(value))
        return
    known = value.get("id") or value.get("title") if isinstance(value, dict) else None
    conversation = str(known or f"{spot.conversation}:{number}")
    for index, message in enumerate(messages, start=1):
        place = f"{spot.place}, message {index}"
        yield _draft(message, replace(spot, place=place, conversation=conversation))


def _draft(value: Any, spot: _Spot) -> Draft | Problem:
    if not isinstance(value, dict):
        return spot.problem(_kind(value))
    role = _ROLES.get(str(value.get("role")).lower())
    if role is None:
        return spot.problem(f"the role {value.get('role')!r}", "one of " + ", ".join(_ROLES))
    metadata = value.get("metadata")
    mark = metadata.get("id", "") if isinstance(metadata, dict) else ""
    named = value.get("conversation") or value.get("conversation_id")
    speaker = value.get("name")
    read = spot.options.times.read
    return Draft(
        text=text_of_parts(value.get("content")),
        speaker=speaker if isinstance(speaker, str) else None,
        role=role,
        time=next((time for key in _TIMES if (time := read(value.get(key)))), None),
        conversation=str(named or spot.conversation),
        mark=str(mark),
        place=spot.place,
        position=spot.position,
    )


def _kind(value: Any) -> str:
    return f"{type(value).__name__} {str(value)[:40]!r}"
