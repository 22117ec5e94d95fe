"""Who is related to whom: "my wife Mei", "Stefan (my brother)", "our dog Rex"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphmem.protocols import AliasCandidate
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.whose import Named, shown


def introduce(reading: Reading, tokens: Iterable[Any]) -> None:
    """Add a relation for every relative or pet that is named among `tokens`."""
    for token in tokens:
        if token.pos_ not in {"NOUN", "PROPN", "X", "ADJ"} or not _may_relate(reading, token):
            continue
        named = reading.namer.name(token)
        if named is None or not named.role:
            continue
        canonical(reading, named)
        if named.given:
            relate(reading, named, rule="kin.apposition", confidence=0.93)


def _may_relate(reading: Reading, token: Any) -> bool:
    namer = reading.namer
    if namer.kin_word(token) or namer.animal(token):
        return True
    return any(
        child.dep_ in {"appos", "compound", "amod"}
        and (namer.kin_word(child) or namer.animal(child))
        for child in token.children
    )


def relate(reading: Reading, named: Named, *, rule: str, confidence: float) -> None:
    """State the relation between the owner and the one who is named, and that the names are one."""
    vocabulary = reading.vocabulary
    owner = Named(named.owner, "person", speaker=named.owner_is_speaker)
    if named.role in vocabulary.kin:
        entry = vocabulary.kin[named.role]
        predicate = entry["predicate"]
        if predicate == "name_is" and rule == "kin.apposition":
            reading.add(Named(named.given, "person"), "is_a", named.role_name, rule=rule, confidence=confidence, kind="topic")  # fmt: skip
        elif predicate == "name_is":
            role = Named(named.role_name, "person")
            reading.add(role, "name_is", named.given, rule=rule, confidence=confidence, kind="name")
        else:
            reading.add(owner, predicate, named.given, rule=rule, confidence=confidence, kind="person", important=bool(entry.get("family")))  # fmt: skip
    elif vocabulary.is_a(named.role, "animals"):
        reading.add(owner, "has_pet", named.given, rule=rule, confidence=confidence, kind="animal")
        reading.add(Named(named.given, "animal"), "is_a", named.role, rule=rule, confidence=confidence * 0.95, kind="topic")  # fmt: skip
    reading.aliases.append(AliasCandidate(named.role_name, named.given))


def canonical(reading: Reading, named: Named) -> None:
    """State that other words for a relative mean the same person: "my mum", "my mother"."""
    entry = reading.vocabulary.kin.get(named.role, {})
    word = entry.get("canonical", "")
    if word and word != named.role and not entry.get("plural"):
        other = f"{named.owner}'s {word}"
        if named.role_name == f"{named.owner}'s {shown(named.role)}":
            reading.aliases.append(AliasCandidate(named.role_name, other))
