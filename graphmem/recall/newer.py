"""Which candidates speak for the present in place of older ones; pure.

The memory keeps both sides of an open conflict, and it never guesses that one is over. An answer to a
present-tense question is another matter: there the newer statement on the same comes first, and a context
leaves the older one out where enough ties the two, and the more so where the question has one answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from graphmem import words
from graphmem.model import Conflict, Relation, Worth
from graphmem.protocols import Vectors
from graphmem.recall.question import Question
from graphmem.recall.rank import Ranked
from graphmem.recall.ties import OF_CHANGE, Pair, other_sort, strength
from graphmem.recall.wording import Reading, Wording

MARGIN = 2.8  # logits below the best within which a candidate is told to a model
_SAME_TALK = timedelta(hours=6)  # what is said within one talk adds to what was said before
_REACH = (
    2.0  # logits below the older one at which nothing but words or a conflict tie the newer to it
)
_ALIKE = 0.45  # cosine that ties two which share no word and no topic
_AS_WELL = 0.6  # logits below the older one at which the newer answers as well,
_NOT_UNLIKE = 0.2  # and the cosine that it takes then
VALUED = frozenset({"amount", "code", "when"})
# Strengths (logits) from which the newer one comes first, and stands in for the older one altogether:
_ONE = (0.3, 0.3)  # where the question has one answer,
_OWN = (0.3, 1.0)  # where it asks how things are with the asker,
_ANY = (1.0, 1.5)  # and where many things may be told: there only with an open conflict
_DATES = frozenset({"weekday", "month", "day", "year"})
_WE = "relationship"  # what is said of the other one is said of oneself
_IN_A_ROW = 3  # conflicts that are followed from one to the next
_WORD = re.compile(r"[\w'-]+")
_LEADING = frozenset(["the", "a", "an", "my", "our", "i", "we", "i'm", "so", "ok", "and", "now"])
_ONE_ANSWER = frozenset({"amount", "code", "when", "where"})


@dataclass(frozen=True, slots=True)
class Newer:
    """Numbers of older passages to their newer passage: `first` to come before them, `instead` to stand
    in for them (these are among `first` too), and why.
    """

    first: Mapping[int, int]
    instead: Mapping[int, int]
    reasons: Mapping[int, str]


NOBODY_NEWER = Newer({}, {}, {})
Endings = Mapping[str, re.Pattern[str]]
NO_ENDINGS: Endings = MappingProxyType({})


def newer_sides(
    question: Question,
    ranked: Sequence[Ranked],
    vectors: Vectors,
    conflicts: Sequence[Conflict],
    wording: Wording,
    *,
    endings: Endings = NO_ENDINGS,
) -> Newer:
    """For each strong candidate the newest one that stands in for it. `vectors` has a row per candidate;
    `endings` finds by language what says that an earlier matter is over or has changed.
    """
    return _Search(question, ranked, vectors, conflicts, wording, endings=endings).newer()


def strong(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Those that a context would tell."""
    best = max((one.logit for one in ranked), default=0.0)
    return [one for one in ranked if one.logit >= best - MARGIN]


class _Search:
    """One question's look for newer sides."""

    def __init__(
        self,
        question: Question,
        ranked: Sequence[Ranked],
        vectors: Vectors,
        conflicts: Sequence[Conflict],
        wording: Wording,
        *,
        endings: Endings = NO_ENDINGS,
    ) -> None:
        self._endings = endings
        self._question = question
        self._ranked = ranked
        self._wording = wording
        self._cosines = (vectors @ vectors.T).tolist()
        self._conflicts = _in_a_row(conflicts)
        self._asked = wording.read(question.text, question.language)
        self._readings: dict[int, Reading] = {}
        self._endings_found: dict[int, bool] = {}
        self._fits = [
            one.logit for one in ranked
        ]  # a newer side fits as well as what it stands in for
        self._names = frozenset(
            term
            for entity in question.entities
            if entity.kind == "person"
            for term in words.meaningful(entity.name, question.language)
        )
        one_answer = bool(_ONE_ANSWER & question.kinds) or question.present
        self._many = not (
            one_answer or question.slot or question.of_self or "whether" in question.kinds
        )
        self._first, self._enough = (
            _ONE if one_answer or question.slot else _OWN if question.of_self else _ANY
        )
        self._filler = max(
            (row for row, one in enumerate(ranked) if one.found.slot),
            key=lambda row: (ranked[row].passage.said_at, ranked[row].logit),
            default=None,
        )

    def newer(self) -> Newer:
        first: dict[int, int] = {}
        instead: dict[int, int] = {}
        reasons: dict[int, str] = {}
        leading = {one.passage.n for one in strong(self._ranked)}
        waiting = [row for row, one in enumerate(self._ranked) if one.passage.n in leading]
        seen: set[int] = set()
        while waiting:
            old = waiting.pop(0)
            found = None if old in seen else self._best(old)
            seen.add(old)
            if found is None:
                continue
            new, tie, reason = found
            self._fits[new] = max(self._fits[new], self._fits[old])
            here, there = self._ranked[old].passage.n, self._ranked[new].passage.n
            first[here] = there
            if tie >= self._enough:
                instead[here] = there
            reasons[there] = reason
            waiting.append(new)
        return Newer(first, instead, reasons)

    def _best(self, old: int) -> tuple[int, float, str] | None:
        """The row that best stands in for row `old`, how strongly, and why."""
        older = self._ranked[old]
        planned = bool(self._question.window) and older.found.happening
        if older.found.slot_before and self._filler is not None:
            return self._filler, math.inf, f"fills {self._question.slot} now"
        best: tuple[int, float, str] | None = None
        for new, newer in enumerate(self._ranked):
            known = self._changed(older, newer)
            if not self._may_stand_in(older, newer, known=known):
                continue
            if older.found.slot and (not newer.found.slot or "add" in self._read(new).marks):
                continue
            if other_sort(self._asked, self._read(new)) and not other_sort(
                self._asked, self._read(old)
            ):
                continue
            conflict = self._between(older, newer)
            shared = self._shared(old, new)
            if planned and not (self._ended(new) and (shared or self._one_time(old, new) or known)):
                continue  # what is planned stays, unless it is called off or moved
            if conflict is None and not self._linked(old, new, shared):
                continue
            tie = self._tie(old, new, shared, conflict)
            if tie >= self._first and (best is None or tie > best[1]):
                best = new, tie, _reason(tie, conflict)
        return best

    def _shared(self, old: int, new: int) -> frozenset[str]:
        """Content words in common, but for the names that the question names: whatever is said of them has those."""
        shared = self._wording.shared(self._read(new), self._read(old))
        return shared - self._names - self._asked.relatives

    def _linked(self, old: int, new: int, shared: frozenset[str]) -> bool:
        """Whether more than numbers and dates ties two between which no conflict is open."""
        older, newer = self._ranked[old], self._ranked[new]
        if self._many:
            return False
        if self._better(old, new) < -_REACH and not shared:
            return False
        return bool(
            shared
            or self._both_answer(old, new)
            or (older.found.slot_said and newer.found.slot_said)
            or self._read(old).topics.keys() & self._read(new).topics.keys()
            or self._cosines[old][new] >= _ALIKE
        )

    def _better(self, old: int, new: int) -> float:
        """By how many logits the newer one fits the question better."""
        return self._fits[new] - self._fits[old]

    def _same_people(self, old: int, new: int) -> bool:
        """Whether both speak of somebody whom the question names."""
        shared = self._wording.shared(self._read(new), self._read(old))
        return bool(shared & (self._names | self._asked.relatives))

    def _open_alike(self, old: int, new: int) -> bool:
        """Whether both begin with one English word, and it is not just whom the question names."""
        opening = _opening(self._ranked[old])
        named = self._names | self._asked.relatives
        return (
            bool(opening)
            and opening == _opening(self._ranked[new])
            and words.meaningful(opening).isdisjoint(named)
        )

    def _both_answer(self, old: int, new: int) -> bool:
        """Whether both hold a time, a code or a count where one is asked for, and the newer one fits as well."""
        kinds = self._read(old).values.keys() & self._read(new).values.keys()
        return (
            not VALUED.isdisjoint(self._question.kinds)
            and bool(kinds)
            and self._better(old, new) >= -_AS_WELL
            and self._cosines[old][new] >= _NOT_UNLIKE
        )

    def _tie(self, old: int, new: int, shared: frozenset[str], conflict: Conflict | None) -> float:
        older, newer = self._read(old), self._read(new)
        here, there = self._ranked[old].found, self._ranked[new].found
        return strength(
            Pair(
                older=older,
                newer=newer,
                shared=shared,
                cosine=self._cosines[old][new],
                asked=there.cosine,
                asked_older=here.cosine,
                better=self._better(old, new),
                conflict=conflict is not None,
                changed=conflict is not None and conflict.relation is Relation.REPLACES,
                slot=bool(here.slot_said and there.slot_said),
                lost=here.slot_said > there.slot_said,
                fills=min(here.slot_said, there.slot_said) > 1,
                opening=self._open_alike(old, new),
                turned=self._question.present and self._same_people(old, new),
                ended=bool(shared or (here.happening and self._one_time(old, new)))
                and (conflict is not None or self._ended(new)),
            ),
            self._asked,
            self._question.kinds,
        )

    def _one_time(self, old: int, new: int) -> bool:
        """Whether both name one day, weekday or month."""
        older, newer = self._read(old).values, self._read(new).values
        return any(
            not older[kind].isdisjoint(newer[kind]) for kind in _DATES & older.keys() & newer.keys()
        )

    def _ended(self, row: int) -> bool:
        """Whether it says in words of its own that some earlier matter is over or has changed."""
        if row not in self._endings_found:
            passage = self._ranked[row].passage
            pattern = self._endings.get(passage.language)
            self._endings_found[row] = not OF_CHANGE.isdisjoint(self._read(row).marks) or (
                pattern is not None and pattern.search(words.key(passage.text)) is not None
            )
        return self._endings_found[row]

    def _read(self, row: int) -> Reading:
        if row not in self._readings:
            passage = self._ranked[row].passage
            self._readings[row] = self._wording.read(passage.text, passage.language)
        return self._readings[row]

    def _may_stand_in(self, older: Ranked, newer: Ranked, *, known: bool) -> bool:
        """`known`: that they speak of one person was seen when the newer one was learnt."""
        return (
            newer.passage.said_at - older.passage.said_at >= _SAME_TALK
            and newer.passage.worth in {Worth.STATEMENT, Worth.CHATTER, Worth.REQUEST}
            and newer.passage.speaker == older.passage.speaker
            and (known or older.found.of_another or not newer.found.of_another)
            and (
                known
                or self._question.slot == _WE
                or not newer.found.holders.apart(older.found.holders)
            )
        )

    def _changed(self, older: Ranked, newer: Ranked) -> bool:
        """Whether the newer one was found to say that what the older one told changed."""
        found = self._between(older, newer)
        return (
            found is not None
            and found.relation is Relation.REPLACES
            and found.old.id in older.passage.fact_ids
        )

    def _between(self, older: Ranked, newer: Ranked) -> Conflict | None:
        for old_id in older.passage.fact_ids:
            for new_id in newer.passage.fact_ids:
                found = self._conflicts.get((old_id, new_id))
                if found is not None:
                    return found
        return None


def _in_a_row(conflicts: Sequence[Conflict]) -> dict[tuple[str, str], Conflict]:
    """Conflicts by the ids of older and newer fact. Where the newer fact of one is the older of another,
    the last of such a row is set against the first too: each new fact is held against the newest alone.
    """
    found = {(one.old.id, one.new.id): one for one in conflicts}
    for _ in range(_IN_A_ROW):
        found |= {
            (old, two.new.id): two
            for old, new in list(found)
            for two in conflicts
            if two.old.id == new and (old, two.new.id) not in found
        }
    return found


def _reason(tie: float, conflict: Conflict | None) -> str:
    if conflict is None:
        return f"newer on the same ({tie:+.2f})"
    return f"newer side of an open conflict ({conflict.reason}; {tie:+.2f})"


def _opening(one: Ranked) -> str:
    """The first word of an English statement that says something."""
    said = (word for word in _WORD.findall(words.key(one.passage.text)) if word not in _LEADING)
    return "" if one.passage.language == "zh" else next(said, "")
