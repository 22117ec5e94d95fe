"""First stage: passages that may answer, from every channel, with what each channel says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphmem.protocols import Filter, GraphStore, Passage, SearchIndex, Vectors
from graphmem.recall.expand import Walk, walk_from
from graphmem.recall.question import Question
from graphmem.when import Interval

DEPTH = 100  # passages from each text channel
_AROUND = 30  # the best of each text channel bring their neighbours along: the answer follows the question
_REACH = 2
_SLOT_FACTS = 4
_HAPPENING = 30
_ASKER_SAMPLE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage with what each channel said of it: BM25 score (0: not found), cosine, share of the
    walk in the graph (0..1) and the claim it came by, whether it states the filler of the slot asked
    for, whether it happens in the stretch of time asked for, and whether the asker asks of himself and
    its claims are of somebody else.
    """

    passage: Passage
    keyword: float = 0.0
    cosine: float = 0.0
    graph: float = 0.0
    path: tuple[str, ...] = ()
    slot: bool = False
    happening: bool = False
    of_another: bool = False


class Gatherer:
    """Asks every channel."""

    def __init__(self, store: GraphStore, search: SearchIndex) -> None:
        self._store = store
        self._search = search

    def gather(
        self, question: Question, vector: Vectors | None, only: Filter, *, depth: int = DEPTH
    ) -> list[Found]:
        """All candidates that `only` lets through; `vector` is the question's embedding."""
        keyword = dict(self._search.keywords(question.terms, limit=depth, only=only))
        cosine: dict[int, float] = {}
        if vector is not None:
            cosine = dict(self._search.nearest(vector, limit=depth, only=only))
        graph, paths = self._by_graph(question, only)
        askers: list[str] = []
        if question.slot is not None:
            sample = [*list(keyword)[:_ASKER_SAMPLE], *list(cosine)[:_ASKER_SAMPLE]]
            askers = self._askers(sample, only)
        slot = self._by_slot(question, askers, only)
        happening = self._by_date(question.window, only)
        best = dict.fromkeys([*list(keyword)[:_AROUND], *list(cosine)[:_AROUND]])
        around = [n for one in best for n in self._search.neighbours(one, reach=_REACH, only=only)]
        alone = question.of_self and not question.entities and question.slot is not None
        numbers = list(dict.fromkeys([*keyword, *cosine, *graph, *slot, *happening, *around]))
        cosine |= self._cosines([n for n in numbers if n not in cosine], vector)
        return [
            Found(
                passage=passage,
                keyword=keyword.get(passage.n, 0.0),
                cosine=cosine.get(passage.n, 0.0),
                graph=graph.get(passage.n, 0.0),
                path=paths.get(passage.n, ()),
                slot=passage.n in slot,
                happening=passage.n in happening,
                of_another=alone and _of_another(passage, askers),
            )
            for passage in self._search.passages(numbers, only=only)
        ]

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """The weight of each term (inverse document frequency, Robertson and Sparck Jones 1976)."""
        size = self._search.size()
        seen = self._search.frequencies(terms)
        return {
            term: float(np.log(1 + (size - seen.get(term, 0) + 0.5) / (seen.get(term, 0) + 0.5)))
            for term in terms
        }

    def stating(self, fact_ids: Sequence[str], only: Filter) -> dict[str, Found]:
        """Candidates for single facts, for bringing in the newer side of a conflict."""
        where = self._search.of_facts(fact_ids, only=only)
        passages = {p.n: p for p in self._search.passages(list(where.values()), only=only)}
        return {
            fact_id: Found(passage=passages[n]) for fact_id, n in where.items() if n in passages
        }

    def _cosines(self, numbers: Sequence[int], vector: Vectors | None) -> dict[int, float]:
        if vector is None or not numbers:
            return {}
        rows = self._search.vectors(numbers)
        return dict(zip(numbers, (rows @ vector).tolist(), strict=True))

    def _by_graph(
        self, question: Question, only: Filter
    ) -> tuple[dict[int, float], dict[int, tuple[str, ...]]]:
        if not question.entities:
            return {}, {}
        walk: Walk = walk_from(self._store, [entity.id for entity in question.entities])
        scores: dict[int, float] = {}
        paths: dict[int, tuple[str, ...]] = {}
        for fact_id, n in self._search.of_facts(list(walk.facts), only=only).items():
            if walk.facts[fact_id] > scores.get(n, 0.0):
                scores[n] = walk.facts[fact_id]
                paths[n] = walk.paths[fact_id]
        return scores, paths

    def _by_slot(self, question: Question, askers: Sequence[str], only: Filter) -> frozenset[int]:
        """Passages that state the present filler of the slot: of whom the question names, else of the asker."""
        if question.slot is None:
            return frozenset()
        ids = [entity.id for entity in question.entities if entity.kind == "person"]
        if question.of_self or not ids:
            ids += askers
        fillers = [
            fact.id
            for entity_id in dict.fromkeys(ids)
            for fact in self._store.slot_current(entity_id, question.slot)[:_SLOT_FACTS]
        ]
        return frozenset(self._search.of_facts(fillers, only=only).values())

    def _askers(self, numbers: Sequence[int], only: Filter) -> list[str]:
        """The entity of whoever speaks most as the user among the best hits: the likely asker."""
        counts: dict[str, int] = {}
        for passage in self._search.passages(list(dict.fromkeys(numbers)), only=only):
            if passage.role == "user":
                counts[passage.speaker] = counts.get(passage.speaker, 0) + 1
        if not counts:
            return []
        speaker = max(counts, key=lambda name: (counts[name], name))
        return [entity.id for entity in self._store.entities_named(speaker)]

    def _by_date(self, window: Interval | None, only: Filter) -> frozenset[int]:
        if window is None or window == Interval():
            return frozenset()
        return frozenset(self._search.happening(window, limit=_HAPPENING, only=only))


def _of_another(passage: Passage, askers: Sequence[str]) -> bool:
    return bool(passage.entity_ids and askers) and not set(askers) & set(passage.entity_ids)
