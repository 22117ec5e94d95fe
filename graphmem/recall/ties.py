"""How much ties two statements to one question: whether the newer one speaks of what the older spoke of.

Weights of a logistic regression over pairs of candidates for present-tense questions (four-fold over
questions: AUC 0.94, 57 of 100 pairs found at 1.5 where one wanted answer in 30 questions would go); those for
other sorts, two fillers, changes of people and openings were set by hand.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from graphmem.recall.wording import Reading

_BIAS = -3.5
_WORD = 0.95  # a content word in common, and no more than
_MOST_WORDS = 2
_MEANING = 4.6  # the cosine of the two
_ASKED = 3.3  # the cosine of the newer one and the question,
_ASKED_OLDER = 1.4  # and of the older one
_FIT = 0.4  # a logit by which the newer one fits the question better than the older, inside
_WORST, _BEST = -6.0, 3.0
_WORST_OF_TOLD = -4.5  # where it says what changed, it need not say it in the question's words,
_WORST_OF_ENDED = -3.0  # the less where it says of the same thing that it is over
_TOPIC = 1.6  # an everyday topic that both speak of, and the question too
_SLOT = 2.0  # both speak of the slot that the question asks for
_FILLS = 1.5  # and both name what fills it
_VALUES = 1.1  # values of one kind: clock times, kilos, codes
_MAGNITUDE = 0.5  # numbers of about the same size
_ANSWERS = 0.5  # both hold a value of the kind that is asked for,
_LOST = -2.0  # or just the older one does
_NOW = 1.2  # both do, in about the same size, and the newer one says "now"
_TURNED = 1.0  # both are about whom the question asks of now, and the newer one says that something changed
_UNLIKE = (
    -1.5
)  # though the two have not a word in common, and this cosine at most: it may be a mistake
_UNLIKE_AT = 0.4
_ENDED = 2.2  # the newer one says of the same thing that it is over or has changed
_OPPOSITE = 1.0  # the newer one takes the side opposite to the older one's: pregnant, had the baby
_OPENING = 0.8  # both begin with the same word
_CONFLICT = 0.5  # an open conflict between them,
_CHANGED = 2.0  # in which the newer one says that something changed
_OTHER_SORT = -2.5  # the phone at home and the phone at work

OF_CHANGE = frozenset({"over", "switch", "reschedule", "cancel", "correct"})
_DATES = frozenset({"clock", "weekday", "month", "day", "year"})
_PLAIN_NUMBER = "n"
_ABOUT = 2.0  # times


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What two statements have in common: readings, content words, the cosine of their vectors, whether a
    conflict is open between them, and whether the newer one says in it that something changed; how the two fit the question: their cosines with it, and by how many logits
    the newer one ranks above the older. `slot`: both speak of the slot that the question asks for; `lost`:
    the older one names what fills it, the newer one does not; `fills`: both do;
    `ended`: the newer one says of what they share that it is over or has changed;
    `turned`: both speak of somebody of whom is asked how it is now; `opening`: they begin
    with the same word ("reading ...").
    """

    older: Reading
    newer: Reading
    shared: frozenset[str]
    cosine: float
    asked: float
    asked_older: float
    better: float
    conflict: bool = False
    changed: bool = False
    slot: bool = False
    lost: bool = False
    fills: bool = False
    turned: bool = False
    ended: bool = False
    opening: bool = False


def strength(pair: Pair, question: Reading, kinds: frozenset[str]) -> float:
    """A logit: 0 where the newer statement is as likely as not to speak of what the older one spoke of.
    `kinds` are the kinds of answer that the question asks for.
    """
    ended = pair.ended and "code" not in kinds  # the code of a door outlives a move
    told = pair.changed and bool(pair.shared)
    worst = _WORST_OF_ENDED if ended else _WORST_OF_TOLD if told else _WORST
    topics = pair.older.topics.keys() & pair.newer.topics.keys() & question.topics.keys()
    return (
        _BIAS
        + _WORD * min(_MOST_WORDS, len(pair.shared))
        + _MEANING * pair.cosine
        + _ASKED * pair.asked
        + _ASKED_OLDER * pair.asked_older
        + _FIT * min(_BEST, max(worst, pair.better))
        + _TOPIC * bool(topics)
        + _SLOT * pair.slot
        + _FILLS * pair.fills
        + _LOST * pair.lost
        + _of_values(pair, kinds)
        + _TURNED * (pair.turned and not OF_CHANGE.isdisjoint(pair.newer.marks))
        + _OPPOSITE * (not pair.newer.sides.isdisjoint(pair.older.other_sides))
        + _ENDED * ended
        + _OPENING * pair.opening
        + _CONFLICT * pair.conflict
        + _CHANGED * pair.changed
        + _UNLIKE * (pair.conflict and not pair.shared and pair.cosine < _UNLIKE_AT)
        + _OTHER_SORT * other_sort(pair.older, pair.newer)
    )


def other_sort(one: Reading, other: Reading) -> bool:
    """Whether the two name different ones of a group that is told apart in words."""
    groups = {group for group, _ in one.kinds} & {group for group, _ in other.kinds}
    return any(
        {which for at, which in one.kinds if at == group}.isdisjoint(
            which for at, which in other.kinds if at == group
        )
        for group in groups
    )


def _of_values(pair: Pair, asked: frozenset[str]) -> float:
    old, new = pair.older.values, pair.newer.values
    kinds = old.keys() & new.keys()
    alike = any(_alike(left, right) for kind in kinds for left in old[kind] for right in new[kind])
    had, has = _answers(old.keys(), asked), _answers(new.keys(), asked)
    return (
        _NOW * (had and has and alike and "now" in pair.newer.marks)
        + _VALUES * bool(kinds - {_PLAIN_NUMBER})
        + _MAGNITUDE * alike
        + _ANSWERS * (had and has)
        + _LOST * (had and not has)
    )


def _answers(kinds: Collection[str], asked: frozenset[str]) -> bool:
    """Whether values of these kinds answer a question for an amount, a code or a time."""
    counts = any(kind.startswith("n:") for kind in kinds)
    return (
        ("amount" in asked and (counts or _PLAIN_NUMBER in kinds or "clock" in kinds))
        or ("code" in asked and ("code" in kinds or _PLAIN_NUMBER in kinds))
        or ("when" in asked and (counts or not _DATES.isdisjoint(kinds)))
    )


def _alike(left: str, right: str) -> bool:
    """Whether two values are unequal numbers of about the same size."""
    try:
        low, high = sorted((abs(float(left)), abs(float(right))))
    except ValueError:
        return False
    return low != high and high <= _ABOUT * low
