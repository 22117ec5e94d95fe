"""The items of a store as they were put: a SQLite file beside the memories that hold their words."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem.errors import InvalidMessage, MemoryUnwritable
from graphmem.identity import digest

_TABLES = """
CREATE TABLE IF NOT EXISTS items (
    namespace TEXT, key TEXT, value TEXT, words TEXT, facts TEXT, created_at TEXT, updated_at TEXT,
    PRIMARY KEY (namespace, key));
CREATE TABLE IF NOT EXISTS said (
    namespace TEXT, key TEXT, message TEXT, place INTEGER, PRIMARY KEY (namespace, message, key));
CREATE INDEX IF NOT EXISTS said_by_key ON said (namespace, key);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An item, its words, the messages that said them (the last one the present ones), their facts."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    words: str = ""
    messages: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime = field(compare=False)


class ItemShelf:
    """The file. Not for several threads at once: the caller takes turns."""

    def __init__(self, file: Path) -> None:
        try:
            self._base = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA secure_delete=ON")
            self._base.executescript(_TABLES)
        except sqlite3.Error as cause:
            raise MemoryUnwritable(f"{file}: {cause}", expected="a folder to write to") from cause

    def close(self) -> None:
        """Close the file; twice is harmless."""
        self._base.close()

    def space(self, namespace: tuple[str, ...]) -> str:
        """The folder of a namespace's memory."""
        readable = "-".join(
            "".join(c for c in part if c.isalnum() and c.isascii()) for part in namespace
        )
        return f"ns-{readable[:40]}-{digest('n', *namespace)[2:]}"

    def get(self, namespace: tuple[str, ...], key: str) -> Kept | None:
        """The item under a key."""
        rows = self._rows(
            "SELECT * FROM items WHERE namespace = ? AND key = ?", _text(namespace), key
        )
        return next(rows, None)

    def under(self, prefix: tuple[str, ...]) -> Iterator[Kept]:
        """The items of every namespace that begins with `prefix`, in the order in which they were put."""
        return (
            kept
            for kept in self._rows("SELECT * FROM items ORDER BY rowid")
            if kept.namespace[: len(prefix)] == prefix
        )

    def saying(self, namespace: tuple[str, ...], message_id: str) -> Kept | None:
        """The item whose present words a message said."""
        rows = self._rows(
            "SELECT items.* FROM items JOIN said USING (namespace, key) "
            "WHERE namespace = ? AND message = ?",
            _text(namespace),
            message_id,
        )
        return next((kept for kept in rows if kept.words and kept.messages[-1] == message_id), None)

    def namespaces(self, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The namespaces with an item that begin with `prefix`."""
        with closing(self._base.execute("SELECT DISTINCT namespace FROM items")) as cursor:
            found = [tuple(json.loads(row[0])) for row in cursor]
        return sorted(one for one in found if one[: len(prefix)] == prefix)

    def put(self, kept: Kept) -> None:
        """Keep an item in the place of the one under its key. Raises InvalidMessage for what is not JSON."""
        try:
            value = json.dumps(kept.value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as cause:
            raise InvalidMessage("value", str(cause), expected="values that JSON has") from cause
        where = (_text(kept.namespace), kept.key)
        with self._base:
            self._base.execute("BEGIN")
            self._base.execute(
                "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "value = excluded.value, words = excluded.words, facts = excluded.facts, "
                "updated_at = excluded.updated_at",
                (*where, value, kept.words, json.dumps(kept.facts), kept.created_at.isoformat(),
                 kept.updated_at.isoformat()),
            )  # fmt: skip
            self._base.execute("DELETE FROM said WHERE namespace = ? AND key = ?", where)
            self._base.executemany(
                "INSERT OR REPLACE INTO said VALUES (?, ?, ?, ?)",
                [(*where, message, place) for place, message in enumerate(kept.messages)],
            )

    def remove(self, namespace: tuple[str, ...], key: str) -> None:
        """The item is gone."""
        with self._base:
            self._base.execute("BEGIN")
            for table in ("items", "said"):
                self._base.execute(
                    f"DELETE FROM {table} WHERE namespace = ? AND key = ?",  # noqa: S608 - two names
                    (_text(namespace), key),
                )

    def _rows(self, query: str, *values: str) -> Iterator[Kept]:
        with closing(self._base.execute(query, values)) as cursor:
            rows = cursor.fetchall()
        for namespace, key, value, words, facts, created_at, updated_at in rows:
            with closing(
                self._base.execute(
                    "SELECT message FROM said WHERE namespace = ? AND key = ? ORDER BY place",
                    (namespace, key),
                )
            ) as cursor:
                messages = tuple(row[0] for row in cursor)
            yield Kept(
                namespace=tuple(json.loads(namespace)),
                key=key,
                value=json.loads(value),
                words=words,
                messages=messages,
                facts=tuple(json.loads(facts)),
                created_at=datetime.fromisoformat(created_at),
                updated_at=datetime.fromisoformat(updated_at),
            )


def _text(namespace: tuple[str, ...]) -> str:
    return json.dumps(namespace, ensure_ascii=False)
