"""Tells reactions from assertions: thanks, praise, wishes and comments on what was said tell no fact."""

from __future__ import annotations

from typing import Any

from graphmem.lexicon import Lexicon
from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.reading import Reading

_YOU = frozenset({"you", "your", "yours", "yourself", "u", "ya"})
_POINTERS = frozenset({"it", "that", "this", "these", "those", "what", "which", "who", "everything", "all", "nothing", "something"})  # fmt: skip
_LINKING = frozenset({"be", "sound", "look", "seem", "feel", "smell", "taste", "become", "get"})
_FIRST = frozenset({"i", "we", "me", "us"})
_OTHERS = frozenset({"he", "she", "they"})
_COMPLEMENTS = frozenset({"attr", "acomp", "oprd", "prep", "advmod", "dobj"})
_SHORT = 6  # a praise without a verb is no longer than this


class Chatter:
    """Judges sentences out of which no claim was taken."""

    def __init__(self, lexicon: Lexicon) -> None:
        table = lexicon.table("chatter", "en")
        self._words = {name: frozenset(words) for name, words in table.items()}

    def tells(self, reading: Reading) -> bool:
        """Whether the sentence asserts something that somebody may want to recall."""
        if reading.candidates or reading.values:
            return True
        if not reading.clauses:
            return self._fragment(reading.doc)
        return any(self._asserts(clause) for clause in reading.clauses) or (
            not reading.sentence.elided and self._beside(reading)
        )

    def _asserts(self, clause: Clause) -> bool:
        subject, verb = clause.subject, clause.verb
        if subject is None:
            there = any(c.dep_ == "expl" and c.lower_ == "there" for c in verb.children)
            return there and self._content(verb)
        if subject == "speaker" or subject.lower_ in _FIRST:
            return self._first(clause)
        if _about_you(subject):
            return False
        if subject.lower_ in _POINTERS:
            return self._pointed(clause)
        judged = verb.lemma_ in _LINKING and self._praised(verb)
        if subject.lower_ in _OTHERS:
            return not judged
        plain = subject.pos_ != "PROPN" and not any(
            c.dep_ == "poss" and c.lower_ not in _YOU for c in subject.children
        )
        return not (judged and plain and clause.tense == "present")

    def _first(self, clause: Clause) -> bool:
        verb, lemma = clause.verb, clause.lemma
        if lemma in self._words["reactions"]:
            return False
        if lemma in _LINKING and self._felt(verb):
            return self._content(verb)
        if lemma in self._words["light"]:
            return self._content(verb)
        return True

    def _felt(self, verb: Any) -> bool:
        known = self._words["feelings"] | self._words["praise"]
        return any(c.dep_ in _COMPLEMENTS and c.lower_ in known for c in verb.children)

    def _pointed(self, clause: Clause) -> bool:
        """Whether "it", "that" or "this" is said to be more than good or bad."""
        verb = clause.verb
        if clause.lemma not in self._words["impersonal"]:
            return True
        return not self._praised(verb) and self._content(verb)

    def _praised(self, verb: Any) -> bool:
        praise = self._words["praise"]
        return any(
            c.dep_ in _COMPLEMENTS
            and (c.lower_ in praise or any(g.lower_ in praise and g.dep_ == "amod" for g in c.children))
            for c in verb.children
        )  # fmt: skip

    def _content(self, verb: Any) -> bool:
        """Whether a noun of its own stands behind the verb, that is not the listener's."""
        return any(
            self._names_something(token)
            for child in verb.children
            if child.dep_ not in {"npadvmod", "ccomp", "advcl", "nsubj", "conj", "intj"}
            for token in child.subtree
        )

    def _names_something(self, token: Any) -> bool:
        capital = token.i > 0 and token.pos_ == "ADJ" and token.text[:1].isupper()
        if (token.pos_ not in {"NOUN", "PROPN", "NUM"} and not capital) or token.dep_ in {
            "npadvmod",
            "intj",
        }:
            return False
        low = token.lower_
        if low in self._words["light_nouns"] or low in self._words["praise"]:
            return False
        if token.pos_ == "PROPN" and _addressed(token):
            return False
        return not any(c.lower_ in _YOU for c in [*token.children, *token.head.children])

    def _fragment(self, doc: Any) -> bool:
        """Words without a verb tell something unless they praise, greet or call by name."""
        words = [t for t in doc if t.text[:1].isalnum()]
        praised = any(t.lower_ in self._words["praise"] or t.pos_ == "INTJ" for t in words)
        if praised and len(words) <= _SHORT:
            return False
        return any(self._names_something(t) for t in words)

    def _beside(self, reading: Reading) -> bool:
        """A root without a verb beside the clauses: "Two kids and a dog, as you know"."""
        root = next((t for t in reading.doc if t.head.i == t.i), None)
        if root is None or root.pos_ in {"VERB", "AUX", "INTJ", "ADJ", "ADV"}:
            return False
        return self._names_something(root) and not any(
            c.lower_ in self._words["praise"] for c in root.children
        )


def _about_you(subject: Any) -> bool:
    if any(c.dep_ == "conj" and c.lower_ in _FIRST for c in subject.children):
        return False
    return subject.lower_ in _YOU or any(
        c.lower_ in _YOU for c in subject.subtree if c.i <= subject.i
    )


def _addressed(token: Any) -> bool:
    """A name that calls somebody: "Wow, Mel, ..."."""
    before = token.nbor(-1).text if token.i else ","
    after = token.nbor(1).text if token.i + 1 < len(token.doc) else "!"
    return before in {",", "!"} or (token.i <= 1 and after in {",", "!", "."})
