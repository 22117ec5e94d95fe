"""How a pair of statements compares, as named pieces of evidence; graphmem.lifecycle.weights values them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from graphmem.lifecycle.reading import Reading, shared_terms
from graphmem.lifecycle.subjects import PRONOUN, SPEAKER
from graphmem.lifecycle.weights import DOUBT, SHIFT, THRESHOLD, TIE
from graphmem.lifecycle.wording import Wording

_CUES = ("over", "switch", "now", "correct", "reschedule", "cancel")
_DOUBTS = (
    "plan", "wish", "visit", "stay", "quoted", "sarcasm", "question", "add", "same", "denied", "others",
)  # fmt: skip
# What says by itself that something changed.
_CHANGES = frozenset(
    {
        "over",
        "switch",
        "over_apart",
        "switch_apart",
        "correct",
        "reschedule",
        "cancel",
        "opposite",
        "flip",
        "value_differs",
        "past_of_old",
        "ended",
        "ended_value",
    }
)
# The same without what is apart, or only looks like a change: enough for a statement that claims something else.
CLEAR_CHANGES = _CHANGES - {"over_apart", "switch_apart", "flip", "value_differs", "past_of_old"}
_ENDS = frozenset({"over", "switch"})
_DOSES = frozenset(
    {
        "n:mg",
        "n:mcg",
        "n:microgram",
        "n:毫克",
        "n:微克",
        "n:毫升",
        "n:ml",
        "n:unit",
        "n:iu",
        "n:g",
        "n:克",
    }
)
# Who is away still is: a visit says nothing against a husband.
_AWAY = frozenset({"visit", "stay", "plan"})
_KIN = frozenset({"relationship", "family", "pet"})
_MOST_WORDS, _MOST_NAMES, _MOST_NEWS = 3, 2, 4


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one pair, how often each piece is there, and what follows from it, 0 to 1.

    A pair that is not tied has no further evidence: its score is 0.
    """

    found: Mapping[str, int]
    tie: float
    shift: float
    doubt: float

    @property
    def score(self) -> float:
        """The tie, times the shift, less the doubt."""
        return self.tie * self.shift * (1 - self.doubt)


NOTHING = Evidence({}, 0.0, 0.0, 0.0)
IN_DETAIL = Evidence({"instance": 1}, 1.0, 0.6, 0.0)  # the newer one says which the older meant


@dataclass(frozen=True)
class Pair:
    """Two readings side by side.

    `cosine` is that of the two texts, `same_topic` the one at which the embedder means "same topic".
    `one_slot`: both are claims for one slot with different objects. `same_entity`: both are claims,
    so that whom they are about is known; `other_predicate`: both are claims, of different predicates. `guarded`: one is a note that was
    hedged, quoted or asked. `value`: the words of what the old one claims, where it is a claim;
    `many`: of a kind of which somebody may have many; `instance`: it is a class, of which the new one
    names an instance; `slot`: what it fills; `same_claims`: both are claims of one predicate.
    """

    new: Reading
    old: Reading
    wording: Wording
    cosine: float = 0.0
    same_topic: float = 0.60
    one_slot: bool = False
    same_entity: bool = False
    other_predicate: bool = False
    guarded: bool = False
    value: frozenset[str] = frozenset()
    many: bool = False
    instance: bool = False
    slot: str | None = None
    same_claims: bool = False

    @cached_property
    def shared(self) -> frozenset[str]:
        """Content words in common."""
        return shared_terms(self.new, self.old)

    @cached_property
    def topics(self) -> frozenset[str]:
        """Everyday topics in common."""
        return frozenset(self.new.topics.keys() & self.old.topics.keys())

    @cached_property
    def news(self) -> frozenset[str]:
        """Content words that only the new one has."""
        return self.new.terms - self.old.terms

    @cached_property
    def opposite(self) -> bool:
        """The new one takes the side opposite to the old one's."""
        new, old = self.new.sides, self.old.sides
        return any(
            (number, 1 - side) in new
            and (number, side) not in new
            and (number, 1 - side) not in old
            for number, side in old
        )

    @cached_property
    def linked(self) -> frozenset[int]:
        """The clauses of the new one that hold something of the old."""
        places = self.new.clauses_with(self.shared) if self.shared else frozenset()
        return places | {self.new.topics[topic] for topic in self.topics}

    @cached_property
    def strangers(self) -> bool:
        """True where nothing at all ties the two: the quick answer for most pairs."""
        new, old = self.new, self.old
        return not (
            self.one_slot
            or self.instance
            or self.cosine >= 0.5 * self.same_topic
            or not new.marks.keys().isdisjoint(("back", "correct"))
            or not new.topics.keys().isdisjoint(old.topics)
            or self.shared
        )

    def evidence(self) -> Evidence:
        """Everything that is found, weighed."""
        if self.strangers:
            return NOTHING
        found = {name: times for name, times in self._ties() if times}
        tie = joined(TIE, found)
        if tie < THRESHOLD:
            return Evidence(found, tie, 0.0, 0.0)
        found |= {name: times for name, times in self._shifts() if times}
        marked = any(name in SHIFT and name not in {"news", "detail"} for name in found)
        found |= {name: 1 for name, there in self._doubts(found, marked=marked) if there}
        return Evidence(found, tie, joined(SHIFT, found), joined(DOUBT, found))

    # --- tie ---------------------------------------------------------------------------------------

    def _ties(self) -> Iterator[tuple[str, int]]:
        new, old = self.new, self.old
        if self.shared:
            named = len(self.shared & (new.names | old.names))
            yield "shared", min(_MOST_WORDS, len(self.shared) - named)
            yield "shared_name", min(_MOST_NAMES, named)
        if self.topics:
            yield "topic", 1
            yield "single_topic", int(not self.topics.isdisjoint(self.wording.single))
            yield "members", int(not new.members.keys().isdisjoint(old.members))
        nearness = self.cosine / self.same_topic
        yield "near", int(nearness >= 0.5)
        yield "close", int(nearness >= 0.75)
        yield "very_close", int(nearness >= 1)
        yield "slot", int(self.one_slot)
        yield "instance", int(self.instance)
        yield from self._ended()
        near = nearness >= 0.5 or bool(self.shared or self.topics)
        yield "opposite", int(near and self.opposite)
        if "back" in new.marks:
            yield "back", 1
            yield "over_back", int(near and ("over" in new.marks or "switch" in new.marks))
        yield "dose", int(self._dosed())
        same_kinds = not new.values.keys().isdisjoint(old.values)
        yield "correct", int((near or same_kinds) and "correct" in new.marks)
        if not new.relatives.isdisjoint(old.relatives):
            relatives = (self._about(new) & self._about(old)) - {SPEAKER, PRONOUN}
            yield "same_relative", int(bool(relatives))

    def _dosed(self) -> bool:
        """Both give a dose in one unit, and speak of medicine."""
        if "medicine" not in self.topics:
            return False
        return not _DOSES.isdisjoint(self.new.values.keys() & self.old.values.keys())

    def _ended(self) -> Iterator[tuple[str, int]]:
        """A cue of an end in the very clause that names what the old one is about."""
        ends = {self.new.marks[cue].clause for cue in (*_ENDS, "cancel") if cue in self.new.marks}
        if not ends or not self.shared:
            return
        value = self.shared & self.value
        of_value = bool(value and ends & self.new.clauses_with(value))
        yield "ended_value", int(of_value)
        yield "ended", int(not of_value and bool(ends & self.new.clauses_with(self.shared)))

    # --- shift -------------------------------------------------------------------------------------

    def _shifts(self) -> Iterator[tuple[str, int]]:
        new, old = self.new, self.old
        yield from self._cues()
        yield "instance", int(self.instance)
        yield from self._ended()
        flipped = ("negation" in new.marks) != ("negation" in old.marks)
        yield "flip", int(flipped and bool(self.shared) and not new.sides & old.sides)
        yield "news", min(_MOST_NEWS, len(self.news))
        yield "detail", int(bool(old.terms) and old.terms <= self.shared and len(self.news) >= 2)
        yield "past_of_old", int(self._past_names_old())
        yield from self._values()
        yield from self._names()
        yield from self._members()

    def _cues(self) -> Iterator[tuple[str, int]]:
        """Cues of change; one in a clause that has nothing of the old counts for less."""
        new = self.new
        cues = [cue for cue in _CUES if cue in new.marks]
        if not cues:
            return
        for cue in cues:
            there = cue not in _ENDS or new.marks[cue].clause in self.linked
            yield cue if there else f"{cue}_apart", 1

    def _values(self) -> Iterator[tuple[str, int]]:
        """Whether a value of one kind differs, or else one is added."""
        new, old = self.new.values, self.old.values
        if not new:
            return
        known = frozenset().union(*old.values())
        fresh = [kind for kind, values in new.items() if values - known]
        differs = any(kind in old and not new[kind] & old[kind] for kind in fresh)
        yield "value_differs", int(differs)
        yield "value_added", int(not differs and any(kind not in old for kind in fresh))

    def _names(self) -> Iterator[tuple[str, int]]:
        fresh = self.new.names - self.shared - self.old.terms
        left = self.old.names - self.shared
        yield "name_differs", int(bool(fresh) and bool(left))
        yield "name_added", int(bool(fresh) and not left)

    def _members(self) -> Iterator[tuple[str, int]]:
        """Whether another value of a topic is named ("nurse", "chef"), or else a first one."""
        differs = added = False
        for topic, values in self.new.members.items():
            known = self.old.members.get(topic)
            differs = differs or (known is not None and known.keys().isdisjoint(values))
            added = added or (known is None and topic in self.old.topics)
        yield "member_differs", int(differs)
        yield "member_added", int(added and not differs)

    def _past_names_old(self) -> bool:
        """A past that names the old value says that it is over; any other past is a memory."""
        cue = self.new.marks.get("past")
        if cue is None or "past" in self.old.marks or not self.shared & self.old.names:
            return False
        return cue.clause in self.new.clauses_with(self.shared)

    # --- doubt -------------------------------------------------------------------------------------

    def _doubts(self, found: Mapping[str, int], *, marked: bool) -> Iterator[tuple[str, bool]]:
        new, old = self.new.marks, self.old.marks
        apart = _AWAY if "opposite" in found and not self.topics.isdisjoint(_KIN) else ()
        yield from (
            (doubt, doubt in new and doubt not in old and doubt not in apart) for doubt in _DOUBTS
        )
        remembered = "past" in new and "past" not in old and not self._past_names_old()
        yield "past", remembered and not self.one_slot
        one_of_all = "single" in old or ("single" in new and bool(self.shared))
        yield "multi", "multi" in new and "multi" in old and not one_of_all
        yield "guarded", self.guarded
        yield "other_kind", self._other_kind()
        yield "off_topic", self._off_topic(found)
        if self.one_slot:  # two values of one slot need no further sign
            return
        told = CLEAR_CHANGES.isdisjoint(found)
        same_thing = self.instance or bool(self.shared & self.value)
        yield "other_value", self.many and told and not same_thing
        yield "other_person", not self.same_entity and self._about_another()
        differs = "member_differs" in found and "single_topic" in found
        changed = differs or not _CHANGES.isdisjoint(found)
        yield "other_predicate", self.other_predicate and not changed
        yield "sibling", self._sibling()
        yield "other_event", self._other_event()
        nearness = self.cosine / self.same_topic
        yield "bare", not marked and nearness >= 0.75 and len(self.news) <= 1
        yield "restated", not marked and nearness >= 1.1
        telling = found.keys() & SHIFT.keys() - {"news", "detail", "name_added"}
        yield "addressed", "addressed" in new or "addressed" in old
        yield "plain", not telling and self.topics.isdisjoint(self.wording.single)

    def _about(self, reading: Reading) -> frozenset[str]:
        """Whom those clauses are about that the pair has in common (all of them, where none is)."""
        if len(set(reading.people)) == 1:
            return reading.people[0]
        linked = reading.clauses_with(self.shared) | {reading.topics[each] for each in self.topics}
        chosen = [people for number, people in enumerate(reading.people) if number in linked]
        return frozenset().union(*(chosen or reading.people))

    def _about_another(self) -> bool:
        """True where the two are about different people (her move says nothing of my home)."""
        new, old = self._about(self.new), self._about(self.old)
        known = old | self.old.relatives | ({PRONOUN} if self.old.relatives else set())
        strangers = new - known - {SPEAKER}
        if SPEAKER in new:
            strangers -= {PRONOUN}  # "my boss, he's called Anders"
        if "relationship" in self.topics:
            strangers -= self.wording.partners
        if "family" in self.topics and self.opposite:
            strangers = frozenset()
        if "event" in self.topics and not {"reschedule", "cancel"}.isdisjoint(self.new.marks):
            strangers = frozenset()  # whoever moves the meeting
        if strangers:
            return True
        told_of_other = bool(old) and SPEAKER not in old and new <= {SPEAKER}
        if not old.isdisjoint(self.new.relatives):
            return False
        return told_of_other and not self.shared & self.old.names

    def _other_kind(self) -> bool:
        """Things of one sort that the lexicon tells apart: a work phone and a private one."""
        for number, which in self.old.kinds:
            others = {each for group, each in self.new.kinds if group == number}
            if others and which not in others:
                return True
        return False

    def _off_topic(self, found: Mapping[str, int]) -> bool:
        """A name in common, and yet not a word of what the old one's slot is about (Leeds won)."""
        return (
            self.slot is not None
            and self.slot not in self.new.topics
            and not self.one_slot
            and not self.same_claims
            and "shared_name" in found
            and found.keys().isdisjoint({"shared", "same_relative"})
            and (_CHANGES - {"flip", "value_differs"}).isdisjoint(found)
            and "now" not in self.new.marks
        )

    def _sibling(self) -> bool:
        """The same head word, said of another thing: "Rex's lead" and "Bella's lead"."""
        new, old = self.new, self.old
        left = old.terms - new.terms
        places = [(term, -1) for term in self.shared] + [(head, 1) for head in self.wording.heads]
        return any(
            _beside(new, word, step) in self.news and _beside(old, word, step) in left
            for word, step in places
        )

    def _other_event(self) -> bool:
        """Two dates with words of their own and no word of change are two events."""
        return (
            "event" in self.topics
            and bool(self.news)
            and {"over", "switch", "reschedule", "cancel", "correct", "now"}.isdisjoint(
                self.new.marks
            )
            and bool(self.old.terms - self.shared)
            and not self.shared & (self.old.names | self.new.names)
        )


def joined(weights: Mapping[str, float], found: Mapping[str, int]) -> float:
    """The evidence of one question, joined as independent reasons."""
    against = 1.0
    for name, times in found.items():
        if name in weights:
            against *= (1 - weights[name]) ** times
    return 1 - against


def _beside(reading: Reading, word: str, step: int) -> str:
    if word not in reading.order:
        return ""
    at = reading.order.index(word) + step
    return reading.order[at] if 0 <= at < len(reading.order) else ""
