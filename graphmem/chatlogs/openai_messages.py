"""OpenAI-style messages: a JSON array, {"messages": [...]}, an array of those, or JSON Lines of either."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
        if source.head().json_lines:
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
                    known = f"{source.stem}:{line.number}"
                    yield from _values(value, source, known, place, line.position, options)

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
                    if found.path == ("*",) and not _is_message(found.value):
                        known = f"{source.stem}:{number}"
                        yield from _values(
                            found.value, source, known, place, found.position, options
                        )
                    else:
                        yield _draft(found.value, conversation, place, found.position, options)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value


def _values(
    value: Any, source: Source, known: str, place: str, position: int, options: Options
) -> Iterator[Draft | Problem]:
    """What one line or array item holds: a message, or a conversation known by the name `known`."""
    if _is_message(value):
        yield _draft(value, source.stem, place, position, options)
        return
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        yield Problem(place, _kind(value), _MESSAGE, position)
        return
    if isinstance(value, dict):
        known = str(value.get("id") or value.get("title") or known)
    for number, message in enumerate(messages, start=1):
        yield _draft(message, known, f"{place}, message {number}", position, options)


def _draft(
    value: Any, conversation: str, place: str, position: int, options: Options
) -> Draft | Problem:
    if not isinstance(value, dict):
        return Problem(place, _kind(value), _MESSAGE, position)
    role = _ROLES.get(str(value.get("role")).lower())
    if role is None:
        return Problem(place, f"the role {value.get('role')!r}", " or ".join(_ROLES), position)
    metadata = value.get("metadata")
    mark = metadata.get("id", "") if isinstance(metadata, dict) else ""
    named = value.get("conversation") or value.get("conversation_id")
    speaker = value.get("name")
    return Draft(
        text=text_of_parts(value.get("content")),
        speaker=speaker if isinstance(speaker, str) else None,
        role=role,
        time=next((time for key in _TIMES if (time := options.times.read(value.get(key)))), None),
        conversation=str(named) if named else conversation,
        mark=str(mark),
        place=place,
        position=position,
    )


def _kind(value: Any) -> str:
    return f"{type(value).__name__} {str(value)[:40]!r}"
