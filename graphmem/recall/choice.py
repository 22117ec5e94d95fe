"""Which of the ranked candidates are given back, and which of those stay out of a context; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphmem.model import Conflict, State, Worth
from graphmem.recall.candidates import Found
from graphmem.recall.question import Question
from graphmem.recall.rank import Ranked, history_first

MARGIN = 4.0  # logits below the best from which a candidate is too weak to be told to a model


@dataclass(frozen=True, slots=True)
class Choice:
    """`kept` in order; `aside`: numbers of passages that a context leaves out."""

    kept: tuple[Ranked, ...]
    aside: frozenset[int]


def newer_sides(
    conflicts: Sequence[Conflict], newer: Mapping[str, Found]
) -> dict[str, tuple[Found, Conflict]]:
    """Older fact id to the candidate that states the newer side of its open conflict."""
    return {
        conflict.old.id: (newer[conflict.new.id], conflict)
        for conflict in conflicts
        if conflict.new.id in newer and conflict.new.state is State.CURRENT
    }


def choose(
    question: Question,
    ranked: Sequence[Ranked],
    newer: Mapping[str, tuple[Found, Conflict]],
    *,
    limit: int,
    include: frozenset[State],
    states: Mapping[int, State],
) -> Choice:
    """The best `limit`, with newer sides brought in ahead of the older ones they may replace."""
    if question.previous:
        ranked = history_first(ranked)
    order = ranked if question.of_the_past else _newer_first(ranked, newer)
    kept = tuple(order[:limit])
    present = not question.of_the_past and not states
    aside = {one.passage.n for one in kept if _weak(one, kept) or not _tells(one)}
    if present and State.UNSURE not in include:
        aside |= _older_sides(kept, newer)
    if all(one.passage.n in aside for one in kept):
        aside = {one.passage.n for one in kept if _weak(one, kept)}
    return Choice(kept, frozenset(aside))


def _tells(one: Ranked) -> bool:
    return one.passage.worth is Worth.STATEMENT


def _weak(one: Ranked, kept: Sequence[Ranked]) -> bool:
    return one.logit < max(other.logit for other in kept) - MARGIN


def _newer_first(
    ranked: Sequence[Ranked], newer: Mapping[str, tuple[Found, Conflict]]
) -> list[Ranked]:
    """The order with each newer side directly before the first older one that it may replace."""
    places = {one.passage.n: one for one in ranked}
    out: dict[int, Ranked] = {}
    for one in ranked:
        for fact_id in one.passage.fact_ids:
            if fact_id not in newer:
                continue
            found, conflict = newer[fact_id]
            n = found.passage.n
            if n == one.passage.n or n in out:
                continue
            known = places.get(n)
            reason = f"newer side of an open conflict ({conflict.reason})"
            out[n] = replace(
                known or Ranked(found=found, logit=one.logit),
                logit=max(one.logit, known.logit if known else one.logit),
                score=max(one.score, known.score if known else one.score),
                why=(*(known.why if known else ()), reason),
            )
        out.setdefault(one.passage.n, one)
    return list(out.values())


def _older_sides(
    kept: Sequence[Ranked], newer: Mapping[str, tuple[Found, Conflict]]
) -> frozenset[int]:
    here = {one.passage.n for one in kept}
    return frozenset(
        one.passage.n
        for one in kept
        for fact_id in one.passage.fact_ids
        if fact_id in newer
        and newer[fact_id][0].passage.n in here
        and newer[fact_id][0].passage.n != one.passage.n
    )
