"""Asks the questions and counts: recall at 1, 5 and 10, mean reciprocal rank, newest first, time."""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import fmean

from graphmem import words
from graphmem.evaluation.cases import Case, Questions
from graphmem.memory import Memory
from graphmem.model import Recalled
from graphmem.recall.trial import Ask

DEPTH = 10
_AT = (1, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Where what was expected stood (1 is first, None: not among the first 10), and whether it stood
    above what it replaced (None: nothing was replaced).
    """

    case: Case
    ranks: tuple[int | None, ...]
    newest_first: bool | None
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Shares are 0..1. `recall` maps 1, 5 and 10 to the share of what was expected among the first so
    many; `newest_first` is None where no case names something replaced; `milliseconds` is the mean time
    of a question.
    """

    embedder: str
    questions: int
    recall: dict[int, float]
    mrr: float
    newest_first: float | None
    milliseconds: float
    answers: tuple[Answer, ...]


def evaluate(
    questions: Questions, *, memory: Memory | None = None, embedders: Sequence[str] = ()
) -> list[Figures]:
    """Figures for the memory as it is, or for each of `embedders` by name.

    Questions that bring their own memories are asked of a memory made for them and thrown away; the
    others of `memory`, which is only read. Without either a ValueError is raised: there is nothing to ask.
    """
    if questions.memories:
        with _made_for(questions) as made:
            return _compared(questions.cases, made, embedders)
    if memory is None:
        raise ValueError("questions without memories need a memory")
    return _compared(questions.cases, memory, embedders)


@contextmanager
def _made_for(questions: Questions) -> Iterator[Memory]:
    with (
        tempfile.TemporaryDirectory(prefix="graphmem-eval-") as folder,
        Memory.open(Path(folder) / "memory") as memory,
    ):
        deque(memory.ingest(questions.memories), maxlen=0)
        yield memory


def _compared(cases: Sequence[Case], memory: Memory, embedders: Sequence[str]) -> list[Figures]:
    if not embedders:
        return [_asked(cases, memory.settings.embedder, memory.recall, memory)]
    figures = []
    for name in embedders:
        with memory.trial(name) as ask:
            figures.append(_asked(cases, name, ask, memory))
    return figures


def _asked(cases: Sequence[Case], name: str, ask: Ask, memory: Memory) -> Figures:
    ask(cases[0].question, at=cases[0].at, limit=DEPTH)  # whatever is read once is read now
    newest = max((fact.said_at for fact in memory.facts(states="all", limit=1)), default=None)
    later = None if newest is None else max(memory.now(), newest + timedelta(days=1))
    answers = []
    for case in cases:
        start = time.perf_counter()
        found = ask(case.question, at=case.at or later, limit=DEPTH)
        took = 1000 * (time.perf_counter() - start)
        ranks = tuple(_rank(one, found.items) for one in case.expected)
        answers.append(
            Answer(
                case=case,
                ranks=ranks,
                newest_first=_newest_first(ranks, case, found.items),
                milliseconds=took,
            )
        )
    judged = [one.newest_first for one in answers if one.newest_first is not None]
    return Figures(
        embedder=name,
        questions=len(cases),
        recall={
            k: fmean(
                sum(rank is not None and rank <= k for rank in one.ranks) / len(one.ranks)
                for one in answers
            )
            for k in _AT
        },
        mrr=fmean(max((1 / rank for rank in one.ranks if rank), default=0.0) for one in answers),
        newest_first=fmean(judged) if judged else None,
        milliseconds=fmean(one.milliseconds for one in answers),
        answers=tuple(answers),
    )


def _newest_first(
    ranks: Sequence[int | None], case: Case, items: Sequence[Recalled]
) -> bool | None:
    """Whether something expected came, and above everything that it replaced."""
    if not case.replaced:
        return None
    best = min((rank for rank in ranks if rank is not None), default=None)
    olds = [rank for one in case.replaced if (rank := _rank(one, items)) is not None]
    return best is not None and all(best < old for old in olds)


def _rank(wanted: str, items: Sequence[Recalled]) -> int | None:
    """The place of the first item that is or says what is wanted."""
    folded = words.key(wanted)
    for place, item in enumerate(items, start=1):
        ids = {one.id for one in item.sources} | {one.id for one in item.facts}
        if wanted in ids or folded in words.key(item.text):
            return place
    return None
