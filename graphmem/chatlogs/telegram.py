"""Telegram's result.json: one chat, or all chats of an account under chats.list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.jsonstream import Path, walk
from graphmem.chatlogs.parts import attachment
from graphmem.chatlogs.source import Head, Source

_CHATS: tuple[Path, ...] = ((), ("chats", "list", "*"), ("left_chats", "list", "*"))
_WANTED = tuple(
    (*chat, *rest) for chat in _CHATS for rest in (("id",), ("name",), ("messages", "*"))
)
_DATES = frozenset({"date", "date_unixtime"})


class Telegram:
    """Reads messages by people; service messages and media without words are passed over.

    What somebody forwarded was said by whom it is forwarded from.
    """

    name = "telegram"
    looks_for = "Telegram's result.json: messages with from, text and date"

    def sniff(self, head: Head) -> float:
        """Sure where messages have a date and a text in Telegram's way; likely where an account's export
        begins with its other lists.
        """
        if {"about", "personal_information"} <= head.paths:
            return 0.8
        for chat in ("", "chats.list.*.", "left_chats.list.*."):
            keys = {
                path.removeprefix(f"{chat}messages.*.")
                for path in head.paths
                if path.startswith(f"{chat}messages.*.")
            }
            if keys & _DATES and "text" in keys and keys & {"from", "actor", "type"}:
                return 0.9
        return 0.0

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """The messages of each chat, in order."""
        chat: tuple[str, tuple[int, ...]] | None = None
        known: dict[str, str] = {}
        with source.open() as stream:
            for found in walk(stream, _WANTED, source.name):
                if isinstance(found, Problem):
                    yield found
                    continue
                is_message = found.path[-1] == "*"
                this = found.path[0], found.indexes[:-1] if is_message else found.indexes
                if found.path[0] in {"chats", "left_chats"} and this != chat:
                    chat, known = this, {}
                if not is_message:
                    if isinstance(found.value, (str, int)) and str(found.value).strip():
                        known[found.path[-1]] = str(found.value)
                    continue
                number = found.indexes[-1] + 1
                name = f" of {known['name']!r}" if "name" in known else ""
                place = (
                    f"{source.name}, message {number}{name}, line {found.line}, byte {found.start}"
                )
                fallback = source.stem + "".join(f":{index + 1}" for index in this[1])
                conversation = known.get("id") or known.get("name") or fallback
                yield from _draft(found.value, conversation, place, found.position, options)


def _draft(
    value: Any, conversation: str, place: str, position: int, options: Options
) -> Iterator[Draft | Problem]:
    if not isinstance(value, dict):
        yield Problem(place, type(value).__name__, "an object", position)
        return
    if value.get("type", "message") != "message":
        return
    known = value.get("forwarded_from") or value.get("from") or value.get("from_id")
    speaker = str(known) if known else "Deleted Account"
    yield Draft(
        text=_text(value),
        speaker=speaker,
        role="assistant" if options.words.role_of(speaker) == "assistant" else "user",
        time=_time(value, options),
        conversation=conversation,
        place=place,
        position=position,
    )


def _time(value: Mapping[str, Any], options: Options) -> datetime | None:
    """The instant; the wall clock beside it tells the zone of the exporting machine."""
    instant = options.times.read(value.get("date_unixtime"))
    wall = value.get("date")
    if instant is None:
        return options.times.read(wall)
    return options.times.beside(instant, wall)


def _text(value: Mapping[str, Any]) -> str:
    """The pieces as one text, a link apart from the word before it, and what was sent along by name."""
    text = value.get("text")
    words = ""
    for piece in text if isinstance(text, list) else [text]:
        more, kind = piece, None
        if isinstance(piece, dict):
            more, kind = piece.get("text"), piece.get("type")
        if isinstance(more, str):
            apart = kind == "link" and words and not words[-1].isspace()
            words += f" {more}" if apart else more
    named = "\n".join(_sent_along(value))
    card = value.get("contact_information")
    if isinstance(card, dict):
        parts = (card.get(key) for key in ("first_name", "last_name", "phone_number"))
        named = attachment("contact", " ".join(str(part) for part in parts if part))
    return "\n".join(filter(None, (words.strip(), named)))


def _sent_along(value: Mapping[str, Any]) -> Iterator[str]:
    """Names of files, a poll's question, a place. Stickers say nothing, and what has no name is passed over."""
    file, photo = value.get("file_name") or value.get("file"), value.get("photo")
    if value.get("media_type") not in ("sticker", "animation"):
        for kind, name in (("file", file), ("photo", photo)):
            if (
                isinstance(name, str) and name and not name.startswith("(")
            ):  # "(File not included...)"
                yield attachment(kind, name.rsplit("/", 1)[-1])
    poll, place = value.get("poll"), value.get("location_information")
    if isinstance(poll, dict) and isinstance(poll.get("question"), str):
        yield attachment("poll", poll["question"])
    if isinstance(place, dict):
        parts = (place.get(key) for key in ("latitude", "longitude"))
        yield attachment("location", ", ".join(str(part) for part in parts if part is not None))
