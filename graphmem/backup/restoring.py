"""Brings a backup into a new memory, with its events, or merges it, or an export, into one that is there."""

from __future__ import annotations

import glob
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from graphmem.backup.changes import RESTORE, RESTORED
from graphmem.backup.export_file import Export
from graphmem.backup.file import Backup
from graphmem.backup.layout import Record, changed_at, read
from graphmem.backup.merging import Merger, is_masked
from graphmem.errors import MemoryUnwritable
from graphmem.model import Event
from graphmem.plan import AddEntity, AddFact, AddSnapshot, AddTrigger, Op, OpenConflict, Plan
from graphmem.protocols import Clock
from graphmem.store.engine import EngineName
from graphmem.store.graph import Graph
from graphmem.store.home import open_store

_A_COMMIT = 200  # records
_EVENTS = 1000  # a commit
_ADDS = (AddEntity, AddSnapshot, AddFact, AddTrigger, OpenConflict)
_TOUCHED = {
    "entity": "entities",
    "snapshot": "snapshots",
    "fact": "facts",
    "conflict": "conflicts",
    "trigger": "triggers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did, in records by kind: `added`, `changed` (the backup's is later), `kept` (as it was
    here: the same, changed here later, or deleted here later). `masked` counts those of an export that were
    left out since their secrets are masked in it. `fresh` says that the memory is new.
    """

    path: Path
    written_at: datetime
    added: Mapping[str, int]
    changed: Mapping[str, int]
    kept: Mapping[str, int]
    fresh: bool
    masked: int = 0


def restore(
    file: Path,
    path: Path,
    passphrase: str | None,
    *,
    engine: EngineName,
    clock: Clock,
    wait: float,
) -> Restored:
    """Restore a backup that is first read to its end: nothing is written where that fails.

    A memory that is not there yet is made beside its place and moved there when it is whole. One that
    is there is merged with, some 200 records a commit; broken off, the same restore goes on. Raises
    what `Backup.checked` and `open_store` raise.
    """
    backup = Backup.checked(file, passphrase)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        with closing(open_store(path, engine=engine, clock=clock, wait=wait)) as store:
            return _merged(store, backup, path, clock, with_events=store.last_event() == 0)
    return _made(backup, path, engine=engine, clock=clock, wait=wait)


def _made(backup: Backup, path: Path, *, engine: EngineName, clock: Clock, wait: float) -> Restored:
    beside = path.with_name(f".{path.name}.restoring-{os.getpid()}")
    done = False
    try:
        _clear(path)
        with closing(open_store(beside, engine=engine, clock=clock, wait=wait)) as store:
            report = _merged(store, backup, path, clock, with_events=True)
        beside.replace(path)
        done = True
    except OSError as cause:
        raise MemoryUnwritable(
            f"{path} cannot be made: {cause.strerror}",
            expected="a new or empty directory, or a memory",
            next_step="nothing was written there",
        ) from cause
    finally:
        if not done:
            shutil.rmtree(beside, ignore_errors=True)
    return report


def _clear(path: Path) -> None:
    """Delete what earlier restores to this place left that were killed."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.restoring-*"):
        process = left.name.rpartition("-")[2]
        if process.isdecimal() and (int(process) == os.getpid() or not _runs(int(process))):
            shutil.rmtree(left, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of somebody else
        return True
    return True


def import_export(store: Graph, file: Path, path: Path, *, clock: Clock) -> Restored:
    """Merge an export of JSON Lines into an open memory, some 200 records a commit, like a backup.

    The file is first read to its end: nothing is written where that fails. Raises what `Export.checked`
    and writing raise.
    """
    return _merged(store, Export.checked(file), path, clock, with_events=False)


def _merged(
    store: Graph, backup: Backup | Export, path: Path, clock: Clock, *, with_events: bool
) -> Restored:
    tally = _Tally()
    merger = Merger(store)
    for records in _some(_things(backup), _A_COMMIT):
        ops: list[Op] = []
        touched: dict[datetime, dict[str, list[str]]] = {}
        for record in records:
            mine = merger.ops(record)
            ops += mine
            tally.note(record, mine)
            if mine:
                kinds = touched.setdefault(changed_at(record), {})
                kinds.setdefault(_TOUCHED[record["record"]], []).append(record["id"])
        _write(store, ops, touched, clock, with_events=with_events)
    _write(store, merger.link_ops(), {}, clock, with_events=with_events)
    if with_events and isinstance(backup, Backup):
        events = (read(record) for record in backup.records() if record["record"] == "event")
        for some in _some(events, _EVENTS):
            store.log(list(some))
        tally.added["event"] = backup.counts.get("event", 0)
    return Restored(
        path=path,
        written_at=backup.written_at,
        added=dict(tally.added),
        changed=dict(tally.changed),
        kept=dict(tally.kept),
        masked=tally.masked,
        fresh=with_events,
    )


def _things(backup: Backup | Export) -> Iterator[Record]:
    return (record for record in backup.records() if record["record"] != "event")


def _write(
    store: Graph,
    ops: list[Op],
    touched: Mapping[datetime, Mapping[str, list[str]]],
    clock: Clock,
    *,
    with_events: bool,
) -> None:
    if not ops:
        return
    with store.transaction():
        store.apply(Plan(kind=RESTORE, at=clock.now(), ops=tuple(ops), undoable=False))
        if not with_events:  # else the memory's own events follow
            store.log([_told(at, kinds) for at, kinds in touched.items()])


def _told(at: datetime, kinds: Mapping[str, Iterable[str]]) -> Event:
    return Event(kind=RESTORED, at=at, touched={name: tuple(ids) for name, ids in kinds.items()})


class _Tally:
    """Counts what is done with the records."""

    def __init__(self) -> None:
        self.added: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.masked = 0

    def note(self, record: Record, ops: list[Op]) -> None:
        """One record and what it changes."""
        kind = record["record"]
        if is_masked(record):
            self.masked += 1
        elif not ops:
            self.kept[kind] += 1
        elif any(isinstance(op, _ADDS) for op in ops):
            self.added[kind] += 1
        else:
            self.changed[kind] += 1


def _some(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while some := list(islice(items, size)):
        yield some
