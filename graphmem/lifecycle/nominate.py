"""Nomination (R3.2): which older facts a new one may replace. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.comparable import comparable, guarded, is_terse
from graphmem.lifecycle.detail import names_instance, same_value, tells_more
from graphmem.lifecycle.evidence import CLEAR_CHANGES, IN_DETAIL, Evidence, Pair
from graphmem.lifecycle.matter import Matter
from graphmem.lifecycle.reading import Reading, read, shared_terms
from graphmem.lifecycle.weights import THRESHOLD
from graphmem.lifecycle.wording import DENIABLE, wording_of
from graphmem.model import Fact, Kind, State
from graphmem.words import meaningful

_OPEN = frozenset({State.CURRENT, State.UNSURE})
# What shows that the new one speaks of this very claim.
_NAMED = frozenset({"ended_value", "slot", "instance"})
# What one has many of, each beside the others.
_TASTES = frozenset(
    {
        "likes", "dislikes", "prefers", "wants", "visited", "bought", "knows", "plays", "believes", "collects",
        "member_of", "recommended", "attends", "plans_to", "has_condition",
    }
)  # fmt: skip
# The everyday topic of claims that fill no slot.
_TOPICS = {
    "has_pet": "pet",
    "takes_medicine": "medicine",
    "allergic_to": "health",
    "has_condition": "health",
    "scheduled_at": "event",
    "sibling_of": "family",
    "parent_of": "family",
    "smokes": "smoking",
    "speaks": "language",
    "plays": "music",
}


@dataclass(frozen=True, slots=True)
class Nomination:
    """An older fact that the new one may replace: why, and how strongly (0 to 1)."""

    old: Fact
    because: tuple[str, ...]
    score: float
    evidence: Evidence


def nominate(
    new: Fact,
    olds: Sequence[Fact],
    *,
    lexicon: Lexicon,
    similar: Mapping[str, float],
    same_topic: float = 0.60,
    clear_only: bool = False,
) -> tuple[Nomination, ...]:
    """The older facts that `new` may replace, strongest first.

    `similar` holds the cosine to an older fact's text by fact id, where it is known; `same_topic` is
    the cosine at which the embedder means "same topic". Only facts which were held when the new one
    was said are nominated (see `nominable`); claims about another person never are (R3.9).
    `clear_only`: only those of which the wording says clearly that they changed.
    """
    found: list[Nomination] = []
    for old in olds:
        if not nominable(new, old, lexicon):
            continue
        claims = _claims(new, old)
        if claims and tells_more(new, old, lexicon):
            if "add" not in read(new.text, new.language, lexicon).marks:
                found.append(Nomination(old, tuple(IN_DETAIL.found), IN_DETAIL.score, IN_DETAIL))
            continue
        if not comparable(new, old) or (claims and _said_otherwise(new, old, lexicon)):
            continue
        evidence = evidence_of(
            new, old, lexicon, cosine=similar.get(old.id, 0.0), same_topic=same_topic
        )
        if evidence.score >= THRESHOLD and matter(new, old, evidence, lexicon).apart():
            continue
        if clear_only and CLEAR_CHANGES.isdisjoint(evidence.found):
            continue
        if evidence.score >= THRESHOLD:
            found.append(Nomination(old, tuple(evidence.found), evidence.score, evidence))
    return tuple(sorted(_meant(found), key=lambda each: (-each.score, each.old.n, each.old.id)))


def _meant(found: Sequence[Nomination]) -> list[Nomination]:
    """Of several claims of one statement those that the new one names, where it names some: a new dose
    says nothing against the illness.
    """
    named = {each.old.sources for each in found if not _NAMED.isdisjoint(each.evidence.found)}
    return [
        each
        for each in found
        if each.old.sources not in named or not _NAMED.isdisjoint(each.evidence.found)
    ]


def nominable(new: Fact, old: Fact, lexicon: Lexicon) -> bool:
    """True where `old` was held when `new` was said: current or unsure, or expired only later.

    So a meeting of 2023 that was moved in 2023 is one chain, also when both are read in today. What comes
    round every week has not passed with its next time.
    """
    if old.id == new.id or old.said_at > new.said_at:
        return False
    if old.state is State.EXPIRED:
        said = read(old.text, old.language, lexicon)
        comes_round = "repeats" in said.marks or len(said.values.get("weekday", ())) > 1
        if old.tense != "past" and comes_round:
            return True
        ends = [end for end in (old.expires_at, old.happens_at, old.valid_to) if end is not None]
        return bool(ends) and max(end.end for end in ends) > new.said_at
    return old.state in _OPEN


def says_change(statement: Fact, lexicon: Lexicon, *, sides: bool = False) -> bool:
    """True for a terse note with a word of change in it, plainly said: it may end what its claims do not.
    `sides`: a side taken in an everyday contrary is enough (a sister, where there were no siblings).
    """
    reading = read(statement.text, statement.language, lexicon)
    changes = not reading.marks.keys().isdisjoint((*DENIABLE, "correct"))
    return (
        (changes or (sides and bool(reading.sides)))
        and not guarded(statement)
        and is_terse(statement.text)
    )


def topics_of(statement: Fact, lexicon: Lexicon) -> frozenset[str]:
    """The everyday topics that a statement speaks of; some are the names of slots."""
    return frozenset(read(statement.text, statement.language, lexicon).topics)


def evidence_of(
    new: Fact, old: Fact, lexicon: Lexicon, *, cosine: float, same_topic: float
) -> Evidence:
    """The evidence of two facts: that of their wording, and what is known of claims."""
    claims = _claims(new, old)
    one_place = claims and _one_place(new, old, lexicon)
    return Pair(
        read(new.text, new.language, lexicon),
        _with_topic(read(old.text, old.language, lexicon), old),
        wording_of(lexicon, new.language),
        cosine=cosine,
        same_topic=same_topic,
        one_slot=one_place,
        same_entity=claims and new.entity_id == old.entity_id,
        guarded=guarded(new) or guarded(old),
        other_predicate=claims and new.predicate != old.predicate and not one_place,
        value=meaningful(old.object, old.language) if old.kind is Kind.CLAIM else frozenset(),
        many=old.predicate in _TASTES,
        slot=old.slot,
        same_claims=claims and new.predicate == old.predicate,
        instance=old.kind is Kind.CLAIM
        and bool(old.object)
        and bool(names_instance(new.text, old.object, lexicon)),
    ).evidence()


def matter(new: Fact, old: Fact, evidence: Evidence, lexicon: Lexicon) -> Matter:
    """The two facts as seen by the question whether they are about one matter."""
    read_new = read(new.text, new.language, lexicon)
    read_old = _with_topic(read(old.text, old.language, lexicon), old)
    return Matter(
        new=new,
        old=old,
        read_new=read_new,
        read_old=read_old,
        shared=shared_terms(read_new, read_old),
        found=evidence.found,
        wording=wording_of(lexicon, new.language),
    )


def _with_topic(reading: Reading, fact: Fact) -> Reading:
    """The reading of a claim; its slot is its topic, in whatever words it was said."""
    topic = fact.slot or _TOPICS.get(fact.predicate)
    if topic is None or topic in reading.topics:
        return reading
    return replace(reading, topics=MappingProxyType({**reading.topics, topic: 0}))


def _said_otherwise(new: Fact, old: Fact, lexicon: Lexicon) -> bool:
    """True for one name written in two ways, where nothing is corrected."""
    same = (new.entity_id, new.predicate, new.polarity) == (
        old.entity_id,
        old.predicate,
        old.polarity,
    )
    return (
        same
        and same_value(new.object, old.object, lexicon)
        and "correct" not in read(new.text, new.language, lexicon).marks
    )


def _claims(new: Fact, old: Fact) -> bool:
    return new.kind is Kind.CLAIM and old.kind is Kind.CLAIM


def _one_place(new: Fact, old: Fact, lexicon: Lexicon) -> bool:
    """True for claims which fill one slot, or have one predicate that takes one value, differently,
    and for a claim and its denial.
    """
    if new.tense == "past" or new.entity_id != old.entity_id:
        return False
    if new.polarity != old.polarity:
        shared = meaningful(new.object) & meaningful(old.object)
        return new.predicate == old.predicate and bool(shared)
    if new.object == old.object:
        return False
    if new.slot is not None and new.slot == old.slot:
        return True
    return new.predicate == old.predicate and new.predicate in _single_predicates(lexicon)


def is_single(predicate: str, lexicon: Lexicon) -> bool:
    """True for a predicate that takes one value at a time."""
    return predicate in _single_predicates(lexicon)


@lru_cache(maxsize=8)
def _single_predicates(lexicon: Lexicon) -> frozenset[str]:
    table = lexicon.table("predicates")
    return frozenset(name for name, row in table.items() if row.get("single"))
