"""The bilingual time grammar: TimeGrammar of the rules that graphmem ships."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from graphmem.lexicon import Lexicon
from graphmem.protocols import TimeSpan
from graphmem.when import offset_minutes
from graphmem_extractors.times import chinese, english
from graphmem_extractors.times.calendar import Said
from graphmem_extractors.times.compose import Composer
from graphmem_extractors.times.holidays import Holidays
from graphmem_extractors.times.pieces import Reading, Scanner, Tense

_LATIN = re.compile(r"[A-Za-z]{2}|\d[:./-]\d|\d ?[ap]m", re.IGNORECASE)
_LONGEST = 24_000  # characters; what lies behind is not read
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Language:
    scanner: Scanner
    composer: Composer
    tense: Callable[[str], Callable[[int, int], Tense | None]]


class Grammar:
    """Finds times in English and Chinese. The words come from the lexicon (topics `times`, `routines`).

    The tense of a date without a year or week is decided from the words of its clause; see
    docs/times.md for the rules.
    """

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._given = lexicon

    def find(self, text: str, *, said_at: datetime, language: str) -> tuple[TimeSpan, ...]:
        """All time expressions of `text`, resolved against `said_at` in its zone, left to right.

        Spans include their preposition ("since March", 从去年起) and never overlap. A text in one
        language is read for words of the other as well; only its first 24,000 characters are. Raises InvalidTime where `said_at` is naive.
        """
        offset_minutes(said_at)
        said, text = Said(said_at), text[:_LONGEST]
        found: list[TimeSpan] = []
        han = _HAN.search(text) is not None
        latin = _LATIN.search(text) is not None
        order = ("zh", "en") if language == "zh" else ("en", "zh")
        for name in order:
            if name == language or (han if name == "zh" else latin):
                found = _together(found, self._read(name, text, said))
        return tuple(found)

    def _read(self, name: str, text: str, said: Said) -> list[TimeSpan]:
        language = self._chinese if name == "zh" else self._english
        reading = Reading(text, said, language.tense(text))
        pieces = language.scanner.pieces(reading)
        return language.composer.spans(pieces, reading) if pieces else []

    @cached_property
    def _lexicon(self) -> Lexicon:
        return self._given or Lexicon.load()

    @cached_property
    def _holidays(self) -> Holidays:
        return Holidays(self._lexicon.table("times"))

    @cached_property
    def _hours(self) -> dict[str, tuple[int, int]]:
        hours = self._lexicon.table("routines")["hours"]
        split = {name: value.split(":") for name, value in hours.items()}
        return {name: (int(hour), int(minute)) for name, (hour, minute) in split.items()}

    @cached_property
    def _english(self) -> _Language:
        table = self._lexicon.table("times", "en")
        routines = self._lexicon.table("routines", "en")["phrases"]
        scanner = english.scanner(table, routines, self._holidays)
        tense = english.EnglishTense(table).of
        return _Language(scanner, english.composer(table, self._hours), tense)

    @cached_property
    def _chinese(self) -> _Language:
        table = self._lexicon.table("times", "zh")
        routines = self._lexicon.table("routines", "zh")["phrases"]
        scanner = chinese.scanner(table, routines, self._holidays)
        tense = chinese.ChineseTense(table).of
        return _Language(scanner, chinese.composer(table, self._hours), tense)


def _together(first: list[TimeSpan], more: list[TimeSpan]) -> list[TimeSpan]:
    """Both lists in order of place, the first keeping its spans where they overlap."""
    if not (first and more):
        return first or more
    taken = bytearray(max(span.end for span in (*first, *more)))
    for span in first:
        taken[span.start : span.end] = b"\x01" * (span.end - span.start)
    free = [span for span in more if not any(taken[span.start : span.end])]
    return sorted([*first, *free], key=lambda span: span.start)
