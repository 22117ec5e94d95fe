"""What the wording of one statement gives for comparing it with another: a Reading.

Pure: text and lexicon in, a frozen Reading out; recent readings are remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.people_named import Named, named_in
from graphmem.lifecycle.phrases import Cue, Normal, describes
from graphmem.lifecycle.senses import senses_in, without_other_senses
from graphmem.lifecycle.subjects import subjects
from graphmem.lifecycle.values import values_in
from graphmem.lifecycle.wording import DENIABLE, Wording, wording_of
from graphmem.words import meaningful

_NAME_EN = re.compile(r"(?<![.!?\"“:]\s)(?<!^)(?<![\w'’])([A-Z][\w'’-]+|[A-Z]{2,})")
_NAME_TAGS = frozenset({"ns", "nt", "nr", "nz"})
# Dates and counts are compared as values, not as words.
_VALUE_WORD = re.compile(
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|januari|februari|march|april|june|juli|august|septemb"
    r"|octob|novemb|decemb|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelv|twenti|thirti|forti|fifti|pm|am"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|[\d:.]+|\d+[a-z]{2}"
    r"|[零一二两三四五六七八九十百千\d]+[月日号点年周天个]?|周[一二三四五六日天末]|星期.|礼拜.)$"
)
_Found = Mapping[tuple[Any, ...], list[Cue]]


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement as nomination sees it.

    `clauses` are its stemmed clauses, `text` all of them; `terms` its content words in normal form; `names` those of
    them that are written like names; `order` all words in order; `topics` the everyday topics it
    speaks of with the clause that does; `members` per topic the values of it that are named ("nurse"
    of job) with their clauses; `marks` the kinds of cue found; `sides` the opposites it takes a side
    in; `kinds` the words that tell things of one sort apart; `people` per clause whom it is about
    (empty: unsaid); `relatives` all people it mentions; `values` numbers, dates and codes by kind;
    `cue_words` the words of its cues of change; `named` the people it names as its subject and as company; `asian`: some terms are not written in Latin;
    `senses` the senses of its words with several, where the words around tell them.
    """

    text: str
    clauses: tuple[str, ...]
    terms: frozenset[str]
    names: frozenset[str]
    order: tuple[str, ...]
    topics: Mapping[str, int]
    members: Mapping[str, Mapping[str, int]]
    marks: Mapping[str, Cue]
    sides: frozenset[tuple[int, int]]
    kinds: frozenset[tuple[int, int]]
    people: tuple[frozenset[str], ...]
    relatives: frozenset[str]
    values: Mapping[str, frozenset[str]]
    cue_words: frozenset[str]
    named: Named
    asian: bool
    senses: Mapping[str, str]

    @property
    def other_sides(self) -> frozenset[tuple[int, int]]:
        """The sides opposite to those taken."""
        return frozenset((number, 1 - side) for number, side in self.sides)

    def clauses_with(self, terms: Iterable[str]) -> frozenset[int]:
        """The numbers of the clauses that hold one of the terms."""
        wanted = tuple(terms)
        return frozenset(
            number
            for number, clause in enumerate(self.clauses)
            if any(term in clause for term in wanted)
        )


def read(text: str, language: str, lexicon: Lexicon) -> Reading:
    """Read one statement."""
    return _read(text, "zh" if language == "zh" else "en", lexicon)


def shared_terms(new: Reading, old: Reading) -> frozenset[str]:
    """Content words in common; in Chinese also those that are part of a longer word. A word that is
    used in two different senses is none.
    """
    shared = (new.terms & old.terms) - new.cue_words
    if old.asian and new.asian:
        shared |= {term for term in old.terms if term in new.text and not term.isascii()}
    if new.senses and old.senses:
        shared = frozenset(term for term in shared if not _two_senses(term, new, old))
    return shared


def _two_senses(term: str, new: Reading, old: Reading) -> bool:
    one, other = new.senses.get(term), old.senses.get(term)
    return one is not None and other is not None and one != other


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` and `shared_terms` with their lexicon, for parts that are given them."""

    lexicon: Lexicon

    def read(self, text: str, language: str) -> Reading:
        """Read one statement."""
        return read(text, language, self.lexicon)

    def shared(self, newer: Reading, older: Reading) -> frozenset[str]:
        """Content words in common."""
        return shared_terms(newer, older)


@lru_cache(maxsize=8192)
def _read(text: str, language: str, lexicon: Lexicon) -> Reading:
    wording = wording_of(lexicon, language)
    normal = Normal.of(text, language)
    found: _Found = wording.book.find(normal)
    joint = "" if language == "zh" else " "
    order, names = _words_zh(text) if language == "zh" else _words_en(text, normal)
    if language == "zh":
        found = _whole_characters(found, frozenset(order))
    names -= wording.people.keys()
    terms = _terms(meaningful(text, language) | names, wording)
    senses = senses_in(normal, found, order, wording.senses)
    if senses:
        found = without_other_senses(found, senses, wording.senses)
    people = tuple(subjects(normal.clauses(exact=True, joint=joint), wording))
    members = _members(found, people)
    marks = _marks(text, normal, found, wording)
    clauses = tuple(normal.clauses(exact=False, joint=joint))
    return Reading(
        text="|".join(clauses),
        clauses=clauses,
        terms=terms,
        names=names & terms,
        order=order,
        topics=MappingProxyType(_topics(found, members)),
        members=MappingProxyType(members),
        marks=MappingProxyType(marks),
        sides=_sides(normal, found, wording),
        kinds=frozenset(name[1:] for name in _named(found, "kind")),
        people=people,
        relatives=frozenset(name[1] for name in _named(found, "person")),
        values=values_in(text, language),
        cue_words=_cue_words(normal, marks),
        named=named_in(text, language),
        asian=any(not term.isascii() for term in terms),
        senses=MappingProxyType(senses),
    )


def _whole_characters(found: _Found, words: frozenset[str]) -> _Found:
    """Without the single characters of opposites that are only part of a word (香 in 香菜)."""
    kept = {
        name: [
            cue for cue in cues if len(cue.phrase) > 1 or name[0] != "side" or cue.phrase in words
        ]
        for name, cues in found.items()
    }
    return {name: cues for name, cues in kept.items() if cues}


def _named(found: _Found, kind: str) -> Iterable[tuple[Any, ...]]:
    return (name for name in found if name[0] == kind)


def _terms(words: Iterable[str], wording: Wording) -> frozenset[str]:
    """Content words without dates, counts and generic words, irregular forms in their base form."""
    plain = (wording.irregular.get(word, word) for word in words)
    return frozenset(
        word
        for word in plain
        if word not in wording.generic and len(word) > 1 and not _VALUE_WORD.match(word)
    )


def _members(found: _Found, people: tuple[frozenset[str], ...]) -> dict[str, Mapping[str, int]]:
    """Per topic the values named, with their clauses. A trade is a value only where somebody known
    has it: "I'm a plumber", not "the plumber came".
    """
    members: dict[str, Mapping[str, int]] = {}
    for name in _named(found, "member"):
        topic = name[1]
        values = {
            cue.phrase: cue.clause for cue in found[name] if topic != "job" or people[cue.clause]
        }
        if values:
            members[topic] = values
    return members


def _topics(found: _Found, members: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    topics = {topic: min(values.values()) for topic, values in members.items()}
    for name in _named(found, "topic"):
        topics.setdefault(name[1], found[name][0].clause)
    return topics


def _sides(normal: Normal, found: _Found, wording: Wording) -> frozenset[tuple[int, int]]:
    """(number of the pair, side) taken; a denied word takes the other side ("never allergic")."""
    sides: set[tuple[int, int]] = set()
    for name in _named(found, "side"):
        _, number, side = name
        denied = all(wording.negation.around(normal, cue) for cue in found[name])
        sides.add((number, 1 - side if denied else side))
    return frozenset(sides)


def _marks(text: str, normal: Normal, found: _Found, wording: Wording) -> dict[str, Cue]:
    marks: dict[str, Cue] = {}
    for name in _named(found, "mark"):
        mark, cues = name[1], found[name]
        if mark in DENIABLE:
            cues = [cue for cue in cues if not describes(normal, cue, wording.language)]
            meant = [cue for cue in cues if not wording.denial.before(normal, cue)]
            if len(meant) < len(cues):
                marks["denied"] = cues[0]
            cues = meant
        if cues:
            marks[mark] = cues[0]
    if text.startswith("*"):  # a spelling mended, as chats do it
        marks["same"] = Cue("*", 0, 0)
    if text.rstrip().endswith(("?", "？")):
        marks["question"] = Cue("?", 0, 0)
    return marks


def _cue_words(normal: Normal, marks: Mapping[str, Cue]) -> frozenset[str]:
    """The words of the cues of change: they say that something changed, not what."""
    return frozenset(
        unit
        for mark in DENIABLE
        if (cue := marks.get(mark)) is not None
        for unit in normal.stemmed[cue.at : cue.at + len(cue.phrase.split())]
    )


def _words_en(text: str, normal: Normal) -> tuple[tuple[str, ...], frozenset[str]]:
    """All words in order, and those with a capital inside a sentence."""
    names: set[str] = set()
    for match in _NAME_EN.finditer(text):
        names |= meaningful(match.group(1), "en")
    return tuple(word for word in normal.stemmed if word != "|"), frozenset(names)


def _words_zh(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """All words in order, and those tagged as names or written in Latin letters."""
    import rjieba  # noqa: PLC0415  (loaded with the first Chinese text)

    tagged = rjieba.tag(text)
    names = {
        word.casefold()
        for word, tag in tagged
        if tag in _NAME_TAGS or (word.isascii() and word.isalpha() and len(word) > 1)
    }
    return tuple(word for word, _ in tagged if word != "的"), frozenset(names)
