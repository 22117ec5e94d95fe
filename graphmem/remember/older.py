"""Gathers the older facts that a new one might replace: the same slot, the same predicate, shared words,
and nearness in meaning (R3.2). What it returns is only looked at; the verdict is lifecycle's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from graphmem.model import Fact, Kind, Snapshot, State
from graphmem.protocols import Embedder, Filter, GraphStore, SearchIndex, Thresholds
from graphmem.when import Interval
from graphmem.words import terms

LIVE = frozenset({State.CURRENT, State.UNSURE, State.EXPIRED})  # lifecycle looks at when
_FADED = frozenset({State.ARCHIVED})
PER_KEY = 40
BY_WORDS = 8
BY_MEANING = 8
BY_DATE = 12
BY_FADED = 4
BACK, AHEAD = timedelta(days=1), timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Older:
    """Older facts with, where it is known, the cosine of each to the new statement."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    similar: Mapping[str, float] = field(default_factory=dict)


class Gatherer:
    """Looks up older facts by key in the graph and by words and meaning in the side index."""

    def __init__(self, store: GraphStore, search: SearchIndex, embedder: Embedder | None) -> None:
        self._store = store
        self._search = search
        self._embedder = embedder

    @property
    def same_topic(self) -> float:
        """The cosine at which the embedder in use means "same topic"."""
        return (self._embedder.thresholds if self._embedder else Thresholds()).same_topic

    def around(self, statement: Snapshot, *, now: datetime) -> Older:
        """Live facts stated in words or with a meaning like those of the whole statement."""
        only = Filter(states=LIVE, reader=None, now=now)
        words = terms(statement.text, statement.language)
        passages = [number for number, _ in self._search.keywords(words, limit=BY_WORDS, only=only)]
        nearness: dict[int, float] = {}
        if self._embedder is not None:
            vector = self._embedder.passages([statement.text])[0]
            nearness = dict(self._search.nearest(vector, limit=BY_MEANING, only=only))
        found: dict[str, Fact] = {}
        similar: dict[str, float] = {}
        stating = self._search.stating(list(dict.fromkeys([*passages, *nearness])))
        for passage, fact_ids in stating.items():
            for fact_id in fact_ids:
                fact = self._store.fact(fact_id)
                if fact is not None and fact.state in LIVE:
                    found[fact_id] = fact
                    if passage in nearness:
                        similar[fact_id] = nearness[passage]
        return Older(found, similar)

    def upcoming(self, statement: Snapshot) -> list[Fact]:
        """Live facts of the same speaker that happen in the weeks after the statement."""
        window = Interval(statement.said_at - BACK, statement.said_at + AHEAD)
        only = Filter(states=LIVE, speakers=frozenset({statement.speaker}))
        return self._stated(self._search.happening(window, limit=BY_DATE, only=only), LIVE)

    def of(self, fact: Fact) -> Sequence[Fact]:
        """Live facts of the same entity in the same slot, or with the same predicate."""
        if fact.kind is Kind.NOTE:
            return ()
        by_key = [
            *(self._live(fact.entity_id, slot=fact.slot) if fact.slot else ()),
            *self._live(fact.entity_id, predicate=fact.predicate),
        ]
        return tuple({old.id: old for old in by_key}.values())

    def about(self, statement: Fact, topics: Iterable[str]) -> tuple[Fact, ...]:
        """Live facts of whoever said it in the slots that it speaks of."""
        return tuple(
            fact for topic in topics for fact in self._live(statement.entity_id, slot=topic)
        )

    def faded(self, fact: Fact) -> Sequence[Fact]:
        """Archived facts that it may say again, which brings one back: those of the same entity with the
        same predicate; for a note, those nearest in words.
        """
        if fact.kind is Kind.NOTE:
            words = terms(fact.text, fact.language)
            faded = Filter(states=_FADED, reader=None)
            return self._stated(
                [number for number, _ in self._search.keywords(words, limit=BY_FADED, only=faded)],
                _FADED,
            )
        return self._store.facts_of(
            fact.entity_id, predicate=fact.predicate, states=_FADED, limit=PER_KEY
        )

    def _stated(self, passages: Sequence[int], states: frozenset[State]) -> list[Fact]:
        found = (
            self._store.fact(fact_id)
            for stated in self._search.stating(passages).values()
            for fact_id in stated
        )
        return [fact for fact in found if fact is not None and fact.state in states]

    def _live(self, entity_id: str, **by: str | None) -> tuple[Fact, ...]:
        return self._store.facts_of(entity_id, states=LIVE, limit=PER_KEY, **by)
