"""The passage index: keyword and vector search over a memory, derived from the graph and never trusted blindly."""

from __future__ import annotations

import json
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC
from pathlib import Path

from graphmem import words
from graphmem.errors import MemoryDamaged, MemoryUnwritable
from graphmem.identity import digest
from graphmem.model import Event, Snapshot
from graphmem.protocols import (
    EVERYTHING,
    Embedder,
    Filter,
    GraphStore,
    Health,
    Passage,
    Vectors,
)
from graphmem.store import passages, vectors
from graphmem.store.index_check import findings
from graphmem.store.keywords import KeywordTable
from graphmem.store.passages import PassageTable
from graphmem.store.vectors import PassageVectors, Stamp, VectorFile
from graphmem.when import Interval

_FORMAT = "1"
_EVENTS = 500  # events applied in one batch when catching up
_SNAPSHOTS = 256  # snapshots written in one transaction when rebuilding
_REMEMBERED = 1000  # events that can be taken back without a rebuild
_TABLES = {"applied", "meta", "passages", "passage_facts", "keywords", "vocabulary", "new_vectors"}
_SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE applied(n INTEGER PRIMARY KEY, mark TEXT NOT NULL, touched TEXT NOT NULL);
"""


class PassageIndex:
    """Implements `protocols.SearchIndex` with two files in `folder`: passages.db and passages.vectors.

    Made by `open`; safe to use from several threads. Raises MemoryDamaged where the database turns
    out to be damaged in use (`rebuild` mends it), MemoryUnwritable where it cannot be written.
    """

    def __init__(self, folder: Path, embedder: Embedder, about_weight: float = 1.0) -> None:
        self._path = folder / "passages.db"
        self._file = VectorFile(folder / "passages.vectors")
        self._embedder = embedder
        self._about_weight = about_weight
        self._lock = threading.RLock()
        self._seen = -1
        self._bind(self._opened())
        self._settle()

    @classmethod
    def open(cls, folder: Path, embedder: Embedder) -> PassageIndex:
        """Open the index in `folder`, or begin an empty one; `catch_up` then brings it up to date."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return cls(folder, embedder)
        except (OSError, sqlite3.OperationalError) as cause:
            raise MemoryUnwritable(
                f"the search index in {folder} cannot be opened: {cause}",
                next_step="check the permissions and the free space",
            ) from cause

    # --- keeping up with the graph ---

    def update(self, events: Sequence[Event], store: GraphStore) -> None:
        """Bring the index up to the last of `events`; events it has are skipped, missed ones fetched."""
        with self._guarded():
            last = self._last_event()
            todo = [event for event in events if event.n > last]
            if todo and todo[0].n > last + 1:
                self.catch_up(store)
            elif todo:
                self._apply(todo, store)

    def catch_up(self, store: GraphStore) -> int:
        """Apply the missed events, or rebuild; returns how many events were applied."""
        with self._guarded():
            if not self._step_back(store):
                self.rebuild(store)
                return store.last_event()
            applied = 0
            while events := store.events(after=self._last_event(), limit=_EVENTS):
                self._apply(events, store)
                applied += len(events)
            return applied

    def rebuild(self, store: GraphStore) -> int:
        """Make the index anew from the graph; returns the number of passages."""
        with self._guarded():
            if self._damaged():
                self._throw_away()
            self._start_over()
            last = store.last_event()
            batch: list[Snapshot] = []
            for snapshot in store.scan_snapshots():
                batch.append(snapshot)
                if len(batch) == _SNAPSHOTS:
                    self._write_snapshots(batch)
                    batch = []
            self._write_snapshots(batch)
            affected: set[int] = set()
            for fact in store.scan_facts():
                affected |= self._table.place(fact)
            self._table.refresh(affected)
            self._words.compact()
            self._note(store.events(after=last - 1, limit=1) if last else ())
            self._db.commit()
            if self._vectors.worth_folding():
                self._vectors.fold(self._stamp())
            return self.size()

    def check(self, store: GraphStore) -> Health:
        """Compare the graph and the index: ids, texts, states, vectors."""
        with self._guarded():
            if self._common_event(store) != self._last_event():
                return Health(("the search index belongs to another state of the graph",))
            if self._last_event() < store.last_event():
                return Health(("the search index has not caught up with the graph",))
            found = findings(self._db, self._table, self._words, store)
            have = self._vectors.numbers(self._stamp())
            wanted = set(self._table.numbers(EVERYTHING))
            if have != wanted:
                found = (*found, f"{len(have ^ wanted)} passages have a wrong vector or none")
            return Health(found)

    # --- reads ---

    def keywords(
        self, terms: Sequence[str], *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with BM25 scores (higher is better), best first."""
        with self._guarded():
            return self._words.search(terms, limit, only)

    def nearest(
        self, vector: Vectors, *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with cosines, best first."""
        with self._guarded():
            return self._vectors.search(vector, limit, only, self._stamp())

    def passages(self, numbers: Sequence[int], *, only: Filter = EVERYTHING) -> list[Passage]:
        """The passages with these numbers that the filter allows, in the given order."""
        with self._guarded():
            return self._table.get(numbers, only)

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """Shape (len(numbers), dimension); zeros for unknown passages."""
        with self._guarded():
            return self._vectors.of(numbers, self._stamp())

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term occurs."""
        with self._guarded():
            return self._words.frequencies(terms)

    def size(self) -> int:
        """How many passages there are."""
        with self._guarded():
            return int(self._db.execute("SELECT count(*) FROM passages").fetchone()[0])

    def neighbours(self, number: int, *, reach: int = 1, only: Filter = EVERYTHING) -> list[int]:
        """Passages before and after it in its conversation, nearest first, `reach` on each side."""
        with self._guarded():
            return self._table.neighbours(number, reach, only)

    def happening(self, window: Interval, *, limit: int, only: Filter = EVERYTHING) -> list[int]:
        """Passages with an event inside the window, earliest first."""
        with self._guarded():
            return self._table.happening(window, limit, only)

    def of_facts(self, fact_ids: Sequence[str], *, only: Filter = EVERYTHING) -> Mapping[str, int]:
        """The passage in which each fact was first stated, of those that the filter allows."""
        with self._guarded():
            return self._table.of_facts(fact_ids, only)

    def flush(self) -> None:
        """Write the vector file if there is something new for it."""
        with self._guarded():
            if self._db.execute("SELECT 1 FROM new_vectors LIMIT 1").fetchone():
                self._vectors.fold(self._stamp())

    def close(self) -> None:
        """Write what is worth writing and let go of the files."""
        with self._lock, suppress(sqlite3.ProgrammingError):
            if self._vectors.worth_folding():
                self._vectors.fold(self._stamp())
            self._db.close()

    # --- the database ---

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """One thread at a time; SQLite's errors become ours, and an unfinished change is undone."""
        with self._lock:
            try:
                changes = self._db.execute("PRAGMA data_version").fetchone()[0]
                if changes != self._seen:
                    self._seen = changes
                    self._vectors.unload()
                yield
            except (sqlite3.OperationalError, sqlite3.ProgrammingError) as cause:
                self._undo()
                raise MemoryUnwritable(
                    f"the search index {self._path} cannot be used now: {cause}",
                    next_step="try again, or check the free space and the permissions",
                ) from cause
            except sqlite3.DatabaseError as cause:
                self._undo()
                raise MemoryDamaged(
                    f"the search index {self._path} is damaged: {cause}",
                    next_step="run graphmem check --repair; no memory is lost",
                ) from cause
            except BaseException:
                self._undo()
                raise

    def _undo(self) -> None:
        with suppress(sqlite3.Error):
            self._db.rollback()
        self._vectors.unload()

    def _opened(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA cache_size = -32000")
        return db

    def _bind(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._table = PassageTable(db)
        self._words = KeywordTable(db, self._about_weight)
        self._vectors = PassageVectors(db, self._table, self._file, self._embedder)

    def _settle(self) -> None:
        """Accept what is there, or begin anew."""
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            usable = self._usable()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._throw_away()
            usable = False
        if not usable:
            self._start_over()
        elif self._meta("embedder") != self._embedder_mark():
            self._db.execute("DELETE FROM new_vectors")
            self._set_meta("embedder", self._embedder_mark())
            self._db.commit()

    def _usable(self) -> bool:
        names = {name for (name,) in self._db.execute("SELECT name FROM sqlite_schema")}
        if not names >= _TABLES:
            return False
        return self._meta("format") == _FORMAT and self._meta("terms") == words.terms_version()

    def _damaged(self) -> bool:
        try:
            return bool(self._db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
        except sqlite3.DatabaseError:
            return True

    def _throw_away(self) -> None:
        """Delete a damaged database."""
        self._db.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._bind(self._opened())
        self._db.execute("PRAGMA journal_mode = WAL")

    def _start_over(self) -> None:
        """Empty tables, and no vector file."""
        self._file.remove()
        self._vectors.unload()
        self._db.rollback()
        for name in sorted(_TABLES, reverse=True):
            self._db.execute(f"DROP TABLE IF EXISTS {name}")
        self._db.executescript(_SCHEMA + passages.SCHEMA + vectors.SCHEMA)
        self._words.create()
        self._set_meta("format", _FORMAT)
        self._set_meta("terms", words.terms_version())
        self._set_meta("embedder", self._embedder_mark())
        self._set_meta("generation", uuid.uuid4().hex)
        self._db.commit()

    def _meta(self, name: str) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def _set_meta(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def _embedder_mark(self) -> str:
        return f"{self._embedder.name} {self._embedder.dimension}"

    def _stamp(self) -> Stamp:
        return Stamp(self._embedder.name, self._embedder.dimension, self._meta("generation"))

    # --- events ---

    def _last_event(self) -> int:
        return int(self._db.execute("SELECT max(n) FROM applied").fetchone()[0] or 0)

    def _note(self, events: Sequence[Event]) -> None:
        rows = [
            (e.n, _mark(e), json.dumps({k: list(ids) for k, ids in e.touched.items()}))
            for e in events
        ]
        self._db.executemany("INSERT INTO applied VALUES (?, ?, ?)", rows)
        self._db.execute("DELETE FROM applied WHERE n < ?", (self._last_event() - _REMEMBERED,))

    def _common_event(self, store: GraphStore) -> int | None:
        """The last event that both the index and the graph have; None where that cannot be told."""
        kept = self._db.execute("SELECT n, mark FROM applied ORDER BY n DESC").fetchall()
        if not kept:
            return 0 if self.size() == 0 else None
        for n, mark in kept:
            event = store.events(after=n - 1, limit=1)
            if event and _mark(event[0]) == mark:
                return int(n)
        return None

    def _step_back(self, store: GraphStore) -> bool:
        """Take back events that the graph has lost (a crash, or a transaction that failed), by
        reading anew what they touched; False where the index has to be rebuilt.
        """
        common = self._common_event(store)
        if common is None:
            return False
        rows = self._db.execute("SELECT touched FROM applied WHERE n > ?", (common,)).fetchall()
        lost = [json.loads(touched) for (touched,) in rows]
        if lost:
            self._db.execute("DELETE FROM applied WHERE n > ?", (common,))
            self._follow(lost, store)
        return True

    def _apply(self, events: Sequence[Event], store: GraphStore) -> None:
        self._note(events)
        self._follow([event.touched for event in events], store)

    def _follow(self, touched: Sequence[Mapping[str, Sequence[str]]], store: GraphStore) -> None:
        """Read anew what was touched, write it in one transaction, embed what is new in one call."""
        snapshots = dict.fromkeys(each for ids in touched for each in ids.get("snapshots", ()))
        facts = dict.fromkeys(each for ids in touched for each in ids.get("facts", ()))
        fresh: list[tuple[int, str]] = []
        gone: list[int] = []
        for snapshot_id in snapshots:
            for fact_id in self._table.stated_by(snapshot_id):
                facts.setdefault(fact_id)
            snapshot = store.snapshot(snapshot_id)
            if snapshot is None:
                went = self._table.remove(snapshot_id)
            else:
                new, went = self._table.put(snapshot)
                self._index_words(snapshot, new)
                fresh.extend(new)
                if new:
                    facts.update(dict.fromkeys(f.id for f in store.facts_stated_by(snapshot_id)))
            gone.extend(went)
        affected = {n for n, _ in fresh}
        for fact_id in facts:
            affected |= self._table.displace(fact_id)
            fact = store.fact(fact_id)
            if fact is not None:
                affected |= self._table.place(fact)
        self._table.refresh(affected)
        self._words.remove(gone)
        self._vectors.remove(gone)
        self._vectors.embed(fresh)
        self._db.commit()
        if gone:
            self._scrub()
        elif self._vectors.worth_folding():
            self._vectors.fold(self._stamp())

    def _write_snapshots(self, batch: Sequence[Snapshot]) -> None:
        fresh: list[tuple[int, str]] = []
        for snapshot in batch:
            new, _ = self._table.put(snapshot)
            self._index_words(snapshot, new)
            fresh.extend(new)
        self._vectors.embed(fresh)
        self._db.commit()

    def _index_words(self, snapshot: Snapshot, fresh: Sequence[tuple[int, str]]) -> None:
        for n, text in fresh:
            self._words.add(n, text, snapshot.speaker, snapshot.said_at)

    def _scrub(self) -> None:
        """After a deletion: nothing of the text is left in any file."""
        self._words.scrub()
        self._db.commit()
        self._vectors.fold(self._stamp())
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _mark(event: Event) -> str:
    """What tells this event from another one with the same number."""
    ids = sorted(f"{kind} {each}" for kind, found in event.touched.items() for each in found)
    return digest("e", event.kind, event.at.astimezone(UTC).isoformat(), *ids)


def open_search(home: Path, embedder: Embedder) -> PassageIndex:
    """The index of the memory in `home`; its files are in the folder "index" there."""
    return PassageIndex.open(home / "index", embedder)
