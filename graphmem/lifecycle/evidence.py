"""How a pair of statements compares, as named features, and what each is worth.

The score is a sum of weights, read as log-odds that a careful person would want to see the pair: above 0
it is nominated. Features are 0 or 1 unless their comment says otherwise; the weights are round numbers
which say how much each observation shifts the odds. They were set on hand-written pairs of both
languages; see docs/decisions/nomination.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from graphmem.lifecycle.wording import PRONOUN, SPEAKER, Reading, Wording

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "always": -3.6,
        # what ties the two together
        "shared": 1.0,  # 0..3: shared content words, names count double
        "topic": 0.7,  # a topic in common
        "single_topic": 0.6,  # that topic takes one value
        "cosine": 4.0,  # 0..1: how far the cosine is above "unrelated", relative to "same topic"
        "slot": 1.5,  # claims that fill the same slot, or of one single-valued predicate
        # what sets the new apart from the old
        "over": 0.9,
        "switch": 0.7,
        "now": 0.2,
        "correct": 1.6,
        "reschedule": 0.8,
        "cancel": 0.6,
        "opposite": 1.6,
        "flip": 0.9,
        "value_differs": 1.6,
        "value_added": 0.6,
        "name_differs": 0.4,
        "back": 0.3,
        # what speaks against a change
        "other_person": -4.0,
        "plan": -2.2,
        "wish": -3.0,
        "visit": -2.2,
        "stay": -2.4,
        "past": -2.0,
        "quoted": -1.2,
        "sarcasm": -2.0,
        "question": -2.0,
        "add": -1.6,
        "same": -1.5,
        "multi": -0.9,
        "nothing_new": -2.5,  # the new statement says nothing that the old does not
    }
)

_DOUBTS = ("plan", "wish", "visit", "stay", "past", "quoted", "sarcasm", "question", "add", "same")
_CUES = ("over", "switch", "now", "correct", "reschedule", "cancel")


def compare(
    new: Reading, old: Reading, wording: Wording, *, cosine: float, same_topic: float
) -> dict[str, float]:
    """The features of a pair that are not 0, by the names in WEIGHTS."""
    shared = new.terms & old.terms
    names = shared & (new.names | old.names)
    topics = new.topics & old.topics
    features = {
        "always": 1.0,
        "shared": min(3.0, len(shared) + len(names)),
        "topic": float(bool(topics)),
        "single_topic": float(bool(topics & wording.single)),
        "cosine": max(0.0, (cosine - 0.25) / same_topic),
    }
    for cue in _CUES:
        features[cue] = float(cue in new.marks)
    for doubt in _DOUBTS:
        features[doubt] = float(doubt in new.marks and doubt not in old.marks)
    features["multi"] = float(
        "multi" in new.marks and "multi" in old.marks and "single" not in new.marks
    )
    features["back"] = float("back" in new.marks)
    features["flip"] = float(("negation" in new.marks) != ("negation" in old.marks))
    features["opposite"] = float(takes_other_side(new, old))
    features["other_person"] = float(not same_people(new, old, wording))
    differs, added = _values(new, old)
    features["value_differs"] = float(differs)
    features["value_added"] = float(added)
    features["name_differs"] = float(bool(new.names - old.terms) and bool(old.names - new.terms))
    features["nothing_new"] = float(not (new.terms - old.terms) and not differs and not added)
    return {name: value for name, value in features.items() if value}


def total(features: Mapping[str, float]) -> float:
    """The sum of the weights of the features, in log-odds."""
    return sum(WEIGHTS[name] * value for name, value in features.items())


def takes_other_side(new: Reading, old: Reading) -> bool:
    """True where the new statement takes the side opposite to the old one's."""
    return any(
        (number, 1 - side) in new.sides
        and (number, side) not in new.sides
        and (number, 1 - side) not in old.sides
        for number, side in old.sides
    )


def same_people(new: Reading, old: Reading, wording: Wording) -> bool:
    """False where the two are about different people (her move says nothing of my home)."""
    if new.people & old.people:
        return True
    others_new = new.people - {SPEAKER}
    others_old = old.people - {SPEAKER}
    if (PRONOUN in others_new and others_old) or (PRONOUN in others_old and others_new):
        return True
    # The speaker's marriage is about wife or husband too.
    return "relationship" in new.topics & old.topics and bool(
        (others_new | others_old) & wording.partners
    )


def _values(new: Reading, old: Reading) -> tuple[bool, bool]:
    """Whether a value of one kind differs, and whether the new statement adds one."""
    differs = any(
        not values & old.values[kind] for kind, values in new.values.items() if kind in old.values
    )
    added = any(kind not in old.values for kind in new.values)
    return differs, added
