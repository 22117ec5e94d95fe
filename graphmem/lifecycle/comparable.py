"""Which pairs of facts are worth a look at all (R3.9). Pure, and cheap: it stands before nomination.

A memory holds thousands of statements, and nearly all pairs have nothing to do with each other. A note is
looked at only where it is terse, since a long chatty turn shares words with everything.
Claims are held against each other where they can be about one matter: not about different persons, and
not about different slots. Claims about different things ("thesis", "thesis hand-in") are left to their
wording: a text seldom calls a thing the same way twice.
"""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.lifecycle.matter import same_thing
from graphmem.model import Fact, Kind
from graphmem.words import key, language_of, meaningful, sentences

MOST_SENTENCES = 3
ASSERTED = 0.5
REMINDS = 0.1  # the confidence of a note that only orders a reminder: it says nothing of what holds
MOST_LETTERS = {"en": 160, "zh": 60}
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_HAN_PAIR = re.compile(r"(?=([\u4e00-\u9fff]{2}))")
_ASKS = re.compile(r"[?？]")
# What is claimed of persons: with different persons it is never the same matter.
_OF_PERSONS = frozenset(
    {
        "name_is", "age_is", "born_on", "birthday_on", "lives_in", "from_place", "moved_to", "works_at", "works_as",
        "studies_at", "studies", "owns", "drives", "has_pet", "eats", "drinks", "follows_diet", "allergic_to", "likes",
        "dislikes", "prefers", "favorite_is", "married_to", "partner_of", "relationship_status", "child_of", "parent_of",
        "sibling_of", "friend_of", "colleague_of", "reports_to", "knows", "speaks", "has_condition", "takes_medicine",
        "blood_type_is", "phone_is", "email_is", "bought", "sold", "visited", "wants", "believes", "can", "smokes",
        "scheduled_at", "attends", "plans_to", "is_a", "alias_is", "uses", "member_of", "studied_at", "plays", "collects",
    }
)  # fmt: skip

# Predicates which speak of one matter of a person: a sale of what is driven, a dish of a diet.
_FAMILIES = (
    frozenset({"owns", "drives", "bought", "sold", "uses", "ordered"}),
    frozenset({"eats", "drinks", "follows_diet"}),
    frozenset({"eats", "drinks", "allergic_to", "likes", "dislikes", "favorite_is", "prefers"}),
    frozenset({"works_at", "works_as", "reports_to"}),
    frozenset({"studies_at", "studies"}),
    frozenset({"married_to", "partner_of", "relationship_status"}),
    frozenset({"scheduled_at", "attends", "plans_to"}),
    frozenset({"has_condition", "takes_medicine", "allergic_to"}),
    frozenset({"born_on", "birthday_on", "age_is"}),
)

# What ties persons together or only visits: whatever else their sentence says, such a claim is held against
# its own kind alone ("my sister Wren moved" says nothing about my home).
_APART = frozenset(
    {
        "sibling_of", "parent_of", "child_of", "relative_of", "friend_of", "colleague_of", "knows", "alias_is", "visited",
    }
)  # fmt: skip


def comparable(new: Fact, old: Fact) -> bool:
    """True where the newer fact could have anything to say about the older one."""
    if new.kind is Kind.CLAIM and old.kind is Kind.CLAIM:
        return _claims(new, old)
    if new.kind is old.kind and new.entity_id != old.entity_id:
        return False
    if guarded(old) or (new.kind is Kind.NOTE and new.confidence <= REMINDS):
        return False
    return all(is_terse(one.text) for one in (new, old) if one.kind is Kind.NOTE)


def guarded(fact: Fact) -> bool:
    """True for a note that does not plainly assert something: hedged, quoted, hypothetical."""
    return fact.kind is Kind.NOTE and fact.confidence < ASSERTED


@lru_cache(maxsize=8192)
def is_terse(text: str) -> bool:
    """True for a statement of a sentence or three, as people tell facts, without a question in it."""
    return (
        not _ASKS.search(text)
        and len(text) <= MOST_LETTERS[language_of(text)]
        and len(sentences(text)) <= MOST_SENTENCES
    )


def _claims(new: Fact, old: Fact) -> bool:
    if new.slot is not None and old.slot is not None and new.slot != old.slot:
        return False
    one_slot = new.slot is not None and new.slot == old.slot
    if new.predicate != old.predicate and not one_slot and {new.predicate, old.predicate} & _APART:
        return False
    of_persons = new.predicate in _OF_PERSONS and old.predicate in _OF_PERSONS
    if of_persons and not one_slot and not _one_matter(new, old):
        return False
    if new.entity_id == old.entity_id:
        return True
    if _is_named(new.entity, old.text) or _is_named(old.entity, new.text):
        return True
    return not of_persons or (
        {new.predicate, old.predicate} == {"scheduled_at"} and same_thing(new.entity, old.entity)
    )


def _is_named(name: str, text: str) -> bool:
    """Whether a text has the name as a word of its own: "Eva" is not in "Geneva"; Chinese has no blanks."""
    looked, said = key(name), key(text)
    at = said.find(looked)
    while at >= 0:
        ends = said[max(0, at - 1) : at], said[at + len(looked) : at + len(looked) + 1]
        inner = looked[:1], looked[-1:]
        if not any(_is_letter(a) and _is_letter(b) for a, b in zip(ends, inner, strict=True)):
            return True
        at = said.find(looked, at + 1)
    return False


def _is_letter(char: str) -> bool:
    return char.isalnum() and not _HAN.match(char)


def _one_matter(new: Fact, old: Fact) -> bool:
    """True where two claims of a person speak of one matter: by predicate, or since the newer statement
    names what the older one claimed.
    """
    if new.predicate == old.predicate:
        return True
    if any({new.predicate, old.predicate} <= family for family in _FAMILIES):
        return True
    return bool(meaningful(old.object) & meaningful(new.text)) or any(
        pair.group(1) in new.text for pair in _HAN_PAIR.finditer(old.object)
    )
