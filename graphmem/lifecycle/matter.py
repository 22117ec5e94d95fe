"""Whether two statements are about one matter at all. Pure.

Likeness in wording is not enough: everybody lives somewhere, and every purchase costs something. Two statements
are of one matter where they are about the same somebody or something, and say a thing of it that can only be
so once. A word of change counts for what it names, and for nobody else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from graphmem.lifecycle.phrases import stem
from graphmem.lifecycle.reading import Reading
from graphmem.lifecycle.subjects import SPEAKER
from graphmem.lifecycle.wording import Wording
from graphmem.model import Fact, Kind
from graphmem.words import key, meaningful

# Of these everybody has any number, each beside the others.
TIES = frozenset(
    {"friend_of", "colleague_of", "knows", "sibling_of", "parent_of", "relative_of", "member_of"}
)
_DEALS = frozenset({"bought", "ordered", "sold", "costs"})
# What says by itself that something changed, or was wrong.
_TOLD = frozenset(
    {
        "over", "switch", "correct", "reschedule", "cancel", "ended", "ended_value", "past_of_old", "opposite",
    }
)  # fmt: skip
_NAMED_END = frozenset({"ended_value", "correct", "opposite", "instance"})
# What ties two statements together by more than a likeness and a name.
_TIED = frozenset(
    {
        "slot", "opposite", "instance", "same_relative", "ended", "ended_value", "correct", "dose", "over_back",
        "back",
    }
)  # fmt: skip
_MOVES = frozenset({"over", "switch", "reschedule", "cancel", "correct", "now"})
_DATES = frozenset({"weekday", "day", "month", "year"})
_TIMES = _DATES | {"clock"}
# Topics that colour a statement without being what it is about.
_ASIDE = frozenset({"colour", "storage", "event", "money"})
_BESIDES = frozenset({"colour", "storage"})
_OWNED = re.compile(r"['’]s\b")


@dataclass(frozen=True, slots=True)
class Matter:
    """Two statements with their readings, what they share, and the evidence found."""

    new: Fact
    old: Fact
    read_new: Reading
    read_old: Reading
    shared: frozenset[str]
    found: Mapping[str, int]
    wording: Wording

    def apart(self) -> bool:
        """True where the newer one cannot touch the older one."""
        return (
            self._other_subject()
            or self._other_thing()
            or self._one_of_many()
            or self._two_events()
            or self._two_dates()
            or self._once_and_always()
            or self._other_taste()
            or self._only_alike()
        )

    def _has(self, evidence: Collection[str]) -> bool:
        return not self.found.keys().isdisjoint(evidence)

    def _claims(self) -> bool:
        return self.new.kind is Kind.CLAIM and self.old.kind is Kind.CLAIM

    def _other_subject(self) -> bool:
        """It is about somebody else who is named, and no part is told of that passes from one to the other."""
        new, old = self.read_new, self.read_old
        if "role" in new.marks or "role" in old.marks:
            return False
        if new.terms & old.named.subject or old.terms & new.named.subject:
            return False
        if not old.named.subject:
            mine = SPEAKER in frozenset().union(*old.people)
            introduced = bool(new.named.part & old.terms)  # "we have a dog", "our dog Rex"
            stranger = bool(new.named.subject) and not introduced
            return stranger and mine and not self._has(_TOLD | {"now", "slot"})
        return new.named.other_than(old.named)

    def _other_thing(self) -> bool:
        """Claims about two things: the folding mirror and the folding kettle."""
        if not self._claims() or self.new.entity_id == self.old.entity_id:
            return False
        if "slot" in self.found or "correct" in self.found:
            return False
        if self.new.predicate in _DEALS and self.old.predicate in _DEALS:
            one = self.new.object if self.new.predicate != "costs" else self.new.entity
            other = self.old.object if self.old.predicate != "costs" else self.old.entity
            return not same_thing(one, other)
        if self.new.predicate != self.old.predicate or not self._spoken_of():
            return False
        return not same_thing(self.new.entity, self.old.entity, self.wording.dwellings)

    def _spoken_of(self) -> bool:
        """Both things are named in their sentence; else it is the speaker who is meant."""
        return all(
            key(_OWNED.split(fact.entity)[-1].strip()) in key(fact.text)
            for fact in (self.new, self.old)
        )

    def _one_of_many(self) -> bool:
        """One more friend says nothing about another one; a sale only ends what is sold."""
        if not self._claims() or self.new.entity_id != self.old.entity_id:
            return False
        pair = {self.new.predicate, self.old.predicate}
        if pair <= _DEALS and self.new.polarity == self.old.polarity:
            return not same_thing(self.new.object, self.old.object) and not self._single()
        return (
            len(pair) == 1
            and pair <= TIES
            and self.new.polarity == self.old.polarity
            and key(self.new.object) != key(self.old.object)
            and not self._has(_NAMED_END)
        )

    def _two_events(self) -> bool:
        """What was bought or seen once, and once again: each is an event of its own."""
        return (
            "done" in self.read_new.marks
            and "done" in self.read_old.marks
            and not self._has({"correct", "flip", "instance"})
            and not self._single()
        )

    def _once_and_always(self) -> bool:
        """What was done once says nothing of what holds, unless it says that something changed."""
        once = ("done" in self.read_new.marks, "done" in self.read_old.marks)
        return (
            once[0] != once[1]
            and not self._has(_TOLD | {"flip", "instance", "slot"})
            and not self._single()
        )

    def _two_dates(self) -> bool:
        """Meeting somebody on another day is another meeting, unless it is said to be moved."""
        new, old = self.read_new, self.read_old
        if not {"social"} <= new.marks.keys() | old.marks.keys():
            return False
        if not _MOVES.isdisjoint(new.marks):
            return False
        if not {"social"} <= new.marks.keys() & old.marks.keys():
            return True
        company, former = new.named.company, old.named.company
        if company and former and not company & former:
            return True
        return any(
            new.values[kind].isdisjoint(old.values[kind])
            for kind in _DATES & new.values.keys() & old.values.keys()
        )

    def _other_taste(self) -> bool:
        """To love bowling and to be allergic to walnuts is no contrary."""
        if "opposite" not in self.found or not self._tastes():
            return False
        return not self._things() and not self._has({"topic", "instance", "back", "over_back"})

    def _tastes(self) -> bool:
        """True where the contrary is one of liking alone."""
        return all(
            number == 0
            for number, side in self.read_old.sides
            if (number, 1 - side) in self.read_new.sides
        )

    def _only_alike(self) -> bool:
        """Near in meaning, and with a name in common; but not a word says that it is the same matter."""
        if self._has(_TIED | (_TOLD - _MOVES)):
            return False
        if self._has(_TOLD) and not self._elsewhere():
            return False
        topics = self.read_new.topics.keys() & self.read_old.topics.keys()
        return not (
            topics - _BESIDES or self._things() or self._same_value() or self._another_value()
        )

    def _another_value(self) -> bool:
        """Close in meaning with another value, and nobody is named: "I earn 2,900", "got my raise, 3,250"."""
        named = self.read_new.named.all | self.read_old.named.all
        return not named and self._has({"value_differs"}) and self._has({"close"})

    def _elsewhere(self) -> bool:
        """A meeting that is moved says nothing of a home, nor a home that is changed of a meeting."""
        new, old = self.read_new, self.read_old
        both_timed = _TIMES & new.values.keys() & old.values.keys()
        return (
            (not both_timed or self.old.slot is not None)
            and self.found.keys().isdisjoint({"very_close"})
            and ("event" in new.topics) != ("event" in old.topics)
            and new.topics.keys().isdisjoint(old.topics)
        )

    def _things(self) -> frozenset[str]:
        """What both speak of, but for those whom both name."""
        return self.shared - (self.read_new.named.all & self.read_old.named.all)

    def _same_value(self) -> bool:
        """A month, a code or an amount in common."""
        new, old = self.read_new.values, self.read_old.values
        return any(new[kind] & old[kind] for kind in new.keys() & old.keys())

    def _single(self) -> bool:
        """Both are about something of which one has one at a time."""
        topics = self.read_new.topics.keys() & self.read_old.topics.keys()
        return not (topics & self.wording.single).issubset(_ASIDE)


def same_thing(one: str, other: str, dwellings: Collection[str] = ()) -> bool:
    """True where two names may mean one thing: the same head, and no modifiers that tell them apart.

    `dwellings` are words that all mean somebody's home: "mum's place" is "my mother's house".
    """
    if key(one) == key(other):
        return True
    if not (one.isascii() and other.isascii()):
        new, old = meaningful(one), meaningful(other)
        return bool(new & old) or one in other or other in one
    new_words, old_words = _noun(one), _noun(other)
    if not new_words or not old_words:
        return True
    if new_words[-1] in dwellings and old_words[-1] in dwellings:
        return True
    heads = (new_words[-1] in old_words) or (old_words[-1] in new_words)
    more, less = set(new_words) - set(old_words), set(old_words) - set(new_words)
    return heads and not (more and less)


def _noun(phrase: str) -> list[str]:
    words = key(_OWNED.split(phrase)[-1]).split()
    for at, word in enumerate(words):
        if at and word in {"of", "for", "with", "at", "in", "on", "from"}:
            words = words[:at]
            break
    return [stem(word) for word in words if word not in {"a", "an", "the", "my", "our", "new"}]
