"""Claude's conversations.json: conversations with a flat list of chat_messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.jsonstream import Found, walk
from graphmem.chatlogs.parts import attachment, text_of_parts
from graphmem.chatlogs.source import Head, Source
from graphmem.model import Role

_WANTED = (("*",), ("conversations", "*"))
_ROLES: Mapping[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
_CONVERSATION = 'a conversation with "chat_messages"'


class Claude:
    """Reads every message; thinking and the traffic with tools are left out, attachments are named."""

    name = "claude"
    looks_for = 'Claude\'s conversations.json: conversations with "chat_messages"'

    def sniff(self, head: Head) -> float:
        """Sure where a conversation has its chat_messages."""
        return 0.95 if {"*.chat_messages", "conversations.*.chat_messages"} & head.paths else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """The messages of each conversation, in order."""
        with source.open() as stream:
            for found in walk(stream, _WANTED, source.name):
                if isinstance(found, Problem):
                    yield found
                else:
                    yield from _conversation(found, source, options)


def _conversation(found: Found, source: Source, options: Options) -> Iterator[Draft | Problem]:
    value, number = found.value, found.indexes[0] + 1
    title = value.get("name") if isinstance(value, dict) else None
    shown = f" {title!r}" if isinstance(title, str) and title else ""
    place = f"{source.name}, conversation {number}{shown}, line {found.line}, byte {found.start}"
    if not isinstance(value, dict) or not isinstance(value.get("chat_messages"), list):
        met = f"{type(value).__name__} without chat_messages"
        yield Problem(place, met, _CONVERSATION, found.position)
        return
    for index, message in enumerate(value["chat_messages"], start=1):
        where = f"{place}, message {index}"
        role = _ROLES.get(str(message.get("sender"))) if isinstance(message, dict) else None
        if role is None:
            met = f"{type(message).__name__} without a known sender"
            yield Problem(where, met, '"sender" human or assistant', found.position)
            continue
        yield Draft(
            text=_text(message),
            role=role,
            time=options.times.read(message.get("created_at")),
            fallback=options.times.read(value.get("created_at")),
            conversation=str(value.get("uuid") or title or f"{source.stem}:{number}"),
            place=where,
            position=found.position,
        )


def _text(message: Mapping[str, Any]) -> str:
    """The text parts, or the older plain field where there are none, and the names of attachments."""
    content = message.get("content")
    spoken = [
        part
        for part in (content if isinstance(content, list) else ())
        if isinstance(part, dict) and part.get("type") == "text"
    ]
    words = text_of_parts(spoken) or text_of_parts(message.get("text"))
    named = [
        attachment("attachment", file.get("file_name"))
        for key in ("attachments", "files")
        for file in (message.get(key) if isinstance(message.get(key), list) else ()) or ()
        if isinstance(file, dict)
    ]
    return "\n".join(filter(None, (words, *named)))
