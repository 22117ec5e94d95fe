"""Where a verb's objects stand: direct, behind prepositions, infinitives, and what the parser misread."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.names import full_name, is_name
from graphmem_extractors.english.phrases import conjuncts

Frame = Mapping[str, Any]

_JOB_NOUNS = frozenset(
    [
        "job",
        "gig",
        "position",
        "role",
        "post",
        "offer",
        "internship",
        "contract",
        "placement",
        "work",
        "apprenticeship",
        "traineeship",
        "shift",
    ]
)

_NAMES = re.compile(r"^[,:] ?[A-Z][\w-]+(?:, [A-Z][\w-]+)*,? (?:and|&) [A-Z][\w-]+")
_HOURS = frozenset({"nights", "days", "shifts", "weekends", "mornings", "evenings", "part-time", "full-time"})  # fmt: skip


def objects_of(clause: Clause, frame: Frame) -> list[Any]:
    """The tokens that stand where the frame expects its object."""
    verb = clause.verb
    where = frame["object"]
    found: list[Any] = []
    if where == "direct" and verb.lemma_ != "be":
        found = [
            c
            for c in verb.children
            if c.i > verb.i
            and (
                c.dep_ in {"dobj", "attr", "oprd"}
                or (c.dep_ == "npadvmod" and is_name(c) and c.left_edge.i == verb.i + 1)
            )
        ]
        if not found and "class" in frame:
            found = _misread(verb)
    elif where == "employer":
        return _employers(verb, frame["prep"])
    elif where == "allergy":
        return _allergens(verb)
    elif where == "reaction":
        return _causes(verb, frame["signs"])
    elif where == "placed":
        return [c for c in verb.children if c.dep_ == "dobj"]
    elif where == "prep":
        found = [
            obj
            for prep in _prepositions(verb)
            if prep.lower_ in frame["prep"]
            for obj in prep.children
            if obj.dep_ in {"pobj", "pcomp"}
        ] or (_deeper(verb, frame["prep"]) if frame.get("kind") == "place" else [])
    elif where == "comp":
        return [
            c
            for c in verb.children
            if c.dep_ in {"acomp", "attr", "dobj", "oprd", "advmod"} and c.i > verb.i
        ]
    elif where in {"ing", "to"}:
        tag = "VBG" if where == "ing" else "VB"
        return [
            conj
            for c in verb.children
            if c.dep_ in {"xcomp", "ccomp", "dobj"} and c.tag_ == tag
            for conj in conjuncts(c)
        ]
    elif where == "none":
        plain = not any(
            c.dep_ in {"dobj", "prep", "xcomp", "ccomp"} and c.lower_ not in {"since", "for"}
            for c in verb.children
        )
        return [verb] if plain else []
    return [item for head in found for item in conjuncts(head)]


def _employers(verb: Any, prepositions: list[str]) -> list[Any]:
    """Where a job is: "I got a job at the docks"."""
    return [
        place
        for c in verb.children
        if c.dep_ in {"dobj", "nsubjpass"} and c.lower_ in _JOB_NOUNS
        for prep in [*c.children, *verb.children]
        if prep.dep_ == "prep" and prep.lower_ in prepositions
        for place in prep.children
        if place.dep_ == "pobj"
    ]


def _causes(verb: Any, signs: list[str]) -> list[Any]:
    """What a reaction comes from: "I get hives from latex"."""
    return [
        cause
        for c in verb.children
        if c.dep_ in {"dobj", "acomp", "attr", "oprd"} and c.lower_ in signs
        for prep in [*c.children, *verb.children]
        if prep.dep_ == "prep" and prep.lower_ in {"from", "to"}
        for first in prep.children
        if first.dep_ == "pobj"
        for cause in conjuncts(first)
    ]


def _allergens(verb: Any) -> list[Any]:
    """What an allergy is to: "a nut allergy", "an allergy to penicillin and latex"."""
    found = []
    for noun in verb.children:
        if noun.dep_ != "dobj" or noun.lemma_ not in {"allergy", "intolerance"}:
            continue
        found += [c for c in noun.children if c.dep_ in {"compound", "nmod"} and c.i < noun.i]
        found += [
            thing
            for prep in [*noun.children, *verb.children]
            if prep.dep_ == "prep" and prep.lower_ == "to"
            for first in prep.children
            if first.dep_ == "pobj"
            for thing in conjuncts(first)
        ]
    return found


def _deeper(verb: Any, prepositions: list[str]) -> list[Any]:
    """A place whose preposition the parser hung on a companion: "lives with her mum in Bergen"."""
    return [
        place
        for prep in verb.children
        if prep.dep_ == "prep" and prep.lower_ in {"with", "as", "alone", "near"}
        for person in prep.children
        if person.dep_ == "pobj"
        for inner in person.children
        if inner.dep_ == "prep" and inner.lower_ in prepositions
        for place in inner.children
        if place.dep_ == "pobj" and is_name(place)
    ]


def _misread(verb: Any) -> list[Any]:
    """The word after a verb, where the parser took a noun for a verb ("can't eat gluten")."""
    for step in range(1, 4):
        if verb.i + step >= len(verb.doc):
            break
        token = verb.nbor(step)
        if token.dep_ in {"det", "amod", "poss"} or token.pos_ in {"DET", "ADV"}:
            continue
        return [token] if token.tag_ in {"VB", "VBP", "NN", "NNS", "JJ"} else []
    return []


def _prepositions(verb: Any) -> list[Any]:
    found = [c for c in verb.children if c.dep_ in {"prep", "agent", "prt"}]
    for child in verb.children:
        if child.dep_ in {"advmod", "npadvmod", "prt"} or child.lower_ in _HOURS:
            found.extend(c for c in child.children if c.dep_ == "prep")
    chained = [c for prep in found for c in prep.children if c.dep_ == "prep"]
    return found + chained


def proper(token: Any) -> bool:
    """A name, or one bare lower-case word where a name is expected."""
    if is_name(token):
        return True
    bare = not any(c.dep_ in {"det", "poss", "amod", "nummod"} for c in token.children)
    return (
        bare
        and token.tag_ in {"NN", "NNP", "JJ"}
        and len(token.text) > 2
        and token.lower_
        not in {
            "home",
            "work",
            "bed",
            "school",
            "town",
            "church",
            "pieces",
            "sleep",
            "abroad",
            "uni",
            "college",
            "hospital",
            "court",
            "there",
            "here",
            "class",
            "lunch",
            "dinner",
            "today",
            "time",
            "scratch",
            "bits",
            "shock",
            "person",
            "general",
            "charge",
            "nature",
            "war",
            "public",
            "heart",
            "all",
        }
    )


def called_names(noun: Any) -> list[str]:
    """The names in "a cat called Luna", "two dogs, Rex and Bo", "a pony named Star"."""
    for child in noun.children:
        if child.dep_ in {"acl", "relcl"} and child.lemma_ in {"call", "name", "dub"}:
            for inner in child.children:
                if (
                    inner.dep_ in {"oprd", "attr", "dobj", "npadvmod", "acomp"}
                    and inner.i > child.i
                ):
                    return [full_name(item) for item in conjuncts(inner)]
        if child.dep_ == "appos" and is_name(child):
            return [full_name(item) for item in conjuncts(child) if is_name(item)]
    if noun.tag_ == "NNS":
        listed = _NAMES.match(noun.doc[noun.i + 1 :].text) if noun.i + 1 < len(noun.doc) else None
        if listed:
            return re.findall(r"[A-Z][\w-]+", listed.group())
    return []


def misread_conjuncts(verb: Any) -> list[Any]:
    """A coordinated noun that the parser took for a verb: "pork or shellfish"."""
    return [
        c
        for c in verb.children
        if c.dep_ == "conj"
        and not any(g.dep_ in {"nsubj", "dobj", "aux", "prep"} for g in c.children)
    ]
