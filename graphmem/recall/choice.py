"""Which of the ranked candidates are given back, and which of those stay out of a context; pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphmem import words
from graphmem.model import State, Worth
from graphmem.recall.newer import MARGIN, NOBODY_NEWER, VALUED, Newer
from graphmem.recall.question import Question
from graphmem.recall.rank import Ranked

_MOST_TOLD = 6  # beyond that a context gains more noise than answers,
_FOR_ONE_ANSWER = 5  # and where the question has one answer, sooner
_MEANT = 0.35  # cosine with the question
_BESIDE = 0.4  # logits below the best of the others, where the best of all is left out
_ENOUGH_TO_SAY = 3  # content words


@dataclass(frozen=True, slots=True)
class Choice:
    """`kept` in order; `aside`: numbers of passages that a context leaves out."""

    kept: tuple[Ranked, ...]
    aside: frozenset[int]


def choose(
    question: Question, ranked: Sequence[Ranked], newer: Newer = NOBODY_NEWER, *, limit: int
) -> Choice:
    """The best `limit`, a newer side directly before the older one for which it stands in."""
    if question.previous:
        first = leading_history(ranked)
        ranked = [*first, *(one for one in ranked if one not in first)]
    order = _newer_first(ranked, newer)
    if question.slot is not None and not question.of_the_past:
        order = _fillers_first(order)
    kept = tuple(order[:limit])
    told = [one for one in order if _tells(one)] or list(order)
    best = max((one.logit for one in told), default=0.0)
    weak = {
        one.passage.n
        for one in kept
        if one.logit < min(best - MARGIN, _next_best(question, ranked, told, newer) - _BESIDE)
    }
    if question.agenda:
        weak -= {one.passage.n for one in kept if one.found.happening}
    if question.previous:
        weak -= {one.passage.n for one in leading_history(kept)}
    stand_ins = set(newer.instead.values())
    silent = {one.passage.n for one in kept if not _tells(one)} - stand_ins
    here = {one.passage.n for one in kept}
    older = {old for old, new in newer.instead.items() if new in here}
    others = {one.passage.n for one in kept if one.found.of_another} - stand_ins
    if here - others - silent - weak:
        silent |= others
    aside = weak | silent | older
    if here <= aside:
        aside = weak | older
    aside |= _merely_then(question, [one for one in kept if one.passage.n not in aside])
    told_now = [one.passage.n for one in kept if one.passage.n not in aside]
    aside |= set(told_now[_FOR_ONE_ANSWER if question.kinds else _MOST_TOLD :])
    return Choice(kept, frozenset(aside & here))


def _next_best(
    question: Question, ranked: Sequence[Ranked], told: Sequence[Ranked], newer: Newer
) -> float:
    """How well the best fits that is not left out, by itself: what replaced a thing that is said to be
    over often stands behind what says so. A newer amount, code or time is the answer itself.
    """
    if VALUED & question.kinds or not any(one.passage.n in newer.instead for one in ranked[:1]):
        return math.inf
    telling = {one.passage.n for one in told} - newer.instead.keys()
    return max((one.logit for one in ranked if one.passage.n in telling), default=math.inf)


def _merely_then(question: Question, told: Sequence[Ranked]) -> set[int]:
    """Of a question for one thing that is to come: what happens then but has nothing to do with it."""
    if question.window is None or question.tense != "future" or not question.kinds:
        return set()
    fitting = {one.passage.n for one in told if one.found.keyword or one.found.cosine >= _MEANT}
    then = {one.passage.n for one in told if one.found.happening}
    return then - fitting if fitting else set()


def leading_history(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The historical ones that fit about as well as the best of them: what a question about "before" wants."""
    past = [one for one in ranked if one.passage.state is State.HISTORICAL]
    best = max((one.logit for one in past), default=0.0)
    return [one for one in past if one.logit >= best - MARGIN]


def _tells(one: Ranked) -> bool:
    """Whether it states something: small talk does where there is a number or enough to say."""
    worth = one.passage.worth
    if worth is Worth.CHATTER:
        text = one.passage.text
        return any(c.isdigit() for c in text) or len(words.meaningful(text)) >= _ENOUGH_TO_SAY
    return worth in {Worth.STATEMENT, Worth.REQUEST}


def _newer_first(ranked: Sequence[Ranked], newer: Newer) -> list[Ranked]:
    """The order with each newer side directly before the best one for which it stands in."""
    places = {one.passage.n: one for one in ranked}
    out: dict[int, Ranked] = {}
    for one in ranked:
        stand_in = _last(newer, one.passage.n)
        if stand_in in places and stand_in != one.passage.n and stand_in not in out:
            known = places[stand_in]
            out[stand_in] = replace(
                known,
                logit=max(one.logit, known.logit),
                score=max(one.score, known.score),
                why=(*known.why, newer.reasons[stand_in]),
            )
        out.setdefault(one.passage.n, one)
    return list(out.values())


def _fillers_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """What fills the asked slot now comes before what merely shares words with the question."""
    fillers = [
        one
        for one in ranked
        if one.found.slot and not one.found.of_another and one.passage.state is State.CURRENT
    ]
    return lifted(ranked, fillers)


def lifted(ranked: Sequence[Ranked], first: Sequence[Ranked]) -> list[Ranked]:
    """The order with some of them in front, as good as the best."""
    best = max((one.logit for one in ranked), default=0.0)
    numbers = {one.passage.n for one in first}
    return [
        *(replace(one, logit=max(best, one.logit), score=1.0) for one in first),
        *(one for one in ranked if one.passage.n not in numbers),
    ]


def _last(newer: Newer, n: int) -> int:
    """The end of the line of newer sides that starts at `n`; times only grow along it, so it ends."""
    while n in newer.first:
        n = newer.first[n]
    return n
