"""Who is related to whom: "my wife Mei", "Ugo (my cousin)", "our dog Rex"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphmem.protocols import AliasCandidate
from graphmem_extractors.english.names import full_name, is_name, shown
from graphmem_extractors.english.phrases import noun_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.whose import Named


def introduce(reading: Reading, tokens: Iterable[Any]) -> None:
    """Add a relation for every relative or pet that is named among `tokens`."""
    for token in tokens:
        if token.pos_ not in {"NOUN", "PROPN", "X", "ADJ"}:
            continue
        related = _may_relate(reading, token)
        if not related and not (token.dep_ == "nsubj" and is_name(token)):
            continue
        named = reading.namer.name(token)
        if named is None or not named.role or not related:
            continue
        _home(reading, named, token)
        canonical(reading, named)
        if named.given:
            relate(reading, named, rule="kin.apposition", confidence=0.93)


def _home(reading: Reading, named: Named, token: Any) -> None:
    """Where a relative lives, told in passing: "my aunt in Turin"."""
    role = reading.vocabulary.kin.get(named.role, {}).get("role")
    if token.dep_ not in {"pobj", "dobj", "nsubj"} or named.kind != "person" or role:
        return
    for prep in token.children:
        if prep.dep_ == "prep" and prep.lower_ == "in" and prep.i == token.i + 1:
            for place in prep.children:
                if place.dep_ == "pobj" and is_name(place) and place.i not in reading.time_tokens:
                    reading.add(named, "lives_in", full_name(place), rule="kin.home", confidence=0.75, kind="place")  # fmt: skip


_AGED = re.compile(
    r"(?P<before>[A-Z]\w+)(?:,| \() ?(?:my|our) (?P<age>\d{1,2})[ -]?(?:yo|y/o|years?[- ]old)\b|"
    r"\b(?:my|our) (?P<age2>\d{1,2})[ -]?(?:yo|y/o|years?[- ]old)(?: (?P<kin>\w+))?,?(?: (?P<after>[A-Z]\w+))?",
)


def aged(reading: Reading) -> None:
    """The age in "Ida (my 3yo)", "my 7-year-old son Ben"."""
    for found in _AGED.finditer(reading.said):
        name = found.group("before") or found.group("after")
        word = found.group("kin") or "kid"
        speaker = reading.message.speaker
        if word not in reading.vocabulary.kin and not reading.vocabulary.is_a(word, "animals"):
            word = "kid"
        who = Named(name or f"{speaker}'s {word}", "person")
        reading.add(who, "age_is", found.group("age") or found.group("age2"), rule="kin.age", confidence=0.9, kind="value")  # fmt: skip
        if name and word == "kid":
            reading.add(reading.speaker, "parent_of", name, rule="kin.age", confidence=0.88, kind="person")  # fmt: skip


_WORK = frozenset({"shift", "shifts", "job", "boss", "manager", "colleague", "colleagues", "team", "office", "desk", "contract", "internship"})  # fmt: skip


def employer(reading: Reading, tokens: Iterable[Any]) -> None:
    """Where the speaker works, told in passing: "my job at Halden"."""
    for token in tokens:
        if token.lower_ not in _WORK or token.dep_ == "compound":
            continue
        owner = reading.namer.owner(token)
        if owner is None or owner.kind != "person":
            continue
        for prep in token.children:
            if prep.dep_ == "prep" and prep.lower_ == "at":
                for place in prep.children:
                    if place.dep_ == "pobj" and is_name(place):
                        reading.add(owner, "works_at", noun_phrase(place, reading.time_tokens), rule="kin.employer", confidence=0.8, kind="organisation")  # fmt: skip


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
    reading.namer.context.called(named.role_name, named.given)


def canonical(reading: Reading, named: Named) -> None:
    """State that other words for a relative mean the same person: "my mum", "my mother"."""
    entry = reading.vocabulary.kin.get(named.role, {})
    word = entry.get("canonical", "")
    if word and word != named.role and not entry.get("plural"):
        other = f"{named.owner}'s {word}"
        if named.role_name == f"{named.owner}'s {shown(named.role)}":
            reading.aliases.append(AliasCandidate(named.role_name, other))
