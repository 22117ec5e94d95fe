"""The verdict by rules (R3.3): how a new fact stands to one that it nominated. Pure.

Rules alone never retire a fact: the strongest outcome is a review by the owner.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.merge import same_claim
from graphmem.lifecycle.nominate import Nomination
from graphmem.lifecycle.reading import read
from graphmem.model import Fact, Relation

_REVIEWED = frozenset({Relation.REPLACES, Relation.CONTRADICTS, Relation.REFINES})
_CHANGE = ("over", "switch", "reschedule", "cancel")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The relation of new to old; whether the owner is asked; the cue, a reason in plain words."""

    relation: Relation
    cue: str
    reason: str
    confidence: float

    @property
    def review(self) -> bool:
        """True where the owner is to be asked."""
        return self.relation in _REVIEWED


def verdict(new: Fact, old: Fact, nomination: Nomination | None, *, lexicon: Lexicon) -> Verdict:
    """Judge a pair from the wording; without a nomination the two simply stand side by side."""
    if same_claim(new, old, lexicon):
        return Verdict(Relation.DUPLICATE, "", "it says the same in other words", 0.95)
    if nomination is None:
        return Verdict(Relation.COMPATIBLE, "", "nothing says that one ends the other", 0.6)
    marks = read(new.text, new.language, lexicon).marks
    found = nomination.evidence.found
    confidence = round(nomination.score, 3)
    named = ("correct", *_CHANGE)
    cue = next((marks[name].phrase for name in named if found.get(name) and name in marks), "")
    if found.get("correct"):
        reason = f"it corrects what was said before ({cue})"
        return Verdict(Relation.REPLACES, cue, reason, confidence)
    if any(found.get(name) for name in _CHANGE):
        reason = f"it says that something changed ({cue})"
        return Verdict(Relation.REPLACES, cue, reason, confidence)
    if any(found.get(name) for name in ("opposite", "flip", "value_differs", "slot")):
        return Verdict(Relation.CONTRADICTS, "", "both can hardly be true at once", confidence)
    if found.get("instance"):
        return Verdict(Relation.REFINES, "", "it says which one was meant", confidence)
    if found.get("value_added") or found.get("shared"):
        return Verdict(Relation.REFINES, "", "it tells the same in more detail", confidence)
    return Verdict(Relation.CONTRADICTS, "", "it speaks of the same topic", confidence)
