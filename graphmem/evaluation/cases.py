"""Reads a file of questions, with the memories they ask about where it brings its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphmem.errors import BrokenFile, UnreadableFile
from graphmem.model import Message

_FIRST_SAID = datetime(2024, 1, 1, 9, tzinfo=UTC)  # where a file gives no times
_APART = timedelta(days=1)
_MEMORY = frozenset({"memory", "id", "speaker", "role", "at"})
_QUESTION = frozenset({"question", "expected", "replaced", "id", "at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question and what should come: `expected` and `replaced` (what it replaced, and must not stand
    above it) are texts, or ids of facts or snapshots.
    """

    question: str
    expected: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    at: datetime | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """`cases` to ask, and `memories` to ask them of; without memories they are for the owner's own."""

    cases: tuple[Case, ...]
    memories: tuple[Message, ...] = ()


def read_questions(file: Path) -> Questions:
    """The lines of a JSON Lines file; empty ones and those that begin with "#" are skipped.

    A line is `{"question": ..., "expected": TEXT, ID or list, "replaced": ..., "at": ISO}` or
    `{"memory": ..., "id": ..., "speaker": ..., "role": ..., "at": ISO}`; all but the first two keys, and
    the first, may be left out. An `id` of a memory stands for its text. Raises UnreadableFile,
    BrokenFile (which names the line).
    """
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except OSError as cause:
        raise UnreadableFile(f"{file}: {cause.strerror}", expected="a JSON Lines file") from cause
    except UnicodeDecodeError as cause:
        raise UnreadableFile(f"{file} is not UTF-8 text", expected="a JSON Lines file") from cause
    rows = [
        (number, _parsed(line, f"{file}, line {number}"))
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    memories, names = _memories(rows, file)
    cases = tuple(
        _case(row, number, f"{file}, line {number}", names)
        for number, row in rows
        if "question" in row
    )
    if not cases:
        raise BrokenFile(
            f"{file} holds no question",
            expected='lines such as {"question": "Where do I live?", "expected": "I live in Porto"}',
        )
    return Questions(cases=cases, memories=memories)


def _parsed(line: str, where: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as cause:
        raise BrokenFile(f"{where}: {cause}", expected="one JSON object a line") from cause
    if not isinstance(row, dict) or ("question" in row) == ("memory" in row):
        raise BrokenFile(
            f"{where}: neither a question nor a memory",
            expected='an object with "question" and "expected", or with "memory"',
        )
    unknown = set(row) - (_QUESTION if "question" in row else _MEMORY)
    if unknown:
        raise BrokenFile(
            f"{where}: unknown key {min(unknown)!r}",
            expected="one of " + ", ".join(sorted(_QUESTION if "question" in row else _MEMORY)),
        )
    return row


def _memories(
    rows: list[tuple[int, Mapping[str, Any]]], file: Path
) -> tuple[tuple[Message, ...], Mapping[str, str]]:
    messages: list[Message] = []
    names: dict[str, str] = {}
    for number, row in rows:
        if "memory" not in row:
            continue
        where = f"{file}, line {number}"
        text = _text(row, "memory", where)
        said = _moment(row, where) or _FIRST_SAID + _APART * len(messages)
        role = row.get("role", "user")
        if role not in {"user", "assistant", "system", "tool"}:
            raise BrokenFile(
                f"{where}: role is {role!r}", expected="user, assistant, system or tool"
            )
        speaker = _text(row, "speaker", where) if "speaker" in row else "user"
        messages.append(Message(text=text, speaker=speaker, role=role, said_at=said))
        if "id" in row:
            names[_text(row, "id", where)] = text
    return tuple(messages), names


def _case(row: Mapping[str, Any], number: int, where: str, names: Mapping[str, str]) -> Case:
    expected = _texts(row, "expected", where)
    if not expected:
        raise BrokenFile(f"{where}: nothing is expected", expected="a text or an id to be found")
    return Case(
        question=_text(row, "question", where),
        expected=tuple(names.get(one, one) for one in expected),
        replaced=tuple(names.get(one, one) for one in _texts(row, "replaced", where)),
        at=_moment(row, where),
        line=number,
    )


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row[name]
    if not isinstance(value, str) or not value.strip():
        raise BrokenFile(f"{where}: {name} is {value!r}", expected="a text that is not empty")
    return value


def _texts(row: Mapping[str, Any], name: str, where: str) -> list[str]:
    value = row.get(name, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(
        isinstance(one, str) and one.strip() for one in listed
    ):
        raise BrokenFile(f"{where}: {name} is {value!r}", expected="a text or a list of texts")
    return listed


def _moment(row: Mapping[str, Any], where: str) -> datetime | None:
    if "at" not in row:
        return None
    try:
        moment = datetime.fromisoformat(row["at"])
    except (TypeError, ValueError) as cause:
        raise BrokenFile(
            f"{where}: at is {row['at']!r}", expected="an ISO date and time"
        ) from cause
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
