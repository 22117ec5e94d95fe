"""Phrases of the lexicon, and the normal form of a text in which they are looked up.

English words are stemmed, so that one entry covers its inflections; "=" before a phrase asks for the
exact words, and "*" stands for up to four words (eight characters of Chinese). No phrase reaches over
the end of a clause. All phrases of a language stand in one book that is indexed by how they begin, so
that a text is read once, however many there are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphmem.errors import InvalidSettings
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
    (re.compile(r"'s\b"), " s"),
)
_GAP_EN = 4  # words that "*" may stand for
_GAP_ZH = 8  # characters
_REACH = 4  # words of English within which a denial reaches a cue
_AFTER_EN, _AFTER_ZH = 2, 5  # units within which a negation after a word reaches back to it
_INDEFINITE = frozenset({"a", "an", "some", "another"})
_DEFINITE = frozenset({"the", "my", "our", "this", "that", "his", "her", "their"})
_END = "|"  # between clauses


@dataclass(frozen=True, slots=True)
class Normal:
    """A text in normal form: its units (English: words, Chinese: characters), stemmed and exact,
    with "|" between clauses.
    """

    stemmed: tuple[str, ...]
    exact: tuple[str, ...]

    @classmethod
    def of(cls, text: str, language: str) -> Normal:
        """The normal form of a statement."""
        if language == "zh":
            folded = _CLAUSE_ZH.sub(_END, key(text)).replace(" ", "")
            units = tuple(folded.replace("主要是", "主是"))  # 要是 in it supposes nothing
            return cls(units, units)
        exact: list[str] = []
        for part in _CLAUSE_EN.split(_folded(text)):
            words = _WORD_EN.findall(part)
            if words and exact:
                exact.append(_END)
            exact += words
        return cls(tuple(map(stem, exact)), tuple(exact))

    def clause_at(self, at: int) -> int:
        """The number of the clause at a unit."""
        return self.exact[:at].count(_END)

    def clauses(self, *, exact: bool, joint: str) -> list[str]:
        """The clauses as strings, units joined by `joint`."""
        units = self.exact if exact else self.stemmed
        return [part.strip() for part in joint.join(units).split(_END)]


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase found in a text: as the lexicon writes it, the unit it begins at, its clause."""

    phrase: str
    at: int
    clause: int


@dataclass(frozen=True, slots=True)
class _Phrase:
    parts: tuple[tuple[str, ...], ...]
    exact: bool
    shown: str
    name: tuple[Any, ...]


class Book:
    """All phrases of one language under the names of their lists."""

    def __init__(self, lists: Mapping[tuple[Any, ...], Iterable[str]], language: str) -> None:
        self._gap = _GAP_ZH if language == "zh" else _GAP_EN
        self._by_start: dict[bool, dict[str, list[_Phrase]]] = {
            True: defaultdict(list),
            False: defaultdict(list),
        }
        for name, phrases in lists.items():
            for written in phrases:
                exact = written.startswith("=") or language == "zh"
                shown = written.removeprefix("=")
                normals = [Normal.of(part, language) for part in shown.split("*")]
                parts = tuple(one.exact if exact else one.stemmed for one in normals)
                if not all(parts):
                    raise InvalidSettings(
                        f"{written!r} in the lexicon has no words to look for",
                        expected="words, with * only between words",
                    )
                self._by_start[exact][parts[0][0]].append(_Phrase(parts, exact, shown, name))

    def find(self, text: Normal) -> dict[tuple[Any, ...], list[Cue]]:
        """Per list the phrases of it that the text holds, in the order of the text."""
        found: dict[tuple[Any, ...], list[Cue]] = {}
        clause = 0
        for at, (exact, stemmed) in enumerate(zip(text.exact, text.stemmed, strict=True)):
            if exact == _END:
                clause += 1
                continue
            for phrase in self._starting(exact, stemmed):
                units = text.exact if phrase.exact else text.stemmed
                if self._stands(phrase.parts, units, at):
                    found.setdefault(phrase.name, []).append(Cue(phrase.shown, at, clause))
        return found

    def _starting(self, exact: str, stemmed: str) -> Iterator[_Phrase]:
        yield from self._by_start[True].get(exact, ())
        yield from self._by_start[False].get(stemmed, ())

    def _stands(self, parts: tuple[tuple[str, ...], ...], units: tuple[str, ...], at: int) -> bool:
        end = at + len(parts[0])
        if units[at:end] != parts[0]:
            return False
        for part in parts[1:]:
            for start in range(end, min(end + self._gap, len(units) - len(part)) + 1):
                if units[start : start + len(part)] == part:
                    break
                if units[start] == _END:
                    return False
            else:
                return False
            end = start + len(part)
        return True


class Denial:
    """Words that take back a cue which follows: not, almost, never; 没, 差点, 还没."""

    def __init__(self, words: Iterable[str], language: str) -> None:
        self._words = tuple(words)
        self._language = language

    def around(self, text: Normal, cue: Cue) -> bool:
        """True where one of the words stands before the cue, or soon after it ("meat is not for me")."""
        if self.before(text, cue):
            return True
        reach = _AFTER_ZH if self._language == "zh" else _AFTER_EN
        start = cue.at + len(cue.phrase if self._language == "zh" else cue.phrase.split())
        for at in range(start, min(start + reach, len(text.exact))):
            if text.exact[at] == _END:
                return False
            if text.exact[at] in self._words:
                return True
        return False

    def before(self, text: Normal, cue: Cue) -> bool:
        """True where one of the words stands right before the cue, and is not part of it."""
        if self._language == "zh":
            head = "".join(text.exact[max(0, cue.at - 6) : cue.at])
            return head.endswith(self._words)
        if cue.phrase.split(" ", 1)[0] in self._words or cue.phrase.startswith("any"):
            return False  # "not any more" is an end
        for at in range(cue.at - 1, max(-1, cue.at - 1 - _REACH), -1):
            if text.exact[at] == _END:
                return False
            if text.exact[at] in self._words:
                return True
        return False


def describes(text: Normal, cue: Cue, language: str) -> bool:
    """True for a participle that only describes a thing: "a folding mirror", "a used car"."""
    if language == "zh" or " " in cue.phrase or not 0 < cue.at < len(text.exact) - 1:
        return False
    before, word, after = text.exact[cue.at - 1 : cue.at + 2]
    if after == _END:
        return False
    return (before in _INDEFINITE and word.endswith(("ing", "ed", "en", "able"))) or (
        before in _DEFINITE and word.endswith(("ing", "able"))
    )


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
