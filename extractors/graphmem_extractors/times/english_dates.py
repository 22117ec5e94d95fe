"""English dates: weekdays, months, numeric dates, relative days, holidays, stretches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from graphmem_extractors.times.calendar import (
    WEEK,
    Cycle,
    Day,
    real_date,
    shift_months,
    week_start,
    weekday_after,
    weekday_before,
)
from graphmem_extractors.times.nearest import near_day, near_day_of_month, near_month
from graphmem_extractors.times.pieces import (
    Anchor,
    Atom,
    Part,
    Piece,
    Reading,
    alternatives,
    dated,
    parts_of,
)
from graphmem_extractors.times.stretches import (
    PREPOSITION,
    SPELL,
    third_of_month,
    third_of_year,
    thirds,
)

ANCHORS: Mapping[str, Anchor] = {
    "since": "since",
    "ever since": "since",
    "from": "since",
    "starting": "since",
    "starting from": "since",
    "starting on": "since",
    "as of": "since",
    "as from": "since",
    "beginning": "since",
    "until": "until",
    "till": "until",
    "til": "until",
    "'til": "until",
    "up to": "until",
    "through": "until",
    "by": "by",
    "before": "by",
}


class EnglishDates:
    """Atoms for dates, built from the words of the lexicon."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._weekdays: dict[str, int] = {**table["weekdays"], **table["short_weekdays"]}
        self._months: dict[str, int] = dict(table["months"])
        self._ordinals: dict[str, int] = dict(table["ordinals"])
        self._numbers: dict[str, float] = dict(table["numbers"])
        self._parts = parts_of(table["parts"])
        self._not_day = "|".join(table["not_day"])
        self._long_day = alternatives(table["weekdays"])
        self._any_day = alternatives(self._weekdays) + r"\b"
        self._short_words = alternatives(table["short_weekdays"]) + r"\b\.?"
        self._month = alternatives(self._months) + r"\b\.?"

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms, the longest and surest forms first."""
        month, day = self._month, r"\d{1,2}(?:st|nd|rd|th)?"
        year = r"(?:,?\s*(?P<year>(?:19|20)\d\d)\b(?!-))?"
        dash = r"\s*(?:-|–|—|to|until|till|through|and)\s*(?:the\s+)?"
        ordinal = alternatives(self._ordinals)
        spell = SPELL
        return (
            Atom("isoinstant", r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?", _iso_instant),
            Atom("iso", r"(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?![\d/])", self._numeric),
            Atom("full", r"(?P<a>\d{1,2})[./-](?P<b>\d{1,2})[./-](?P<y>(?:19|20)\d\d)(?!\d)", self._two),
            Atom(
                "dayrange",
                rf"(?:(?:from|between)\s+)?(?:the\s+)?(?P<d1>{day}){dash}(?P<d2>{day})(?:\s+of)?\s+(?P<month>{month}){year}",
                self._day_range,
            ),
            Atom(
                "rangeday",
                rf"(?:from\s+)?(?P<month>{month})\s+(?P<d1>{day}){dash}(?P<d2>{day})(?!\d|:){year}",
                self._day_range,
            ),
            Atom(
                "daymonth",
                rf"(?:the\s+)?(?P<d1>{day}|{ordinal})(?:\s+of)?[\s-]+(?P<month>{month}){year}(?!\w)",
                self._day_month,
            ),
            Atom(
                "monthday",
                rf"(?P<month>{month})\s+(?:the\s+)?(?P<d1>{day})(?!\d|:\d|\.\d|\s*(?:am|pm)\b){year}(?!\w)",
                self._day_month,
            ),
            Atom("spellmonth", rf"(?P<pos>{spell})[\s-]+(?P<month>{month}){year}", self._part_of_month),
            Atom("monthyear", rf"(?P<month>{month}),?(?:\s+of)?\s+(?P<year>(?:19|20)\d\d)\b", self._month_year),
            Atom("dotted", r"(?P<a>\d{1,2})\.(?P<b>\d{1,2})\.(?!\d)", self._two),
            Atom("slashed", rf"{PREPOSITION}\s+(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?![\d/]|\s*(?:cup|tsp|tbsp|inch|of\b))", self._two),
            Atom("fewago", rf"(?P<n>two|three|four|\d)\s+(?P<wd>{self._long_day})s\s+ago", self._weekdays_ago),
            Atom("weekshift", rf"(?P<n>a|one|two|three|four|\d)\s+weeks?\s+(?:on|from|after)\s+(?P<wd>{self._long_day})", self._week_later),
            Atom("dayweek", rf"(?P<wd>{self._any_day})\s+(?:week|(?P<two>fortnight))\b(?!\s*(?:end|s\b))", self._week_later),
            Atom("afternext", rf"(?:the\s+)?(?P<unit>week|weekend|month|year|{self._any_day})\s+(?:after\s+next|(?P<back>before\s+last))", self._after_next),
            Atom(
                "modified",
                rf"(?P<mod>this coming|this past|this|next|last|past|previous|coming|the following|the same)\s+(?P<unit>week(?:end)?|month|quarter|year|{self._any_day}|{month})\b(?!')",
                self._modified,
            ),
            Atom("spellunit", rf"(?:at\s+)?(?P<pos>{spell})\s+(?P<mod>the|this|next|last)\s+(?P<unit>week|month|year)\b", self._part_of_unit),
            Atom("relative", r"(?:the\s+)?(?P<word>day after tomorrow|day before yesterday|overmorrow|tomorrow|tmrw|tmr|tmw|yesterday|today|tonight|tonite|last night)\b(?!'s (?:world|generation|youth|society))", self._relative),
            Atom("weekend", r"(?:on|at|over|for|by|until|till|since)?\s*the\s+weekend\b", self._weekend),
            Atom("ofshift", r"the\s+(?P<d1>\d{1,2})(?:st|nd|rd|th)\s+of\s+(?P<mod>next|last|this)\s+month\b", self._day_of_shifted),
            Atom("ofmonth", rf"(?P<prep>{PREPOSITION})\s+the\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)\b(?!\s+(?:{self._not_day})\b)(?!-)", self._day_of_month),
            Atom("weekday", rf"(?P<wd>{self._long_day})\b(?!s\b)", self._weekday),
            Atom("shortday", rf"(?P<prep>{PREPOSITION}\s+)?(?P<wd>{self._short_words})(?P<after>\s*,?\s*(?:at\s+)?\d|\s+(?:morning|afternoon|evening|night))?", self._short_day),
            Atom("betweenmonths", rf"between\s+(?P<m1>{month})\s+and\s+(?P<m2>{month}){year}(?!\s*\d)", self._month_range),
            Atom("months", rf"(?P<m1>{month})\s*(?:-|–|—|to|through|until|till)\s*(?P<m2>{month}){year}(?!\s*\d)", self._month_range),
            Atom("inmonth", rf"(?P<prep>{PREPOSITION})\s+(?P<month>{month})(?!\s+\d)(?!')", self._bare_month),
        )  # fmt: skip

    # --- numbers ------------------------------------------------------------------------------------

    def _number(self, text: str) -> int:
        digits = text.rstrip("stndrh")
        return int(digits) if digits.isdigit() else self._ordinals[text.lower()]

    def _month_of(self, text: str) -> int:
        return self._months[text.lower().rstrip(".")]

    def _day_of(self, text: str) -> int:
        return self._weekdays[text.lower().rstrip(".")]

    def _numeric(self, found: re.Match[str], _: Reading) -> Piece | None:
        day = real_date(int(found["y"]), int(found["m"]), int(found["d"]))
        return None if day is None else Piece(start=found.start(), end=found.end(), day=Day(day))

    def _two(self, found: re.Match[str], at: Reading) -> Piece | None:
        """Day and month in the order of the speaker's zone: month first in the Americas (UTC-10 to -4)."""
        first, second = int(found["a"]), int(found["b"])
        offset = at.said.moment.utcoffset() or timedelta()
        dotted = "." in found[0]
        american = timedelta(hours=-10) <= offset <= timedelta(hours=-4) and not dotted
        day, month = (second, first) if american else (first, second)
        if month > 12 and not dotted:
            day, month = month, day
        groups = found.groupdict()
        if groups.get("y"):
            day_found = real_date(int(groups["y"]), month, day)
            return (
                None
                if day_found is None
                else Piece(start=found.start(), end=found.end(), day=Day(day_found))
            )
        return self._in_year(found, at, month, day, None)

    # --- months -------------------------------------------------------------------------------------

    def _in_year(self, found: re.Match[str], at: Reading, month: int, day: int, year: str | None) -> Piece | None:  # fmt: skip
        if year:
            chosen = real_date(int(year), month, day)
        else:
            past = at.tense(found.start(), found.end()) == "past"
            chosen = near_day(at.said.day, month, day, past=past)
        cycle: Cycle | None = None if year else "year"
        return (
            None
            if chosen is None
            else Piece(start=found.start(), end=found.end(), day=Day(chosen, cycle=cycle))
        )

    def _day_month(self, found: re.Match[str], at: Reading) -> Piece | None:
        return self._in_year(found, at, self._month_of(found["month"]), self._number(found["d1"]), found["year"])  # fmt: skip

    def _day_range(self, found: re.Match[str], at: Reading) -> Piece | None:
        month = self._month_of(found["month"])
        first = self._in_year(found, at, month, self._number(found["d1"]), found["year"])
        if first is None or first.day is None:
            return None
        last = real_date(first.day.first.year, month, self._number(found["d2"]))
        if last is None or last <= first.day.first:
            return None
        return replace(first, day=Day(first.day.first, last=last))

    def _month_year(self, found: re.Match[str], _: Reading) -> Piece:
        first = date(int(found["year"]), self._month_of(found["month"]), 1)
        return Piece(start=found.start(), end=found.end(), day=Day(first, "month"))

    def _month_range(self, found: re.Match[str], at: Reading) -> Piece | None:
        if found["m1"] in {"may", "march", "mar"}:
            return None
        first, last = self._month_of(found["m1"]), self._month_of(found["m2"])
        if found["year"]:
            start = date(int(found["year"]) - (last < first), first, 1)
        else:
            start = near_month(at.said.day, first, past=at.tense(*found.span()) == "past")
        end = date(start.year + (last < first), last, 1)
        return dated(found, Day(start, "month", last=end)) if first != last else None

    def _bare_month(self, found: re.Match[str], at: Reading) -> Piece | None:
        word, prep = found["month"], found["prep"].lower()
        if word.lower() == "may" and (word == "may" or prep in {"at", "to", "over", "about"}):
            return None
        if word.lower() in {"march", "mar"} and (prep in {"on", "to", "at", "this"} or word == "mar"):  # fmt: skip
            return None
        if prep in {"at", "to"} and word.islower():
            return None
        month = self._month_of(word)
        past = prep in {"since", "ever since", "back in"} or at.tense(*found.span()) == "past"
        day = near_month(at.said.day, month, past=past)
        return Piece(
            start=found.start("month"), end=found.end(), day=Day(day, "month", cycle="year")
        )

    def _part_of_month(self, found: re.Match[str], at: Reading) -> Piece | None:
        month = self._month_of(found["month"])
        if found["year"]:
            first = date(int(found["year"]), month, 1)
        else:
            first = near_month(at.said.day, month, past=at.tense(*found.span()) == "past")
        return Piece(start=found.start(), end=found.end(), day=third_of_month(first, found["pos"]))

    def _day_of_shifted(self, found: re.Match[str], at: Reading) -> Piece | None:
        shift = {"next": 1, "last": -1}.get(found["mod"].lower(), 0)
        first = shift_months(at.said.day.replace(day=1), shift)
        day = real_date(first.year, first.month, int(found["d1"]))
        return None if day is None else dated(found, Day(day))

    def _day_of_month(self, found: re.Match[str], at: Reading) -> Piece | None:
        past = found["prep"].lower() in {"since", "ever since"} or at.tense(*found.span()) == "past"
        day = near_day_of_month(at.said.day, int(found["d1"]), past=past)
        return (
            None
            if day is None
            else Piece(start=found.start("d1"), end=found.end(), day=Day(day, cycle="month"))
        )

    # --- weeks --------------------------------------------------------------------------------------

    def _weekday(self, found: re.Match[str], at: Reading) -> Piece:
        return self._on_weekday(found.start("wd"), found.end("wd"), self._day_of(found["wd"]), at)

    def _on_weekday(self, start: int, end: int, weekday: int, at: Reading) -> Piece:
        past = at.tense(start, end) == "past"
        day = (weekday_before if past else weekday_after)(at.said.day, weekday)
        return Piece(start=start, end=end, day=Day(day, cycle="week"))

    def _short_day(self, found: re.Match[str], at: Reading) -> Piece | None:
        word, prep = found["wd"], (found["prep"] or "").strip().lower()
        sure = prep and (word[0].isupper() or prep not in {"of", "in", "to", "at", "over", "about"})
        if prep in {"in", "at"} or not (sure or (word[0].isupper() and found["after"])):
            return None
        return self._on_weekday(found.start("wd"), found.end("wd"), self._day_of(word), at)

    def _week_later(self, found: re.Match[str], at: Reading) -> Piece:
        groups = found.groupdict()
        weeks = (
            2
            if groups.get("two")
            else int(self._numbers.get(word := (groups.get("n") or "a").lower(), 0) or word)
        )
        return dated(
            found, Day(weekday_after(at.said.day, self._day_of(found["wd"])) + weeks * WEEK)
        )

    def _weekdays_ago(self, found: re.Match[str], at: Reading) -> Piece:
        """ "Two Fridays ago": the last but one."""
        word = found["n"].lower()
        count = int(self._numbers.get(word, 0) or word)
        day = weekday_before(at.said.day, self._day_of(found["wd"]))
        return dated(found, Day(day - (count - 1) * WEEK))

    def _after_next(self, found: re.Match[str], at: Reading) -> Piece:
        return dated(found, self._unit(found["unit"], -2 if found["back"] else 2, at))

    def _modified(self, found: re.Match[str], at: Reading) -> Piece | None:
        mod, unit = found["mod"].lower(), found["unit"].lower().rstrip(".")
        if mod in {"the following", "the same"}:
            return None
        if unit in self._months:
            return self._modified_month(found, at, mod, unit)
        if unit in self._weekdays and mod in {"this", "this coming", "coming", "last", "past", "this past", "previous"}:  # fmt: skip
            return self._near_weekday(found, at, mod, self._weekdays[unit])
        shift = {"next": 1, "last": -1, "past": -1, "previous": -1, "this past": -1}.get(mod, 0)
        if unit == "weekend" and shift == -1:
            monday = week_start(at.said.day)
            return dated(found, Day(monday - timedelta(days=2), last=monday - timedelta(days=1)))
        return dated(found, self._unit(unit, shift, at))

    def _near_weekday(self, found: re.Match[str], at: Reading, mod: str, weekday: int) -> Piece:
        if mod in {"last", "past", "this past", "previous"}:
            return dated(found, Day(weekday_before(at.said.day, weekday)))
        day = week_start(at.said.day) + timedelta(days=weekday)
        if day < at.said.day and at.tense(*found.span()) != "past":
            day += WEEK
        return dated(found, Day(day))

    def _modified_month(self, found: re.Match[str], at: Reading, mod: str, name: str) -> Piece | None:  # fmt: skip
        if found["unit"] in {"may", "march", "mar"}:
            return None
        month, today = self._months[name], at.said.day
        if mod in {"last", "past", "this past", "previous"}:
            first = near_month(shift_months(today.replace(day=1), -1), month, past=True)
        elif mod == "next":
            first = near_month(shift_months(today.replace(day=1), 1), month, past=False)
        else:
            first = date(today.year, month, 1)
        return dated(found, Day(first, "month"))

    def _unit(self, unit: str, shift: int, at: Reading) -> Day:
        today, unit = at.said.day, unit.lower().rstrip(".")
        monday = week_start(today) + shift * WEEK
        if unit == "week":
            return Day(monday, last=monday + timedelta(days=6))
        if unit == "weekend":
            return Day(monday + timedelta(days=5), last=monday + timedelta(days=6))
        if unit == "month":
            return Day(shift_months(today.replace(day=1), shift), "month")
        if unit == "quarter":
            first = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
            first = shift_months(first, 3 * shift)
            return Day(first, "month", last=shift_months(first, 2))
        if unit == "year":
            return Day(date(today.year + shift, 1, 1), "year")
        return Day(monday + timedelta(days=self._weekdays[unit]))

    def _weekend(self, found: re.Match[str], at: Reading) -> Piece:
        past = at.tense(*found.span()) == "past"
        sunday = at.said.day.weekday() == 6
        shift = -1 if past and not sunday and at.said.day.weekday() != 5 else 0
        return dated(found, self._unit("weekend", shift, at))

    def _part_of_unit(self, found: re.Match[str], at: Reading) -> Piece:
        shift = {"next": 1, "last": -1}.get(found["mod"].lower(), 0)
        unit, whole = found["unit"].lower(), self._unit(found["unit"], shift, at)
        if unit == "month":
            return dated(found, third_of_month(whole.first, found["pos"]))
        if unit == "year":
            return dated(found, third_of_year(whole.first.year, found["pos"]))
        offset = thirds(found["pos"], (0, 1), (2, 3), (4, 6))
        first, last = (whole.first + timedelta(days=n) for n in offset)
        return dated(found, Day(first, last=last))

    def _relative(self, found: re.Match[str], at: Reading) -> Piece:
        word = found["word"].lower()
        shift = {"day after tomorrow": 2, "overmorrow": 2, "day before yesterday": -2, "yesterday": -1,
                 "last night": -1, "today": 0, "tonight": 0, "tonite": 0}.get(word, 1)  # fmt: skip
        part: Part | None = (
            self._parts["night"] if word in {"tonight", "tonite", "last night"} else None
        )
        return replace(dated(found, Day(at.said.day + timedelta(days=shift))), part=part)


def _iso_instant(found: re.Match[str], at: Reading) -> Piece:
    """An ISO 8601 instant; without an offset it is read in the speaker's zone."""
    moment = datetime.fromisoformat(found[0])
    moment = moment if moment.tzinfo else moment.replace(tzinfo=at.said.zone)
    return Piece(start=found.start(), end=found.end(), instant=moment)
