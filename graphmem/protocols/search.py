"""The search index over passages, and what a search may return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from graphmem.model import Event, State, Worth
from graphmem.protocols.graph import GraphStore
from graphmem.protocols.models import Vectors
from graphmem.when import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a search may return; an empty set means no limit. Applied inside the search.

    `said` limits when it was said. `entities`, `predicates`, `sources` are ids and names; one fact of
    the passage must meet both `entities` and `predicates`. `within`: said or happening in that time. `reader` is the reader the memory is opened
    as (None: the owner). `now`: what has expired by then counts as expired, whether or not upkeep ran.
    """

    states: frozenset[State] = frozenset()
    tiers: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()
    worths: frozenset[Worth] = frozenset()
    said: Interval | None = None
    happens: Interval | None = None
    within: Interval | None = None
    reader: str | None = None
    now: datetime | None = None


EVERYTHING = Filter()


class Passage(NamedTuple):
    """The unit of search: a stretch of a snapshot, with the standing of the facts it states. A tuple, since a
    question looks at hundreds, and they take a third of the time of a dataclass to make.

    `state` is the best state among its facts (current, unsure, historical, expired, archived), or
    current where it has none. `n` numbers passages; `order` is the snapshot's place within its
    conversation, so that neighbours can be found. `happens` is the interval of the earliest event.
    """

    n: int
    snapshot_id: str
    text: str
    speaker: str
    role: str
    language: str
    said_at: datetime
    recorded_at: datetime
    conversation: str
    source: str
    order: int
    worth: Worth
    state: State
    tier: str
    importance: int
    fact_ids: tuple[str, ...] = ()
    entity_ids: tuple[str, ...] = ()
    happens: Interval | None = None
    expires_at: datetime | None = None
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """What `check` found: what disagrees, in plain words; empty is healthy."""

    findings: tuple[str, ...] = field(default_factory=tuple)


class SearchIndex(Protocol):
    """Keyword and vector search over passages: derived from the graph, rebuilt when in doubt.

    Every read takes a Filter and gives back nothing which that filter (its reader above all) forbids.
    """

    def update(self, events: Sequence[Event], store: GraphStore) -> None:
        """Bring the index up to the last of `events`, which follow on what it has; one batch."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Several updates in one commit; an error takes all of them back. Reads see them at once."""
        ...

    def catch_up(self, store: GraphStore) -> int:
        """Apply the events the index has missed, or rebuild it; returns how many were applied."""
        ...

    def rebuild(self, store: GraphStore) -> int:
        """Make the index anew from the graph; returns the number of passages."""
        ...

    def check(self, store: GraphStore) -> Health:
        """Compare the graph and the index: ids, texts, states, vectors."""
        ...

    def keywords(
        self, terms: Sequence[str], *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with BM25 scores (higher is better) for words.terms, best first."""
        ...

    def nearest(
        self, vector: Vectors, *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with cosines, best first; `vector` has shape (dimension,)."""
        ...

    def passages(self, numbers: Sequence[int], *, only: Filter = EVERYTHING) -> list[Passage]:
        """The passages with these numbers, in the given order, unknown and forbidden ones left out.
        With `only.now` their states are judged at that time.
        """
        ...

    def stating(
        self, numbers: Sequence[int], *, only: Filter = EVERYTHING
    ) -> Mapping[int, tuple[str, ...]]:
        """The ids of the facts that each of these passages states, in the given order, unknown and
        forbidden passages left out: cheaper than the passages.
        """
        ...

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """The vectors of these passages, shape (len(numbers), dimension); zeros for unknown ones."""
        ...

    def frequencies(self, terms: Sequence[str], *, only: Filter = EVERYTHING) -> Mapping[str, int]:
        """In how many passages each term occurs; of those that the reader of `only` may see."""
        ...

    def size(self, *, only: Filter = EVERYTHING) -> int:
        """How many passages there are; of those that the reader of `only` may see."""
        ...

    def neighbours(self, number: int, *, reach: int = 1, only: Filter = EVERYTHING) -> list[int]:
        """Passage numbers before and after it in the same conversation, nearest first."""
        ...

    def beside(
        self, numbers: Sequence[int], *, reach: int = 1, only: Filter = EVERYTHING
    ) -> list[int]:
        """The neighbours of all of these, each once, in the order of `numbers`."""
        ...

    def last_of(self, conversation: str, speaker: str) -> str | None:
        """The id of the snapshot that a user of this name said last in a conversation, looked for among
        its last passages; None where there is none. For the writer alone: it takes no Filter.
        """
        ...

    def happening(self, window: Interval, *, limit: int, only: Filter = EVERYTHING) -> list[int]:
        """Passages with an event inside the window, earliest first."""
        ...

    def of_facts(self, fact_ids: Sequence[str], *, only: Filter = EVERYTHING) -> Mapping[str, int]:
        """The passage in which each fact was first stated."""
        ...

    def flush(self) -> None:
        """Write what is only in memory to the disk."""
        ...

    def close(self, *, write: bool = True) -> None:
        """Let go of the files; with `write`, after writing what is worth it."""
        ...
