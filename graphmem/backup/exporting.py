"""Exports: the memory, or what one reader may see of it, as plain JSON Lines or as GraphML (docs/backup.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from graphmem.backup.changes import NEVER, last_changes
from graphmem.backup.export_file import FORMAT, VERSION
from graphmem.backup.graphml import COMMENT, GraphMl
from graphmem.backup.layout import written
from graphmem.backup.masks import Masks
from graphmem.backup.things import Thing, things
from graphmem.errors import ChangeRefused, UnreadableFile
from graphmem.protocols import GraphStore
from graphmem.store.whole_file import replacing

_PRIVATE = 0o600
_HEAD = 400  # bytes of a file by which an older export is told


class Form(StrEnum):
    """The forms of an export."""

    JSONL = "jsonl"
    GRAPHML = "graphml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """An export that was written: where, in which form, how large, what is in it (things by kind), and how
    many of them are masked.
    """

    file: Path
    form: Form
    bytes: int
    counts: dict[str, int]
    masked: int
    written_at: datetime


def export(
    store: GraphStore, file: Path, *, form: Form, reveal: bool, reader: str | None, now: datetime
) -> Exported:
    """Write what `store` shows to one file, thing by thing; it is there whole or not at all.

    Raises ChangeRefused where something other than an export is there, MemoryUnwritable.
    """
    _refuse_to_replace(file)
    masks = Masks(store, reveal=reveal)
    counts: Counter[str] = Counter()
    shown = _counted(store, masks, counts)
    with replacing(file, mode=_PRIVATE) as target:
        if form is Form.GRAPHML:
            GraphMl(target).write(shown, store)
        else:
            _write_lines(target, shown, counts, store=store, reader=reader, now=now)
    return Exported(
        file=file,
        form=form,
        bytes=file.stat().st_size,
        counts=dict(counts),
        masked=masks.count,
        written_at=now,
    )


def form_of(file: Path) -> Form:
    """The form that a file's name asks for."""
    return Form.GRAPHML if file.suffix.lower() in {".graphml", ".xml"} else Form.JSONL


def _counted(
    store: GraphStore, masks: Masks, counts: Counter[str]
) -> Iterator[tuple[Thing, Thing, bool]]:
    """Each thing as it is and as it is shown, and whether it is masked."""
    for thing in things(store):
        shown, masked = masks.shown(thing)
        counts[thing.kind] += 1
        yield thing, shown, masked


def _write_lines(
    target: BinaryIO,
    shown: Iterator[tuple[Thing, Thing, bool]],
    counts: Counter[str],
    *,
    store: GraphStore,
    reader: str | None,
    now: datetime,
) -> None:
    changed = _changes(store, reader)
    _put(
        target,
        {"record": "header", "format": FORMAT, "version": VERSION, "written_at": now.isoformat()},
    )
    for thing, one, masked in shown:
        record = written(one.kind, one.value, **one.beside, changed_at=changed(thing.value))
        record.pop(
            "n", None
        )  # a number of this memory alone; to a reader it would count what is hidden
        if masked:
            record["masked"] = True
        _put(target, record)
    _put(target, {"record": "end", "counts": dict(counts)})


def _changes(store: GraphStore, reader: str | None) -> Callable[[Any], datetime]:
    """When each thing was last changed. Events count everything, so for a reader it is told by the thing's
    own dates.
    """
    if reader is not None:
        return _latest_date
    known = last_changes(store)
    return lambda value: known.get(value.id, NEVER)


def _latest_date(value: Any) -> datetime:
    told = (getattr(value, one.name) for one in fields(value))
    moments = [one.astimezone(UTC) for one in told if isinstance(one, datetime)]
    return max(moments, default=NEVER)


def _put(target: BinaryIO, record: dict[str, Any]) -> None:
    line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
    target.write(line.encode("utf-8", "surrogatepass"))


def _refuse_to_replace(file: Path) -> None:
    try:
        with file.open("rb") as there:
            head = there.read(_HEAD)
    except FileNotFoundError:
        return
    except OSError as cause:
        raise UnreadableFile(
            f"{file} cannot be replaced: {cause.strerror}", next_step="choose another name"
        ) from cause
    if head and FORMAT.encode() not in head and COMMENT.encode() not in head:
        raise ChangeRefused(
            f"{file} is there and is no export",
            expected="a new name, or the name of an older export",
            next_step="choose another name",
        )
