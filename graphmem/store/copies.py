"""Copies of facts, conflicts, snapshots, entities and names in the index database, read in a fiftieth of the time.

The engine takes about a millisecond for a fact with its evidence, and a recall looks at a hundred of
them. The copies follow the graph event by event, as the rest of the index does, and are only asked
while they are complete up to the graph's last event (`upto`); each carries a checksum. Whatever is
wrong with one, the graph is asked instead: the copies are never needed.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from graphmem.model import Conflict, Entity, Fact, Snapshot, State
from graphmem.store import records, schema
from graphmem.store.filters import marks
from graphmem.words import clean, key

SCHEMA = """
CREATE TABLE IF NOT EXISTS fact_copies(
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, entity_id TEXT NOT NULL, object_id TEXT NOT NULL,
  predicate TEXT NOT NULL, slot TEXT, state TEXT NOT NULL, crc INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS fact_copies_by_subject ON fact_copies(entity_id, predicate, n);
CREATE INDEX IF NOT EXISTS fact_copies_by_age ON fact_copies(entity_id, n);
CREATE INDEX IF NOT EXISTS fact_copies_by_object ON fact_copies(object_id, n) WHERE object_id <> '';
CREATE INDEX IF NOT EXISTS fact_copies_by_slot ON fact_copies(slot, n) WHERE slot IS NOT NULL;
CREATE INDEX IF NOT EXISTS fact_copies_by_topic ON fact_copies(entity_id, slot, n) WHERE slot IS NOT NULL;
CREATE TABLE IF NOT EXISTS conflict_copies(
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, old_id TEXT NOT NULL, new_id TEXT NOT NULL,
  crc INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS conflict_copies_by_old ON conflict_copies(old_id);
CREATE INDEX IF NOT EXISTS conflict_copies_by_new ON conflict_copies(new_id);
CREATE TABLE IF NOT EXISTS snapshot_copies(
  id TEXT PRIMARY KEY, crc INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entity_copies(
  id TEXT PRIMARY KEY, crc INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS name_copies(
  key TEXT NOT NULL, entity_id TEXT NOT NULL, PRIMARY KEY(key, entity_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS name_copies_by_entity ON name_copies(entity_id);
"""
_STATES = frozenset(state.value for state in State)
TABLES = ("fact_copies", "conflict_copies", "snapshot_copies", "entity_copies", "name_copies")
_START = datetime(1970, 1, 1)  # noqa: DTZ001 - the engine keeps UTC without zone
_MICROSECOND = timedelta(microseconds=1)
_IS_KEY_OF = {
    "Fact": ("fact_copies", "id"),
    "Snapshot": ("snapshot_copies", "id"),
    "Entity": ("entity_copies", "id"),
    "Alias": ("name_copies", "key"),
    "Conflict": ("conflict_copies", "id"),
}


class CopiesUnreadable(Exception):
    """A copy is damaged, or has something that it cannot tell; ask the graph."""


class Copies:
    """Reads and writes over the index's SQLite connection; the writer holds lock and transaction.

    `upto` is the number of the graph's event up to which they are complete; None where that is not known.
    Every read raises CopiesUnreadable.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self.upto: int | None = None

    # --- writes ------------------------------------------------------------------------------------

    def put_fact(self, fact_id: str, fact: Fact | None) -> None:
        """Keep a fact as it is now; None takes its copy out."""
        if fact is None:
            self._db.execute("DELETE FROM fact_copies WHERE id = ?", (fact_id,))
            return
        row = records.fact_row(fact)
        body = _body(row, schema.FACT.names)
        self._db.execute(
            f"INSERT OR REPLACE INTO fact_copies VALUES {marks(_FACT_COLUMNS)}",
            (*(row[name] for name in _FACT_COLUMNS[:7]), _crc(body), body),
        )

    def put_conflict(self, conflict_id: str, conflict: Conflict | None) -> None:
        """Keep a conflict as it is now, without its facts, at its place; None takes its copy out. New ones
        come in the order of their opening.
        """
        if conflict is None:
            self._db.execute("DELETE FROM conflict_copies WHERE id = ?", (conflict_id,))
            return
        row = records.conflict_row(records.without_facts(conflict))
        body = _body(row, schema.CONFLICT.names)
        self._db.execute(
            "INSERT INTO conflict_copies(id, old_id, new_id, crc, body) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT(id) DO UPDATE SET old_id = excluded.old_id, new_id = excluded.new_id,"
            " crc = excluded.crc, body = excluded.body",
            (conflict_id, row["old_id"], row["new_id"], _crc(body), body),
        )

    def put_snapshot(self, snapshot_id: str, snapshot: Snapshot | None) -> None:
        """Keep a snapshot as it is now; None takes its copy out."""
        if snapshot is None:
            self._db.execute("DELETE FROM snapshot_copies WHERE id = ?", (snapshot_id,))
            return
        body = _body(records.snapshot_row(snapshot), schema.SNAPSHOT.names)
        self._put("snapshot_copies", snapshot_id, body)

    def put_entity(self, entity_id: str, entity: Entity | None, *, called_so: bool = True) -> None:
        """Keep an entity and its names as they are now; None takes them out. An entity that is not
        `called_so` has given its own name to the one it was merged into.
        """
        self._db.execute("DELETE FROM name_copies WHERE entity_id = ?", (entity_id,))
        if entity is None:
            self._db.execute("DELETE FROM entity_copies WHERE id = ?", (entity_id,))
            return
        self._db.executemany(
            "INSERT OR IGNORE INTO name_copies VALUES (?, ?)",
            [(name, entity_id) for name in sorted(self.names_of(entity, called_so=called_so))],
        )
        body = json.dumps([entity.name, entity.kind, *entity.aliases], ensure_ascii=False)
        self._put("entity_copies", entity_id, body)

    @staticmethod
    def names_of(entity: Entity, *, called_so: bool) -> frozenset[str]:
        """What an entity is found by, in normal form."""
        called = (*((entity.name,) if called_so else ()), *entity.aliases)
        return frozenset(key(clean(name)) for name in called) - {""}

    def names(self, entity_id: str) -> list[str]:
        """What the copies find an entity by."""
        rows = self._rows("SELECT key FROM name_copies WHERE entity_id = ?", entity_id)
        return [name for (name,) in rows]

    def _put(self, table: str, id_: str, body: str) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", (id_, _crc(body), body)
        )

    # --- reads: the same as those of graphmem.store.reading.Reader ------------------------------------

    def has(self, table: schema.NodeTable, id_: str) -> bool:
        """Whether the graph has a node with this key."""
        name, column = _IS_KEY_OF[table.name]
        return bool(self._rows(f"SELECT 1 FROM {name} WHERE {column} = ? LIMIT 1", id_))

    def covers(self, table: schema.NodeTable) -> bool:
        """Whether `has` can tell for this table."""
        return table.name in _IS_KEY_OF

    def snapshot(self, snapshot_id: str) -> Snapshot | None:
        """The snapshot with this id."""
        body = self._one("snapshot_copies", snapshot_id)
        return None if body is None else records.snapshot_of(_row(body, schema.SNAPSHOT.names))

    def entity(self, entity_id: str) -> Entity | None:
        """The entity with this id and its aliases."""
        body = self._one("entity_copies", entity_id)
        if body is None:
            return None
        name, kind, *aliases = _loaded(body)
        return Entity(id=entity_id, name=name, kind=kind, aliases=tuple(aliases))

    def ids_named(self, alias: str) -> tuple[str, ...]:
        """Entities that have this name, in its normal form; sorted."""
        rows = self._rows(
            "SELECT entity_id FROM name_copies WHERE key = ? ORDER BY entity_id", alias
        )
        return tuple(entity_id for (entity_id,) in rows)

    def fact(self, fact_id: str) -> Fact | None:
        """The fact with this id, complete."""
        found = self._facts("id = ?", fact_id)
        return found[0] if found else None

    def conflicts_of(self, fact_id: str) -> tuple[records.ConflictRow, ...]:
        """Every conflict that the fact takes part in, in the order of their opening; `n` is not kept."""
        rows = self._rows(
            "SELECT crc, body FROM conflict_copies WHERE old_id = ? OR new_id = ? ORDER BY n",
            fact_id,
            fact_id,
        )
        return tuple(
            records.conflict_of(_row(self._sound(*row), schema.CONFLICT.names)) for row in rows
        )

    def facts_of(
        self,
        entity_id: str,
        *,
        slot: str | None,
        predicate: str | None,
        states: frozenset[State] | None,
        limit: int,
    ) -> tuple[Fact, ...]:
        """Facts whose subject is the entity, newest first, at most `limit`."""
        tests, values = _about(entity_id, slot, predicate)
        return self._facts(f"{tests}{_in(states)} ORDER BY n DESC LIMIT ?", *values, limit)

    def listed(
        self, entity_id: str, *, slot: str | None, predicate: str | None
    ) -> list[tuple[int, str, str]]:
        """Number, id and state of those facts, by number."""
        tests, values = _about(entity_id, slot, predicate)
        rows: list[tuple[int, str, str]] = self._rows(
            f"SELECT n, id, state FROM fact_copies WHERE {tests} ORDER BY n", *values
        )
        if not _STATES.issuperset(state for _, _, state in rows):
            self.upto = None
            raise CopiesUnreadable("a state is none that there is")
        return rows

    def ids_with_object(self, entity_id: str, limit: int) -> list[tuple[int, str]]:
        """Number and id of the facts whose object is the entity, by number."""
        return self._rows(
            "SELECT n, id FROM fact_copies WHERE object_id = ? AND object_id <> '' ORDER BY n LIMIT ?",
            entity_id,
            limit,
        )

    def edges(
        self, entity_id: str, limit: int
    ) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Direct edges from the entity and to it: number and the other end, newest first, `limit` of each."""
        return (
            self._rows(
                "SELECT n, object_id FROM fact_copies INDEXED BY fact_copies_by_age"
                " WHERE entity_id = ? AND object_id <> '' ORDER BY n DESC LIMIT ?",
                entity_id,
                limit,
            ),
            self._rows(
                "SELECT n, entity_id FROM fact_copies WHERE object_id = ? AND object_id <> ''"
                " ORDER BY n DESC LIMIT ?",
                entity_id,
                limit,
            ),
        )

    def current(self, entity_id: str, slot: str) -> tuple[Fact, ...]:
        """The facts that fill the slot now, by number."""
        return self._facts(
            "entity_id = ? AND slot = ? AND state = 'current' ORDER BY n", entity_id, slot
        )

    def newest(
        self, *, states: frozenset[State] | None, slot: str | None, before: int | None, limit: int
    ) -> tuple[Fact, ...]:
        """Facts with a number below `before`, newest first."""
        tests = "1" if slot is None else "slot = ?"
        values: list[Any] = [] if slot is None else [slot]
        if before is not None:
            tests += " AND n < ?"
            values.append(before)
        return self._facts(f"{tests}{_in(states)} ORDER BY n DESC LIMIT ?", *values, limit)

    # --- shared ------------------------------------------------------------------------------------

    def _facts(self, tests: str, *values: Any) -> tuple[Fact, ...]:
        rows = self._rows(f"SELECT crc, body FROM fact_copies WHERE {tests}", *values)
        return tuple(self._fact(_row(self._sound(*row), schema.FACT.names)) for row in rows)

    def _fact(self, row: Mapping[str, Any]) -> Fact:
        if row["evidence"] <= 1:
            return records.fact_of(row, (row["source"],) if row["evidence"] else ())
        sources = self._rows(
            "SELECT p.snapshot_id FROM passage_facts f JOIN passages p ON p.n = f.n"
            " WHERE f.fact_id = ? ORDER BY f.place",
            row["id"],
        )
        if len(sources) != row["evidence"]:  # one of them has no passage
            raise CopiesUnreadable(row["id"])
        return records.fact_of(row, tuple(source for (source,) in sources))

    def _one(self, table: str, id_: str) -> str | None:
        rows = self._rows(f"SELECT crc, body FROM {table} WHERE id = ?", id_)
        return self._sound(*rows[0]) if rows else None

    def _sound(self, crc: int, body: str) -> str:
        if not isinstance(body, str) or crc != _crc(body):
            self.upto = None
            raise CopiesUnreadable("a checksum is wrong")
        return body

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        told = [clean(one) if isinstance(one, str) else one for one in values]
        try:
            return self._db.execute(sql, told).fetchall()
        except sqlite3.Error as cause:  # the index itself tells of it when it is next used
            self.upto = None
            raise CopiesUnreadable(str(cause)) from cause


_FACT_COLUMNS = (
    "n",
    "id",
    "entity_id",
    "object_id",
    "predicate",
    "slot",
    "state",
    "crc",
    "body",
)


def _about(entity_id: str, slot: str | None, predicate: str | None) -> tuple[str, list[str]]:
    tests, values = "entity_id = ?", [entity_id]
    for name, value in (("slot", slot), ("predicate", predicate)):
        if value is not None:
            tests += f" AND {name} = ?"
            values.append(value)
    return tests, values


def _in(states: frozenset[State] | None) -> str:
    if states is None:
        return ""
    listed = ", ".join(f"'{state.value}'" for state in sorted(states))
    return f" AND state IN ({listed})"


def _body(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """The values in the order of the schema as JSON, moments as microseconds since 1970."""
    return json.dumps(
        [_plain(row[name]) for name in names], ensure_ascii=False, separators=(",", ":")
    )


def _plain(value: Any) -> Any:
    return [(value - _START) // _MICROSECOND] if isinstance(value, datetime) else value


def _row(body: str, names: Sequence[str]) -> Mapping[str, Any]:
    values = (
        _START + value[0] * _MICROSECOND if isinstance(value, list) else value
        for value in _loaded(body)
    )
    return dict(zip(names, values, strict=True))


def _loaded(body: str) -> list[Any]:
    found: list[Any] = json.loads(body)
    return found


def _crc(body: str) -> int:
    return zlib.crc32(body.encode("utf-8", "surrogatepass"))
