"""Which pairs of facts are worth a look at all (R3.9). Pure, and cheap: it stands before nomination.

A memory holds thousands of statements, and nearly all pairs have nothing to do with each other. Claims are
held against each other where they speak of one topic; a note only where it is terse, since a long chatty
turn shares words with everything.
"""

from __future__ import annotations

import re

from graphmem.model import Fact, Kind
from graphmem.words import language_of, meaningful, sentences

MOST_SENTENCES = 3
ASSERTED = 0.5
MOST_LETTERS = {"en": 160, "zh": 60}
_ASKS = re.compile(r"[?？]")
_OWNING = frozenset({"owns", "drives", "bought", "sold", "has_pet", "uses", "ordered"})
_EATING = frozenset({"eats", "drinks", "follows_diet", "allergic_to", "likes", "dislikes"})
_FAMILIES = (_OWNING, _EATING)


def comparable(new: Fact, old: Fact) -> bool:
    """True where the newer fact could have anything to say about the older one."""
    if new.kind is Kind.CLAIM and old.kind is Kind.CLAIM:
        return new.entity_id == old.entity_id and _one_topic(new, old)
    if new.kind is old.kind and new.entity_id != old.entity_id:
        return False
    return all(
        one.confidence >= ASSERTED and is_terse(one.text)
        for one in (new, old)
        if one.kind is Kind.NOTE
    )


def is_terse(text: str) -> bool:
    """True for a statement of a sentence or three, as people tell facts, without a question in it."""
    return (
        not _ASKS.search(text)
        and len(text) <= MOST_LETTERS[language_of(text)]
        and len(sentences(text)) <= MOST_SENTENCES
    )


def _one_topic(new: Fact, old: Fact) -> bool:
    if new.predicate == old.predicate or (new.slot is not None and new.slot == old.slot):
        return True
    if any(new.predicate in family and old.predicate in family for family in _FAMILIES):
        return True
    return bool(meaningful(new.object) & meaningful(old.object))
