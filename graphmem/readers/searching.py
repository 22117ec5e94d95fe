"""The search index as one reader may see it: every read is held to that reader, whatever it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from graphmem.model import Event
from graphmem.protocols import (
    EVERYTHING,
    Filter,
    GraphStore,
    Health,
    Passage,
    SearchIndex,
    Vectors,
)
from graphmem.when import Interval


class SearchSeen:
    """A `protocols.SearchIndex` that finds what `reader` may see. It is brought up to date from `whole`."""

    def __init__(self, index: SearchIndex, whole: GraphStore, reader: str) -> None:
        self._index = index
        self._whole = whole
        self._reader = reader

    def update(self, events: Sequence[Event], store: GraphStore) -> None:
        """Bring the index up to date with the whole memory."""
        del store
        self._index.update(events, self._whole)

    def together(self) -> AbstractContextManager[None]:
        """Several updates in one commit."""
        return self._index.together()

    def catch_up(self, store: GraphStore) -> int:
        """Apply the events of the whole memory that the index has missed."""
        del store
        return self._index.catch_up(self._whole)

    def rebuild(self, store: GraphStore) -> int:
        """Make the index anew from the whole memory."""
        del store
        return self._index.rebuild(self._whole)

    def check(self, store: GraphStore) -> Health:
        """Compare the whole memory and the index."""
        del store
        return self._index.check(self._whole)

    def keywords(
        self, terms: Sequence[str], *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with BM25 scores."""
        return self._index.keywords(terms, limit=limit, only=self._held(only))

    def nearest(
        self, vector: Vectors, *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with cosines."""
        return self._index.nearest(vector, limit=limit, only=self._held(only))

    def passages(self, numbers: Sequence[int], *, only: Filter = EVERYTHING) -> list[Passage]:
        """The passages with these numbers."""
        return self._index.passages(numbers, only=self._held(only))

    def stating(
        self, numbers: Sequence[int], *, only: Filter = EVERYTHING
    ) -> Mapping[int, tuple[str, ...]]:
        """The facts that each of these passages states; the graph shows them or does not."""
        return self._index.stating(numbers, only=self._held(only))

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """The vectors of these passages; zeros for those that the reader may not see."""
        rows = self._index.vectors(numbers)
        seen = {passage.n for passage in self.passages(numbers)}
        rows = rows.copy() if len(seen) < len(set(numbers)) else rows
        for place, number in enumerate(numbers):
            if number not in seen:
                rows[place] = 0.0
        return rows

    def frequencies(self, terms: Sequence[str], *, only: Filter = EVERYTHING) -> Mapping[str, int]:
        """In how many passages that the reader may see each term occurs."""
        return self._index.frequencies(terms, only=self._held(only))

    def size(self, *, only: Filter = EVERYTHING) -> int:
        """How many passages the reader may see."""
        return self._index.size(only=self._held(only))

    def neighbours(self, number: int, *, reach: int = 1, only: Filter = EVERYTHING) -> list[int]:
        """Passage numbers before and after it in the same conversation."""
        return self._index.neighbours(number, reach=reach, only=self._held(only))

    def beside(
        self, numbers: Sequence[int], *, reach: int = 1, only: Filter = EVERYTHING
    ) -> list[int]:
        """The neighbours of all of these."""
        return self._index.beside(numbers, reach=reach, only=self._held(only))

    def last_of(self, conversation: str, speaker: str) -> str | None:
        """The id of what a user said last in a conversation; the graph shows it or does not."""
        return self._index.last_of(conversation, speaker)

    def happening(self, window: Interval, *, limit: int, only: Filter = EVERYTHING) -> list[int]:
        """Passages with an event inside the window."""
        return self._index.happening(window, limit=limit, only=self._held(only))

    def of_facts(self, fact_ids: Sequence[str], *, only: Filter = EVERYTHING) -> Mapping[str, int]:
        """The passage in which each fact was first stated."""
        return self._index.of_facts(fact_ids, only=self._held(only))

    def flush(self) -> None:
        """Write what is only in memory to the disk."""
        self._index.flush()

    def close(self, *, write: bool = True) -> None:
        """Close the index."""
        self._index.close(write=write)

    def _held(self, only: Filter) -> Filter:
        return replace(only, reader=self._reader)
