"""The passages table: every stretch of text that can be found, with how it stands and what it states."""

from __future__ import annotations

import json
import operator
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from typing import Any

from graphmem import words
from graphmem.model import Fact, Interval, Snapshot, State, Worth
from graphmem.protocols import Filter, Passage
from graphmem.store.filters import LASTS_LONG, Where, marks, overlaps, state_sql, where
from graphmem.store.standing import FactRow, Standing, fact_row, standing

SCHEMA = """
CREATE TABLE passages(
  n INTEGER PRIMARY KEY AUTOINCREMENT, snapshot_id TEXT NOT NULL, snapshot_n INTEGER NOT NULL,
  part INTEGER NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL,
  speaker TEXT NOT NULL, role TEXT NOT NULL, language TEXT NOT NULL, said REAL NOT NULL,
  said_at TEXT NOT NULL, recorded_at TEXT NOT NULL, conversation TEXT NOT NULL, source TEXT NOT NULL,
  position INTEGER NOT NULL, worth TEXT NOT NULL, own_readers TEXT NOT NULL,
  state TEXT, rest TEXT, current_until REAL, unsure_until REAL, expires_at TEXT, tier TEXT,
  importance INTEGER, happens TEXT, fact_ids TEXT, entity_ids TEXT, readers TEXT, limited INTEGER);
CREATE INDEX passages_by_snapshot ON passages(snapshot_id, part);
CREATE INDEX passages_by_conversation ON passages(conversation, position, part);
CREATE INDEX passages_by_time ON passages(said);
CREATE TABLE passage_facts(
  fact_id TEXT NOT NULL, n INTEGER NOT NULL, place INTEGER NOT NULL, fact_n INTEGER NOT NULL,
  state TEXT NOT NULL, tier TEXT NOT NULL, importance INTEGER NOT NULL, predicate TEXT NOT NULL,
  entity_id TEXT NOT NULL, object_id TEXT NOT NULL, happens_start REAL, happens_end REAL,
  happens TEXT NOT NULL, expires REAL NOT NULL, expires_at TEXT NOT NULL, readers TEXT NOT NULL,
  PRIMARY KEY(fact_id, n)) WITHOUT ROWID;
CREATE INDEX facts_by_passage ON passage_facts(n);
CREATE INDEX facts_by_subject ON passage_facts(entity_id);
CREATE INDEX facts_by_object ON passage_facts(object_id);
"""
LATER = f"""
DROP INDEX IF EXISTS facts_by_event;
CREATE INDEX IF NOT EXISTS facts_by_start ON passage_facts(happens_start, n, happens_end)
  WHERE happens_start IS NOT NULL;
CREATE INDEX IF NOT EXISTS facts_lasting_long ON passage_facts(happens_end, happens_start, n)
  WHERE {LASTS_LONG};
"""  # what databases of this format got after their making

_FACT = [field.name for field in fields(FactRow)]
_FACT_COLUMNS = ", ".join(_FACT)
_STANDING = [field.name for field in fields(Standing)]
_fact_values = operator.attrgetter(*_FACT)
_standing_values = operator.attrgetter(*_STANDING)
_SET_STANDING = f"UPDATE passages SET {', '.join(f'{name} = ?' for name in _STANDING)} WHERE n = ?"
_TOLD = (  # what a search reads, in the order of Passage; the state is put in, as it is at the moment asked for
    "p.n, p.snapshot_id, p.text, p.speaker, p.role, p.language, p.said_at, p.recorded_at,"
    " p.conversation, p.source, p.position, p.worth, {state}, p.tier, p.importance, p.fact_ids,"
    " p.entity_ids, p.happens, p.expires_at, p.readers"
)
_BATCH = 500  # values in one IN list
_RECENT = 50  # passages of a conversation in which somebody's last words are looked for


class PassageTable:
    """Reads and writes passages over one SQLite connection; the caller holds lock and transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    # --- writes ---

    def put(self, snapshot: Snapshot) -> tuple[list[tuple[int, str]], list[int]]:
        """Store the passages of a snapshot; unchanged ones keep their number.

        Returns (number, text) of the new ones and the numbers of those that went.
        """
        text = words.clean(snapshot.text)
        spans = [(start, text[start:end]) for start, end in words.passages(text)]
        stored = self._db.execute(
            "SELECT n, start, text, position FROM passages WHERE snapshot_id = ? ORDER BY part",
            (snapshot.id,),
        ).fetchall()
        if [(start, part) for _, start, part, _ in stored] == spans:
            return [], []
        gone = self.remove(snapshot.id)
        position = stored[0][3] if stored else self._next_position(snapshot.conversation)
        fresh = [
            (self._insert(snapshot, part, start, passage, position), passage)
            for part, (start, passage) in enumerate(spans)
        ]
        return fresh, gone

    def remove(self, snapshot_id: str) -> list[int]:
        """Delete the passages of a snapshot; returns their numbers."""
        gone = [
            n
            for (n,) in self._db.execute(
                "DELETE FROM passages WHERE snapshot_id = ? RETURNING n", (snapshot_id,)
            ).fetchall()
        ]
        self._db.executemany("DELETE FROM passage_facts WHERE n = ?", [(n,) for n in gone])
        return gone

    def displace(self, fact_id: str) -> set[int]:
        """Forget where a fact is stated; returns the passages that stated it."""
        rows = self._db.execute(
            "DELETE FROM passage_facts WHERE fact_id = ? RETURNING n", (fact_id,)
        )
        return {n for (n,) in rows.fetchall()}

    def place(self, fact: Fact, *, after: int = 0) -> set[int]:
        """Note where a fact is stated, once for each of its sources behind the first `after`; returns
        those passages.
        """
        rows = [
            fact_row(fact, n, place)
            for place, source in enumerate(fact.sources)
            if place >= after and (n := self._where_stated(fact.text, source)) is not None
        ]
        self._db.executemany(
            f"INSERT OR IGNORE INTO passage_facts({_FACT_COLUMNS}) VALUES {marks(_FACT)}",
            [_fact_values(row) for row in rows],
        )
        return {row.n for row in rows}

    def placed(self, fact: Fact) -> int:
        """How many of the fact's sources are noted already, as they are now; 0 where any differs.

        A fact that is said again and again has many sources, to which one more was added: sources keep
        their order, so where the last that is noted is right, so are those before it.
        """
        count, last = self._db.execute(
            "SELECT count(*), max(place) FROM passage_facts WHERE fact_id = ?", (fact.id,)
        ).fetchone()
        if not count or last + 1 != count or count > len(fact.sources):
            return 0
        row = self._db.execute(
            f"SELECT {_FACT_COLUMNS} FROM passage_facts WHERE fact_id = ? AND place = ?",
            (fact.id, last),
        ).fetchone()
        stated = self._where_stated(fact.text, fact.sources[last])
        return count if stated and FactRow(*row) == fact_row(fact, stated, last) else 0

    def refresh(self, numbers: Iterable[int]) -> None:
        """Work out anew how these passages stand."""
        for n in sorted(numbers):
            stands = standing(self.fact_rows(n), self.own_readers(n))
            self._db.execute(_SET_STANDING, (*_standing_values(stands), n))

    # --- reads ---

    def own_readers(self, n: int) -> list[str]:
        """The limit of the passage's own snapshot."""
        row = self._db.execute("SELECT own_readers FROM passages WHERE n = ?", (n,)).fetchone()
        return [str(name) for name in json.loads(row[0])] if row else []

    def stored_standing(self, n: int) -> Standing:
        """How the passage stands, as kept."""
        row = self._db.execute(
            f"SELECT {', '.join(_STANDING)} FROM passages WHERE n = ?", (n,)
        ).fetchone()
        return Standing(*row)

    def fact_rows(self, n: int) -> list[FactRow]:
        """What is kept of the facts of a passage."""
        found = self._db.execute(f"SELECT {_FACT_COLUMNS} FROM passage_facts WHERE n = ?", (n,))
        return [FactRow(*row) for row in found.fetchall()]

    def stated_by(self, snapshot_id: str) -> list[str]:
        """The facts that the passages of a snapshot state."""
        rows = self._db.execute(
            "SELECT DISTINCT f.fact_id FROM passages p JOIN passage_facts f ON f.n = p.n"
            " WHERE p.snapshot_id = ? ORDER BY f.fact_n",
            (snapshot_id,),
        )
        return [fact_id for (fact_id,) in rows.fetchall()]

    def get(self, numbers: Sequence[int], only: Filter) -> list[Passage]:
        """The passages with these numbers that the filter allows, in the given order."""
        state, moments = state_sql(only.now)
        condition = where(only)
        found: dict[int, Passage] = {}
        for at in range(0, len(numbers), _BATCH):
            some = [int(n) for n in numbers[at : at + _BATCH]]
            rows = self._db.execute(
                f"SELECT {_TOLD.format(state=state)} FROM passages p WHERE p.n IN {marks(some)}"
                + condition.sql("AND"),
                (*moments, *some, *condition.values),
            )
            found.update((row[0], _passage(row)) for row in rows.fetchall())
        return [found[n] for n in numbers if n in found]

    def stating(self, numbers: Sequence[int], only: Filter) -> Mapping[int, tuple[str, ...]]:
        """The facts that each of these passages states: much cheaper than the passages themselves."""
        condition = where(only)
        found: dict[int, tuple[str, ...]] = {}
        for at in range(0, len(numbers), _BATCH):
            some = [int(n) for n in numbers[at : at + _BATCH]]
            rows = self._db.execute(
                f"SELECT p.n, p.fact_ids FROM passages p WHERE p.n IN {marks(some)}{condition.sql('AND')}",
                (*some, *condition.values),
            )
            found.update((n, _listed(facts)) for n, facts in rows)
        return {n: found[n] for n in numbers if n in found}

    def numbers(self, only: Filter) -> list[int]:
        """The numbers of all passages that the filter allows, ascending."""
        condition = where(only)
        rows = self._db.execute(
            f"SELECT p.n FROM passages p{condition.sql('WHERE')} ORDER BY p.n", condition.values
        )
        return [n for (n,) in rows.fetchall()]

    def allowed(self, numbers: Sequence[int], only: Filter) -> set[int]:
        """Those of the numbers that the filter allows."""
        condition = where(only)
        found: set[int] = set()
        for at in range(0, len(numbers), _BATCH):
            some = numbers[at : at + _BATCH]
            rows = self._db.execute(
                f"SELECT p.n FROM passages p WHERE p.n IN {marks(some)}{condition.sql('AND')}",
                (*some, *condition.values),
            )
            found.update(n for (n,) in rows)
        return found

    def texts(self, numbers: Sequence[int]) -> list[tuple[int, str]]:
        """Numbers and texts, ascending."""
        rows = self._db.execute(
            f"SELECT n, text FROM passages WHERE n IN {marks(numbers)} ORDER BY n", tuple(numbers)
        )
        return list(rows.fetchall())

    def neighbours(self, number: int, reach: int, only: Filter) -> list[int]:
        """Passages before and after, within the conversation, nearest first."""
        return self._beside(number, reach, where(only))

    def beside(self, numbers: Sequence[int], reach: int, only: Filter) -> list[int]:
        """The neighbours of all of these, each once, in the order of `numbers`."""
        condition = where(only)
        near = (self._beside(number, reach, condition) for number in numbers)
        return list(dict.fromkeys(n for some in near for n in some))

    def _beside(self, number: int, reach: int, condition: Where) -> list[int]:
        here = self._db.execute(
            "SELECT conversation, position, part FROM passages WHERE n = ?", (number,)
        ).fetchone()
        if here is None:
            return []
        sides = []
        for order, sign in (("DESC", "<"), ("ASC", ">")):
            rows = self._db.execute(
                f"SELECT p.n FROM passages p WHERE p.conversation = ? AND (p.position, p.part) {sign} (?, ?)"
                f"{condition.sql('AND')} ORDER BY p.position {order}, p.part {order} LIMIT ?",
                (*here, *condition.values, reach),
            )
            sides.append([n for (n,) in rows.fetchall()])
        before, after = sides
        return [side[step] for step in range(reach) for side in (before, after) if step < len(side)]

    def last_of(self, conversation: str, speaker: str) -> str | None:
        """The snapshot that a user of this name said last, among the last passages of a conversation."""
        row = self._db.execute(
            "SELECT snapshot_id FROM (SELECT snapshot_id, speaker, role FROM passages"
            " WHERE conversation = ? ORDER BY position DESC, part DESC LIMIT ?)"
            " WHERE speaker = ? AND role = 'user' LIMIT 1",
            (conversation, _RECENT, words.clean(speaker)),
        ).fetchone()
        return None if row is None else str(row[0])

    def happening(self, window: Interval, limit: int, only: Filter) -> list[int]:
        """Passages with an event inside the window, earliest first."""
        condition = where(only)
        found: dict[int, float] = {}
        for inside in overlaps(window):
            rows = self._db.execute(
                "SELECT f.n, f.happens_start FROM passage_facts f JOIN passages p ON p.n = f.n"
                f"{inside.sql('WHERE')}{condition.sql('AND')} ORDER BY f.happens_start, f.n",
                (*inside.values, *condition.values),
            )
            of_kind: dict[int, float] = {}
            for n, start in rows:  # as many are read as are needed: they come in order
                of_kind.setdefault(n, start)
                if len(of_kind) == limit:
                    break
            for n, start in of_kind.items():
                found[n] = min(start, found.get(n, start))
        return sorted(found, key=lambda n: (found[n], n))[:limit]

    def of_facts(self, fact_ids: Sequence[str], only: Filter) -> Mapping[str, int]:
        """The passage in which each fact was first stated, of those that the filter allows."""
        condition = where(only)
        found: dict[str, int] = {}
        for at in range(0, len(fact_ids), _BATCH):
            some = fact_ids[at : at + _BATCH]
            rows = self._db.execute(
                "SELECT f.fact_id, f.n FROM passage_facts f JOIN passages p ON p.n = f.n"
                f" WHERE f.fact_id IN {marks(some)}{condition.sql('AND')} ORDER BY f.place DESC, f.n DESC",
                (*some, *condition.values),
            )
            found.update(rows.fetchall())
        return {fact_id: found[fact_id] for fact_id in fact_ids if fact_id in found}

    # --- helpers ---

    def _next_position(self, conversation: str) -> int:
        last = self._db.execute(
            "SELECT max(position) FROM passages WHERE conversation = ?", (conversation,)
        ).fetchone()[0]
        return 1 if last is None else last + 1

    def _insert(self, snapshot: Snapshot, part: int, start: int, text: str, position: int) -> int:
        stands = standing((), snapshot.readers)
        names = (
            "snapshot_id, snapshot_n, part, start, text, speaker, role, language, said, said_at,"
            " recorded_at, conversation, source, position, worth, own_readers"
        )
        values = (
            snapshot.id,
            snapshot.n,
            part,
            start,
            text,
            words.clean(snapshot.speaker),
            snapshot.role,
            snapshot.language,
            snapshot.said_at.timestamp(),
            snapshot.said_at.isoformat(),
            snapshot.recorded_at.isoformat(),
            snapshot.conversation,
            snapshot.source,
            position,
            str(snapshot.worth),
            json.dumps(list(snapshot.readers)),
            *_standing_values(stands),
        )
        cursor = self._db.execute(
            f"INSERT INTO passages({names}, {', '.join(_STANDING)}) VALUES {marks(values)}", values
        )
        if cursor.lastrowid is None:
            raise sqlite3.DatabaseError("an inserted passage got no number")
        return cursor.lastrowid

    def _where_stated(self, fact_text: str, snapshot_id: str) -> int | None:
        """The passage of the snapshot that holds the sentence, or shares most words with it."""
        rows = self._db.execute(
            "SELECT n, text FROM passages WHERE snapshot_id = ? ORDER BY part", (snapshot_id,)
        ).fetchall()
        if len(rows) <= 1:
            return rows[0][0] if rows else None
        sentence = words.clean(fact_text).strip()
        for n, text in rows:
            if sentence in text:
                return int(n)
        wanted = words.meaningful(sentence)
        best = max(rows, key=lambda row: (len(wanted & words.meaningful(row[1])), -row[0]))
        return int(best[0])


def _passage(row: Sequence[Any]) -> Passage:
    (n, snapshot_id, text, speaker, role, language, said_at, recorded_at, conversation, source) = (
        row[:10]
    )
    (position, worth, state, tier, importance, facts, entities, happens, expires, readers) = row[
        10:20
    ]
    return Passage(  # by place: hundreds are made for a question
        n,
        snapshot_id,
        text,
        speaker,
        role,
        language,
        datetime.fromisoformat(said_at),
        _moment(recorded_at),
        conversation,
        source,
        position,
        _WORTHS[worth],
        _STATES[state],
        tier,
        importance,
        _listed(facts),
        _listed(entities),
        _interval(happens) if happens else None,
        _moment(expires) if expires else None,
        _listed(readers),
    )


_WORTHS = {worth.value: worth for worth in Worth}
_STATES = {state.value: state for state in State}
_moment = lru_cache(maxsize=1_000)(datetime.fromisoformat)  # a batch is recorded at one moment


def _listed(stored: str) -> tuple[str, ...]:
    """The texts of a JSON list; a list of ids is cut, not parsed, as hundreds are read at a time."""
    if stored == "[]":
        return ()
    if "\\" in stored or not stored.startswith('["'):
        return tuple(json.loads(stored))
    return tuple(stored[2:-2].split('", "'))


def _interval(happens: str) -> Interval:
    start, end = happens.split("|")
    return Interval(datetime.fromisoformat(start), datetime.fromisoformat(end))
