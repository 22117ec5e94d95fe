"""Phrases of the lexicon, compiled, and the normal form of a text in which they are looked up.

English words are stemmed, so that one entry covers its inflections; "=" before a phrase asks for the
exact words, and "*" stands for up to four words (eight characters of Chinese). No phrase reaches over
the end of a clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from graphmem.words import key

_CLAUSE_EN = re.compile(r"[,;:!?()\n—–\"“”…]+|\.+(?=\s|$)|\s-+\s")
_CLAUSE_ZH = re.compile(r"[，；：。！？（）、…,;:!?()\n—“”\"~～]+|(?<![0-9])\.(?![0-9a-z])")
_WORD_EN = re.compile(r"[^\W_]+(?:['.:/@_+&-][^\W_]+)*|[\U0001F300-\U0001FAFF]")
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
_GAP_EN = r"(?: (?!\|)[^ ]+){0,4}? "
_GAP_ZH = r"[^|]{0,8}?"
_BEFORE = 3  # words of English within which a denial reaches a cue


@dataclass(frozen=True, slots=True)
class Normal:
    """A text in normal form, stemmed and exact, clause by clause alike ("|" between clauses)."""

    stemmed: str
    exact: str

    @classmethod
    def of(cls, text: str, language: str) -> Normal:
        """The normal form of a statement."""
        if language == "zh":
            plain = _han(text)
            return cls(plain, plain)
        clauses = [words for part in _CLAUSE_EN.split(_folded(text)) if (words := _words(part))]
        exact = " | ".join(map(" ".join, clauses))
        stemmed = " | ".join(" ".join(map(stem, words)) for words in clauses)
        return cls(f" {stemmed} ", f" {exact} ")

    def clause_at(self, *, exact: bool, at: int) -> int:
        """The number of the clause at a position."""
        return (self.exact if exact else self.stemmed).count("|", 0, at)


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase found in a text: as the lexicon writes it, and the number of its clause."""

    phrase: str
    clause: int


class Phrases:
    """A list of phrases of one language: plain ones are found by substring, gaps by a pattern."""

    def __init__(self, phrases: Iterable[str], language: str) -> None:
        self._language = language
        plain: list[tuple[str, bool, str]] = []
        gapped: list[tuple[re.Pattern[str], bool, str]] = []
        for phrase in phrases:
            shown = phrase.removeprefix("=")
            exact = phrase.startswith("=")
            if "*" in shown:
                gapped.append((self._pattern(shown, exact=exact), exact, shown))
            else:
                plain.append((self._form(shown, exact=exact), exact, shown))
        self._plain, self._gapped = tuple(plain), tuple(gapped)

    def _form(self, phrase: str, *, exact: bool) -> str:
        normal = Normal.of(phrase, self._language)
        return normal.exact if exact else normal.stemmed

    def _pattern(self, phrase: str, *, exact: bool) -> re.Pattern[str]:
        parts = [re.escape(self._form(part, exact=exact).strip()) for part in phrase.split("*")]
        if self._language == "zh":
            return re.compile(_GAP_ZH.join(parts))
        return re.compile(" " + _GAP_EN.join(parts) + " ")

    def found(self, text: Normal) -> Iterator[tuple[str, bool, int]]:
        """(phrase, whether exact, position) of each phrase in the text, at its first place."""
        for needle, exact, shown in self._plain:
            at = (text.exact if exact else text.stemmed).find(needle)
            if at >= 0:
                yield shown, exact, at
        for pattern, exact, shown in self._gapped:
            match = pattern.search(text.exact if exact else text.stemmed)
            if match:
                yield shown, exact, match.start()

    def first(self, text: Normal) -> Cue | None:
        """The first phrase of the list which the text holds."""
        for shown, exact, at in self.found(text):
            return Cue(shown, text.clause_at(exact=exact, at=at))
        return None

    def first_undenied(self, text: Normal, denial: Denial) -> tuple[Cue | None, bool]:
        """The first phrase that no denial stands before, and whether one was denied."""
        denied = False
        for shown, exact, at in self.found(text):
            where = text.exact if exact else text.stemmed
            if denial.before(where, at, shown):
                denied = True
                continue
            return Cue(shown, text.clause_at(exact=exact, at=at)), denied
        return None, denied


class Denial:
    """Words that take back a cue which follows: not, almost, never; 没, 差点, 还没."""

    def __init__(self, words: Iterable[str], language: str) -> None:
        self._words = tuple(words)
        self._language = language

    def before(self, where: str, at: int, phrase: str) -> bool:
        """True where one of the words stands right before the cue at `at` (not part of it)."""
        head = where[:at].rsplit("|", 1)[-1]
        if self._language == "zh":
            return head.endswith(self._words)
        if phrase.split(" ", 1)[0] in self._words:
            return False
        return any(word in self._words for word in head.split()[-_BEFORE:])


@lru_cache(maxsize=1)
def _stemmer() -> object:
    import Stemmer  # noqa: PLC0415  (loaded with the first English text)

    return Stemmer.Stemmer("english", 0)  # without its own cache it may be shared by threads


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The English stem of a word in lower case (Snowball)."""
    return str(_stemmer().stemWord(word))  # type: ignore[attr-defined]


def _folded(text: str) -> str:
    folded = key(text)
    if "'" in folded or "cannot" in folded:
        for pattern, full in _SHORT_FORMS:
            folded = pattern.sub(full, folded)
    return folded


def _words(clause: str) -> list[str]:
    return [match.group() for match in _WORD_EN.finditer(clause)]


def _han(text: str) -> str:
    return _CLAUSE_ZH.sub("|", key(text)).replace(" ", "")
