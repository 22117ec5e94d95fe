"""SillyTavern's JSON Lines: a line of metadata, then one message a line with its swipes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from graphmem.chatlogs.decode import lines
from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.source import Head, Source
from graphmem.model import Role

# "2024-1-5 @13h 05m 10s 123ms", also without blanks and without the finer parts.
_AT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m(?:\s*(\d{1,2})s)?(?:\s*(\d{1,3})ms)?"
)
# The form of "January 5, 2024 1:05pm".
_ENGLISH = re.compile(
    r"([A-Z][a-z]+) (\d{1,2}), (\d{4}),? (\d{1,2}):(\d{2})\s?([ap])m", re.IGNORECASE
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LINE = 'an object with "name", "is_user" and "mes"'


class SillyTavern:
    """Reads the swipe that is shown; the character is the assistant."""

    name = "sillytavern"
    looks_for = 'SillyTavern\'s JSON Lines with "name", "is_user" and "mes"'

    def sniff(self, head: Head) -> float:
        """Sure where a line has mes and is_user."""
        return 0.95 if {"mes", "is_user"} <= head.paths else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """One draft per message line."""
        chat = Draft(text="", conversation=source.stem)
        with source.open() as stream:
            for line in lines(stream):
                if line.text is not None and not line.text.strip():
                    continue
                place = f"{source.name}, line {line.number}, byte {line.start}"
                try:
                    value = json.loads(line.text) if line.text is not None else None
                except (ValueError, RecursionError) as cause:
                    yield Problem(place, f"broken JSON: {cause}", _LINE, line.position)
                    continue
                if isinstance(value, dict) and "mes" not in value and "user_name" in value:
                    begun = value.get("create_date")
                    named = (value.get("character_name"), begun)
                    title = " ".join(str(part) for part in named if part) or source.stem
                    chat = replace(chat, conversation=title, fallback=sent_at(begun, options))
                elif isinstance(value, dict) and isinstance(value.get("mes"), str):
                    chat = replace(chat, place=place, position=line.position)
                    yield _draft(value, chat, options)
                else:
                    met = line.fault or f"{type(value).__name__} without mes"
                    yield Problem(place, met, _LINE, line.position)


def _draft(value: Mapping[str, Any], chat: Draft, options: Options) -> Draft:
    """`chat`, which knows its conversation and place, with what the line says."""
    role: Role = "user" if value.get("is_user") else "assistant"
    if value.get("is_system"):
        role = "system"
    name = value.get("name")
    return replace(
        chat,
        text=str(value["mes"]),
        speaker=name if isinstance(name, str) else None,
        role=role,
        time=sent_at(value.get("send_date"), options),
    )


def sent_at(value: Any, options: Options) -> datetime | None:
    """A send_date in any of the shapes that SillyTavern has written over the years."""
    if not isinstance(value, str):
        return options.times.read(value)
    try:
        if found := _AT.search(value):
            year, month, day, hour, minute, second, milli = (
                int(part or 0) for part in found.groups()
            )
            wall = datetime(year, month, day, hour, minute, second, milli * 1000)  # noqa: DTZ001 - a wall clock
            return options.times.local(wall)
        if found := _ENGLISH.search(value):
            name, day_, year_, hour_, minute_, half = found.groups()
            number = _MONTHS.index(name[:3].lower()) + 1
            hours = int(hour_) % 12 + 12 * (half.lower() == "p")
            wall = datetime(int(year_), number, int(day_), hours, int(minute_))  # noqa: DTZ001 - a wall clock
            return options.times.local(wall)
    except ValueError:
        return None
    return options.times.read(value)
