"""Keyword search as one reader may know it: how rare a word is is counted in the passages that are for it. In the
others it would tell whether the word stands in them. The caller holds lock and transaction.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence

_HIDDEN = "SELECT count(*) FROM passages WHERE limited != 0 AND instr(readers, ?) = 0"
_EVERY = "SELECT count(*) FROM keywords WHERE keywords MATCH ?"
_SEEN = (
    "SELECT count(*) FROM keywords JOIN passages p ON p.n = keywords.rowid WHERE keywords MATCH ?"
    " AND (p.limited = 0 OR instr(p.readers, ?) > 0)"
)
_SCORES = (
    "SELECT rowid, bm25(keywords) FROM keywords WHERE keywords MATCH ?"
    " AND rowid IN (SELECT value FROM json_each(?))"
)


class Told:
    """Counts and scores for readers. Phrases are terms as FTS5 takes them, in quotes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._known: tuple[tuple[str, int, int], int] = (("", 0, 0), 0)

    def hidden(self, reader: str) -> int:
        """How many passages the reader may not see."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        as_of = (reader, self._db.total_changes, version)
        if self._known[0] != as_of:
            self._known = (as_of, self._count(_HIDDEN, json.dumps(reader)))
        return self._known[1]

    def having(self, phrase: str, reader: str) -> int:
        """In how many passages that the reader may see a phrase stands."""
        return self._count(_SEEN, phrase, json.dumps(reader))

    def scores(
        self, phrases: Sequence[str], numbers: Sequence[int], reader: str
    ) -> list[tuple[int, float]]:
        """The passages, best first, as if the reader's were all that there are."""
        size, among = self._count("SELECT count(*) FROM passages"), json.dumps(numbers)
        found: Mapping[int, list[float]] = {n: [] for n in numbers}
        for phrase in phrases:
            weight = _rarity(size - self.hidden(reader), self.having(phrase, reader))
            weight /= _rarity(size, self._count(_EVERY, phrase))
            for n, score in self._db.execute(_SCORES, (phrase, among)).fetchall():
                found[n].append(-score * weight)
        ranked = [(n, math.fsum(parts)) for n, parts in found.items()]
        return sorted(ranked, key=lambda one: (-one[1], one[0]))

    def _count(self, query: str, *values: str) -> int:
        return int(self._db.execute(query, values).fetchone()[0])


def _rarity(size: int, having: int) -> float:
    """The weight of a term as FTS5's bm25 has it."""
    return max(math.log((size - having + 0.5) / (having + 0.5)), 1e-6) if having <= size else 1e-6
