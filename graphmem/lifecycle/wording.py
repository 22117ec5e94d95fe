"""What the wording of one statement gives for comparing it with another: a Reading.

Pure: text and lexicon in, a frozen Reading out. Phrases are looked up in a normal form of the text in
which English words are stemmed, so that one entry covers its inflections; "=" before a phrase in the
lexicon asks for the exact words, "*" in a phrase stands for up to four words (eight Han characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.values import values_in
from graphmem.words import key

_WORD = re.compile(r"[a-z0-9]+(?:['.:/@_+-][a-z0-9]+)*", re.IGNORECASE)
_GAP_EN = r"(?: [^ ]+){0,4} "
_GAP_ZH = r".{0,8}"
_CLAUSE = re.compile(
    r"[,;:.!?()\n—–，；：。！？（）、…]+\s*|\s-\s| (?=(?:and|but|so|because|while) )"
)
_MEMO = 4096


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement as nomination sees it.

    `terms` are meaningful words in normal form; `names` those of them which look like proper names;
    `topics` everyday topics that the words belong to; `marks` the kinds of cue found, each with the
    first phrase that was found; `people` who it is about ("speaker", a relative, a name);
    `values` numbers, dates and codes by kind.
    """

    terms: frozenset[str]
    names: frozenset[str]
    topics: frozenset[str]
    marks: Mapping[str, str]
    people: frozenset[str]
    values: Mapping[str, frozenset[str]]
    length: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """Compiled phrases of one list: plain ones by substring, those with a gap by one pattern."""

    stemmed: tuple[tuple[str, str], ...]
    exact: tuple[tuple[str, str], ...]
    gapped: tuple[tuple[re.Pattern[str], bool, str], ...]

    def first(self, stemmed: str, exact: str) -> str | None:
        """The first phrase of the list that the text holds, as the lexicon writes it."""
        for needle, shown in self.stemmed:
            if needle in stemmed:
                return shown
        for needle, shown in self.exact:
            if needle in exact:
                return shown
        for pattern, is_exact, shown in self.gapped:
            if pattern.search(exact if is_exact else stemmed):
                return shown
        return None


@lru_cache(maxsize=1)
def _stemmer() -> object:
    import Stemmer  # noqa: PLC0415  (heavy: loaded with the first English text)

    return Stemmer.Stemmer("english")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The English stem of a word in lower case (Porter2)."""
    return str(_stemmer().stemWord(word))  # type: ignore[attr-defined]
