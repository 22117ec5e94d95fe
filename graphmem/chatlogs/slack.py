"""Slack's export, a folder or archive: users.json, then a folder per channel with a file per day."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.jsonstream import walk
from graphmem.chatlogs.parts import attachment
from graphmem.chatlogs.source import Head, Source

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_MENTION = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
# Subtypes that are somebody's words; all others are Slack's own notices.
_SPOKEN = frozenset({None, "", "me_message", "thread_broadcast", "reply_broadcast", "file_share", "file_comment", "bot_message"})  # fmt: skip
_NAMES = ("display_name", "real_name")


class Slack:
    """Reads the messages of every channel by day; mentions are told by name, bots are assistants."""

    name = "slack"
    looks_for = "Slack's export: users.json and a folder per channel with a JSON file per day"

    def sniff(self, head: Head) -> float:
        """A single day's file: messages with a ts and a user."""
        return 0.7 if {"*.ts", "*.text"} <= head.paths and "*.type" in head.paths else 0.0

    def layout(self, source: Source) -> Source | None:
        """What is to be read of an archive or folder that holds a Slack export, None for another."""
        lists = {
            path
            for path in source.members
            if PurePosixPath(path).name in {"users.json", "channels.json"}
        }
        days = {path for path in source.members if _channel(path)}
        if not lists or not days:
            return None
        members = {path: source.members[path] for path in sorted(lists | days)}
        size = sum(members[path].size for path in days)
        return replace(source, members=members, size=size)

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """The messages, channel by channel, day by day."""
        days = {path: day for path, day in source.members.items() if _channel(path)}
        people: dict[str, str] = {}
        for path, member in source.members.items():
            if PurePosixPath(path).name == "users.json":
                yield from _people(member, people)
        done = 0
        for path in sorted(days):
            for draft in _day(days[path], _channel(path), people, options):
                yield _moved(draft, done)
            done += days[path].size
        if not source.members:
            yield from _day(source, source.stem, people, options)


def _channel(path: str) -> str:
    """The channel whose day this file is, empty for other files."""
    parts = PurePosixPath(path).parts
    return parts[-2] if len(parts) > 1 and _DAY.fullmatch(parts[-1]) else ""


def _moved(draft: Draft | Problem, done: int) -> Draft | Problem:
    return replace(draft, position=done + draft.position)


def _people(member: Source, people: dict[str, str]) -> Iterator[Problem]:
    """Fills `people` with the names of users by id."""
    with member.open() as stream:
        for found in walk(stream, (("*",),), member.name):
            if isinstance(found, Problem):
                yield found
            elif isinstance(found.value, dict) and isinstance(found.value.get("id"), str):
                people[found.value["id"]] = _name(found.value) or found.value["id"]


def _name(user: Mapping[str, Any]) -> str:
    profile = user.get("profile")
    for table in (profile, user):
        if isinstance(table, dict):
            for key in (*_NAMES, "name"):
                if isinstance(table.get(key), str) and table[key].strip():
                    return str(table[key])
    return ""


def _day(
    member: Source, channel: str, people: Mapping[str, str], options: Options
) -> Iterator[Draft | Problem]:
    with member.open() as stream:
        for found in walk(stream, (("*",),), member.name):
            if isinstance(found, Problem):
                yield found
                continue
            place = f"{member.name}, message {found.indexes[0] + 1}, line {found.line}, byte {found.start}"
            value = found.value
            if not isinstance(value, dict):
                yield Problem(place, type(value).__name__, "an object", found.position)
                continue
            subtype = value.get("subtype")
            if value.get("type", "message") != "message" or not _is_spoken(subtype):
                continue
            is_bot = subtype == "bot_message" or (
                bool(value.get("bot_id")) and not value.get("user")
            )
            yield Draft(
                text=_text(value, people),
                speaker=_speaker(value, people),
                role="assistant" if is_bot else "user",
                time=options.times.read(value.get("ts")),
                conversation=channel,
                place=place,
                position=found.position,
            )


def _is_spoken(subtype: Any) -> bool:
    return subtype is None or (isinstance(subtype, str) and subtype in _SPOKEN)


def _speaker(value: Mapping[str, Any], people: Mapping[str, str]) -> str:
    user = value.get("user")
    if isinstance(user, str) and user in people:
        return people[user]
    profile = value.get("user_profile")
    name = _name({"profile": profile}) if isinstance(profile, dict) else ""
    return name or str(value.get("username") or user or value.get("bot_id") or "somebody")


def _text(value: Mapping[str, Any], people: Mapping[str, str]) -> str:
    """The words with people, channels and links as a reader sees them, and the names of files."""
    text = value.get("text")

    def shown(found: re.Match[str]) -> str:
        sign, target, label = found.groups()
        if sign == "@":
            return "@" + people.get(target, label or target)
        if sign == "#":
            return "#" + (label or target)
        if sign == "!":
            return label or "@" + target
        return f"{label} ({target})" if label and label not in target else target

    words = html.unescape(_MENTION.sub(shown, text)) if isinstance(text, str) else ""
    files = value.get("files") if isinstance(value.get("files"), list) else [value.get("file")]
    named = [
        attachment("file", file.get("name") or file.get("title"))
        for file in files or ()
        if isinstance(file, dict)
    ]
    return "\n".join(filter(None, (words, *named)))
