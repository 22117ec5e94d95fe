"""What speaks for a candidate, as numbers: pure functions of the columns of a pool.

Scores are calibrated inside one question and one memory: BM25 is divided by its best, and how far it
can be trusted is told by the share of the question's weight of words that a passage covers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Rows = NDArray[np.int64]

NAMES = (
    "keyword",
    "keyword_before",
    "keyword_after",
    "keyword_before_2",
    "keyword_after_2",
    "keyword_conversation",
    "cosine",
    "cosine_before",
    "cosine_after",
    "cosine_before_2",
    "cosine_after_2",
    "cosine_conversation",
    "cosine_relative",
    "coverage",
    "foreign_cosine",
    "speaker",
    "date",
    "time_for_when",
    "number_for_amount",
    "question",
    "length",
    "reply",
)

_LONG_TEXT = 20.0  # terms from which a passage counts as having something to say
_NEAR_TURNS = 25  # turns, and
_NEAR_SECONDS = 6 * 3600.0  # seconds, within which two passages belong to one talk
_SPREAD = 0.4  # between the best and the worst cosine of a pool: less says nothing
_TINY = 1e-9
_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """One row per candidate. `conversation` and `order` place it, `said` is in seconds since the epoch;
    `coverage` is the share (0..1) of the weight of the question's words that occur in it; `date` how
    close to the time asked for it was said or happens (0..1); the rest is 0 or 1 but for `length`
    (terms). The two flags are of the question.
    """

    keyword: Column
    cosine: Column
    conversation: NDArray[np.int64]
    order: NDArray[np.int64]
    said: Column
    coverage: Column
    speaker: Column
    date: Column
    timed: Column
    numbered: Column
    question: Column
    foreign: Column
    length: Column
    asks_when: bool
    asks_amount: bool


def matrix(of: Columns) -> NDArray[np.float64]:
    """Shape (candidates, len(NAMES))."""
    keyword = of.keyword / max(float(of.keyword.max(initial=0.0)), _TINY)
    top = float(of.cosine.max(initial=0.0))
    low = float(of.cosine.min(initial=top))
    relative = (of.cosine - low) / max(top - low, _SPREAD)
    length = np.minimum(of.length, _LONG_TEXT) / _LONG_TEXT
    near = _Places(of)
    before = near.beside(keyword, 1)
    rows = {
        "keyword": keyword,
        "keyword_before": before,
        "keyword_after": near.beside(keyword, -1),
        "keyword_before_2": near.beside(keyword, 2),
        "keyword_after_2": near.beside(keyword, -2),
        "keyword_conversation": near.best(keyword),
        "cosine": of.cosine,
        "cosine_before": near.beside(of.cosine, 1),
        "cosine_after": near.beside(of.cosine, -1),
        "cosine_before_2": near.beside(of.cosine, 2),
        "cosine_after_2": near.beside(of.cosine, -2),
        "cosine_conversation": near.best(of.cosine),
        "cosine_relative": relative,
        "coverage": of.coverage,
        "foreign_cosine": of.foreign * of.cosine,
        "speaker": of.speaker,
        "date": of.date,
        "time_for_when": of.timed * of.asks_when,
        "number_for_amount": of.numbered * of.asks_amount,
        "question": of.question,
        "length": length,
        "reply": before * near.beside(of.question, 1),
    }
    return np.stack([rows[name] for name in NAMES], axis=1)


class _Places:
    """Who stands beside whom: same conversation, near in time.

    Rows are looked at in the order of their places, so that those near each other are next to each other:
    most conversations of a pool have one row or two, and nothing is asked of all pairs.
    """

    def __init__(self, of: Columns) -> None:
        low = int(of.order.min(initial=0))
        stride = int(of.order.max(initial=0)) - low + _NEAR_TURNS + 1
        places = of.conversation * stride + (of.order - low)
        self._rows = np.argsort(places, kind="stable")
        self._places = places[self._rows]
        self._said = of.said[self._rows]
        self._paired: dict[int, tuple[Rows, Rows]] = {}

    def beside(self, values: Column, back: int) -> Column:
        """The value of the turn `back` places earlier (later where negative), 0 where there is none near."""
        rows, others = self._pairs(back)
        out = np.full_like(values, -np.inf)
        np.maximum.at(out, rows, values[others])
        return np.where(np.isneginf(out), 0.0, out)

    def best(self, values: Column) -> Column:
        """The best value of the others in the talk that each belongs to, 0 where there are none."""
        rows, others = self._near()
        out = np.zeros_like(values)
        np.maximum.at(out, rows, values[others])
        np.maximum.at(out, others, values[rows])
        return out

    def _pairs(self, back: int) -> tuple[Rows, Rows]:
        """Each row with each row that is `back` places earlier and near."""
        if back not in self._paired:
            first = np.searchsorted(self._places, self._places - back, side="left")
            end = np.searchsorted(self._places, self._places - back, side="right")
            self._paired[back] = self._within(first, end)
        return self._paired[back]

    def _near(self) -> tuple[Rows, Rows]:
        """Each two rows of one talk, once."""
        if 0 not in self._paired:
            end = np.searchsorted(self._places, self._places + _NEAR_TURNS, side="right")
            self._paired[0] = self._within(np.arange(1, len(end) + 1), end)
        return self._paired[0]

    def _within(self, first: Rows, end: Rows) -> tuple[Rows, Rows]:
        """Each row with those from `first` to before `end`, as far as they were said near it in time."""
        here = np.arange(len(first))
        found: list[tuple[Rows, Rows]] = []
        step = 0
        while len(here := here[first[here] + step < end[here]]):
            there = first[here] + step
            near = np.abs(self._said[here] - self._said[there]) <= _NEAR_SECONDS
            found.append((self._rows[here[near]], self._rows[there[near]]))
            step += 1
        if not found:
            return _NO_ROWS, _NO_ROWS
        lefts, rights = zip(*found, strict=True)
        return np.concatenate(lefts), np.concatenate(rights)
