"""Which events the passage index has followed, and what they touched, so that it can go back too."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC

from graphmem.identity import digest
from graphmem.model import Event
from graphmem.protocols import GraphStore

SCHEMA = "CREATE TABLE applied(n INTEGER PRIMARY KEY, mark TEXT NOT NULL, touched TEXT NOT NULL);"
_REMEMBERED = 1000  # events that can be taken back without a rebuild


class AppliedEvents:
    """The last events followed. The caller holds lock and transaction.

    The graph may lose events that the index has followed already: a transaction that failed, or a
    crash between the two commits. What such events touched is then read anew.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def last(self) -> int:
        """The number of the last event followed, 0 for none."""
        return int(self._db.execute("SELECT max(n) FROM applied").fetchone()[0] or 0)

    def note(self, events: Sequence[Event]) -> None:
        """These have been followed too."""
        rows = [
            (event.n, _mark(event), json.dumps({k: list(ids) for k, ids in event.touched.items()}))
            for event in events
        ]
        self._db.executemany("INSERT INTO applied VALUES (?, ?, ?)", rows)
        self._db.execute("DELETE FROM applied WHERE n < ?", (self.last() - _REMEMBERED,))

    def common(self, store: GraphStore) -> int | None:
        """The last event that the graph has too, 0 if nothing was followed; None if it cannot be told."""
        kept = self._db.execute("SELECT n, mark FROM applied ORDER BY n DESC").fetchall()
        for n, mark in kept:
            event = store.event(n)
            if event is not None and _mark(event) == mark:
                return int(n)
        if kept and kept[-1][0] == 1:
            return 0
        filled = self._db.execute("SELECT 1 FROM passages LIMIT 1").fetchone()
        return None if kept or filled else 0

    def forget_after(self, n: int) -> list[Mapping[str, Sequence[str]]]:
        """Take back the events after `n`; returns what they touched."""
        rows = self._db.execute("DELETE FROM applied WHERE n > ? RETURNING touched", (n,))
        return [json.loads(touched) for (touched,) in rows.fetchall()]


def _mark(event: Event) -> str:
    """What tells this event from another one with the same number."""
    ids = sorted(f"{kind} {each}" for kind, found in event.touched.items() for each in found)
    return digest("e", event.kind, event.at.astimezone(UTC).isoformat(), *ids)
