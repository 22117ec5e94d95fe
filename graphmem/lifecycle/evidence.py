"""How a pair of statements compares, as named pieces of evidence, and what each is worth.

Three questions are asked, each answered by its own evidence:

- tie: do the two speak of the same thing?
- shift: does the new one set itself apart from the old (a change, a contrary, a detail)?
- doubt: does something say that nothing changed (a plan, a visit, another person)?

Every piece of evidence has a probability of its own, and the pieces of a question are joined as
independent reasons: 1 - (1 - p1)(1 - p2)... The score is tie x shift x (1 - doubt), 0 to 1. How the
probabilities were set is told in docs/decisions/nomination.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from graphmem.lifecycle.reading import Reading, shared_terms
from graphmem.lifecycle.subjects import PRONOUN, SPEAKER
from graphmem.lifecycle.wording import Wording

# What ties the two together. A count in the comment: the evidence may be there several times.
TIE: Mapping[str, float] = MappingProxyType(
    {
        "shared": 0.20,  # a content word in common (up to 3)
        "shared_name": 0.20,  # a proper name in common (up to 2)
        "topic": 0.30,  # an everyday topic in common
        "single_topic": 0.45,  # that topic takes one value at a time
        "members": 0.25,  # both name a value of one topic ("nurse", "chef")
        "near": 0.50,  # the cosine is half of that which means "same topic"
        "close": 0.50,  # three quarters of it
        "very_close": 0.55,  # all of it
        "slot": 0.90,  # claims that fill one slot, or of one predicate with a single value
        "same_relative": 0.35,  # both are about the same other person
        "opposite": 0.60,
        "back": 0.10,  # the new one points back with a pronoun
        "correct": 0.35,
        "over_back": 0.35,  # "it", "him" with a cue of an end
    }
)
# What sets the new one apart.
SHIFT: Mapping[str, float] = MappingProxyType(
    {
        "over": 0.75,
        "switch": 0.65,
        "now": 0.40,
        "correct": 0.85,
        "reschedule": 0.45,
        "cancel": 0.40,
        "opposite": 0.80,
        "flip": 0.35,  # one of the two is negated
        "value_differs": 0.60,  # a number, date or code of one kind is another
        "value_added": 0.55,
        "name_added": 0.25,
        "name_differs": 0.40,
        "member_differs": 0.75,
        "member_added": 0.30,
        "past_of_old": 0.70,  # the new one speaks of the old value as past
        "detail": 0.15,  # it says all that the old says, and more
        "news": 0.15,  # a new content word (up to 4)
        "slot": 0.60,
    }
)
# What says that nothing changed.
DOUBT: Mapping[str, float] = MappingProxyType(
    {
        "other_person": 0.95,
        "plan": 0.70,
        "wish": 0.85,
        "visit": 0.60,
        "stay": 0.55,
        "past": 0.80,
        "quoted": 0.55,
        "sarcasm": 0.85,
        "question": 0.80,
        "add": 0.75,
        "same": 0.65,
        "multi": 0.30,
        "denied": 0.75,
        "others": 0.60,  # done for somebody else
        "other_event": 0.50,  # another meeting, another party
        "sibling": 0.50,  # the same head word, said of another thing
        "bare": 0.65,  # close in meaning, and hardly a word in it is new
        "restated": 0.35,  # closer than that, and no value, name or cue is new
    }
)
THRESHOLD = 0.35

_CUES = ("over", "switch", "now", "correct", "reschedule", "cancel")
_DOUBTS = (
    "plan",
    "wish",
    "visit",
    "stay",
    "quoted",
    "sarcasm",
    "question",
    "add",
    "same",
    "denied",
    "others",
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one pair: how often each piece is there, and the three answers, 0 to 1."""

    found: Mapping[str, int]

    @property
    def tie(self) -> float:
        """How sure it is that both speak of the same thing."""
        return _joined(TIE, self.found)

    @property
    def shift(self) -> float:
        """How sure it is that the new one sets itself apart."""
        return _joined(SHIFT, self.found)

    @property
    def doubt(self) -> float:
        """How sure it is that nothing changed."""
        return _joined(DOUBT, self.found)

    @property
    def score(self) -> float:
        """Tie x shift x (1 - doubt)."""
        return self.tie * self.shift * (1 - self.doubt)


def _joined(weights: Mapping[str, float], found: Mapping[str, int]) -> float:
    against = 1.0
    for name, times in found.items():
        if name in weights:
            against *= (1 - weights[name]) ** times
    return 1 - against


def compare(
    new: Reading,
    old: Reading,
    wording: Wording,
    *,
    cosine: float = 0.0,
    same_topic: float = 0.60,
    one_slot: bool = False,
    same_entity: bool = False,
) -> Evidence:
    """The evidence of a pair.

    `cosine` is that of the two texts; `one_slot`: both are claims for one slot with different
    objects; `same_entity`: both are claims, so that whom they are about is known.
    """
    shared = shared_terms(new, old)
    topics = frozenset(new.topics) & frozenset(old.topics)
    found = {
        "shared": min(3, len(shared - new.names - old.names)),
        "shared_name": min(2, len(shared & (new.names | old.names))),
        "topic": int(bool(topics)),
        "single_topic": int(bool(topics & wording.single)),
        "members": int(any(name in old.members for name in new.members)),
        "near": int(cosine >= 0.5 * same_topic),
        "close": int(cosine >= 0.75 * same_topic),
        "very_close": int(cosine >= same_topic),
        "slot": int(one_slot),
        "opposite": int(takes_other_side(new, old)),
        "back": int("back" in new.marks),
        "over_back": int("back" in new.marks and bool({"over", "switch"} & set(new.marks))),
    }
    found.update((cue, int(cue in new.marks)) for cue in _CUES)
    found.update((doubt, int(doubt in new.marks and doubt not in old.marks)) for doubt in _DOUBTS)
    found.update(_values(new, old))
    found.update(_names_and_members(new, old, shared))
    found.update(_past(new, old, shared))
    found.update(_people(new, old, wording, shared, topics, same_entity=same_entity))
    found["flip"] = int(
        ("negation" in new.marks) != ("negation" in old.marks)
        and bool(shared)
        and not new.sides & old.sides
    )
    found["multi"] = int(
        "multi" in new.marks and "multi" in old.marks and "single" not in old.marks
    )
    found["sibling"] = int(_sibling(new, old, shared, wording))
    found["news"] = min(4, len(_news(new, old)))
    found["detail"] = int(bool(old.terms) and old.terms <= shared and found["news"] >= 2)
    marked = any(found.get(name) for name in SHIFT if name not in {"news", "detail"})
    found["bare"] = int(cosine >= 0.75 * same_topic and not marked and found["news"] <= 1)
    found["restated"] = int(cosine >= 1.1 * same_topic and not marked)
    found["other_event"] = int(_other_event(new, old, shared, topics))
    return Evidence(MappingProxyType({name: times for name, times in found.items() if times}))


def takes_other_side(new: Reading, old: Reading) -> bool:
    """True where the new statement takes the side opposite to the old one's."""
    return any(
        (number, 1 - side) in new.sides
        and (number, side) not in new.sides
        and (number, 1 - side) not in old.sides
        for number, side in old.sides
    )


def _values(new: Reading, old: Reading) -> Iterator[tuple[str, int]]:
    """Whether a value of one kind differs, and whether the new statement adds one."""
    known = frozenset().union(*old.values.values()) if old.values else frozenset()
    fresh = {kind: values - known for kind, values in new.values.items() if values - known}
    differs = any(kind in old.values and not new.values[kind] & old.values[kind] for kind in fresh)
    yield "value_differs", int(differs)
    yield "value_added", int(not differs and any(kind not in old.values for kind in fresh))


def _names_and_members(
    new: Reading, old: Reading, shared: frozenset[str]
) -> Iterator[tuple[str, int]]:
    fresh = new.names - shared - old.terms
    yield "name_differs", int(bool(fresh) and bool(old.names - shared))
    yield "name_added", int(bool(fresh) and not old.names - shared)
    differs = added = False
    for topic, values in new.members.items():
        known = old.members.get(topic, {})
        differs = differs or (bool(known) and not set(known) & set(values))
        added = added or (not known and topic in old.topics)
    yield "member_differs", int(differs)
    yield "member_added", int(added and not differs)


def _past(new: Reading, old: Reading, shared: frozenset[str]) -> Iterator[tuple[str, int]]:
    """A past that names the old value says that it is over; any other past is a memory."""
    cue = new.marks.get("past")
    if cue is None or "past" in old.marks:
        return
    of_old = cue.clause in new.clauses_with(shared & (old.names | old.terms)) and bool(
        shared & old.names
    )
    yield ("past_of_old", 1) if of_old else ("past", 1)


def _people(
    new: Reading,
    old: Reading,
    wording: Wording,
    shared: frozenset[str],
    topics: frozenset[str],
    *,
    same_entity: bool,
) -> Iterator[tuple[str, int]]:
    ones = _about(new, shared, topics)
    others = _about(old, shared, topics)
    yield "same_relative", int(bool((ones & others) - {SPEAKER, PRONOUN}))
    known = others | old.relatives | ({PRONOUN} if old.relatives else set())
    strangers = ones - known - {SPEAKER}
    if "relationship" in topics:
        strangers -= wording.partners
    if "family" in topics and takes_other_side(new, old):
        strangers = frozenset()
    if "event" in topics and {"reschedule", "cancel"} & set(new.marks):
        strangers = frozenset()  # whoever moves the meeting
    told_of_other = bool(others) and SPEAKER not in others and ones == {SPEAKER}
    other = bool(strangers) or (told_of_other and not shared & old.names)
    yield "other_person", int(other and not same_entity)


def _about(reading: Reading, shared: frozenset[str], topics: frozenset[str]) -> frozenset[str]:
    """Whom the clauses are about that the pair has in common (all of them, where none is)."""
    linked = set(reading.clauses_with(shared))
    linked |= {reading.topics[topic] for topic in topics}
    chosen = [people for number, people in enumerate(reading.people) if number in linked]
    return frozenset().union(*(chosen or reading.people))


def _sibling(new: Reading, old: Reading, shared: frozenset[str], wording: Wording) -> bool:
    """The same head word with other qualifiers: "Netflix password" and "Spotify password"."""
    for term in shared:
        before_new, before_old = _beside(new, term, -1), _beside(old, term, -1)
        if before_new in new.terms - old.terms and before_old in old.terms - new.terms:
            return True
    for number, which in old.kinds:
        others = {each for group, each in new.kinds if group == number}
        if others and which not in others:
            return True
    for head in wording.heads:
        after_new, after_old = _beside(new, head, 1), _beside(old, head, 1)
        if after_new in new.terms - old.terms and after_old in old.terms - new.terms:
            return True
    return False


def _other_event(
    new: Reading, old: Reading, shared: frozenset[str], topics: frozenset[str]
) -> bool:
    """Two dates with words of their own and no word of change are two events."""
    changed = {"over", "switch", "reschedule", "cancel", "correct", "now"} & set(new.marks)
    return (
        "event" in topics
        and not changed
        and bool(_news(new, old))
        and bool(old.terms - shared)
        and not shared & (old.names | new.names)
    )


def _beside(reading: Reading, word: str, step: int) -> str:
    if word not in reading.order:
        return ""
    at = reading.order.index(word) + step
    return reading.order[at] if 0 <= at < len(reading.order) else ""


def _news(new: Reading, old: Reading) -> frozenset[str]:
    return frozenset(term for term in new.terms - old.terms if not term.isdigit())
