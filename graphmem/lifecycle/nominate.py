"""Nomination (R3.2): which older facts a new one may replace. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.comparable import comparable, guarded
from graphmem.lifecycle.evidence import Evidence, Pair
from graphmem.lifecycle.reading import read
from graphmem.lifecycle.weights import THRESHOLD
from graphmem.lifecycle.wording import wording_of
from graphmem.model import Fact, Kind, State
from graphmem.words import meaningful

_OPEN = frozenset({State.CURRENT, State.UNSURE})


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
) -> tuple[Nomination, ...]:
    """The older facts that `new` may replace, strongest first.

    `similar` holds the cosine to an older fact's text by fact id, where it is known; `same_topic` is
    the cosine at which the embedder means "same topic". Only facts which were held when the new one
    was said are nominated (see `nominable`); claims about another person never are (R3.9).
    """
    found: list[Nomination] = []
    for old in olds:
        if not nominable(new, old) or not comparable(new, old):
            continue
        evidence = evidence_of(
            new, old, lexicon, cosine=similar.get(old.id, 0.0), same_topic=same_topic
        )
        if evidence.score >= THRESHOLD:
            found.append(Nomination(old, tuple(evidence.found), evidence.score, evidence))
    return tuple(sorted(found, key=lambda each: (-each.score, each.old.n, each.old.id)))


def nominable(new: Fact, old: Fact) -> bool:
    """True where `old` was held when `new` was said: current or unsure, or expired only later.

    So a meeting of 2023 that was moved in 2023 is one chain, also when both are read in today.
    """
    if old.id == new.id or old.said_at > new.said_at:
        return False
    if old.state is State.EXPIRED:
        ends = [end for end in (old.expires_at, old.happens_at, old.valid_to) if end is not None]
        return bool(ends) and max(end.end for end in ends) > new.said_at
    return old.state in _OPEN


def evidence_of(
    new: Fact, old: Fact, lexicon: Lexicon, *, cosine: float, same_topic: float
) -> Evidence:
    """The evidence of two facts: that of their wording, and what is known of claims."""
    claims = _claims(new, old)
    one_place = claims and _one_place(new, old, lexicon)
    return Pair(
        read(new.text, new.language, lexicon),
        read(old.text, old.language, lexicon),
        wording_of(lexicon, new.language),
        cosine=cosine,
        same_topic=same_topic,
        one_slot=one_place,
        same_entity=claims and new.entity_id == old.entity_id,
        guarded=guarded(new) or guarded(old),
        other_predicate=claims and new.predicate != old.predicate and not one_place,
    ).evidence()


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


@lru_cache(maxsize=8)
def _single_predicates(lexicon: Lexicon) -> frozenset[str]:
    table = lexicon.table("predicates")
    return frozenset(name for name, row in table.items() if row.get("single"))
