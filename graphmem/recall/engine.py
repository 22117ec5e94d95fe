"""From a question to what the memory holds about it. Reads only: a recall changes nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.errors import InvalidQuery
from graphmem.lexicon import Lexicon
from graphmem.model import Conflict, Fact, Recalled, Snapshot, State, Trigger
from graphmem.protocols import (
    EVERYTHING,
    Clock,
    Embedder,
    Filter,
    GraphStore,
    Passage,
    Reranker,
    SearchIndex,
    TimeGrammar,
)
from graphmem.ranges import aware, whole
from graphmem.readers.allowed import may_read, may_read_both
from graphmem.recall.candidates import Gatherer
from graphmem.recall.choice import Choice, choose, lifted
from graphmem.recall.embedding import Embedding, Vector
from graphmem.recall.newer import NOBODY_NEWER, newer_sides, strong
from graphmem.recall.question import LANGUAGES, Question, QuestionReader, pattern_of
from graphmem.recall.rank import (
    Ranked,
    Weights,
    noted,
    rank,
    reranked,
    shipped_weights,
    without_repeats,
)
from graphmem.recall.reranking import MOST, Budgeted
from graphmem.recall.result import Recall
from graphmem.recall.standing import as_it_stood
from graphmem.recall.whom import Whom
from graphmem.recall.wording import Wording
from graphmem.secrecy.asking import Asking
from graphmem.secrecy.masking import values_in, without_secrets, without_values
from graphmem.when import Interval

_ORDINARY = frozenset({State.CURRENT, State.UNSURE})
_OVER = frozenset({State.HISTORICAL, State.EXPIRED})
_MOST_UNSURE = 8  # passages whose conflicts are looked up
_MOST_DOUBTED = 24  # facts whose conflicts are looked up, from one conflict to the next
_COMPARED = 24  # of the best, among which newer sides are looked for
_CONSIDERED, _PER_ITEM = 100, 8  # at least, and for each item asked for: the rest is never shown
_LONGEST_QUESTION = 4000  # characters


class Recaller:
    """Answers questions from a store and its search index. Safe to share as far as these are."""

    def __init__(  # noqa: PLR0917 - the parts it is made of
        self,
        store: GraphStore,
        search: SearchIndex,
        embedder: Embedder | None,
        lexicon: Lexicon,
        clock: Clock,
        times: TimeGrammar | None,
        reranker: Reranker | None = None,
        *,
        wording: Wording,
        reranker_budget: float = 0.5,
        weights: Weights | None = None,
    ) -> None:
        self._store = store
        self._times = times
        self._wording = wording
        self._whom = Whom(store, wording)
        self._ask_through(search, embedder)
        self._clock = clock
        self._reranking = None if reranker is None else Budgeted(reranker, budget=reranker_budget)
        self._weights = weights or shipped_weights()
        self._reader = QuestionReader(lexicon, times, store.entities_named)
        self._asking = Asking(lexicon)
        self._endings = {
            language: pattern_of(
                [p for one in ("over", "switch") for p in lexicon.words("ended", language, one)],
                language,
            )
            for language in LANGUAGES
        }
        self._answers = {
            language: {
                kind: pattern_of(phrases, language)
                for kind, phrases in lexicon.table("question", language)["answers"].items()
            }
            for language in LANGUAGES
        }

    def through(self, search: SearchIndex, embedder: Embedder) -> Recaller:
        """The same, asking another index of the same store, made with another embedder."""
        other = copy.copy(self)
        other._ask_through(search, embedder)  # noqa: SLF001 - one of us
        return other

    def _ask_through(self, search: SearchIndex, embedder: Embedder | None) -> None:
        self._search = search
        self.embedding = Embedding(embedder)
        self._gatherer = Gatherer(self._store, search, self._times, self._wording)

    def close(self) -> None:
        """Let go of the workers."""
        self.embedding.close()
        if self._reranking is not None:
            self._reranking.close()

    def recall(
        self,
        question: str,
        *,
        at: datetime | None = None,
        limit: int = 10,
        about: str | None = None,
        as_of: datetime | None = None,
        include: frozenset[State] = frozenset(),
        reader: str | None = None,
        only: Filter = EVERYTHING,
        reminders: Callable[[Question], Sequence[Trigger]] = lambda _: (),
        reveal: bool = False,
    ) -> Recall:
        """The best `limit` passages for `question`, asked at `at` (default: now).

        `about` is the name or id of an entity to which everything must belong; `as_of` shows the memory
        as it stood then; `include` adds states to current and unsure (a question about the past adds
        them by itself); `only` limits further; `reader` is who asks;
        `reminders` gives those that belong to a question. A secret of a person's own is masked in the
        texts, unless the owner asks for one ("what is my password?") or `reveal` is set. Raises InvalidQuery for an empty
        question, a limit below 1, a time without zone, or an `about` that names nothing.
        """
        moment = at or as_of or self._clock.now()
        self._checked(question, limit, at, as_of)
        read = self._reader.read(question[:_LONGEST_QUESTION], at=moment)
        admitted = replace(
            only,
            states=self._states(read, include, as_of, only),
            entities=only.entities if about is None else self._entities(about),
            said=only.said if as_of is None else _until(only.said, as_of),
            within=only.within or (read.window if read.limited else None),
            reader=reader if reader is not None else only.reader,
            now=None if as_of is not None else moment,
        )
        vector = self.embedding.of(read)
        ranked = self._whom.told_apart(read, self._ranked(read, vector, admitted, limit))
        facts = self._facts_once()
        states: dict[int, State] = {}
        if as_of is not None:
            states = as_it_stood(self._store, [one.passage for one in ranked[: 4 * limit]], as_of)
            wanted = self._wanted(read, include)
            ranked = [one for one in ranked if states.get(one.passage.n) in wanted]
        elif read.slot is not None:
            wanted = admitted.states
            head = max(4 * limit, _COMPARED)  # the rest stands too far behind to be shown
            ranked = [
                *(one for one in ranked[:head] if _holds(facts(one.passage), read.slot, wanted)),
                *ranked[head:],
            ]
            if read.of_the_past:
                ranked = self._former_first(ranked, read.slot, facts)
        conflicts: tuple[Conflict, ...] = ()
        newer = NOBODY_NEWER
        if as_of is None and not read.of_the_past and not read.talk:
            conflicts = self._open_conflicts(ranked, admitted.reader)
            near = self._with_newer_sides(ranked[:_COMPARED], conflicts, vector, admitted)
            vectors = self._search.vectors([one.passage.n for one in near])
            newer = newer_sides(
                read, near, vectors, conflicts, self._wording, endings=self._endings
            )
            known = {one.passage.n for one in near}
            ranked = [*near, *(one for one in ranked if one.passage.n not in known)]
        choice = choose(read, ranked, newer, limit=limit)
        open_ = reveal or (admitted.reader is None and self._asking.asks_for_one(question))
        return Recall(
            items=tuple(
                self._recalled(one, facts(one.passage), states, admitted.reader, secrets=open_)
                for one in choice.kept
            ),
            question=read,
            at=moment,
            reminders=tuple(reminders(read)),
            conflicts=conflicts,
            aside=_places(choice),
        )

    def _checked(
        self, question: str, limit: int, at: datetime | None, as_of: datetime | None
    ) -> None:
        if not isinstance(question, str) or not question.strip():
            raise InvalidQuery("the question is empty", expected="some words to look for")
        whole("limit", limit)
        aware(at=at, as_of=as_of)

    def _wanted(self, question: Question, include: frozenset[State]) -> frozenset[State]:
        past = frozenset(State) if question.of_the_past else frozenset()
        told_as_past = frozenset({State.EXPIRED}) if question.talk else frozenset()
        return _ORDINARY | include | past | told_as_past

    def _states(
        self, question: Question, include: frozenset[State], as_of: datetime | None, only: Filter
    ) -> frozenset[State]:
        """States to search: all of them where they are to be judged at another time afterwards."""
        if as_of is not None:
            return frozenset()
        return only.states or self._wanted(question, include)

    def _entities(self, about: str) -> frozenset[str]:
        named = {entity.id for entity in self._store.entities_named(about)}
        known = self._store.entity(about)
        if known is not None:
            named.add(known.id)
        if not named:
            raise InvalidQuery(
                f"about names {without_secrets(about)!r}, which is nobody here",
                expected="the name or id of a known entity",
                next_step="see the known entities",
            )
        return frozenset(named)

    def _ranked(self, question: Question, vector: Vector, only: Filter, limit: int) -> list[Ranked]:
        found = self._gatherer.gather(question, vector, only)
        if question.talk and not question.of_the_past:
            found = [one for one in found if not _over(one.passage)]
        ranked = without_repeats(
            rank(
                question,
                found,
                self._gatherer.rarity(question.terms),
                self._weights,
                answers=self._answers,
                most=max(_PER_ITEM * limit, _CONSIDERED),
            ),
            2 * limit,
        )
        if self._reranking is None or not ranked:
            return ranked
        scores = self._reranking.scores(question.text, [one.passage.text for one in ranked[:MOST]])
        if scores.note:
            return noted(ranked, MOST, scores.note)
        return reranked(ranked, scores.values, self._weights.set["rerank"])

    def _with_newer_sides(
        self,
        ranked: Sequence[Ranked],
        conflicts: Sequence[Conflict],
        vector: Vector,
        only: Filter,
    ) -> list[Ranked]:
        """The candidates and, at the end, the newer sides that the search did not find."""
        known = {fact_id for one in ranked for fact_id in one.passage.fact_ids}
        missing = [c.new.id for c in conflicts if c.new.id not in known]
        if not missing:
            return list(ranked)
        places = {one.passage.n for one in ranked}
        brought = self._whom.with_holders(self._gatherer.stating(missing, vector(), only))
        return [
            *ranked,
            *(
                Ranked(found=found, logit=ranked[-1].logit)
                for found in brought
                if found.passage.n not in places
            ),
        ]

    def _open_conflicts(self, ranked: Sequence[Ranked], reader: str | None) -> tuple[Conflict, ...]:
        """Open conflicts about the facts of those that a context would tell."""
        facts = [id_ for one in strong(ranked)[:_MOST_UNSURE] for id_ in one.passage.fact_ids]
        found: dict[str, Conflict] = {}
        looked_at: set[str] = set()
        while facts and len(looked_at) < _MOST_DOUBTED:
            fact_id = facts.pop(0)
            if fact_id in looked_at:
                continue
            looked_at.add(fact_id)
            for conflict in self._store.conflicts(fact_id=fact_id):
                if may_read_both(reader, conflict):
                    found.setdefault(conflict.id, conflict)
                    if (
                        conflict.new.state is State.UNSURE
                    ):  # something newer still is set against it
                        facts.append(conflict.new.id)
        return tuple(found.values())

    def _former_first(
        self, ranked: list[Ranked], slot: str, facts: Callable[[Passage], Sequence[Fact]]
    ) -> list[Ranked]:
        """What once filled the slot before what merely shares words with the question."""
        former = [
            one
            for one in ranked
            if not one.found.of_another
            and any(fact.slot == slot and fact.state in _OVER for fact in facts(one.passage))
        ]
        return lifted(ranked, former)

    def _facts_once(self) -> Callable[[Passage], Sequence[Fact]]:
        """The facts of a passage, read from the store once in a recall."""
        known: dict[int, list[Fact]] = {}

        def facts(passage: Passage) -> Sequence[Fact]:
            if passage.n not in known:
                found = (self._store.fact(fact_id) for fact_id in passage.fact_ids)
                known[passage.n] = [fact for fact in found if fact is not None]
            return known[passage.n]

        return facts

    def _recalled(
        self,
        one: Ranked,
        stated: Sequence[Fact],
        states: dict[int, State],
        reader: str | None,
        *,
        secrets: bool,
    ) -> Recalled:
        passage = one.passage
        facts = [fact for fact in stated if may_read(reader, fact.readers)]
        ids = dict.fromkeys(
            [passage.snapshot_id, *(source for fact in facts for source in fact.sources)]
        )
        sources = [
            snapshot
            for one_id in ids
            if (snapshot := self._store.snapshot(one_id)) is not None
            and may_read(reader, snapshot.readers)
        ]
        return Recalled(
            text=passage.text if secrets else _without_own_secrets(passage.text, sources),
            state=states.get(passage.n, passage.state),
            score=one.score,
            why=one.reasons,
            sources=tuple(sorted(sources, key=lambda snapshot: snapshot.n)),
            facts=tuple(facts),
            said_at=passage.said_at,
            speaker=passage.speaker,
        )


def _holds(facts: Sequence[Fact], slot: str, wanted: frozenset[State]) -> bool:
    """False where all that a passage says of the slot is over, though something else in it holds."""
    states = [fact.state for fact in facts if fact.slot == slot]
    return not states or any(state in wanted for state in states)


def _without_own_secrets(text: str, sources: Sequence[Snapshot]) -> str:
    if not any(snapshot.sensitive for snapshot in sources):
        return text
    return without_values(text, values_in(text, shared=False))


def _over(passage: Passage) -> bool:
    """Whether it tells of an event whose time has passed (and not just of something past)."""
    return passage.state is State.EXPIRED and passage.happens is not None


def _until(said: Interval | None, moment: datetime) -> Interval:
    if said is None:
        return Interval(None, moment)
    return Interval(said.start, min(moment, said.end) if said.end else moment)


def _places(choice: Choice) -> frozenset[int]:
    return frozenset(
        place for place, one in enumerate(choice.kept) if one.passage.n in choice.aside
    )
