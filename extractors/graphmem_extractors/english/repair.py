"""Mends what the small parser often misreads in plain sentences, before anything is read from the tree.

Each mending is a fact of English grammar, not of a sentence: "has" before a noun is the verb, not an
auxiliary; "and hate broccoli" after a verb of liking is a second verb; a known first name is a name.
"""

from __future__ import annotations

from typing import Any

from graphmem_extractors.english.vocabulary import Vocabulary

_HAVE = frozenset({"have", "has", "had", "'ve", "ve"})
_PARTICIPLES = frozenset({"VBN", "VBD"})
_NOMINAL = frozenset({"NN", "NNS", "NNP", "NNPS"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_MISREAD_NAMES = frozenset({"RB", "UH", "MD", "IN", "VB", "VBP", "FW", "JJR"})
_OPENERS = frozenset({"here", "there", "now", "then", "today", "tomorrow", "yesterday", "yes", "no", "so", "that", "this", "it", "not", "please", "like", "both", "more", "most"})  # fmt: skip
_MY = frozenset({"my", "our", "his", "her", "their", "your", "its", "the", "a", "an"})


class Mender:
    """Mends parsed sentences in place. Holds the words it needs; pure but for the given doc."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._names = vocabulary.words("given_names")
        self._attitudes = vocabulary.words("attitude_verbs")
        self._third = vocabulary.third_person
        self._compounds = vocabulary.words("attitude_compounds")

    def mend(self, doc: Any) -> Any:
        """The doc, mended."""
        for token in doc:
            self._name(token)
        _subject_first(doc)
        self._verb_for_noun(doc)
        for token in list(doc):
            if token.lower_ in _HAVE and token.dep_ == "aux":
                _have(token)
            elif token.tag_ == "NN" and token.lower_ in self._attitudes:
                self._second_verb(token)
        return doc

    def _name(self, token: Any) -> None:
        """A first name taken for an adverb or a verb: "Lily is allergic"."""
        if token.tag_ in {"NNP", "NNPS"} or not token.text[:1].isupper() or token.text.isupper():
            return
        low = token.lower_
        subject = token.dep_ in _SUBJECTS and not any(c.dep_ == "det" for c in token.children)
        odd = token.i == 0 and subject and token.tag_ in _MISREAD_NAMES and low not in _OPENERS
        if odd or (low in self._names and token.pos_ not in {"VERB", "AUX"}) or (low in self._names and subject):  # fmt: skip
            token.tag_, token.pos_ = "NNP", "PROPN"

    def _verb_for_noun(self, doc: Any) -> None:
        """A name, then a verb taken for a plural: "Eva studies medicine"."""
        if len(doc) < 3 or any(t.pos_ in {"VERB", "AUX"} and t.head.i == t.i for t in doc):
            return
        for verb in doc[1 : min(6, len(doc) - 1)]:
            who = doc[verb.i - 1]
            if verb.tag_ != "NNS" or verb.lower_ not in self._third or who.head.i != verb.i:
                continue
            name = who.i == 0 and who.text[:1].isupper() and who.lower_ not in _MY
            root = next(t for t in doc if t.head.i == t.i)
            if not name or verb.dep_ not in {"compound", "ROOT"} or verb.head.i not in {root.i, verb.i}:  # fmt: skip
                continue
            verb.tag_, verb.pos_ = "VBZ", "VERB"
            verb.lemma_ = self._third[verb.lower_]
            who.tag_, who.pos_, who.dep_ = "NNP", "PROPN", "nsubj"
            if root.i != verb.i:
                _hang(root, verb, "dobj")
                _hang(verb, verb, "ROOT")
            return

    def _second_verb(self, word: Any) -> None:
        """A second verb of liking taken for a noun: "hate mushrooms but love aubergines"."""
        doc = word.doc
        if word.i < 2 or word.i + 1 >= len(doc) or doc[word.i - 1].dep_ != "cc":
            return
        thing = doc[word.i + 1]
        if thing.tag_ not in {*_NOMINAL, "VBG", "DT", "PRP$", "JJ"} or thing.lower_ in self._compounds:  # fmt: skip
            return
        verb = next((t for t in word.ancestors if t.pos_ == "VERB" and t.i < word.i), None)
        if verb is None or verb.lemma_ not in self._attitudes or verb.tag_ == "VBZ":
            return
        if word.dep_ == "compound":
            thing = word.head
            for before in [c for c in thing.children if c.i < word.i - 1 and c.tag_ in _NOMINAL]:
                _hang(before, verb, "dobj")
        else:
            thing = next(
                (t for t in doc[word.i + 1 :] if t.head.i in {word.i, verb.i} and t.tag_ in {*_NOMINAL, "VBG"}),
                None,
            )  # fmt: skip
        if thing is None:
            return
        joiner = doc[word.i - 1]
        word.tag_, word.pos_, word.lemma_ = "VBP", "VERB", word.lower_
        _hang(thing, word, "dobj")
        _hang(word, verb, "conj")
        _hang(joiner, verb, "cc")


def _subject_first(doc: Any) -> None:
    """A name right before a verb without a subject is its subject: "Tom went freelance"."""
    if len(doc) < 3:
        return
    name, verb = doc[0], doc[0].head
    if name.tag_ != "NNP" or name.dep_ not in {"npadvmod", "advmod", "dep", "nmod", "compound"}:
        return
    own = any(c.dep_ in _SUBJECTS for c in verb.children)
    if verb.tag_ in {"VBD", "VBZ"} and not own and verb.i <= 3 and doc[1].text != ",":
        name.dep_ = "nsubj"


def _have(have: Any) -> None:
    """ "has" taken for an auxiliary of a noun: "my dad has diabetes and takes metformin"."""
    noun = have.head
    if noun.tag_ in _PARTICIPLES or noun.tag_ == "VBG" or have.i > noun.i:
        return
    if any(c.lower_ in {"to", "been", "got"} and c.dep_ in {"aux", "auxpass"} for c in noun.children):  # fmt: skip
        return
    if noun.tag_ == "VB" and noun.i != have.i + 1:
        return
    top, relation = noun.head, noun.dep_
    root = noun.head.i == noun.i
    for child in list(noun.children):
        mine = child.i < have.i or child.dep_ in {"conj", "cc", "punct", "advcl", "npadvmod", "neg"}  # fmt: skip
        mine = mine or (
            child.dep_ in {"prep", "advmod"} and child.i > noun.i and child.lower_ != "of"
        )
        nouns = child.dep_ == "conj" and child.pos_ != "VERB"
        if child.i != have.i and mine and not nouns and not _joins_nouns(child, noun):
            _hang(child, have, child.dep_)
    have.tag_, have.pos_ = {"has": "VBZ", "had": "VBD"}.get(have.lower_, "VBP"), "VERB"
    have.lemma_ = "have"
    noun.tag_ = noun.tag_ if noun.tag_ in _NOMINAL else "NN"
    noun.pos_ = "PROPN" if noun.tag_.startswith("NNP") else "NOUN"
    _hang(have, have if root else top, "ROOT" if root else relation)
    _hang(noun, have, "dobj")


def _joins_nouns(child: Any, noun: Any) -> bool:
    return child.dep_ == "cc" and any(c.dep_ == "conj" and c.pos_ != "VERB" for c in noun.children)


def _hang(token: Any, head: Any, relation: str) -> None:
    token.head = head
    token.dep_ = relation
