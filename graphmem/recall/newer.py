"""Which candidates speak for the present in place of older ones; pure.

The memory keeps both sides of an open conflict, and it never guesses that one is over. A context for a
present-tense question is another matter: there the newer side is told, and the older one is left out
when enough ties the two: an open conflict between sentences that share a word or a meaning, or, where
the question has one answer, a shared meaning alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from graphmem import words
from graphmem.model import Conflict, Worth
from graphmem.protocols import Vectors
from graphmem.recall.question import Question
from graphmem.recall.rank import Ranked

MARGIN = 2.5  # logits below the best within which a candidate is told to a model
_REACH = 3.0  # logits below the older side at which its newer side still counts as about the same
_FAR_REACH = 4.0  # and where the two mean nearly the same,
_NEARLY_THE_SAME = 0.45  # cosine
_SAME_TALK = timedelta(hours=6)  # what is said within one talk adds to what was said before
_TIED = 0.40  # cosine that ties two statements about the same
_TIED_BY_WORDS = (
    0.35  # the same where they share this much of the content words of the shorter one:
)
_SHARED = 0.15
_FIT = 0.1  # what a logit counts beside a cosine when several could stand in
_YES_OR_NO = 0.50  # the same where the answer is yes or no and no words are shared
_ONE_ANSWER = frozenset({"amount", "code", "when", "where"})


@dataclass(frozen=True, slots=True)
class Newer:
    """Numbers of older passages to their newer passage, and why."""

    instead: Mapping[int, int]
    reasons: Mapping[int, str]


def newer_sides(
    question: Question,
    ranked: Sequence[Ranked],
    vectors: Vectors,
    conflicts: Sequence[Conflict],
) -> Newer:
    """For each strong candidate the newest one that stands in for it. `vectors` has a row per candidate."""
    edges = _edges(conflicts)
    cosines = (vectors @ vectors.T).tolist()
    filler = max(
        (one for one in ranked if one.found.slot),
        key=lambda one: (one.passage.said_at, one.logit),
        default=None,
    )
    leading = {one.passage.n for one in strong(ranked)}
    closest: dict[int, float] = {}
    contents = [words.meaningful(one.passage.text) for one in ranked]
    instead: dict[int, int] = {}
    reasons: dict[int, str] = {}
    for old, older in enumerate(ranked):
        if older.passage.n not in leading or (question.window and older.found.happening):
            continue
        if older.found.slot_before and filler is not None:
            instead[older.passage.n] = filler.passage.n
            reasons[filler.passage.n] = f"fills {question.slot} now"
            continue
        if older.found.slot:
            continue
        for new, newer in enumerate(ranked):
            if not _may_stand_in(older, newer):
                continue
            cosine = cosines[old][new]
            conflict = _between(edges, older, newer)
            shared = _shared(contents[old], contents[new])
            reach = _FAR_REACH if cosine >= _NEARLY_THE_SAME else _REACH
            if newer.logit < older.logit - reach:
                continue
            if conflict is not None:
                tied = cosine >= _TIED or shared >= _SHARED
                reason = f"newer side of an open conflict ({conflict.reason})"
            else:
                tied = _about_one_answer(question, cosine, shared)
                reason = f"newer on the same (cosine {cosine:.2f})"
            closeness = cosine + shared + _FIT * newer.logit + (conflict is not None)
            if tied and closeness > closest.get(older.passage.n, -math.inf):
                closest[older.passage.n] = closeness
                instead[older.passage.n] = newer.passage.n
                reasons[newer.passage.n] = reason
    return Newer(instead, reasons)


def strong(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Those that a context would tell."""
    best = max((one.logit for one in ranked), default=0.0)
    return [one for one in ranked if one.logit >= best - MARGIN]


def _shared(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(1, min(len(left), len(right)))


def _about_one_answer(question: Question, cosine: float, shared: float) -> bool:
    """Whether two statements between which no conflict is open give old and new answers to the question.
    Many things can be true at once, so only where it has one answer.
    """
    one_answer = bool(_ONE_ANSWER & question.kinds) or question.present
    if not one_answer and "whether" not in question.kinds:
        return False
    enough = _TIED if one_answer else _YES_OR_NO
    return cosine >= enough or (shared >= _SHARED and cosine >= _TIED_BY_WORDS)


def _may_stand_in(older: Ranked, newer: Ranked) -> bool:
    return (
        newer.passage.said_at - older.passage.said_at >= _SAME_TALK
        and newer.passage.worth in {Worth.STATEMENT, Worth.CHATTER}
        and newer.passage.speaker == older.passage.speaker
    )


def _edges(conflicts: Sequence[Conflict]) -> dict[tuple[str, str], Conflict]:
    return {(conflict.old.id, conflict.new.id): conflict for conflict in conflicts}


def _between(
    edges: Mapping[tuple[str, str], Conflict], older: Ranked, newer: Ranked
) -> Conflict | None:
    for old_id in older.passage.fact_ids:
        for new_id in newer.passage.fact_ids:
            found = edges.get((old_id, new_id))
            if found is not None:
                return found
    return None
