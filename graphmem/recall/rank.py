"""Second stage, pure: from candidates to an order, with reasons."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from importlib import resources

import numpy as np

from graphmem import words
from graphmem.model import Tier, Worth
from graphmem.protocols import Passage
from graphmem.recall import features
from graphmem.recall.candidates import Found
from graphmem.recall.features import Column, Columns
from graphmem.recall.question import Question

_DAY = 86400.0
_DATE_SCALE = 7.0  # days after the time asked for in which it is still talked about
_CHARACTERS_A_TERM = {"en": 11.0, "zh": 1.25}  # measured on chats, stop words counted as text
_NUMBER = re.compile(r"\d")
Answers = Mapping[
    str, Mapping[str, re.Pattern[str]]
]  # language, "when" or "amount": words that answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each feature counts for; see weights.toml."""

    question: Mapping[str, float]
    talk: Mapping[str, float]
    set: Mapping[str, float]

    def of(self, question: Question) -> Column:
        """The weights for a question, or for a stretch of talk, in the order of features.NAMES."""
        weights = self.talk if question.talk else self.question
        return np.array([weights.get(name, 0.0) for name in features.NAMES])


@cache
def shipped_weights() -> Weights:
    """The weights in weights.toml."""
    text = (resources.files("graphmem.recall") / "weights.toml").read_text("utf-8")
    table = tomllib.loads(text)
    return Weights(question=table["question"], talk=table["talk"], set=table["set"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate with its place: `logit` orders, `score` is its share of the best one (0..1)."""

    found: Found
    logit: float
    score: float = 0.0
    why: tuple[str, ...] = ()
    signs: Callable[[], tuple[str, ...]] = (
        tuple  # what spoke for it, put into words where it is shown
    )

    @property
    def passage(self) -> Passage:
        """What was found."""
        return self.found.passage

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it stands where it does, in plain words."""
        return (*self.signs(), *self.why)


def rank(
    question: Question,
    found: Sequence[Found],
    rarity: Mapping[str, float],
    weights: Weights,
    *,
    answers: Answers,
    most: int | None = None,
) -> list[Ranked]:
    """The best `most` candidates (None: all), best first; ties go to what was said later. `rarity` weighs
    the question's terms.
    """
    if not found:
        return []
    table = columns(question, found, rarity, answers=answers)
    logits = features.matrix(table) @ weights.of(question) + _standing(question, found, weights.set)
    numbers = np.array([one.passage.n for one in found])
    order = np.lexsort((numbers, -table.said, -logits))[:most]
    scores = np.exp(logits - logits.max()).round(6).tolist()
    return [
        Ranked(
            found=found[row],
            logit=float(logits[row]),
            score=scores[row],
            signs=partial(_reasons, question, found[row], table, row),
        )
        for row in order.tolist()
    ]


def without_repeats(ranked: Sequence[Ranked], head: int) -> list[Ranked]:
    """The order without passages among the first `head` that say the same words again; numbers and "not"
    always count.
    """
    seen: set[tuple[str, ...]] = set()
    kept = []
    for one in ranked[:head]:
        mark = (one.passage.speaker, *words.terms(one.passage.text))
        if len(mark) == 1 or mark not in seen:
            kept.append(one)
        seen.add(mark)
    return [*kept, *ranked[head:]]


def reranked(ranked: Sequence[Ranked], scores: Sequence[float], weight: float) -> list[Ranked]:
    """The order after a cross-encoder gave the first of them scores in 0..1."""
    head = [
        replace(
            one,
            logit=one.logit + weight * (score - 0.5),
            why=(*one.why, f"cross-encoder {score:.2f}"),
        )
        for one, score in zip(ranked, scores, strict=False)
    ]
    tail = [replace(one, logit=one.logit - weight * 0.5) for one in ranked[len(head) :]]
    both = sorted([*head, *tail], key=lambda r: -r.logit)
    best = both[0].logit if both else 0.0
    return [replace(one, score=round(float(np.exp(one.logit - best)), 6)) for one in both]


def noted(ranked: Sequence[Ranked], most: int, note: str) -> list[Ranked]:
    """The same order, with a remark among the reasons of the first `most`."""
    return [*(replace(one, why=(*one.why, note)) for one in ranked[:most]), *ranked[most:]]


def columns(
    question: Question,
    found: Sequence[Found],
    rarity: Mapping[str, float],
    *,
    answers: Answers,
) -> Columns:
    """The columns of features for these candidates."""
    passages = [one.passage for one in found]
    talks: dict[str, int] = {}
    named = _named_speakers(question, passages)
    asks_when, asks_amount = "when" in question.kinds, "amount" in question.kinds
    none = np.zeros(len(passages))
    return Columns(
        keyword=np.array([one.keyword for one in found]),
        cosine=np.array([one.cosine for one in found]),
        conversation=np.array([talks.setdefault(p.conversation, len(talks)) for p in passages]),
        order=np.array([p.order for p in passages], dtype=np.int64),
        said=np.array([p.said_at.timestamp() for p in passages]),
        coverage=_coverage(found, rarity),
        speaker=np.array([p.speaker in named for p in passages], dtype=np.float64)
        if named
        else none,
        date=np.array([closeness(question, p) for p in passages]) if question.window else none,
        # what is not asked for is not looked for
        timed=np.array([_answers("when", p, answers) for p in passages]) if asks_when else none,
        numbered=np.array([_counts(p) or _answers("amount", p, answers) for p in passages])
        if asks_amount
        else none,
        question=np.array([p.worth is Worth.QUESTION for p in passages], dtype=np.float64),
        foreign=np.array([p.language != question.language for p in passages], dtype=np.float64),
        length=np.array([_about_terms(passage) for passage in passages]),
        asks_when=asks_when,
        asks_amount=asks_amount,
    )


def _coverage(found: Sequence[Found], rarity: Mapping[str, float]) -> Column:
    """The share of the weight of the question's words that each holds."""
    total = sum(rarity.values()) or 1.0
    asked = rarity.keys()
    return np.array(
        [
            sum(map(rarity.__getitem__, asked & set(words.terms(one.passage.text)))) / total
            if one.keyword
            else 0.0
            for one in found
        ]
    )


def _answers(kind: str, passage: Passage, answers: Answers) -> float:
    patterns = answers.get(passage.language)
    return float(patterns is not None and patterns[kind].search(_normal(passage.text)) is not None)


def _counts(passage: Passage) -> float:
    return float(_NUMBER.search(_normal(passage.text)) is not None)


@lru_cache(maxsize=10_000)
def _normal(text: str) -> str:
    return words.key(text)


def _about_terms(passage: Passage) -> float:
    """About how many terms a passage has; making them all would take longer than everything else."""
    return len(passage.text) / _CHARACTERS_A_TERM.get(passage.language, 8.0)


def closeness(question: Question, passage: Passage) -> float:
    """How close to the time asked for a passage was said or happens: 1 inside, fading over a week (or as
    long as the stretch asked for) after it, half of that before it, when things are planned.
    """
    window = question.window
    if window is None or (window.start is None and window.end is None):
        return 0.0
    if passage.happens is not None and passage.happens.overlaps(window):
        return 1.0
    if passage.said_at in window:
        return 1.0
    if window.start is None or window.end is None:
        return 0.0
    scale = max(_DATE_SCALE, (window.end - window.start).total_seconds() / _DAY)
    after = (passage.said_at - window.end).total_seconds() / _DAY
    if after >= 0:
        return max(0.0, 1.0 - after / scale)
    before = (window.start - passage.said_at).total_seconds() / _DAY
    return max(0.0, 0.5 - before / scale)


def _named_speakers(question: Question, passages: Sequence[Passage]) -> frozenset[str]:
    """The speakers whom the question names, where it names just some of them."""
    speakers = {passage.speaker for passage in passages}
    asked = words.key(question.text)
    named = frozenset(name for name in speakers if _mentions(asked, words.key(name)))
    return named if len(named) == 1 and len(speakers) > 1 else frozenset()


def _mentions(text: str, name: str) -> bool:
    if not name or not name.isascii():
        return bool(name) and name in text
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _standing(question: Question, found: Sequence[Found], weight: Mapping[str, float]) -> Column:
    """What graph, slot, time, tier and worth add."""
    return np.array(
        [
            weight["graph"] * one.graph
            + weight["slot"] * (one.slot and not question.previous)
            + weight["of_another"] * one.of_another
            + weight["happening"] * (one.happening and question.tense != "past")
            + weight["core"] * (one.passage.tier == Tier.CORE)
            + weight["fresh"] * (one.passage.tier == Tier.WORKING)
            + weight["important"] * (one.passage.importance - 3)
            + weight["not_a_statement"] * (one.passage.worth not in _TELLING)
            for one in found
        ]
    )


_TELLING = frozenset(
    {Worth.STATEMENT, Worth.QUESTION, Worth.REQUEST, Worth.OTHER_ROLE, Worth.CHATTER}
)


def _reasons(question: Question, one: Found, table: Columns, row: int) -> tuple[str, ...]:
    reasons = []
    if one.keyword:
        reasons.append(
            f"keywords: BM25 {one.keyword:.2f}, {table.coverage[row]:.0%} of what was asked"
        )
    if one.cosine:
        reasons.append(f"meaning: cosine {one.cosine:.2f}")
    if one.graph:
        reasons.append(f"graph: {' - '.join(part for part in one.path if part)} ({one.graph:.2f})")
    if one.slot:
        reasons.append(f"fills {question.slot}")
    if one.happening:
        reasons.append("happens in the time asked for")
    if table.speaker[row]:
        reasons.append(f"said by {one.passage.speaker}, who is named")
    if table.date[row]:
        reasons.append(f"said or happens near the time asked for ({table.date[row]:.2f})")
    return tuple(reasons) or ("stands beside a passage that fits",)
