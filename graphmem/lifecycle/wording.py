"""What the wording of one statement gives for comparing it with another: a Reading.

Pure: text and lexicon in, a frozen Reading out. Phrases are looked up in a normal form of the text:
English words are stemmed, so that one entry covers its inflections; "=" before a phrase in the lexicon
asks for the exact words, and "*" stands for up to four words (eight characters of Chinese). No phrase
reaches over the end of a clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.values import values_in
from graphmem.words import key, meaningful

_CLAUSE_EN = re.compile(r"[,;:!?()\n—–\"“”…]+|\.+(?=\s|$)|\s-+\s")
_CLAUSE_ZH = re.compile(r"[，；：。！？（）、…,;:!?()\n—“”\"~～]+")
_WORD_EN = re.compile(r"[^\W_]+(?:['.:/@_+&-][^\W_]+)*|\?|%")
_SHORT_FORMS = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bain't\b"), "is not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(i)'m\b"), r"\1 am"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'d\b"), " would"),
    (re.compile(r"\b(it|that|he|she|there|here|what|who)'s\b"), r"\1 is"),
    (re.compile(r"'s\b"), " 's"),
)
_NAME_EN = re.compile(r"(?<![.!?\"“]\s)(?<!^)(?<![\w'’])([A-Z][\w'’-]+|[A-Z]{2,})")
_GAP_EN = r"(?: (?!\|)[^ ]+){0,4} "
_GAP_ZH = r"[^|]{0,8}"
_CHANGE_MARKS = (
    "over", "switch", "now", "correct", "reschedule", "cancel", "add", "same", "negation", "back", "multi", "single",
)  # fmt: skip
_DOUBT_MARKS = ("plan", "wish", "visit", "stay", "past", "quoted", "sarcasm", "question")
SPEAKER = "speaker"
PRONOUN = "pronoun"


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement as nomination sees it.

    `terms` are content words in normal form; `names` those of them written like proper names;
    `topics` the everyday topics the words belong to; `marks` the kinds of cue found, each with the
    phrase that was found; `sides` the opposites it takes a side in, as (number, side); `people` whom it is
    about; `values` numbers, dates and codes by kind.
    """

    language: str
    plain: str
    terms: frozenset[str]
    names: frozenset[str]
    topics: frozenset[str]
    marks: Mapping[str, str]
    sides: frozenset[tuple[int, int]]
    people: frozenset[str]
    values: Mapping[str, frozenset[str]]


class Phrases:
    """A list of phrases of one language, compiled: plain ones by substring, gaps by a pattern."""

    def __init__(self, phrases: Iterable[str], language: str) -> None:
        plain: list[tuple[str, str]] = []
        exact: list[tuple[str, str]] = []
        gapped: list[tuple[re.Pattern[str], bool, str]] = []
        for phrase in phrases:
            shown = phrase.removeprefix("=")
            is_exact = phrase.startswith("=")
            if "*" in shown:
                parts = [_normal(part, language, stemmed=not is_exact) for part in shown.split("*")]
                gap = _GAP_ZH if language == "zh" else _GAP_EN
                pattern = gap.join(re.escape(part.strip()) for part in parts)
                if language == "en":
                    pattern = f" {pattern} "
                gapped.append((re.compile(pattern), is_exact, shown))
            else:
                (exact if is_exact else plain).append(
                    (_normal(shown, language, stemmed=not is_exact), shown)
                )
        self._plain, self._exact, self._gapped = tuple(plain), tuple(exact), tuple(gapped)

    def first(self, stemmed: str, exact: str) -> str | None:
        """The longest-listed phrase first found in the text, as the lexicon writes it."""
        for needle, shown in self._plain:
            if needle in stemmed:
                return shown
        for needle, shown in self._exact:
            if needle in exact:
                return shown
        for pattern, is_exact, shown in self._gapped:
            if pattern.search(exact if is_exact else stemmed):
                return shown
        return None


@dataclass(frozen=True, slots=True)
class Wording:
    """The lexicon of one language, compiled for reading statements."""

    marks: Mapping[str, Phrases]
    topics: Mapping[str, Phrases]
    single: frozenset[str]
    sides: tuple[tuple[Phrases, Phrases], ...]
    generic: frozenset[str]
    people: Mapping[str, str]
    partners: frozenset[str]
    first_person: frozenset[str]
    pronouns: frozenset[str]
    openers: frozenset[str]


def read(text: str, language: str, lexicon: Lexicon) -> Reading:
    """Read one statement. The same text gives the same Reading; recent ones are remembered."""
    return _read(text, "zh" if language == "zh" else "en", lexicon)


@lru_cache(maxsize=8192)
def _read(text: str, language: str, lexicon: Lexicon) -> Reading:
    wording = wording_of(lexicon, language)
    stemmed = _normal(text, language, stemmed=True)
    exact = _normal(text, language, stemmed=False)
    marks = {
        name: found
        for name, phrases in wording.marks.items()
        if (found := phrases.first(stemmed, exact)) is not None
    }
    terms = meaningful(text, language) - wording.generic
    names = _names(text, language, terms)
    return Reading(
        language=language,
        plain=exact,
        terms=terms,
        names=names,
        topics=frozenset(
            name for name, phrases in wording.topics.items() if phrases.first(stemmed, exact)
        ),
        marks=MappingProxyType(marks),
        sides=frozenset(
            (number, side)
            for number, pair in enumerate(wording.sides)
            for side, phrases in enumerate(pair)
            if phrases.first(stemmed, exact)
        ),
        people=frozenset(_people(exact, language, wording)),
        values=values_in(text, language),
    )


@lru_cache(maxsize=8)
def wording_of(lexicon: Lexicon, language: str) -> Wording:
    """The compiled wording of a language; `lexicon` is told apart by identity."""
    change = lexicon.table("change", language)
    doubt = lexicon.table("temporary", language)
    topics = lexicon.table("topics", language)
    marks = {name: Phrases(change[name], language) for name in _CHANGE_MARKS}
    marks |= {name: Phrases(doubt[name], language) for name in _DOUBT_MARKS}
    people = {word: group.split("|")[0] for group in change["people"] for word in group.split("|")}
    generic = lexicon.words("generic", language, "words")
    return Wording(
        marks=MappingProxyType(marks),
        topics=MappingProxyType(
            {name: Phrases(table["words"], language) for name, table in topics.items()}
        ),
        single=frozenset(name for name, table in topics.items() if table.get("single")),
        sides=tuple(
            (Phrases(one.split("|"), language), Phrases(other.split("|"), language))
            for one, other in change["opposites"]
        ),
        generic=frozenset(generic if language == "zh" else map(stem, generic)),
        people=MappingProxyType(people),
        partners=frozenset(change["partners"]),
        first_person=frozenset(change["first_person"]),
        pronouns=frozenset(change["pronouns"]),
        openers=frozenset(change["openers"]),
    )


@lru_cache(maxsize=1)
def _stemmer() -> object:
    import Stemmer  # noqa: PLC0415  (loaded with the first English text)

    return Stemmer.Stemmer("english", 0)  # without its own cache it may be shared by threads


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The English stem of a word in lower case (Snowball)."""
    return str(_stemmer().stemWord(word))  # type: ignore[attr-defined]


def _normal(text: str, language: str, *, stemmed: bool) -> str:
    """The form in which phrases are looked up: words between blanks, "|" between clauses."""
    folded = key(text)
    if language == "zh":
        return _CLAUSE_ZH.sub("|", folded).replace(" ", "")
    for pattern, full in _SHORT_FORMS:
        folded = pattern.sub(full, folded)
    clauses: list[str] = []
    for clause in _clauses_en(folded):
        words = [match.group() for match in _WORD_EN.finditer(clause)]
        if words:
            clauses.append(" ".join(map(stem, words) if stemmed else words))
    tail = " ?" if "?" in folded else ""
    return " " + " | ".join(clauses) + tail + " "


def _clauses_en(text: str) -> list[str]:
    return _CLAUSE_EN.split(text)


def _names(text: str, language: str, terms: frozenset[str]) -> frozenset[str]:
    """Terms written like names: capitals inside an English sentence, Latin words inside Chinese."""
    if language == "zh":
        return frozenset(term for term in terms if term.isascii() and term.isalpha())
    found: set[str] = set()
    for match in _NAME_EN.finditer(text):
        found |= meaningful(match.group(1), "en")
    return frozenset(found & terms)


def _people(exact: str, language: str, wording: Wording) -> Iterator[str]:
    subjects = _subjects_zh if language == "zh" else _subjects_en
    nobody = True
    for clause in exact.split("|"):
        for person in subjects(clause, wording):
            nobody = False
            yield person
    if nobody:
        yield SPEAKER


def _subjects_en(clause: str, wording: Wording) -> Iterator[str]:
    words = clause.split()
    mine = False
    for at, word in enumerate(words[:7]):
        if word in wording.first_person:
            yield SPEAKER
            return
        if word in {"my", "our"}:
            mine = True
        if word in wording.people and (mine or at == 0 or words[at - 1] in wording.openers):
            yield wording.people[word]
            return
        if word in wording.pronouns:
            yield PRONOUN
            return
        if word not in wording.openers and not word.endswith("'s"):
            return


def _subjects_zh(clause: str, wording: Wording) -> Iterator[str]:
    rest = clause
    for _ in range(4):
        person = _leading(rest, wording.people)
        if person:
            yield wording.people[person]
            return
        if rest[:1] in wording.pronouns:
            yield PRONOUN
            return
        first = _leading(rest, wording.first_person)
        if first:
            person = _leading(rest[len(first) :].removeprefix("的"), wording.people)
            yield wording.people[person] if person else SPEAKER
            return
        opener = _leading(rest, wording.openers)
        if not opener:
            return
        rest = rest[len(opener) :]


def _leading(text: str, words: Iterable[str]) -> str:
    """The longest of `words` with which the text begins, or ""."""
    return max((word for word in words if text.startswith(word)), key=len, default="")
