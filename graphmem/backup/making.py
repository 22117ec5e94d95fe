"""Makes a backup of an open memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from graphmem.backup.changes import events_of, last_changes
from graphmem.backup.file import writing
from graphmem.backup.layout import Record, written
from graphmem.backup.sealing import Sealer
from graphmem.model import Entity
from graphmem.store.graph import Graph
from graphmem.store.records import ConflictRow
from graphmem.words import key

_PAGE = 1000
_EVERY = 1 << 40
_NEVER = datetime.min.replace(tzinfo=UTC)


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

    def when(one: str) -> datetime:
        return changed.get(one, _NEVER)

    for entity in _entities(store):
        named = key(entity.name) in store.names_of(entity.id)  # not where a merge took its name
        yield written("entity", entity, changed_at=when(entity.id), named=named)
    told = groupby(store.scan_mentions(), key=itemgetter(0))
    next_told = next(told, None)
    for snapshot in store.scan_snapshots():  # both by number
        mentions: list[str] = []
        if next_told is not None and next_told[0] == snapshot.id:
            mentions = [entity_id for _, entity_id in next_told[1]]
            next_told = next(told, None)
        yield written("snapshot", snapshot, changed_at=when(snapshot.id), mentions=mentions)
    for fact in store.scan_facts():
        yield written("fact", fact, changed_at=when(fact.id))
    for conflict in store.conflicts(open_only=False, limit=_EVERY):
        same = {one.name for one in fields(ConflictRow)} & {one.name for one in fields(conflict)}
        row = ConflictRow(
            old_id=conflict.old.id,
            new_id=conflict.new.id,
            **{name: getattr(conflict, name) for name in same},
        )
        yield written("conflict", row, changed_at=when(row.id))
    for trigger in store.triggers(active_only=False):
        yield written("trigger", trigger, changed_at=when(trigger.id))
    for event in events_of(store):
        yield written("event", event)


def _entities(store: Graph) -> Iterator[Entity]:
    last = ""
    while page := store.entities(after=last, limit=_PAGE):
        yield from page
        last = page[-1].id
