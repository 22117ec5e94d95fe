"""Makes a backup of an open memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graphmem.backup.changes import NEVER, events_of, last_changes
from graphmem.backup.file import writing
from graphmem.backup.layout import Record, written
from graphmem.backup.sealing import Sealer
from graphmem.backup.things import things
from graphmem.store.graph import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A backup that was written: where, how large, what is in it (records by kind), whether it is sealed."""

    file: Path
    bytes: int
    counts: Mapping[str, int]
    sealed: bool
    written_at: datetime


def back_up(store: Graph, file: Path, *, passphrase: str | None, now: datetime) -> Made:
    """Write everything in the graph to one file. The caller keeps others from writing meanwhile.

    Raises ChangeRefused where something other than a backup is there, MemoryUnwritable,
    InvalidSettings for an empty passphrase.
    """
    sealer = None if passphrase is None else Sealer.fresh(passphrase)
    with writing(file, written_at=now, sealer=sealer) as writer:
        for record in _records(store):
            writer.add(record)
    return Made(
        file=file,
        bytes=file.stat().st_size,
        counts=dict(writer.counts),
        sealed=sealer is not None,
        written_at=now,
    )


def _records(store: Graph) -> Iterator[Record]:
    changed = last_changes(store)
    for thing in things(store):
        when = changed.get(thing.value.id, NEVER)
        yield written(thing.kind, thing.value, changed_at=when, **thing.beside)
    for event in events_of(store):
        yield written("event", event)
