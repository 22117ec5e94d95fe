"""A glance at a memory without opening it: what the passage index knows, read beside whoever holds it.

For shell completion, which must answer at once: neither the graph nor an embedder is loaded, nothing is
locked, nothing is written, and what cannot be read is simply not known.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from graphmem.store.graph import Graph

_Answer = TypeVar("_Answer")

_FACTS = (
    "SELECT fact_id, state, predicate FROM passage_facts"
    " WHERE fact_id >= ? AND fact_id < ? AND readers IN ('', '[]') GROUP BY fact_id"
    " ORDER BY max(fact_n) DESC LIMIT ?"
)
_SPEAKERS = (
    "SELECT DISTINCT speaker FROM passages WHERE speaker LIKE ? ESCAPE '\\' AND own_readers IN ('', '[]')"
    " ORDER BY speaker LIMIT ?"
)
_LAST = "\U0010ffff"


def facts(home: Path, beginning: str, *, limit: int = 50) -> list[tuple[str, str, str]]:
    """(id, state, predicate) of facts whose id begins so, newest first; never a text, which may be a
    secret.
    """
    return [
        (str(fact_id), str(state), str(predicate))
        for fact_id, state, predicate in _rows(home, _FACTS, (beginning, beginning + _LAST, limit))
    ]


def speakers(home: Path, beginning: str, *, limit: int = 50) -> list[str]:
    """Names of speakers that begin so, whatever their case."""
    escaped = beginning.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return [str(name) for (name,) in _rows(home, _SPEAKERS, (escaped + "%", limit))]


def _rows(home: Path, sql: str, values: tuple[str | int, ...]) -> Iterator[tuple[object, ...]]:
    file = home / "index" / "passages.db"
    if not file.is_file():
        return
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA query_only = ON")
            yield from database.execute(sql, values).fetchall()
    except sqlite3.Error:
        return


def names(home: Path, beginning: str) -> list[str]:
    """Names of whom there are facts; slower than the above, as are the two below: they load the engine,
    and know nothing while somebody else has the memory open.
    """
    from graphmem.store import cypher  # noqa: PLC0415 - only with the engine

    return _asked(
        home,
        lambda store: [
            str(name) for (name,) in store.query(cypher.NAMES_BEGINNING, {"name": beginning}).rows
        ],
    )


def conflicts(home: Path) -> list[tuple[str, str]]:
    """(id, reason) of the open conflicts that everybody may see."""
    return _asked(
        home,
        lambda store: [
            (one.id, one.reason)
            for one in store.conflicts()
            if not one.old.readers and not one.new.readers
        ],
    )


def triggers(home: Path) -> list[tuple[str, str]]:
    """(id, cue) of the active reminders that everybody may see."""
    return _asked(
        home, lambda store: [(one.id, one.cue) for one in store.triggers() if not one.readers]
    )


def _asked(home: Path, question: Callable[[Graph], list[_Answer]]) -> list[_Answer]:
    from graphmem.errors import GraphmemError  # noqa: PLC0415 - only with the engine
    from graphmem.store.home import open_store  # noqa: PLC0415

    if not (home / "memory.json").is_file():
        return []
    try:
        with closing(open_store(home, wait=0)) as store:
            return question(store)
    except GraphmemError:
        return []
