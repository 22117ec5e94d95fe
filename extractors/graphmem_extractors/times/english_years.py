"""English years, decades and holidays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from graphmem_extractors.times.calendar import Day
from graphmem_extractors.times.holidays import Holidays
from graphmem_extractors.times.pieces import Atom, Piece, Reading, dated
from graphmem_extractors.times.stretches import PREPOSITION, SPELL, third_of_year, thirds


class EnglishYears:
    """Atoms for years and holidays, built from the words of the lexicon."""

    def __init__(self, table: Mapping[str, Any], holidays: Holidays) -> None:
        self._holidays = holidays
        self._holiday_words: dict[str, list[str]] = dict(table["holidays"])

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms, the longest and surest forms first."""
        spell = SPELL
        return (
            Atom("years", r"(?:from\s+|between\s+)?(?P<y1>(?:19|20)\d\d)\s*(?:-|–|—|to|until|till|and)\s*(?P<y2>(?:19|20)\d\d|\d\d)(?![\d-])", self._years),
            Atom("decade", r"(?:in\s+)?the\s+(?:(?P<pos>early|mid|late)[\s-]+)?'?(?P<y>(?:19|20)\d0|[5-9]0)'?s\b", self._decade),
            Atom("spellyear", rf"(?P<pos>{spell})[\s-]+(?P<y>(?:19|20)\d\d)\b(?![-/])", self._part_of_year),
            Atom("shortyear", r"(?:since|in|from|until|till|back in|by)\s+['’](?P<y>\d\d)\b", self._short_year),
            Atom("year", rf"(?P<prep>{PREPOSITION}|(?<=\d{{4}}\s)and|circa|summer|winter|spring|autumn|fall|year)\s+(?:of\s+)?(?P<y>(?:19|20)\d\d)\b(?![-/:.]\d|\s*(?:%|euros?|dollars?|people|steps|calories|kcal|points|words|km|miles|m\b))", self._year),
            *(
                Atom(f"holiday_{name}", rf"(?:(?P<mod>last|next|this)\s+)?(?:{'|'.join(words)})\b(?:\s+(?P<year>(?:19|20)\d\d))?", partial(self._holiday, name))
                for name, words in self._holiday_words.items()
            ),
        )  # fmt: skip

    def _year(self, found: re.Match[str], _: Reading) -> Piece | None:
        if found["prep"].lower() in {"at", "to", "over", "about", "for", "this", "on"}:
            return None
        day = Day(date(int(found["y"]), 1, 1), "year")
        return Piece(start=found.start("y"), end=found.end(), day=day)

    def _short_year(self, found: re.Match[str], at: Reading) -> Piece:
        year = at.said.day.year // 100 * 100 + int(found["y"])
        day = Day(date(year - 100 * (year > at.said.day.year + 5), 1, 1), "year")
        return Piece(start=found.start("y") - 1, end=found.end(), day=day)

    def _years(self, found: re.Match[str], _: Reading) -> Piece | None:
        first, last = int(found["y1"]), found["y2"]
        end = int(last) if len(last) == 4 else first // 100 * 100 + int(last)
        if not first < end <= first + 99:
            return None
        return dated(found, Day(date(first, 1, 1), "year", last=date(end, 1, 1)))

    def _decade(self, found: re.Match[str], _: Reading) -> Piece:
        start = int(found["y"]) if len(found["y"]) == 4 else 1900 + int(found["y"])
        low, high = thirds(found["pos"] or "", (0, 3), (4, 6), (7, 9)) if found["pos"] else (0, 9)
        return dated(found, Day(date(start + low, 1, 1), "year", last=date(start + high, 1, 1)))

    def _part_of_year(self, found: re.Match[str], _: Reading) -> Piece:
        return dated(found, third_of_year(int(found["y"]), found["pos"]))

    def _holiday(self, name: str, found: re.Match[str], at: Reading) -> Piece | None:
        if found["year"]:
            day = self._holidays.on(name, int(found["year"]))
        else:
            past = (
                found["mod"].lower() == "last"
                if found["mod"]
                else at.tense(*found.span()) == "past"
            )
            day = self._holidays.near(name, at.said.day, past=past)
        return (
            None if day is None else dated(found, Day(day, cycle=None if found["year"] else "year"))
        )
