"""What stands beside a copula: objects of prepositions, ages, and hints around the subject."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.names import is_name
from graphmem_extractors.english.phrases import noun_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.whose import Named


@dataclass(frozen=True, slots=True)
class Said:
    """A complement, of whom it is said, and how: polarity, tense and times in `common`."""

    clause: Clause
    subject: Named
    item: Any
    common: dict[str, Any]
    weight: float


_AGE = re.compile(
    r"^(\d{1,3}|[a-z]+(?:-[a-z]+)?)(?:[ -]years?[ -]old| yrs? old| months old| y/?o|)$"
)


def objects_behind(item: Any, prepositions: set[str]) -> list[Any]:
    """The objects of the prepositions that hang on `item`."""
    return [
        obj
        for prep in item.children
        if prep.dep_ in {"prep", "prt", "agent"} and prep.lower_ in prepositions
        for obj in prep.children
        if obj.dep_ in {"pobj", "pcomp"}
    ]


def age_told(reading: Reading, item: Any) -> str:
    """The number in "is 7", "is seven years old", "turned 40"; '' where it is no age."""
    if item.lower_ == "old":
        for child in item.children:
            if child.lower_ in {"years", "year", "yrs", "months"}:
                return " ".join([*(c.text for c in child.children if c.dep_ == "nummod"), *([child.text] if child.lower_ == "months" else [])])  # fmt: skip
        return ""
    phrase = noun_phrase(item, prepositions=()).lower()
    found = _AGE.match(phrase)
    if found is None or item.i in reading.time_tokens:
        return ""
    number = found.group(1)
    if number.isdigit():
        return number if int(number) < 120 and (phrase != number or item.tag_ == "CD") else ""
    return number if reading.vocabulary.is_a(number, "ages") and number != "one" else ""


def met_before(reading: Reading, subject: Named) -> str:
    """Whom the subject met, by the same sentence ("I met Noor and we got married")."""
    return next((c.object for c in reading.candidates if c.entity == subject.name and c.rule == "verb.knows"), "")  # fmt: skip


def definite(token: Any) -> bool:
    """Whether the phrase means a known thing: a name, or "the", "this"."""
    return is_name(token) or any(
        c.dep_ == "det" and c.lower_ in {"the", "this", "that"} for c in token.children
    )


def name_kind(token: Any) -> str:
    """Which name it is, where it is not the whole one: "maiden", "middle"."""
    kinds = {"maiden", "middle", "stage", "pen", "user", "code", "street", "brand", "domain", "last", "family", "nick"}  # fmt: skip
    return next((c.lower_ for c in token.children if c.lower_ in kinds), "")
