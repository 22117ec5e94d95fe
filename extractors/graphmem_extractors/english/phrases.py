"""The words of an object: a noun phrase or a verb phrase, verbatim, without times and side remarks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

_CUT = frozenset({"relcl", "advcl", "conj", "cc", "punct", "appos", "acl", "preconj", "mark", "parataxis", "intj", "ccomp", "prep", "neg"})  # fmt: skip
_CUT_VERB = frozenset({"advcl", "conj", "cc", "punct", "mark", "parataxis", "intj", "nsubj", "aux", "neg", "expl", "nsubjpass", "auxpass", "ccomp"})  # fmt: skip
_LEADING = frozenset(["a", "an", "the", "my", "our", "his", "her", "their", "its", "your", "this", "that", "some", "any", "no", "these", "those", "just", "really", "only", "all", "both", "such", "another"])  # fmt: skip
_KEPT_PREPOSITIONS = frozenset({"of", "for", "with", "about"})
_NOW = frozenset({"now", "again", "too", "also", "though", "already", "anymore", "still"})
_LONGEST = 14


def noun_phrase(
    head: Any,
    times: Collection[int] = (),
    *,
    prepositions: Collection[str] = _KEPT_PREPOSITIONS,
    owned: bool = True,
) -> str:
    """The phrase headed by `head` without determiner, clauses, coordination and times."""
    kept = {head.i}
    for child in head.children:
        if child.i in times or child.dep_ == "neg" or (child.dep_ == "poss" and not owned):
            continue
        if child.i > head.i and any(
            head.doc[i].text == "," for i in range(head.i, child.left_edge.i)
        ):
            continue
        if child.dep_ == "prep":
            inner = list(child.subtree)
            if (
                child.lower_ in prepositions
                and len(inner) <= 6
                and not any(t.i in times for t in inner)
                and not any(t.pos_ == "VERB" for t in inner)
            ):
                kept.update(_without_side(child, times))
        elif child.dep_ not in _CUT or (
            child.dep_ == "punct" and child.text in {"-", "/", "&", "'"}
        ):
            kept.update(
                t.i for t in child.subtree if t.i not in times and t.dep_ not in {"relcl", "advcl"}
            )
        elif child.dep_ == "conj" and _one_name(head, child):
            kept.update(t.i for t in child.subtree if t.i not in times)
            kept.update(range(head.i, child.i))
    return words(head.doc, kept, around=head.i)


def verb_phrase(verb: Any, times: Collection[int] = ()) -> str:
    """A verb with its objects, without subject, auxiliaries, clauses and times."""
    kept = {verb.i}
    for child in verb.children:
        if child.i in times or child.dep_ in _CUT_VERB:
            continue
        inner = [t for t in child.subtree if t.i not in times]
        if child.dep_ == "prep" and child.lower_ in {"because", "due", "despite", "since", "as"}:
            continue
        if child.dep_ in {"prep", "npadvmod"} and any(t.i in times for t in child.subtree):
            continue
        if child.dep_ == "advmod" and (child.i < verb.i or child.lower_ in _NOW):
            continue
        kept.update(_without_side(child, times) if inner else ())
    return words(verb.doc, kept, around=verb.i, strip=False)


def conjuncts(head: Any) -> list[Any]:
    """The phrase and those coordinated with it, left to right."""
    found = [head]
    for item in found:
        if len(found) > 12:
            break
        found.extend(c for c in item.children if c.dep_ == "conj" and c.pos_ in {"NOUN", "PROPN", "NUM", "ADJ", "X", "VERB", "PRON"} and not _one_name(item, c) and not _has_subject(c))  # fmt: skip
    return found


def _has_subject(token: Any) -> bool:
    return any(c.dep_ in {"nsubj", "nsubjpass"} for c in token.children)


def _one_name(head: Any, other: Any) -> bool:
    """A coordination that is one name: "Salt & Sons"."""
    between = [c for c in head.children if c.dep_ == "cc" and head.i < c.i < other.i]
    return bool(between) and between[0].text == "&"


def _without_side(token: Any, times: Collection[int]) -> set[int]:
    """The subtree without clauses, coordination by clause, and times."""
    kept = {token.i}
    stack = [token]
    while stack:
        item = stack.pop()
        for child in item.children:
            if (
                child.i in times
                or child.dep_
                in {
                    "relcl",
                    "advcl",
                    "appos",
                    "parataxis",
                    "punct",
                    "acl",
                }
            ) and not (child.dep_ == "punct" and child.text in {"-", "/"}):
                continue
            if child.dep_ in {"conj", "cc"} and item is token and token.pos_ == "VERB":
                continue
            kept.add(child.i)
            stack.append(child)
    return kept


def words(doc: Any, kept: Iterable[int], *, around: int, strip: bool = True) -> str:
    """The kept words that stand together around the head (gaps of dropped words close up)."""
    order = sorted(kept)[:60]
    text = ""
    last = -1
    started = False
    taken = 0
    for index in order:
        token = doc[index]
        if token.is_space:
            continue
        if not started and strip and index < around and token.lower_ in _LEADING:
            continue
        if taken >= _LONGEST and index > around:
            break
        joined = started and index == last + 1 and not doc[last].whitespace_
        text += token.text if joined or not started else " " + token.text
        started, last = True, index
        taken += 1
    return text.strip(" ,.;:!?-–\"'()")
