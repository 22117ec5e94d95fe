"""Brings an export into a memory: statements in the order of their dates, what was over there as history."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from graphmem.chatlogs.times import Times, zone_named
from graphmem.errors import UnknownFormat, UnreadableFile
from graphmem.importing.mem0 import Mem0
from graphmem.importing.statements import Importer, Problem, Reading, Statement
from graphmem.importing.wording import Wording
from graphmem.importing.zep import Zep
from graphmem.lexicon import Lexicon
from graphmem.memory import Memory
from graphmem.model import Receipt, State

LARGEST = 512 << 20  # bytes: an export is read as a whole

IMPORTERS: Mapping[str, Importer] = {one.name: one for one in (Mem0(), Zep())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came in: statements in the file, those new to the memory, claims and notes learnt, facts that
    became history, conflicts that now wait, and what was passed over.
    """

    statements: int = 0
    stored: int = 0
    facts: int = 0
    notes: int = 0
    past: int = 0
    conflicts: int = 0
    problems: tuple[str, ...] = ()


def importer_named(name: str) -> Importer:
    """The importer of a program. Raises UnknownFormat."""
    if name not in IMPORTERS:
        raise UnknownFormat(
            f"no importer is called {name!r}",
            expected="one of " + ", ".join(sorted(IMPORTERS)),
            next_step="for graphmem's own export: graphmem import graphmem, or Memory.import_export",
        )
    return IMPORTERS[name]


def bring_in(
    memory: Memory,
    name: str,
    file: str | Path,
    *,
    me: str | None = None,
    timezone: str | None = None,
) -> Imported:
    """Take over the export of the program `name`. The same file again changes nothing.

    `me` is the owner's name (default: the settings' owner). What the other program called over becomes
    history, the rest is remembered like any statement: it may open conflicts for the owner to decide.
    Raises UnknownFormat, UnreadableFile, InvalidTime, and what Memory.add raises.
    """
    importer = importer_named(name)
    path = Path(file)
    value = parsed(path)
    if not importer.knows(value):
        raise UnknownFormat(
            f"{path.name} is no export of {name}",
            expected=importer.looks_for,
            next_step="for chat logs: graphmem ingest",
        )
    zone = zone_named(timezone or memory.settings.timezone or None)
    reading = Reading(
        me=me or memory.settings.owner or "user",
        times=Times(zone),
        wording=Wording.of(Lexicon.load(memory.settings.lexicon)),
        now=memory.now(),
    )
    found = list(importer.read(value, reading, path.name))
    statements = sorted(
        (one for one in found if isinstance(one, Statement)), key=lambda one: one.message.said_at
    )
    told = list(_told(memory, statements))
    receipts = [receipt for _, receipt in told]
    return Imported(
        statements=len(statements),
        stored=sum(receipt.stored for receipt in receipts),
        facts=sum(len(receipt.facts) for receipt in receipts),
        notes=sum(len(receipt.notes) for receipt in receipts),
        past=sum(len(receipt.facts) + len(receipt.notes) for one, receipt in told if one.past),
        conflicts=sum(len(receipt.conflicts) for one, receipt in told if not one.past),
        problems=tuple(str(one) for one in found if isinstance(one, Problem)),
    )


def _told(memory: Memory, statements: Sequence[Statement]) -> Iterator[tuple[Statement, Receipt]]:
    """Each statement with its receipt: what still holds in batches, what is past one by one."""
    for past, group in groupby(statements, lambda one: one.past):
        run = list(group)
        receipts = (
            (_retired(memory, memory.add(one.message)) for one in run)
            if past
            else memory.ingest(one.message for one in run)
        )
        yield from zip(run, receipts, strict=True)


def _retired(memory: Memory, receipt: Receipt) -> Receipt:
    for fact in (*receipt.facts, *receipt.notes):
        if memory.fact(fact.id).state in {State.CURRENT, State.UNSURE}:
            memory.retire(fact.id)
    return receipt


def parsed(path: Path) -> Any:
    """A JSON or JSON Lines file as a value. Raises UnreadableFile."""
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableFile(
                f"{path} has {path.stat().st_size} bytes",
                expected=f"at most {LARGEST}",
                next_step="export it in parts",
            )
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise UnreadableFile(f"{path} is not UTF-8: {cause}", expected="a JSON file") from cause
    except OSError as cause:
        raise UnreadableFile(f"{path}: {cause.strerror}", expected="a JSON file") from cause
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as cause:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines):
            return _lines(path, lines)
        raise UnreadableFile(f"{path} is not JSON: {cause}", expected="a JSON file") from cause


def _lines(path: Path, lines: Sequence[str]) -> list[Any]:
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError) as cause:
            raise UnreadableFile(
                f"{path}, line {number}: {cause}", expected="JSON Lines"
            ) from cause
    return found
