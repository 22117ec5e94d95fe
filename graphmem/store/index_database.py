"""The SQLite database of the passage index: how it is opened, found wanting, and begun anew."""

from __future__ import annotations

import sqlite3
import uuid
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphmem import words
from graphmem.errors import MemoryDamaged, MemoryUnwritable
from graphmem.store import applied, copies, passages, vectors
from graphmem.store.keywords import KeywordTable
from graphmem.store.page_sums import PageSums

_FORMAT = "2"
_META = "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
_TABLES = frozenset(
    {"applied", "keywords", "meta", "new_vectors", "passage_facts", "passages", "vocabulary"}
)


class _Connection(sqlite3.Connection):
    """Notes the checksums of the pages of each commit."""

    sums: PageSums | None = None

    def commit(self) -> None:
        """End a transaction, where there is one."""
        if self.in_transaction:
            super().commit()
            self.note()

    def note(self) -> None:
        """After what SQLite has committed by itself."""
        if self.sums is not None:
            self.sums.note()

    def close(self) -> None:
        """Let go of the file."""
        super().close()
        _open.discard(self)
        if self.sums is not None:
            self.sums.closed()
            self.sums = None


_open: weakref.WeakSet[_Connection] = weakref.WeakSet()


class IndexDatabase:
    """One SQLite file. A damaged one, or one of another format, is replaced by an empty one when opened.

    Write-ahead log, synchronous = NORMAL: always consistent; what the last moments before a power
    cut lose is read from the graph again. `generation` tells one making of the tables from another;
    `embedder` is the name and dimension of the embedder: vectors of another one are forgotten.
    """

    def __init__(self, path: Path, embedder: str) -> None:
        self.path = path
        self._embedder = embedder
        sums = PageSums(path)
        here = any(one.sums is not None and one.sums.database == path for one in set(_open))
        if not here and not sums.sound():
            _unlink(path)
            sums = PageSums(path)
        self.db = _connect(path, sums)
        self._file = _file(path)
        self._seen = -1
        try:
            _configure(self.db)
            usable = self._usable()
            if usable:
                self.db.executescript(f"BEGIN; {passages.LATER} {copies.SCHEMA} COMMIT;")
                self.db.note()
                KeywordTable(self.db, passages.PassageTable(self.db)).count_anew()
                self.db.commit()
            if usable and self.get("embedder") != embedder:
                self._forget_vectors()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self.throw_away()
            usable = False
        if not usable:
            self.begin_anew()

    def begin_anew(self) -> None:
        """Empty tables."""
        self.db.rollback()
        self.db.execute("BEGIN")
        for name in ("term_counts", *copies.TABLES, *sorted(_TABLES, reverse=True)):
            self.db.execute(f"DROP TABLE IF EXISTS {name}")
        self.db.commit()
        self.db.executescript(_META + applied.SCHEMA + vectors.SCHEMA)
        self.db.executescript(passages.SCHEMA + passages.LATER + copies.SCHEMA)
        KeywordTable(self.db, passages.PassageTable(self.db)).create()
        self.set("format", _FORMAT)
        self.set("terms", words.terms_version())
        self.set("generation", uuid.uuid4().hex)
        self.set("embedder", self._embedder)
        self.db.commit()

    def throw_away(self) -> None:
        """Delete the file and connect to a new one."""
        self.db.close()
        _unlink(self.path)
        self.reconnect()

    def replaced(self) -> bool:
        """Whether the file at its place is no longer the one that is open."""
        return self._file != _file(self.path)

    def reconnect(self) -> None:
        """Let go of the open file, and open the one at its place."""
        self.db.close()
        self.db = _connect(self.path, PageSums(self.path))
        self._file = _file(self.path)
        self._seen = -1
        _configure(self.db)

    def damaged(self) -> bool:
        """Whether SQLite finds the file damaged."""
        try:
            return bool(self.db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
        except sqlite3.DatabaseError:
            return True

    def changed_elsewhere(self) -> bool:
        """Whether another connection has written since this was last asked."""
        before, self._seen = self._seen, self.db.execute("PRAGMA data_version").fetchone()[0]
        return before != self._seen

    def get(self, name: str) -> str:
        """A value kept about the index, empty where there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def set(self, name: str, value: str) -> None:
        """Keep a value; part of the open transaction."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Undoes an unfinished change on any error, and turns SQLite's errors into ours."""
        done = False
        try:
            yield
            done = True
        except (sqlite3.OperationalError, sqlite3.ProgrammingError, OSError) as cause:
            raise MemoryUnwritable(
                f"the search index {self.path} cannot be used now: {cause}",
                next_step="try again, or check the free space and the permissions",
            ) from cause
        except sqlite3.DatabaseError as cause:
            raise MemoryDamaged(
                f"the search index {self.path} is damaged: {cause}",
                next_step="run graphmem check --repair; no memory is lost",
            ) from cause
        finally:
            if not done:
                self._undo()

    def _undo(self) -> None:
        with suppress(sqlite3.Error):
            self.db.rollback()

    def _forget_vectors(self) -> None:
        self.db.execute("DELETE FROM new_vectors")
        self.set("embedder", self._embedder)
        self.db.commit()

    def _usable(self) -> bool:
        names = {name for (name,) in self.db.execute("SELECT name FROM sqlite_schema")}
        if not names >= _TABLES:
            return False
        return self.get("format") == _FORMAT and self.get("terms") == words.terms_version()


def _file(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _connect(path: Path, sums: PageSums) -> _Connection:
    made = sqlite3.connect(path, timeout=30, check_same_thread=False, factory=_Connection)
    made.sums = sums
    _open.add(made)
    return made


def _unlink(path: Path) -> None:
    """Delete the database and what stands beside it."""
    PageSums(path).remove()
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _configure(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA cache_size = -32000")
    db.execute("PRAGMA journal_size_limit = 4000000")
