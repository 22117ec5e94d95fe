"""Compares the search index with the graph it was made from."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from graphmem import words
from graphmem.protocols import EVERYTHING, GraphStore
from graphmem.store.copies import Copies, CopiesUnreadable
from graphmem.store.keywords import KeywordTable
from graphmem.store.passages import PassageTable
from graphmem.store.records import without_facts
from graphmem.store.standing import fact_row, standing

_PAGE = 500  # entities looked at together
_EVERY = 1 << 30


def findings(
    db: sqlite3.Connection,
    table: PassageTable,
    keywords: KeywordTable,
    copies: Copies,
    store: GraphStore,
) -> tuple[str, ...]:
    """What disagrees, in plain words; nothing where all is well. Reads everything once."""
    return (
        *_file(db, keywords),
        *_texts(db, copies, store),
        *_facts(db, table, copies, store),
        *_entities(db, copies, store),
        *_conflicts(db, copies, store),
        *_standings(table),
    )


def _file(db: sqlite3.Connection, keywords: KeywordTable) -> Iterator[str]:
    if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        yield "the search database is damaged"
    elif not keywords.check():
        yield "the keyword index is damaged"
    counted = [
        db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
        for name in ("passages", "keywords")
    ]
    if counted[0] != counted[1]:
        yield f"{counted[0]} passages, but {counted[1]} in the keyword index"


def _texts(db: sqlite3.Connection, copies: Copies, store: GraphStore) -> Iterator[str]:
    seen = count = 0
    for snapshot in store.scan_snapshots():
        count += 1
        with suppress(
            CopiesUnreadable
        ):  # where a copy cannot tell, the graph is asked, and all is well
            if copies.snapshot(snapshot.id) != snapshot:
                yield f"the copy of snapshot {snapshot.id} is another"
        text = words.clean(snapshot.text)
        expected = [text[start:end] for start, end in words.passages(text)]
        rows = db.execute(
            "SELECT text FROM passages WHERE snapshot_id = ? ORDER BY part", (snapshot.id,)
        )
        stored = [part for (part,) in rows.fetchall()]
        seen += len(expected)
        if stored != expected:
            yield f"snapshot {snapshot.id} is not indexed as it was said"
    stored_count = db.execute("SELECT count(*) FROM passages").fetchone()[0]
    if stored_count > seen:
        yield f"{stored_count - seen} passages of snapshots that are gone"
    yield from _counted(db, "snapshot_copies", count)


def _facts(
    db: sqlite3.Connection, table: PassageTable, copies: Copies, store: GraphStore
) -> Iterator[str]:
    known: set[str] = set()
    for fact in store.scan_facts():
        known.add(fact.id)
        with suppress(CopiesUnreadable):
            if copies.fact(fact.id) != fact:
                yield f"the copy of fact {fact.id} is another"
        rows = db.execute(
            "SELECT f.n, f.place, p.snapshot_id FROM passage_facts f JOIN passages p ON p.n = f.n"
            " WHERE f.fact_id = ?",
            (fact.id,),
        ).fetchall()
        if {source for _, _, source in rows} != set(fact.sources) - _unindexed(db, fact.sources):
            yield f"fact {fact.id} is not indexed under its sources"
        for n, place, _ in rows:
            if fact_row(fact, n, place) not in table.fact_rows(n):
                yield f"fact {fact.id} ({fact.state}) stands otherwise in the index"
    stored = {row[0] for row in db.execute("SELECT DISTINCT fact_id FROM passage_facts")}
    for fact_id in sorted(stored - known):
        yield f"fact {fact_id} is gone, but indexed"
    yield from _counted(db, "fact_copies", len(known))


def _entities(db: sqlite3.Connection, copies: Copies, store: GraphStore) -> Iterator[str]:
    after, count = "", 0
    while page := store.entities(after=after, limit=_PAGE):
        for entity in page:
            count += 1
            called_so = any(one.id == entity.id for one in store.entities_named(entity.name))
            wanted = Copies.names_of(entity, called_so=called_so)
            with suppress(CopiesUnreadable):
                if copies.entity(entity.id) != entity:
                    yield f"the copy of entity {entity.id} is another"
                if set(copies.names(entity.id)) != wanted:
                    yield f"the names of entity {entity.id} are copied wrongly"
        after = page[-1].id
    yield from _counted(db, "entity_copies", count)


def _conflicts(db: sqlite3.Connection, copies: Copies, store: GraphStore) -> Iterator[str]:
    known = store.conflicts(open_only=False, limit=_EVERY)
    for conflict in known:
        with suppress(CopiesUnreadable):
            if without_facts(conflict) not in copies.conflicts_of(conflict.old.id):
                yield f"the copy of conflict {conflict.id} is another"
    yield from _counted(db, "conflict_copies", len(known))


def _counted(db: sqlite3.Connection, table: str, count: int) -> Iterator[str]:
    held = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    if held != count:
        yield f"{held} {table.replace('_', ' ')}, but {count} in the graph"


def _unindexed(db: sqlite3.Connection, sources: tuple[str, ...]) -> set[str]:
    """Sources without any passage (their text has been cut away whole)."""
    return {
        source
        for source in sources
        if not db.execute(
            "SELECT 1 FROM passages WHERE snapshot_id = ? LIMIT 1", (source,)
        ).fetchone()
    }


def _standings(table: PassageTable) -> Iterator[str]:
    for n in table.numbers(EVERYTHING):
        if table.stored_standing(n) != standing(table.fact_rows(n), table.own_readers(n)):
            yield f"passage {n} stands otherwise than its facts"
