"""Which objects of a verb fit a frame: by their word class, by their form, by whom they name."""

from __future__ import annotations

from typing import Any

from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.names import is_name
from graphmem_extractors.english.objects import (
    Frame,
    called_names,
    misread_conjuncts,
    objects_of,
    proper,
)
from graphmem_extractors.english.phrases import noun_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary

_POINTED = frozenset({"that", "this", "these", "those"})
_BARE = frozenset({"it", "that", "this", "them", "another", "some", "both", "all", "which", "him", "her", "you", "me", "us"})  # fmt: skip
_FEELINGS = frozenset(
    {"likes", "dislikes", "wants", "believes"}
)  # of "this" and "that": a reaction


class Fitting:
    """Finds the objects of a clause that a frame can take."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def objects(self, reading: Reading, clause: Clause, frame: Frame) -> list[Any]:
        """The tokens that the frame takes as objects, left to right."""
        if frame["predicate"] == "speaks" and "class" in frame:
            return self._languages(clause)
        found = [item for item in objects_of(clause, frame) if self._suits(reading, item, frame)]
        if frame.get("kind") == "place" and any(is_name(item) for item in found):
            found = [item for item in found if is_name(item)]
        if found and "class" in frame:
            found += [c for c in misread_conjuncts(clause.verb) if c not in found and self._suits(reading, c, frame)]  # fmt: skip
        return found

    def _languages(self, clause: Clause) -> list[Any]:
        known = self._vocabulary.words("languages")
        return [
            token
            for token in clause.verb.subtree
            if token.i > clause.verb.i
            and token.lower_ in known
            and not (token.dep_ in {"amod", "compound"} and token.head.lower_ not in known)
        ]

    def _suits(self, reading: Reading, item: Any, frame: Frame) -> bool:
        whose = {c.lower_ for c in item.children if c.dep_ in {"poss", "det"}}
        if frame.get("new") and not _newly_named(item):
            return False
        if "your" in whose or (whose & _POINTED and frame["predicate"] in _FEELINGS):
            return False
        if item.pos_ in {"PRON", "DET"} and item.lower_ in _BARE and not frame.get("person"):
            return False
        if item.pos_ == "PROPN" and _called_out(item):
            return False
        phrase = noun_phrase(item, reading.time_tokens, prepositions=())
        if item.i in reading.time_tokens and frame["object"] != "time":
            return False
        if frame["predicate"] == "kin":
            return item.lower_ in self._vocabulary.kin
        if frame["predicate"] == "has_pet" and item.lower_ in self._vocabulary.kin:
            return False
        if frame.get("class") == "foods" and is_name(item):
            return False
        if frame.get("class") == "animals" and is_name(item):
            pet = reading.namer.name(item)
            return pet is not None and self._vocabulary.is_a(pet.role or "-", "animals")
        if "class" in frame and not self._vocabulary.is_a(phrase, frame["class"]):
            whole = noun_phrase(item, reading.time_tokens)
            named = frame["class"] in {"schools", "vehicles"} and self._vocabulary.is_a(whole, frame["class"])  # fmt: skip
            make = frame["class"] == "vehicles" and is_name(item) and any(self._vocabulary.is_a(word, "vehicles") for word in phrase.split())  # fmt: skip
            if not named and not make:
                return False
        if "not_class" in frame and self._vocabulary.is_a(item.lower_, frame["not_class"]):
            return False
        working = frame["object"] == "employer" and self._vocabulary.is_a(phrase, "workplaces")
        if frame.get("proper") and not proper(item) and not working:
            return False
        if frame.get("named") and not is_name(item):
            return False
        return not frame.get("person") or is_person(reading, item)


def _newly_named(item: Any) -> bool:
    """Something told for the first time: "a lamp", "two lamps", "some milk", "my new lamp"."""
    return is_name(item) or any(
        c.lower_ in {"a", "an", "some", "another", "new"} or c.dep_ == "nummod"
        for c in item.children
    )


def _called_out(name: Any) -> bool:
    """A name that calls somebody at the end: "enjoy the evening, John!"."""
    last = name.right_edge.i + 1 >= len(name.doc) or name.doc[name.right_edge.i + 1].is_punct
    return bool(last and name.left_edge.i > 0 and name.doc[name.left_edge.i - 1].text == "," and name.dep_ not in {"conj", "appos"})  # fmt: skip


def for_others(reading: Reading, verb: Any, item: Any, *, kin: bool = False) -> bool:
    """What was got for somebody else, or is a toy: "bought a car for our son"."""
    if any(c.lower_ in {"toy", "model", "rental", "hire", "company"} for c in item.children):
        return True
    if any(c.dep_ in {"dative", "iobj"} for c in verb.children):
        return True
    if kin:
        return any(c.dep_ == "poss" for c in item.children)
    for prep in [*verb.children, *item.children]:
        if prep.dep_ in {"prep", "dative"} and prep.lower_ in {"for", "from"}:
            for whom in (c for c in prep.children if c.dep_ == "pobj"):
                named = reading.namer.name(whom)
                if prep.lower_ == "for" and named is not None and not named.speaker and named.kind == "person":  # fmt: skip
                    return True
    return False


def is_person(reading: Reading, token: Any) -> bool:
    """Whether the phrase names a person: a relative or a name."""
    named = reading.namer.name(token)
    if named is None:
        return bool(called_names(token))
    return not named.speaker and (
        named.kind == "person" or (is_name(token) and named.kind == "place")
    )
