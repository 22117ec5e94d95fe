"""What mem0 keeps beside a text and graphmem does not: ids of scope, metadata, expiry, which memory a fact
belongs to. A SQLite file beside the spaces; it holds no statement. The graph is the truth: a fact that
the labels do not know is a memory of its own, with the labels of the message that states it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphmem.compat.mem0.scope import IDS, Scope
from graphmem.errors import MemoryUnwritable

_TABLES = """
CREATE TABLE IF NOT EXISTS messages (
    space TEXT, id TEXT, user_id TEXT, agent_id TEXT, run_id TEXT, actor_id TEXT, role TEXT,
    metadata TEXT, expires TEXT, at TEXT, PRIMARY KEY (space, id));
CREATE TABLE IF NOT EXISTS memories (
    id TEXT, space TEXT, message TEXT, raw INTEGER, metadata TEXT, expires TEXT, created_at TEXT,
    updated_at TEXT, PRIMARY KEY (space, id));
CREATE TABLE IF NOT EXISTS facts (
    space TEXT, fact TEXT, memory TEXT, version INTEGER, PRIMARY KEY (space, fact));
CREATE TABLE IF NOT EXISTS events (
    space TEXT, memory TEXT, version INTEGER, event TEXT, at TEXT, created_at TEXT);
CREATE INDEX IF NOT EXISTS facts_by_memory ON facts (memory);
CREATE INDEX IF NOT EXISTS memories_by_id ON memories (id);
CREATE INDEX IF NOT EXISTS events_by_memory ON events (memory);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The labels of one message."""

    id: str
    scope: Scope = field(default_factory=Scope)
    actor_id: str | None = None
    role: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires: str | None = None
    at: str = ""

    def values(self) -> dict[str, Any]:
        """What a filter sees."""
        named = {"actor_id": self.actor_id, "role": self.role}
        return {
            **self.metadata,
            **{name: value for name, value in named.items() if value},
            **self.scope.as_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory: the message that made it, and what was changed since."""

    id: str
    space: str
    message: str
    raw: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires: str | None = None
    created_at: str = ""
    updated_at: str = ""


class Labels:
    """The file. Not for several threads at once: the caller takes turns."""

    def __init__(self, file: Path) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA secure_delete=ON")
            self._base.executescript(_TABLES)
        except (OSError, sqlite3.Error) as cause:
            raise MemoryUnwritable(f"{file}: {cause}", expected="a folder to write to") from cause

    def close(self) -> None:
        """Close the file; twice is harmless."""
        self._base.close()

    # --- messages ------------------------------------------------------------------------------------

    def tell(self, space: str, said: Iterable[Said]) -> None:
        """Keep the labels of messages; done before they are remembered, so that none is ever lost."""
        self._many(
            "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (space, one.id, *(getattr(one.scope, name) for name in IDS), one.actor_id, one.role,
                 json.dumps(dict(one.metadata), ensure_ascii=False), one.expires, one.at)
                for one in said
            ],
        )  # fmt: skip

    def said(self, space: str, ids: Iterable[str]) -> list[Said]:
        """The labels of those messages that have some."""
        found = []
        for one in ids:
            rows = self._rows("SELECT * FROM messages WHERE space = ? AND id = ?", space, one)
            found += [_said(row) for row in rows]
        return found

    def messages_of(self, scope: Scope) -> dict[str, list[str]]:
        """The messages in a scope, by space."""
        where, values = _where(scope)
        rows = self._rows(f"SELECT space, id FROM messages WHERE {where} ORDER BY rowid", *values)
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row["space"], []).append(row["id"])
        return found

    def spaces_of(self, scope: Scope) -> list[str]:
        """The spaces with a message in a scope."""
        where, values = _where(scope)
        rows = self._rows(
            f"SELECT DISTINCT space FROM messages WHERE {where} ORDER BY space", *values
        )
        return [row["space"] for row in rows]

    def owner(self, space: str) -> Scope:
        """The id that a space belongs to."""
        rows = self._rows(
            "SELECT user_id, agent_id, run_id FROM messages WHERE space = ? LIMIT 1", space
        )
        name = space.partition("-")[0] + "_id"
        return Scope(**{name: rows[0][name]}) if rows else Scope()

    # --- memories ------------------------------------------------------------------------------------

    def entry(self, memory_id: str) -> Entry | None:
        """The memory with this id."""
        rows = self._rows("SELECT * FROM memories WHERE id = ? LIMIT 1", memory_id)
        return _entry(rows[0]) if rows else None

    def entries(self, space: str, message_id: str) -> list[Entry]:
        """The memories that a message made."""
        rows = self._rows(
            "SELECT * FROM memories WHERE space = ? AND message = ?", space, message_id
        )
        return [_entry(row) for row in rows]

    def memory_of(self, space: str, fact_id: str) -> tuple[str, int] | None:
        """The memory that a fact belongs to, and the version it is part of."""
        rows = self._rows(
            "SELECT memory, version FROM facts WHERE space = ? AND fact = ?", space, fact_id
        )
        return (rows[0]["memory"], rows[0]["version"]) if rows else None

    def make(self, entry: Entry, fact_ids: Sequence[str]) -> None:
        """A new memory over these facts; one that is there already gets them as well."""
        with self._base:
            self._base.execute("BEGIN")
            made = self._base.execute(
                "INSERT OR IGNORE INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (entry.id, entry.space, entry.message, int(entry.raw),
                 json.dumps(dict(entry.metadata), ensure_ascii=False), entry.expires,
                 entry.created_at, entry.updated_at),
            )  # fmt: skip
            self._base.executemany(
                "INSERT OR IGNORE INTO facts VALUES (?, ?, ?, 1)",
                [(entry.space, one, entry.id) for one in fact_ids],
            )
            if made.rowcount:
                self._event(entry, 1, "ADD", entry.created_at)

    def change(
        self,
        entry: Entry,
        *,
        fact_ids: Sequence[str],
        metadata: Mapping[str, Any],
        expires: str | None,
        at: str,
    ) -> None:
        """A memory's labels, and, where there are any, the facts of its new version."""
        with self._base:
            self._base.execute("BEGIN")
            version = self.newest(entry) + bool(fact_ids)
            self._base.execute(
                "UPDATE memories SET metadata = ?, expires = ?, updated_at = ? "
                "WHERE space = ? AND id = ?",
                (
                    json.dumps(dict(metadata), ensure_ascii=False),
                    expires,
                    at,
                    entry.space,
                    entry.id,
                ),
            )
            self._base.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)",
                [(entry.space, one, entry.id, version) for one in fact_ids],
            )
            if fact_ids:
                self._event(entry, version, "UPDATE", at)

    def newest(self, entry: Entry) -> int:
        """The number of a memory's newest version."""
        rows = self._rows(
            "SELECT MAX(version) AS n FROM facts WHERE space = ? AND memory = ?",
            entry.space,
            entry.id,
        )
        return int(rows[0]["n"] or 1)

    def facts(self, entry: Entry) -> list[tuple[str, int]]:
        """A memory's facts with their versions, oldest first."""
        rows = self._rows(
            "SELECT fact, version FROM facts WHERE space = ? AND memory = ? ORDER BY version, rowid",
            entry.space,
            entry.id,
        )
        return [(row["fact"], row["version"]) for row in rows]

    def raw(self, space: str) -> list[Entry]:
        """The memories of a space that are whole messages."""
        rows = self._rows("SELECT * FROM memories WHERE space = ? AND raw = 1", space)
        return [_entry(row) for row in rows]

    def events(self, memory_id: str) -> list[Mapping[str, Any]]:
        """What happened to a memory, oldest first."""
        return self._rows("SELECT * FROM events WHERE memory = ? ORDER BY rowid", memory_id)

    # --- deletion --------------------------------------------------------------------------------------

    def drop(self, entry: Entry, *, at: str) -> None:
        """A memory is gone; that it was there, and when it went, is kept."""
        with self._base:
            self._base.execute("BEGIN")
            for table, column in (("facts", "memory"), ("memories", "id")):
                self._base.execute(
                    f"DELETE FROM {table} WHERE space = ? AND {column} = ?",
                    (entry.space, entry.id),
                )
            self._event(entry, 0, "DELETE", at)

    def drop_message(self, space: str, message_id: str) -> None:
        """A message is gone."""
        self._many("DELETE FROM messages WHERE space = ? AND id = ?", [(space, message_id)])

    def drop_space(self, space: str) -> None:
        """A space is gone with all that was in it."""
        with self._base:
            self._base.execute("BEGIN")
            for table in ("messages", "memories", "facts", "events"):
                self._base.execute(f"DELETE FROM {table} WHERE space = ?", (space,))

    def _event(self, entry: Entry, version: int, event: str, at: str) -> None:
        self._base.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)",
            (entry.space, entry.id, version, event, at, entry.created_at),
        )

    def _rows(self, query: str, *values: Any) -> list[Mapping[str, Any]]:
        with closing(self._base.execute(query, values)) as cursor:
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def _many(self, query: str, rows: list[tuple[Any, ...]]) -> None:
        with self._base:
            self._base.execute("BEGIN")
            self._base.executemany(query, rows)


def _where(scope: Scope) -> tuple[str, list[str]]:
    given = scope.as_dict()
    return " AND ".join(f"{name} = ?" for name in given) or "1", list(given.values())


def _said(row: Mapping[str, Any]) -> Said:
    return Said(
        id=row["id"],
        scope=Scope(**{name: row[name] for name in IDS}),
        actor_id=row["actor_id"],
        role=row["role"],
        metadata=json.loads(row["metadata"]),
        expires=row["expires"],
        at=row["at"],
    )


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(
        id=row["id"],
        space=row["space"],
        message=row["message"],
        raw=bool(row["raw"]),
        metadata=json.loads(row["metadata"]),
        expires=row["expires"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
