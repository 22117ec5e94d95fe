"""What the wording of one statement gives for comparing it with another: a Reading.

Pure: text and lexicon in, a frozen Reading out; recent readings are remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.phrases import Cue, Denial, Normal, Phrases, stem
from graphmem.lifecycle.values import values_in
from graphmem.words import meaningful

_NAME_EN = re.compile(r"(?<![.!?\"“:]\s)(?<!^)(?<![\w'’])([A-Z][\w'’-]+|[A-Z]{2,})")
_NAME_TAGS = frozenset({"ns", "nt", "nr", "nz"})
_DENIABLE = (
    "over",
    "switch",
    "reschedule",
    "cancel",
)  # a denied cue of these says that nothing changed
_CHANGE_MARKS = (*_DENIABLE, "now", "correct", "add", "same", "negation", "back", "multi", "single")
_DOUBT_MARKS = ("plan", "wish", "visit", "stay", "past", "quoted", "sarcasm", "question", "others")
# Dates and counts are compared as values, not as words.
_VALUE_WORD = re.compile(
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|januari|februari|march|april|june|juli|august|septemb"
    r"|octob|novemb|decemb|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelv|twenti|thirti|forti|fifti|pm|am"
    r"|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|[\d:.]+|\d+[a-z]{2}"
    r"|[零一二两三四五六七八九十百千\d]+[月日号点年周天个]?|周[一二三四五六日天末]|星期.|礼拜.)$"
)
SPEAKER = "speaker"
PRONOUN = "pronoun"


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement as nomination sees it.

    `clauses` are its stemmed clauses; `terms` its content words in normal form; `names` those of
    them that are written like names; `order` all words in order; `topics` the everyday topics it
    speaks of with the clauses that do; `members` per topic the values of it that are named ("nurse"
    of job); `marks` the kinds of cue found; `sides` the opposites it takes a side in; `kinds` the words
    that tell things of one sort apart; `people` per
    clause whom it is about (empty: unsaid); `relatives` all people it mentions; `values` numbers, dates and codes by kind.
    """

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

    def clauses_with(self, terms: Iterable[str]) -> frozenset[int]:
        """The numbers of the clauses that hold one of the terms."""
        wanted = tuple(terms)
        return frozenset(
            number
            for number, clause in enumerate(self.clauses)
            if any(term in clause for term in wanted)
        )


@dataclass(frozen=True, slots=True)
class Wording:
    """The lexicon of one language, compiled for reading statements."""

    language: str
    marks: Mapping[str, Phrases]
    denial: Denial
    negation: Denial
    topics: Mapping[str, Phrases]
    members: Mapping[str, Phrases]
    single: frozenset[str]
    sides: tuple[tuple[Phrases, Phrases], ...]
    kinds: tuple[tuple[Phrases, ...], ...]
    generic: frozenset[str]
    irregular: Mapping[str, str]
    heads: frozenset[str]
    people: Mapping[str, str]
    partners: frozenset[str]
    first_person: frozenset[str]
    possessive: frozenset[str]
    pronouns: frozenset[str]
    openers: frozenset[str]


def read(text: str, language: str, lexicon: Lexicon) -> Reading:
    """Read one statement."""
    return _read(text, "zh" if language == "zh" else "en", lexicon)


def shared_terms(new: Reading, old: Reading) -> frozenset[str]:
    """Content words in common; in Chinese also those that are part of a longer word."""
    shared = new.terms & old.terms
    if any(not term.isascii() for term in old.terms):
        text = "|".join(new.clauses)
        shared |= frozenset(term for term in old.terms if not term.isascii() and term in text)
    return frozenset(term for term in shared if not term.isdigit())


@lru_cache(maxsize=8192)
def _read(text: str, language: str, lexicon: Lexicon) -> Reading:
    wording = wording_of(lexicon, language)
    normal = Normal.of(text, language)
    order, names = _words_zh(text) if language == "zh" else _words_en(text, normal)
    names -= wording.people.keys()
    terms = _terms(meaningful(text, language) | names, wording)
    people = tuple(_people(normal.exact, wording))
    members = _members(normal, wording, people)
    return Reading(
        clauses=tuple(normal.stemmed.split("|")),
        terms=terms,
        names=names & terms,
        order=tuple(word for word in order if word not in {"|", "的"}),
        topics=MappingProxyType(_topics(normal, wording, members)),
        members=MappingProxyType(members),
        marks=MappingProxyType(_marks(text, normal, wording)),
        sides=_sides(normal, wording),
        kinds=_which(normal, wording.kinds),
        people=people,
        relatives=frozenset(
            group
            for word, group in wording.people.items()
            if _has_word(normal.exact, word, language)
        ),
        values=values_in(text, language),
    )


def _which(normal: Normal, groups: Iterable[tuple[Phrases, ...]]) -> frozenset[tuple[int, int]]:
    """(number of the group, number of the member) of all members that the text holds."""
    return frozenset(
        (number, which)
        for number, group in enumerate(groups)
        for which, phrases in enumerate(group)
        if phrases.first(normal)
    )


def _sides(normal: Normal, wording: Wording) -> frozenset[tuple[int, int]]:
    """(number of the pair, side) taken; a denied word takes the other side ("never allergic")."""
    found: set[tuple[int, int]] = set()
    for number, pair in enumerate(wording.sides):
        for side, phrases in enumerate(pair):
            cue, denied = phrases.first_undenied(normal, wording.negation)
            if cue:
                found.add((number, side))
            elif denied:
                found.add((number, 1 - side))
    return frozenset(found)


def _terms(words: Iterable[str], wording: Wording) -> frozenset[str]:
    """Content words without dates, counts and generic words, irregular forms in their base form."""
    plain = (wording.irregular.get(word, word) for word in words)
    return frozenset(
        word
        for word in plain
        if word not in wording.generic and len(word) > 1 and not _VALUE_WORD.match(word)
    )


def _members(
    normal: Normal, wording: Wording, people: tuple[frozenset[str], ...]
) -> dict[str, Mapping[str, int]]:
    """Per topic the values named, with their clauses. A trade is a value only where somebody known
    has it: "I'm a plumber", not "the plumber came".
    """
    found: dict[str, Mapping[str, int]] = {}
    for topic, phrases in wording.members.items():
        values = {
            shown: normal.clause_at(exact=exact, at=at)
            for shown, exact, at in phrases.found(normal)
        }
        if topic == "job":
            values = {value: clause for value, clause in values.items() if people[clause]}
        if values:
            found[topic] = values
    return found


def _topics(
    normal: Normal, wording: Wording, members: Mapping[str, Mapping[str, int]]
) -> dict[str, int]:
    found = {topic: min(values.values()) for topic, values in members.items()}
    for name, phrases in wording.topics.items():
        if name not in found and (cue := phrases.first(normal)):
            found[name] = cue.clause
    return found


def _has_word(exact: str, word: str, language: str) -> bool:
    return word in exact if language == "zh" else f" {word} " in exact


def _marks(text: str, normal: Normal, wording: Wording) -> dict[str, Cue]:
    found: dict[str, Cue] = {}
    for name, phrases in wording.marks.items():
        if name in _DENIABLE:
            cue, denied = phrases.first_undenied(normal, wording.denial)
            if denied:
                found["denied"] = Cue(name, 0)
        else:
            cue = phrases.first(normal)
        if cue is not None:
            found[name] = cue
    if text.startswith("*"):  # a spelling mended, as chats do it
        found["same"] = Cue("*", 0)
    if text.rstrip().endswith(("?", "？")):
        found["question"] = Cue("?", 0)
    return found


@lru_cache(maxsize=8)
def wording_of(lexicon: Lexicon, language: str) -> Wording:
    """The compiled wording of a language; a lexicon is told from others by identity."""
    language = "zh" if language == "zh" else "en"
    change = lexicon.table("change", language)
    doubt = lexicon.table("temporary", language)
    topics = lexicon.table("topics", language)
    marks = {name: Phrases(change[name], language) for name in _CHANGE_MARKS}
    marks |= {name: Phrases(doubt[name], language) for name in _DOUBT_MARKS}
    generic = lexicon.words("generic", language, "words")
    return Wording(
        language=language,
        marks=MappingProxyType(marks),
        denial=Denial(change["denial"], language),
        negation=Denial([*change["denial"], *change["negated"]], language),
        topics=_compiled(topics, "words", language),
        members=_compiled(topics, "members", language),
        single=frozenset(name for name, table in topics.items() if table.get("single")),
        sides=tuple(
            (Phrases(one.split("|"), language), Phrases(other.split("|"), language))
            for one, other in change["opposites"]
        ),
        kinds=tuple(
            tuple(Phrases(sort.split("|"), language) for sort in sorts) for sorts in change["kinds"]
        ),
        irregular=MappingProxyType(
            {_base(word, language): base for word, base in change["irregular"].items()}
        ),
        generic=frozenset(generic if language == "zh" else map(stem, generic)),
        heads=frozenset(change["heads"]),
        people=MappingProxyType(
            {word: group.split("|")[0] for group in change["people"] for word in group.split("|")}
        ),
        partners=frozenset(change["partners"]),
        first_person=frozenset(change["first_person"]),
        possessive=frozenset(change["possessive"]),
        pronouns=frozenset(change["pronouns"]),
        openers=frozenset(change["openers"]),
    )


def _compiled(
    topics: Mapping[str, Mapping[str, tuple[str, ...]]], part: str, language: str
) -> Mapping[str, Phrases]:
    return MappingProxyType(
        {name: Phrases(table[part], language) for name, table in topics.items() if part in table}
    )


def _base(word: str, language: str) -> str:
    return word if language == "zh" else stem(word)


def _words_en(text: str, normal: Normal) -> tuple[list[str], frozenset[str]]:
    """All words in order, and those with a capital inside a sentence."""
    names: set[str] = set()
    for match in _NAME_EN.finditer(text):
        names |= meaningful(match.group(1), "en")
    return normal.stemmed.split(), frozenset(names)


def _words_zh(text: str) -> tuple[list[str], frozenset[str]]:
    """All words in order, and those tagged as names or written in Latin letters."""
    import rjieba  # noqa: PLC0415  (loaded with the first Chinese text)

    tagged = rjieba.tag(text)
    names = {
        word.casefold()
        for word, tag in tagged
        if tag in _NAME_TAGS or (word.isascii() and word.isalpha() and len(word) > 1)
    }
    return [word for word, _ in tagged], frozenset(names)


def _people(exact: str, wording: Wording) -> Iterator[frozenset[str]]:
    """Per clause whom it is about; a clause without a subject goes on with the one before."""
    subject = _subject_zh if wording.language == "zh" else _subject_en
    last: frozenset[str] = frozenset()
    for clause in exact.split("|"):
        person = subject(clause, wording)
        if person:
            last = frozenset({person})
        yield last


def _subject_en(clause: str, wording: Wording) -> str:
    words = clause.split()
    mine = False
    for at, word in enumerate(words[:7]):
        if word in wording.first_person:
            return SPEAKER
        if word in wording.people and (mine or at == 0 or words[at - 1] in wording.openers):
            return wording.people[word]
        if word in wording.pronouns:
            return PRONOUN
        if word in wording.possessive:
            mine = True
        elif word not in wording.openers and word != "s":
            return SPEAKER if mine else ""
    return ""


def _subject_zh(clause: str, wording: Wording) -> str:
    rest = clause
    for _ in range(4):
        person = _leading(rest, wording.people)
        if person:
            return wording.people[person]
        if rest[:1] in wording.pronouns:
            return PRONOUN
        first = _leading(rest, wording.first_person)
        if first:
            person = _leading(rest[len(first) :].removeprefix("的"), wording.people)
            return wording.people[person] if person else SPEAKER
        opener = _leading(rest, wording.openers)
        if not opener:
            return ""
        rest = rest[len(opener) :]
    return ""


def _leading(text: str, words: Iterable[str]) -> str:
    """The longest of `words` with which the text begins, or ""."""
    return max((word for word in words if text.startswith(word)), key=len, default="")
