"""First stage: passages that may answer, from every channel, with what each channel says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from graphmem.model import Worth
from graphmem.protocols import Filter, GraphStore, Passage, SearchIndex, TimeGrammar, Vectors
from graphmem.recall.asked import Asked, asked, people_asked
from graphmem.recall.expand import Walk, walk_from
from graphmem.recall.question import Question
from graphmem.recall.whose import NOBODY, Holders
from graphmem.recall.wording import Wording
from graphmem.when import Interval

DEPTH = 100  # passages from each text channel
_AROUND = 15  # the best of each text channel bring their neighbours along: the answer follows the question
_REACH = 2
_HAPPENING = 30
_PLANNED = timedelta(days=45)  # before an event, in which it is talked about
_ASKER_SAMPLE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage with what each channel said of it: BM25 score (0: not found), cosine, share of the
    walk in the graph (0..1) and the claim it came by, whether it states the filler of the slot asked
    for or what filled it before, or speaks of it (1) and names a filler (2), whether it happens in the stretch of time asked for, and whether its
    claims are of somebody else than the question asks of.
    """

    passage: Passage
    keyword: float = 0.0
    cosine: float = 0.0
    graph: float = 0.0
    path: tuple[str, ...] = ()
    slot: bool = False
    slot_before: bool = False
    slot_said: int = 0
    happening: bool = False
    of_another: bool = False
    holders: Holders = NOBODY


class Gatherer:
    """Asks every channel."""

    def __init__(
        self,
        store: GraphStore,
        search: SearchIndex,
        times: TimeGrammar | None = None,
        wording: Wording | None = None,
    ) -> None:
        self._store = store
        self._wording = wording
        self._times = times
        self._search = search

    def gather(
        self,
        question: Question,
        embedded: Callable[[], Vectors | None],
        only: Filter,
        *,
        depth: int = DEPTH,
    ) -> list[Found]:
        """All candidates that `only` lets through; `embedded` waits for the question's embedding, which may
        still be at work: what does not need it is looked for first.
        """
        pool = _Pool(self._search, only)
        wide = depth + depth // 3
        words = self._search.keywords(question.terms, limit=wide, only=pool.loose)
        graph, paths = self._by_graph(question, only)
        vector = embedded()
        near = [] if vector is None else self._search.nearest(vector, limit=wide, only=pool.loose)
        pool.read([n for n, _ in (*words, *near)])
        keyword, cosine = dict(pool.first(words, depth)), dict(pool.first(near, depth))
        if len(keyword) < depth and len(words) == wide:
            keyword = dict(self._search.keywords(question.terms, limit=depth, only=only))
        if vector is not None and len(cosine) < depth and len(near) == wide:
            cosine = dict(self._search.nearest(vector, limit=depth, only=only))
        slot = self._by_slot(question, [*list(keyword), *list(cosine)], pool)
        happening = self._by_date(question.window, only)
        best = dict.fromkeys([*list(keyword)[:_AROUND], *list(cosine)[:_AROUND]])
        around = self._search.beside(list(best), reach=_REACH, only=only)
        numbers = list(
            dict.fromkeys([*keyword, *cosine, *graph, *slot.fillers, *happening, *around])
        )
        named = {entity.name for entity in question.entities}  # whatever they say may answer
        cosine |= self._cosines([n for n in numbers if n not in cosine], vector)
        return [
            Found(
                passage=passage,
                keyword=keyword.get(passage.n, 0.0),
                cosine=cosine.get(passage.n, 0.0),
                graph=graph.get(passage.n, 0.0),
                path=paths.get(passage.n, ()),
                slot=passage.n in slot.fillers,
                slot_before=passage.n in slot.older,
                slot_said=(passage.n in slot.said) + (passage.n in slot.named),
                happening=passage.n in happening or self._told_for(passage, question),
                of_another=(passage.n in slot.others or _of_another(passage, slot))
                and passage.speaker not in named,
            )
            for passage in pool.passages(numbers)
        ]

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """The weight of each term (inverse document frequency, Robertson and Sparck Jones 1976)."""
        size = self._search.size()
        seen = self._search.frequencies(terms)
        return {
            term: float(np.log(1 + (size - seen.get(term, 0) + 0.5) / (seen.get(term, 0) + 0.5)))
            for term in terms
        }

    def stating(self, fact_ids: Sequence[str], vector: Vectors | None, only: Filter) -> list[Found]:
        """Candidates for single facts, for bringing in the newer side of a conflict."""
        numbers = list(dict.fromkeys(self._search.of_facts(fact_ids, only=only).values()))
        cosine = self._cosines(numbers, vector)
        return [
            Found(passage=passage, cosine=cosine.get(passage.n, 0.0))
            for passage in self._search.passages(numbers, only=only)
        ]

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

    def _by_slot(self, question: Question, numbers: Sequence[int], pool: _Pool) -> Asked:
        """What fills the slot asked for: of whom the question names, else of the asker."""
        if question.slot is None:
            return Asked()
        speaker = _asker(pool.passages(list(dict.fromkeys(numbers))[:_ASKER_SAMPLE]))
        askers = [] if speaker is None else [e.id for e in self._store.entities_named(speaker)]
        people = people_asked(self._store, question, speaker, askers)
        if list(people) == askers and self._relatives(question):
            return Asked()  # it asks of somebody of whom it is not known who that is
        return asked(self._store, self._search, question, people, pool.only)

    def _relatives(self, question: Question) -> bool:
        """Whether it names somebody by what they are to the asker ("my sister")."""
        if self._wording is None:
            return False
        return bool(self._wording.read(question.text, question.language).relatives)

    def _told_for(self, passage: Passage, question: Question) -> bool:
        """Whether a statement of which no event was made names a time inside the one asked for."""
        window = question.window
        if not question.agenda or window is None or self._times is None or passage.happens:
            return False
        if passage.worth is not Worth.STATEMENT or not _lately(passage, window):
            return False
        spans = self._times.find(passage.text, said_at=passage.said_at, language=passage.language)
        return any(
            span.kind != "duration" and span.when and span.when.interval.overlaps(window)
            for span in spans
        )

    def _by_date(self, window: Interval | None, only: Filter) -> frozenset[int]:
        if window is None or window == Interval():
            return frozenset()
        return frozenset(self._search.happening(window, limit=_HAPPENING, only=only))


class _Pool:
    """The passages of one question that `only` lets through, each read once.

    `loose` lets through what is over as well: to find some more by it, and pass over those that are over when they
    have been read anyway, is quicker than to ask of each beforehand.
    """

    def __init__(self, search: SearchIndex, only: Filter) -> None:
        self.only = only
        self.loose = replace(only, states=frozenset())
        self._search = search
        self._known: dict[int, Passage | None] = {}

    def read(self, numbers: Sequence[int]) -> None:
        """Read those that were not."""
        new = [n for n in dict.fromkeys(numbers) if n not in self._known]
        self._known |= dict.fromkeys(new)
        self._known |= {one.n: one for one in self._search.passages(new, only=self.only)}

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """These, in the given order, as far as they are let through."""
        self.read(numbers)
        found = (self._known[n] for n in numbers)
        return [passage for passage in found if passage is not None]

    def first(self, hits: Sequence[tuple[int, float]], most: int) -> list[tuple[int, float]]:
        """The first of the hits that were read and let through."""
        return [hit for hit in hits if self._known.get(hit[0]) is not None][:most]


def _asker(passages: Sequence[Passage]) -> str | None:
    """Whoever speaks most as the user among the best hits: the likely asker."""
    counts = Counter(passage.speaker for passage in passages if passage.role == "user")
    return max(counts, key=lambda name: (counts[name], name)) if counts else None


def _lately(passage: Passage, window: Interval) -> bool:
    return window.start is not None and window.start - _PLANNED <= passage.said_at < window.start


def _of_another(passage: Passage, slot: Asked) -> bool:
    return bool(passage.entity_ids and slot.people) and not set(slot.people) & set(
        passage.entity_ids
    )
