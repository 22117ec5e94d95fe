"""Texts and facts without their secrets. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.model import Fact, Snapshot
from graphmem.secrecy.finding import MASK, Secret, shipped

TOLD_BY = frozenset({"password_is"})  # predicates whose object is the secret


def masked(text: str, secrets: Iterable[Secret]) -> str:
    """`text` with a mask in the place of each secret."""
    parts, at = [], 0
    for one in sorted(secrets, key=lambda one: one.start):
        parts += [text[at : one.start], MASK]
        at = one.end
    return "".join([*parts, text[at:]])


def without_values(text: str, values: Iterable[str]) -> str:
    """`text` with these values masked wherever they stand."""
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, MASK) if value else text
    return text


def without_secrets(text: str, values: Iterable[str] = ()) -> str:
    """`text` with every secret in it masked, and these values too."""
    text = without_values(text, values)
    return masked(text, shipped().find(text))


def values_in(text: str, *, shared: bool = True) -> frozenset[str]:
    """The secrets of a text as they stand in it; without those that people share, where told so."""
    return frozenset(
        text[one.start : one.end] for one in shipped().find(text) if shared or not one.shared
    )


def values_of(fact: Fact) -> frozenset[str]:
    """The secrets that a fact's sentence holds."""
    told = {fact.object} if fact.predicate in TOLD_BY and fact.object else set[str]()
    return values_in(fact.text) | told


def is_secret(text: str, object_: str, predicate: str) -> bool:
    """Whether what a sentence says of something is the secret itself."""
    if not object_:
        return False
    return predicate in TOLD_BY or any(one in object_ or object_ in one for one in values_in(text))


def shown_text(fact: Fact) -> str:
    """A fact's sentence for a listing: a sensitive one has its secrets masked, or all of it."""
    if not fact.sensitive:
        return fact.text
    values = values_of(fact)
    return without_secrets(fact.text, values) if values else MASK


def shown_object(fact: Fact) -> str:
    """A fact's object for a listing."""
    if not fact.sensitive or not fact.object:
        return fact.object
    if values_of(fact) and not is_secret(fact.text, fact.object, fact.predicate):
        return fact.object
    return MASK


def shown_words(snapshot: Snapshot) -> str:
    """A statement's text for a listing."""
    return MASK if snapshot.sensitive else snapshot.text
