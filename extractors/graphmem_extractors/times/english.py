"""The English time grammar: atoms, joints, and what the words nearby say of tense."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from graphmem_extractors.times.compose import Composer, Idiom
from graphmem_extractors.times.english_clocks import EnglishClocks
from graphmem_extractors.times.english_dates import ANCHORS, EnglishDates
from graphmem_extractors.times.english_repeats import EnglishRepeats
from graphmem_extractors.times.english_years import EnglishYears
from graphmem_extractors.times.holidays import Holidays
from graphmem_extractors.times.pieces import Scanner, Tense

_CLAUSE = re.compile(r"[.;!?\n:—](?:\s|$)|,\s|\s-\s|\s(?:and|but|so|then)\s", re.IGNORECASE)
_AHEAD = re.compile(
    r"\b(?:for|to|until|till|til|by|through|due|before)\s+(?:the\s+)?\Z", re.IGNORECASE
)
_BEHIND = re.compile(r"\b(?:since|back in|back on)\s+(?:the\s+)?\Z", re.IGNORECASE)
_FIRST = frozenset({"isoinstant", "iso", "full", "dayrange", "rangeday"})
_WORD = re.compile(r"['’]?[a-z]+(?:['’]t)?", re.IGNORECASE)


def scanner(table: Mapping[str, Any], routines: Mapping[str, list[str]], holidays: Holidays) -> Scanner:  # fmt: skip
    """All English atoms as one pass."""
    atoms = (
        *EnglishClocks(table, routines).atoms(),
        *EnglishRepeats(table).atoms(),
        *EnglishDates(table).atoms(),
        *EnglishYears(table, holidays).atoms(),
    )
    first = [atom for atom in atoms if atom.name in _FIRST]
    rest = [atom for atom in atoms if atom.name not in _FIRST]
    return Scanner(
        (*first, *rest),
        start=r"(?<![\w.$€£/#-])(?:[a-z]+|\d+|@|'(?=til|\d0))",
        openers=_openers(table, routines),
        flags=re.IGNORECASE,
    )


def _openers(table: Mapping[str, Any], routines: Mapping[str, list[str]]) -> frozenset[str]:
    """Words with which a time may begin."""
    tables = ("numbers", "ordinals", "weekdays", "short_weekdays", "months")
    words = [*table["openers"], *(word for name in tables for word in table[name])]
    words += [word for row in table["parts"].values() for word in row["words"]]
    words += [phrase for row in (*table["holidays"].values(), *routines.values()) for phrase in row]
    found = {piece for word in words for piece in re.findall(r"[a-z]+", word.lower())}
    return frozenset(found | {f"{word}s" for word in table["weekdays"]})


def composer(table: Mapping[str, Any], hours: Mapping[str, tuple[int, int]]) -> Composer:
    """How English joins the parts."""
    anchors = "|".join(sorted(map(re.escape, ANCHORS), key=len, reverse=True))
    flags = re.IGNORECASE
    return Composer(
        Idiom(
            glue=re.compile(r"\s*(?:,|-|–|@|\()?\s*(?:(?:at|on|in|from|of|the|around|about|by|starting|evening of)\s+)*", flags),
            to=re.compile(r"\s*(?:-|–|—|to|until|till|through|thru|and)\s*(?:the\s+)?", flags),
            opening=re.compile(rf"(?<![\w-])(?:{anchors}|on|in|at|for|during|over|around|back in|after)\s+(?:the\s+)?", flags),
            closing=re.compile(r"\s+(?:onwards?)\b", flags),
            anchors={**ANCHORS, "onward": "since", "onwards": "since"},
            not_range=re.compile(r"\b(?:mov\w+|chang\w+|switch\w+|shift\w+|push\w+|postpon\w+|reschedul\w+|brought|put)\b", flags),
            moved_on=re.compile(r"(?!)"),
            evening=re.compile(rf"\b(?:{'|'.join(table['evening'])})\b", flags),
            morning=re.compile(rf"\b(?:{'|'.join(table['morning'])})\b", flags),
            hours=hours,
        )
    )  # fmt: skip


class EnglishTense:
    """Whether the words of the clause say that a date lies behind or ahead."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._past = frozenset(table["past_verbs"])
        self._not_past = frozenset(table["not_past"])
        self._passive = frozenset(table["passive"])
        self._future = re.compile(rf"(?<!\w)(?:{'|'.join(table['future'])})(?!\w)", re.IGNORECASE)

    def of(self, text: str) -> Callable[[int, int], Tense | None]:
        """The reader for one text."""

        def tense(start: int, end: int) -> Tense | None:
            if _BEHIND.search(text, max(0, start - 14), start):
                return "past"
            if _AHEAD.search(text, max(0, start - 14), start):
                return "future"
            left, right = _clause(text, start, end)
            before = self._read(text[left:start])
            return before or self._read(text[end:right]) or self._across(text, start, right, left)

        return tense

    def _across(self, text: str, start: int, right: int, left: int) -> Tense | None:
        """As in "on Sunday, I bought": the date alone before a comma belongs to what follows."""
        alone = len(text[left:start].split()) <= 1
        if not (alone and text[right : right + 1] == ","):
            return None
        following = _CLAUSE.search(text, right + 1)
        return self._read(text[right : following.start() if following else right + 120])

    def _read(self, words: str) -> Tense | None:
        if self._future.search(words):
            return "future"
        previous = ""
        for found in _WORD.finditer(words.replace("’", "'")):
            word = "" if found[0] == "Sat" else found[0].lower()
            regular = word.endswith("ed") and len(word) > 3 and word not in self._not_past
            if (word in self._past or regular) and previous not in self._passive:
                return "past"
            previous = word
        return None


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    """The clause around a span, at most 120 characters to each side."""
    left = max(0, start - 120)
    for found in _CLAUSE.finditer(text, left, start):
        left = found.end()
    following = _CLAUSE.search(text, end, min(len(text), end + 120))
    return left, following.start() if following else min(len(text), end + 120)
