"""First stage: passages that may answer, from every channel, with what each channel says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphmem.model import Fact, State
from graphmem.protocols import Filter, GraphStore, Passage, SearchIndex, Vectors
from graphmem.recall.expand import Walk, walk_from
from graphmem.recall.question import Question
from graphmem.when import Interval

DEPTH = 100  # passages taken from each text channel: enough that neighbours of a good one are scored
_SLOT_FACTS = 4
_HAPPENING = 30


@dataclass(slots=True)
class Found:
    """A passage with what each channel said: BM25 score (0: not found), cosine (None: not found), share
    of the walk in the graph, whether it fills the slot asked for or happens in the window asked for,
    and the neighbours (numbers) before and after it.
    """

    passage: Passage
    keyword: float = 0.0
    cosine: float | None = None
    graph: float = 0.0
    slot: bool = False
    happening: bool = False
    path: tuple[str, ...] = ()
    neighbours: tuple[int, ...] = ()


@dataclass(slots=True)
class Pool:
    """All candidates by passage number."""

    found: dict[int, Found] = field(default_factory=dict)

    def __iter__(self) -> Iterable[Found]:  # type: ignore[override]
        return iter(self.found.values())


class Gatherer:
    """Asks every channel. `owner` finds the entity ids of the asker."""

    def __init__(self, store: GraphStore, search: SearchIndex) -> None:
        self._store = store
        self._search = search

    def gather(self, question: Question, vector: Vectors, only: Filter) -> Pool:
        """The pool for a question; `vector` is its embedding."""
        keyword = dict(self._search.keywords(question.terms, limit=DEPTH, only=only))
        cosine = dict(self._search.nearest(vector, limit=DEPTH, only=only))
        around = {n: tuple(self._search.neighbours(n)) for n in {*keyword, *cosine}}
        graph, paths = self._by_graph(question)
        slot = self._by_slot(question, keyword, cosine)
        happening = self._by_date(question.window, only)
        numbers = dict.fromkeys([*keyword, *cosine, *graph, *slot, *happening])
        pool = Pool()
        for passage in self._search.passages(list(numbers)):
            n = passage.n
            if n not in keyword and n not in cosine and not admits(only, passage):
                continue
            pool.found[n] = Found(
                passage,
                keyword=keyword.get(n, 0.0),
                cosine=cosine.get(n),
                graph=graph.get(n, 0.0),
                slot=n in slot,
                happening=n in happening,
                path=paths.get(n, ()),
                neighbours=around.get(n, ()),
            )
        return pool

    def add_facts(self, pool: Pool, facts: Sequence[Fact], only: Filter) -> dict[str, int]:
        """Bring the passages of these facts into the pool; returns the passage of each fact."""
        where = dict(self._search.of_facts([fact.id for fact in facts]))
        missing = [n for n in where.values() if n not in pool.found]
        for passage in self._search.passages(missing):
            if admits(only, passage):
                pool.found[passage.n] = Found(passage)
        return {fact_id: n for fact_id, n in where.items() if n in pool.found}

    def _by_graph(self, question: Question) -> tuple[dict[int, float], dict[int, tuple[str, ...]]]:
        if not question.entities:
            return {}, {}
        walk: Walk = walk_from(self._store, [entity.id for entity in question.entities])
        where = self._search.of_facts(list(walk.facts))
        scores: dict[int, float] = {}
        paths: dict[int, tuple[str, ...]] = {}
        for fact_id, n in where.items():
            if walk.facts[fact_id] > scores.get(n, 0.0):
                scores[n] = walk.facts[fact_id]
                paths[n] = walk.paths[fact_id]
        return scores, paths

    def _by_slot(
        self, question: Question, keyword: Mapping[int, float], cosine: Mapping[int, float]
    ) -> frozenset[int]:
        """Passages that state the present filler of the slot, of whom the question names, or of the asker."""
        if question.slot is None:
            return frozenset()
        ids = [entity.id for entity in question.entities]
        if question.of_self or not ids:
            ids += self._askers(keyword, cosine)
        facts = [f for i in dict.fromkeys(ids) for f in self._store.slot_current(i, question.slot)]
        return frozenset(
            self._search.of_facts([f.id for f in facts[: _SLOT_FACTS * len(ids)]]).values()
        )

    def _askers(self, keyword: Mapping[int, float], cosine: Mapping[int, float]) -> list[str]:
        """The entity of whoever speaks most as the user among the best hits: the likely asker."""
        best = [*list(keyword)[:20], *list(cosine)[:20]]
        counts: dict[str, int] = {}
        for passage in self._search.passages(list(dict.fromkeys(best))):
            if passage.role == "user":
                counts[passage.speaker] = counts.get(passage.speaker, 0) + 1
        if not counts:
            return []
        speaker = max(counts, key=lambda name: (counts[name], name))
        return [entity.id for entity in self._store.entities_named(speaker)]

    def _by_date(self, window: Interval | None, only: Filter) -> frozenset[int]:
        if window is None or (window.start is None and window.end is None):
            return frozenset()
        return frozenset(self._search.happening(window, limit=_HAPPENING, only=only))


def admits(only: Filter, passage: Passage) -> bool:
    """Whether the filter lets a passage through that came by the graph and not by the search."""
    checks: tuple[tuple[frozenset[str], Callable[[Passage], Iterable[str]]], ...] = (
        (frozenset(str(s) for s in only.states), lambda p: (str(p.state),)),
        (only.tiers, lambda p: (p.tier,)),
        (only.entities, lambda p: p.entity_ids),
        (only.sources, lambda p: (p.source,)),
        (only.speakers, lambda p: (p.speaker,)),
        (frozenset(str(w) for w in only.worths), lambda p: (str(p.worth),)),
    )
    if any(wanted and not wanted.intersection(has(passage)) for wanted, has in checks):
        return False
    if only.said is not None and passage.said_at not in only.said:
        return False
    if only.happens is not None and (
        passage.happens is None or not passage.happens.overlaps(only.happens)
    ):
        return False
    return not only.reader or not passage.readers or only.reader in passage.readers


ORDINARY = frozenset({State.CURRENT, State.UNSURE})
