"""Keyword search: SQLite FTS5 over terms that `words.terms` has made, ranked by BM25."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.protocols import EVERYTHING, Filter
from graphmem.store.filters import where
from graphmem.store.passages import PassageTable
from graphmem.store.told import Told
from graphmem.words import clean, day_terms, terms

# The terms come joined by blanks, and every other character belongs to its term.
_PUNCTUATION = "!#$%&()*+,-./:;<=>?@[]^_`{|}~" + "\\"
SCHEMA = f"""
CREATE VIRTUAL TABLE keywords USING fts5(
  said, about, tokenize = "ascii tokenchars '{_PUNCTUATION}'");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(keywords, row);
"""
COUNTS = "CREATE TABLE term_counts(term TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;"
"""In how many passages a term is: the vocabulary tells it too, but walks through all of them for it."""
_MORE = (
    "INSERT INTO term_counts VALUES (?, 1) ON CONFLICT(term) DO UPDATE SET passages = passages + 1"
)
_LESS = "UPDATE term_counts SET passages = passages - 1 WHERE term = ?"
_NONE_LEFT = "DELETE FROM term_counts WHERE term = ? AND passages < 1"
_COUNT = "SELECT passages FROM term_counts WHERE term = ?"
_COUNTED_OTHERWISE = """
SELECT 1 FROM (SELECT term, doc FROM vocabulary EXCEPT SELECT term, passages FROM term_counts)
UNION ALL SELECT 1 FROM (SELECT term, passages FROM term_counts EXCEPT SELECT term, doc FROM vocabulary)
LIMIT 1
"""
_RANKED = 20  # passages that are ranked for one that is wanted, and how many at most:
_MOST_RANKED = 2_000  # three quarters of a millisecond
_WIDER = 2  # times as many are found before a filter
_SECURE = (3, 42, 0)  # from this SQLite on FTS5 can delete without leaving terms behind


class KeywordTable:
    """BM25 over two columns of equal weight: what was said, and by whom and when (speaker, day).

    The caller holds lock and transaction.
    """

    def __init__(self, connection: sqlite3.Connection, table: PassageTable) -> None:
        self._db = connection
        self._table = table
        self.told = Told(connection)

    def create(self) -> None:
        """Make the tables."""
        self._db.executescript(SCHEMA + COUNTS)
        if sqlite3.sqlite_version_info >= _SECURE:
            self._db.execute("INSERT INTO keywords(keywords, rank) VALUES ('secure-delete', 1)")

    def count_anew(self) -> None:
        """Count the terms of a file from before they were counted."""
        there = "SELECT 1 FROM sqlite_master WHERE name = 'term_counts'"
        if self._db.execute(there).fetchone() is None:
            self._db.executescript(COUNTS)
            self._db.execute("INSERT INTO term_counts SELECT term, doc FROM vocabulary")

    def add(self, n: int, text: str, speaker: str, said_at: datetime) -> None:
        """Index passage `n`."""
        said, about = terms(text), [*terms(clean(speaker)), *day_terms(said_at.date())]
        self._db.execute(
            "INSERT INTO keywords(rowid, said, about) VALUES (?, ?, ?)",
            (n, " ".join(said), " ".join(about)),
        )
        self._db.executemany(_MORE, [(term,) for term in sorted({*said, *about})])

    def remove(self, numbers: Sequence[int]) -> None:
        """Take passages out; `scrub` then takes out what is left of their terms."""
        for n in numbers:
            row = self._db.execute(
                "SELECT said, about FROM keywords WHERE rowid = ?", (n,)
            ).fetchone()
            gone = sorted(set(" ".join(row or ()).split()))
            self._db.executemany(_LESS, [(term,) for term in gone])
            self._db.executemany(_NONE_LEFT, [(term,) for term in gone])
            self._db.execute("DELETE FROM keywords WHERE rowid = ?", (n,))

    def scrub(self) -> None:
        """Merge all segments, so that no deleted term is left in the file."""
        if sqlite3.sqlite_version_info < _SECURE:
            self.compact()

    def compact(self) -> None:
        """Merge all segments into one: smaller and faster."""
        self._db.execute("INSERT INTO keywords(keywords) VALUES ('optimize')")

    def search(self, wanted: Sequence[str], limit: int, only: Filter) -> list[tuple[int, float]]:
        """Numbers and scores of the passages that hold any of the terms, best first.

        Where the terms are in very many passages, those that hold common ones alone are passed over.
        """
        terms = [term for term in dict.fromkeys(wanted) if term.strip()]
        if not terms or limit <= 0:
            return []
        hits = self._found(terms, limit, only)
        if only.reader is None or not self.told.hidden(only.reader):
            return hits
        return self.told.scores(list(map(_quoted, terms)), [n for n, _ in hits], only.reader)

    def _found(self, terms: Sequence[str], limit: int, only: Filter) -> list[tuple[int, float]]:
        most = min(limit * _RANKED, _MOST_RANKED)
        expression = self._expression(terms, most=most, enough=limit)
        if not where(only):
            return self._best(expression, limit, Filter())
        # The best few of all, less the forbidden, are the best allowed ones if enough are left: to
        # ask of every passage whether it is allowed takes as long as to rank it.
        wide = _WIDER * limit
        near = self._best(expression, wide, Filter())
        allowed = self._table.allowed([n for n, _ in near], only)
        hits = [hit for hit in near if hit[0] in allowed][:limit]
        if len(hits) == limit or len(near) < wide:
            return hits
        return self._best(expression, limit, only)

    def _best(self, expression: str, limit: int, only: Filter) -> list[tuple[int, float]]:
        condition = where(only)
        source = "keywords" + (" JOIN passages p ON p.n = keywords.rowid" if condition else "")
        rows = self._db.execute(
            f"SELECT keywords.rowid, bm25(keywords) AS score FROM {source} WHERE keywords MATCH ?"
            f"{condition.sql('AND')} ORDER BY score, keywords.rowid LIMIT ?",
            (expression, *condition.values, limit),
        )
        return [(n, -score) for n, score in rows.fetchall()]

    def _expression(self, terms: Sequence[str], *, most: int, enough: int) -> str:
        """Any of the terms; where more than about `most` passages would be ranked for that, any of the rare
        ones, and where those are in fewer than `enough`, the rarest common one together with another.
        """
        highest = self._db.execute("SELECT max(n) FROM passages").fetchone()[0] or 0
        if highest <= most:
            return " OR ".join(map(_quoted, terms))
        found = self.frequencies(terms)
        rare: list[str] = []
        common: list[str] = []
        total = 0
        for term in sorted((term for term in terms if found[term]), key=found.__getitem__):
            total += found[term]
            (rare if total <= most else common).append(term)
        parts = [_quoted(term) for term in rare]
        if len(common) > 1 and sum(found[term] for term in rare) < enough:
            others = " OR ".join(map(_quoted, common[1:]))
            parts.append(f"({_quoted(common[0])} AND ({others}))")
        elif not parts:
            parts = [_quoted(term) for term in common or terms[:1]]
        return " OR ".join(parts)

    def frequencies(self, wanted: Sequence[str], only: Filter = EVERYTHING) -> Mapping[str, int]:
        """In how many passages each term occurs; of those that the reader of `only` may see."""
        reader = only.reader
        if reader is not None and self.told.hidden(reader):
            asked = [term for term in wanted if term.strip()]
            return {term: self.told.having(_quoted(term), reader) for term in asked}
        found = {}
        for term in wanted:
            row = self._db.execute(_COUNT, (term,)).fetchone()
            found[term] = int(row[0]) if row else 0
        return found

    def check(self) -> bool:
        """Whether the full-text index agrees with itself, and the counts of its terms with it."""
        try:
            self._db.execute("INSERT INTO keywords(keywords) VALUES ('integrity-check')")
        except sqlite3.DatabaseError:
            return False
        return self._db.execute(_COUNTED_OTHERWISE).fetchone() is None


def _quoted(term: str) -> str:
    return '"' + clean(term).replace('"', '""') + '"'
