"""The passage index: keyword and vector search over a memory, derived from the graph and never trusted blindly."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from graphmem.errors import MemoryDamaged, MemoryUnwritable
from graphmem.model import Entity, Event, Snapshot
from graphmem.protocols import (
    EVERYTHING,
    Embedder,
    Filter,
    GraphStore,
    Health,
    Passage,
    Vectors,
)
from graphmem.store import copies
from graphmem.store.applied import AppliedEvents
from graphmem.store.copies import Copies
from graphmem.store.index_check import findings
from graphmem.store.index_database import IndexDatabase
from graphmem.store.keywords import KeywordTable
from graphmem.store.passages import PassageTable
from graphmem.store.vectors import PassageVectors, Stamp, VectorFile
from graphmem.when import Interval

_EVENTS = 500  # events applied in one batch when catching up
_COPIED = "2"  # the form of the copies
_EVERY = 1 << 30
_SNAPSHOTS = 256  # snapshots written in one transaction when rebuilding


def open_search(home: Path, embedder: Embedder) -> PassageIndex:
    """The index of the memory in `home`; its files are in the folder "index" there."""
    return PassageIndex.open(home / "index", embedder)


class PassageIndex:
    """Implements `protocols.SearchIndex` with two files in `folder`: passages.db and passages.vectors.

    Made by `open`; safe to use from several threads. Raises MemoryDamaged where the database turns
    out to be damaged in use (`rebuild` mends it), MemoryUnwritable where it cannot be written.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._lock = threading.RLock()
        self._together = False
        self._depth = 0
        self._embedder = embedder
        self._file = VectorFile(folder / "passages.vectors")
        mark = f"{embedder.name} {embedder.dimension}"
        self._database = IndexDatabase(folder / "passages.db", mark)
        self._bind()

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
            last = self._applied.last()
            todo = [event for event in events if event.n > last]
            if todo and todo[0].n > last + 1:
                self.catch_up(store)
            elif todo:
                self._apply(todo, store)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several updates in one commit; an error takes all of them back. Reads see them at once. Inside
        another one it joins it.
        """
        if self._together:
            yield
            return
        with self._guarded():
            self._together = True
            try:
                yield
            finally:
                self._together = False
            self._finish()

    def catch_up(self, store: GraphStore) -> int:
        """Apply the missed events, or rebuild; returns how many events were applied."""
        try:
            return self._catch_up(store)
        except MemoryDamaged:
            self.rebuild(store)
            return store.last_event()

    def _catch_up(self, store: GraphStore) -> int:
        self._reconnect()
        with self._guarded():
            common = self._applied.common(store)
            if common is None or (not self._applied.last() and store.last_event() > _EVENTS):
                self.rebuild(store)
                return store.last_event()
            self.copies.upto = None
            if lost := self._applied.forget_after(common):
                self._follow(lost, store)
            count = 0
            while events := store.events(after=self._applied.last(), limit=_EVENTS):
                self._apply(events, store)
                count += len(events)
            if self._database.get("copies") != _COPIED:
                self._copy_all(store)
            self.copies.upto = self._applied.last()
            return count

    def _copy_all(self, store: GraphStore) -> None:
        """Make every copy of a memory from before there were any."""
        for table in copies.TABLES:
            self._db.execute(f"DELETE FROM {table}")
        for snapshot in store.scan_snapshots():
            self.copies.put_snapshot(snapshot.id, snapshot)
        for fact in store.scan_facts():
            self.copies.put_fact(fact.id, fact)
        self._copy_the_rest(store)

    def _copy_the_rest(self, store: GraphStore) -> None:
        """Copy conflicts and entities, behind everything else: all is copied then."""
        for conflict in store.conflicts(open_only=False, limit=_EVERY):
            self.copies.put_conflict(conflict.id, conflict)
        after = ""
        while page := store.entities(after=after, limit=_EVENTS):
            for entity in page:
                self._copy_entity(entity.id, entity, store)
            after = page[-1].id
        self._database.set("copies", _COPIED)

    def _copy_entity(self, entity_id: str, entity: Entity | None, store: GraphStore) -> None:
        named = () if entity is None else store.entities_named(entity.name)
        called_so = any(one.id == entity_id for one in named)
        self.copies.put_entity(entity_id, entity, called_so=called_so)

    def rebuild(self, store: GraphStore) -> int:
        """Make the index anew from the graph; returns the number of passages."""
        with self._guarded():
            if self._database.damaged():
                self._database.throw_away()
            self._file.remove()
            self._database.begin_anew()
            self._bind()
            self._vectors.load(self._stamp())
            last = store.last_event()
            batch: list[Snapshot] = []
            for snapshot in store.scan_snapshots():
                self.copies.put_snapshot(snapshot.id, snapshot)
                batch.append(snapshot)
                if len(batch) == _SNAPSHOTS:
                    self._write_snapshots(batch)
                    batch = []
            self._write_snapshots(batch)
            affected: set[int] = set()
            for fact in store.scan_facts():
                self.copies.put_fact(fact.id, fact)
                affected |= self._table.place(fact)
            self._table.refresh(affected)
            self._words.compact()
            self._applied.note([event] if (event := store.event(last)) else [])
            self._copy_the_rest(store)
            self._db.commit()
            self._vectors.fold(self._stamp())
            self.copies.upto = last
            return self.size()

    def check(self, store: GraphStore) -> Health:
        """Compare the graph and the index: ids, texts, states, vectors."""
        with self._guarded():
            if self._applied.common(store) != self._applied.last():
                return Health(("the search index belongs to another state of the graph",))
            if self._applied.last() < store.last_event():
                return Health(("the search index has not caught up with the graph",))
            upto, self.copies.upto = self.copies.upto, None  # the graph itself is to answer
            found = findings(self._db, self._table, self._words, self.copies, store)
            self._db.rollback()  # FTS5 takes its integrity check for a write
            if not found:
                self.copies.upto = upto
            have = self._vectors.numbers(self._stamp())
            wanted = set(self._table.numbers(EVERYTHING))
            if have != wanted:
                found = (*found, f"{len(have ^ wanted)} passages have a wrong vector or none")
            elif strange := self._vectors.strange(self._stamp()):
                found = (*found, f"the vectors of passages {strange} are not those of their texts")
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

    def stating(
        self, numbers: Sequence[int], *, only: Filter = EVERYTHING
    ) -> Mapping[int, tuple[str, ...]]:
        """The facts that each of these passages states, in the given order."""
        with self._guarded():
            return self._table.stating(numbers, only)

    def passages(self, numbers: Sequence[int], *, only: Filter = EVERYTHING) -> list[Passage]:
        """The passages with these numbers that the filter allows, in the given order."""
        with self._guarded():
            return self._table.get(numbers, only)

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """Shape (len(numbers), dimension); zeros for unknown passages."""
        with self._guarded():
            return self._vectors.of(numbers, self._stamp())

    def frequencies(self, terms: Sequence[str], *, only: Filter = EVERYTHING) -> Mapping[str, int]:
        """In how many passages each term occurs; of those that the reader of `only` may see."""
        with self._guarded():
            return self._words.frequencies(terms, only)

    def size(self, *, only: Filter = EVERYTHING) -> int:
        """How many passages there are; of those that the reader of `only` may see."""
        with self._guarded():
            hidden = 0 if only.reader is None else self._words.told.hidden(only.reader)
            return int(self._db.execute("SELECT count(*) FROM passages").fetchone()[0]) - hidden

    def neighbours(self, number: int, *, reach: int = 1, only: Filter = EVERYTHING) -> list[int]:
        """Passages before and after it in its conversation, nearest first, `reach` on each side."""
        with self._guarded():
            return self._table.neighbours(number, reach, only)

    def last_of(self, conversation: str, speaker: str) -> str | None:
        """The snapshot that a user of this name said last in a conversation."""
        with self._guarded():
            return self._table.last_of(conversation, speaker)

    def beside(
        self, numbers: Sequence[int], *, reach: int = 1, only: Filter = EVERYTHING
    ) -> list[int]:
        """The neighbours of all of these, each once."""
        with self._guarded():
            return self._table.beside(numbers, reach, only)

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

    def close(self, *, write: bool = True) -> None:
        """Write what is worth writing, unless another process may be writing, and let go of the files."""
        with self._lock, suppress(sqlite3.ProgrammingError):
            if write and self._vectors.worth_folding():
                self._vectors.fold(self._stamp())
            self._db.close()

    # --- helpers ---

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """One thread at a time; on an error, what is in memory is read again from the files. No change is
        left uncommitted behind the outermost use: another process could write nothing.
        """
        with self._lock, self._database.reporting():
            # inside `together` the memory is this process's alone
            if not self._together and self._database.changed_elsewhere():
                self._vectors.unload()
            done = False
            self._depth += 1
            try:
                yield
                done = True
            finally:
                self._depth -= 1
                if not done:
                    self._vectors.unload()
                    self.copies.upto = None
            if not self._depth and not self._together:
                self._db.commit()

    def _reconnect(self) -> None:
        """Another process may have thrown a damaged file away and made a new one."""
        with self._lock:
            if self._database.replaced():
                self._database.reconnect()
                self._bind()

    def _bind(self) -> None:
        """Let everything use the database's present connection."""
        self._db = self._database.db
        self._applied = AppliedEvents(self._db)
        self._table = PassageTable(self._db)
        self._words = KeywordTable(self._db, self._table)
        self._vectors = PassageVectors(self._db, self._table, self._file, self._embedder)
        self.copies = Copies(self._db)

    def _stamp(self) -> Stamp:
        generation = self._database.get("generation")
        return Stamp(self._embedder.name, self._embedder.dimension, generation)

    def _apply(self, events: Sequence[Event], store: GraphStore) -> None:
        complete, self.copies.upto = (
            self.copies.upto is not None,
            None,
        )  # not what the graph has now
        self._applied.note(events)
        self._follow([event.touched for event in events], store)
        if complete:
            self.copies.upto = events[-1].n

    def _follow(self, touched: Sequence[Mapping[str, Sequence[str]]], store: GraphStore) -> None:
        """Read anew what was touched, write it in one transaction, embed what is new in one call."""
        for entity_id in dict.fromkeys(one for ids in touched for one in ids.get("entities", ())):
            self._copy_entity(entity_id, store.entity(entity_id), store)
        snapshots = dict.fromkeys(each for ids in touched for each in ids.get("snapshots", ()))
        facts = dict.fromkeys(each for ids in touched for each in ids.get("facts", ()))
        fresh: list[tuple[int, str]] = []
        gone: list[int] = []
        for snapshot_id in snapshots:
            for fact_id in self._table.stated_by(snapshot_id):
                facts.setdefault(fact_id)
            snapshot = store.snapshot(snapshot_id)
            self.copies.put_snapshot(snapshot_id, snapshot)
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
            fact = store.fact(fact_id)
            self.copies.put_fact(fact_id, fact)
            noted = self._table.placed(fact) if fact is not None else 0
            if not noted:
                affected |= self._table.displace(fact_id)
            if fact is not None:
                affected |= self._table.place(fact, after=noted)
        for conflict_id in dict.fromkeys(
            one for ids in touched for one in ids.get("conflicts", ())
        ):
            self.copies.put_conflict(conflict_id, store.conflict(conflict_id))
        self._table.refresh(affected)
        self._words.remove(gone)
        self._vectors.remove(gone)
        self._vectors.embed(fresh)
        if gone:
            self._db.commit()
            self._scrub()
        elif not self._together:
            self._finish()

    def _finish(self) -> None:
        """Commit, and write the vector file where enough is new for it."""
        self._db.commit()
        if self._vectors.worth_folding():
            self._vectors.fold(self._stamp())

    def _write_snapshots(self, batch: Sequence[Snapshot]) -> None:
        fresh: list[tuple[int, str]] = []
        for snapshot in batch:
            new, _ = self._table.put(snapshot)
            self._index_words(snapshot, new)
            fresh.extend(new)
        self._vectors.embed(fresh, keep=False)
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
