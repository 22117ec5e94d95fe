"""Pieces that stand together become one time expression, resolved to a TimeSpan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Literal

from graphmem.protocols import TimeSpan
from graphmem.when import When
from graphmem_extractors.times.calendar import WEEK, Day, Said, shift_months
from graphmem_extractors.times.nearest import near_day_of_month
from graphmem_extractors.times.pieces import Anchor, Clock, Piece, Reading, Repeat
from graphmem_extractors.times.recurrence import first_time
from graphmem_extractors.times.shifts import shifted

CARRY = 90  # characters over which a bare hour takes the day named before it
Kind = Literal["instant", "date", "interval", "repeat", "duration", "routine"]


@dataclass(frozen=True)
class Idiom:
    """How a language joins the parts of a time expression.

    `glue` may stand between two parts, `to` between the ends of a range. `opening` ends just before
    an expression and names its anchor, `closing` follows it. `not_range` before or between the ends
    says that something was moved from one time to another, as does `moved_on` behind the first of
    them: then "from" is no "since".
    """

    glue: re.Pattern[str]
    to: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    anchors: Mapping[str, Anchor]
    not_range: re.Pattern[str]
    moved_on: re.Pattern[str]
    evening: re.Pattern[str]
    morning: re.Pattern[str]
    hours: Mapping[str, tuple[int, int]]

    @cached_property
    def before(self) -> re.Pattern[str]:
        """`opening` just before the end of the stretch that is searched."""
        return re.compile(rf"(?:{self.opening.pattern})\Z", self.opening.flags)


class Composer:
    """Joins pieces and resolves them."""

    def __init__(self, idiom: Idiom) -> None:
        self._idiom = idiom

    def spans(self, pieces: Sequence[Piece], reading: Reading) -> list[TimeSpan]:
        """The time expressions, left to right."""
        merged = self._merged(pieces, reading.text)
        ranged = self._ranged([piece for piece in merged if piece.lone], reading.text)
        carried = self._carried(ranged, reading)
        return [span for piece in carried if (span := self._span(piece, reading)) is not None]

    def _merged(self, pieces: Sequence[Piece], text: str) -> list[Piece]:
        out: list[Piece] = []
        for piece in pieces:
            if out and self._joins(out[-1], piece, text):
                out[-1] = out[-1].merged(piece)
            else:
                out.append(piece)
        return out

    def _joins(self, left: Piece, right: Piece, text: str) -> bool:
        if right.start - left.end > 16 or not left.fits(right):
            return False
        listed = "," in text[left.end : right.start] and right.repeat is not None
        return not listed and bool(self._idiom.glue.fullmatch(text, left.end, right.start))

    def _ranged(self, pieces: Sequence[Piece], text: str) -> list[Piece]:
        out: list[Piece] = []
        for piece in pieces:
            joined = self._range(out[-1], piece, text) if out else None
            if joined is None:
                out.append(piece)
            else:
                out[-1] = joined
        return out

    def _range(self, left: Piece, right: Piece, text: str) -> Piece | None:
        if right.start - left.end > 12 or not self._idiom.to.fullmatch(text, left.end, right.start):
            return None
        if self._idiom.not_range.search(text, max(0, left.start - 40), left.start):
            return None
        gap = text[left.end : right.start]
        if "and" in gap and "between" not in text[max(0, left.start - 12) : left.start + 8].lower():
            return None
        if left.clocks and right.clocks and right.day is None and not left.clock_end:
            return replace(left, end=right.end, clock_end=inherit(left, right))
        if left.day and right.day and not left.clocks and not left.day.last:
            last = _later(_same_year(right.day, left.day), left.day.first)
            if last is None:
                return None
            return replace(left, end=right.end, day=replace(left.day, last=last), anchor="at")
        return None

    def _carried(self, pieces: Sequence[Piece], reading: Reading) -> list[Piece]:
        out: list[Piece] = []
        for piece in pieces:
            day = self._from_before(out, piece, reading)
            piece = replace(piece, day=day) if day else piece  # noqa: PLW2901 - the same piece, dated
            twice = len(piece.clocks) > 1 and not (piece.day or piece.repeat)
            out.append(replace(piece, repeat=Repeat("DAILY")) if twice else piece)
        return out

    def _from_before(self, before: Sequence[Piece], piece: Piece, reading: Reading) -> Day | None:
        """The day that an earlier date of the message lends to a bare hour, the 8th, two years since."""
        if piece.clocks and not (piece.day or piece.repeat):
            return self._day_before(before, piece, reading)
        if piece.counted:
            named = self._day_before(before, piece, reading)
            return (
                None
                if named is None
                else Day(shifted(named.first, -piece.counted[0], piece.counted[1]))
            )
        if piece.day and piece.day.cycle == "month":
            named = self._day_before(before, piece, reading)
            if named and named.cycle != "month" and named.first > piece.day.first:
                found = near_day_of_month(named.first, piece.day.first.day, past=False)
                return None if found is None else replace(piece.day, first=found)
        return None

    def _day_before(self, before: Sequence[Piece], piece: Piece, reading: Reading) -> Day | None:
        for other in reversed(before):
            if piece.start - other.end > CARRY:
                return None
            if other.repeat or other.anchor in {"since", "until"}:
                return None
            if other.day and other.day.precision == "day" and not other.day.last:
                return other.day if other.day.first >= reading.said.day else None
        return None

    # --- resolving ----------------------------------------------------------------------------------

    def _span(self, piece: Piece, reading: Reading) -> TimeSpan | None:
        start, end, anchor = self._anchored(piece, reading.text)
        try:
            kind, when, until = self._times(piece, reading)
            rule, when = self._rule(piece, reading, when)
            if anchor == "since" and reading.text.startswith(("from ", "From "), start):
                over = (
                    piece.day
                    and piece.day.precision == "day"
                    and piece.day.closing < reading.said.day
                )
                anchor = "at" if over and not piece.duration else anchor  # a photo from last night
            kind = "repeat" if rule else kind
            until = self._until(piece, reading, when) if rule else until
        except (OverflowError, ValueError):  # beyond the calendar's years
            return None
        return TimeSpan(
            start=start,
            end=end,
            text=reading.text[start:end],
            kind=kind,
            when=when,
            until=until,
            anchor=anchor,
            rule=rule,
            routine=piece.routine,
        )

    def _until(self, piece: Piece, reading: Reading, when: When | None) -> When | None:
        """The end of the first occurrence of a repeat with a range of hours."""
        if piece.clock_end is None or when is None or when.precision != "instant":
            return None
        end = self._hour(piece.clock_end, piece, reading)
        return self._closed(when.start, end, reading.said)[2]

    def _anchored(self, piece: Piece, text: str) -> tuple[int, int, Anchor]:
        start, anchor = piece.start, piece.anchor
        end = start + len(text[start : piece.end].rstrip())
        if piece.routine and not piece.day:
            return start, end, "at"
        low = max(0, start - 16)
        opening = self._idiom.before.search(text, low, start)
        word = ""
        if opening is not None:
            start, word = opening.start(), opening[0]
        inner = self._idiom.opening.match(text, piece.start, end)
        if not word and inner is not None and inner.end() < end:
            word = inner[0]
        closing = self._idiom.closing.match(text, end)
        if closing is not None and closing.end() > end:
            end, word = closing.end(), closing[0]
        key = " ".join(word.lower().split())
        found = self._idiom.anchors.get(key) or self._idiom.anchors.get(key.removesuffix(" the"))
        ranged = (piece.day and piece.day.last) or piece.clock_end
        moved = self._idiom.not_range.search(text, max(0, start - 40), start)
        moved = moved or self._idiom.moved_on.match(text, end)
        if found == "since" and (ranged or (moved and _is_from(word))):
            found = "at"
        return start, end, anchor or found or "at"

    def _times(self, piece: Piece, reading: Reading) -> tuple[Kind, When | None, When | None]:
        said = reading.said
        if piece.instant:
            until = When.of(piece.instant_end) if piece.instant_end else None
            return "instant", When.of(piece.instant), until
        if piece.clocks:
            return self._clock_times(piece, reading)
        if piece.routine:
            kind: Kind = "instant" if piece.day else "routine"
            return kind, When.of(self._routine_time(piece, said)), None
        if piece.part:
            base = piece.day.first if piece.day else self._part_day(piece, reading)
            start = said.at(base, piece.part.from_hour)
            return "interval", When.of(start), When.of(said.at(base, piece.part.to_hour))
        if piece.day is None:
            return "repeat", None, None
        when = said.partial(piece.day.first, piece.day.precision)
        if piece.day.last:
            return "interval", when, said.partial(piece.day.last, piece.day.precision)
        return ("duration" if piece.duration else "date"), when, None

    def _part_day(self, piece: Piece, reading: Reading) -> date:
        today, hour = reading.said.day, reading.said.moment.hour
        past = reading.tense(piece.start, piece.end) == "past"
        part = piece.part
        over = part is not None and hour >= (part.told if part.reads == "am" else part.to_hour - 1)
        return today + timedelta(days=1) if over and not past else today

    def _routine_time(self, piece: Piece, said: Said) -> datetime:
        hour, minute = self._idiom.hours[piece.routine or ""]
        if piece.day:
            return said.at(piece.day.first, hour, minute)
        today = said.at(said.day, hour, minute)
        return today if today > said.moment else said.at(said.day + timedelta(days=1), hour, minute)

    def _clock_times(self, piece: Piece, reading: Reading) -> tuple[Kind, When, When | None]:
        said = reading.said
        hours = [self._hour(clock, piece, reading) for clock in piece.clocks]
        end = self._hour(piece.clock_end, piece, reading) if piece.clock_end else None
        if piece.day:
            day = piece.day.first
        else:
            past = reading.tense(piece.start, piece.end) == "past"
            moments = [said.at(said.day, *hour) for hour in hours]
            coming = [moment for moment in moments if moment > said.moment]
            day = said.day if past or coming else said.day + timedelta(days=1)
            if not past and coming:
                return self._closed(min(coming), end, said)
        return self._closed(said.at(day, *hours[0]), end, said)

    def _closed(self, start: datetime, end: tuple[int, int] | None, said: Said) -> tuple[Kind, When, When | None]:  # fmt: skip
        if end is None:
            return "instant", When.of(start), None
        finish = said.at(start.date(), *end)
        if finish <= start:
            finish = said.at(start.date(), end[0] + (12 if end[0] < 12 else 24), end[1])
        if finish <= start:
            finish = said.at(start.date() + timedelta(days=1), *end)
        return "interval", When.of(start), When.of(finish)

    def _hour(self, clock: Clock, piece: Piece, reading: Reading) -> tuple[int, int]:
        """The 24-hour reading; see docs/times.md for the rules about a bare hour."""
        hour, minute = clock.hour, clock.minute
        if clock.sure or hour > 12 or hour == 0:
            return hour, minute
        if piece.part:
            return read_in(piece.part.reads, hour), minute
        near = reading.text[max(0, piece.start - 40) : piece.end + 25]
        if self._idiom.morning.search(near) and not self._idiom.evening.search(near):
            return hour, minute
        if self._idiom.evening.search(near) and 4 <= hour < 12:
            return hour + 12, minute
        if hour <= 6:
            return hour + 12, minute
        said = reading.said
        if hour == 12 and piece.day is None and said.moment.hour >= 21:
            return 24, minute
        today = piece.day is None or piece.day.first == said.day
        behind = said.at(said.day, hour, minute) <= said.moment
        if today and behind and hour < 12 and not piece.repeat and said.at(said.day, hour + 12, minute) > said.moment:  # fmt: skip
            past = reading.tense(piece.start, piece.end) == "past"
            return (hour if past else hour + 12), minute
        return hour, minute

    def _rule(self, piece: Piece, reading: Reading, when: When | None) -> tuple[str | None, When | None]:  # fmt: skip
        repeat = piece.repeat
        if repeat is None:
            return None, when
        hours = [self._hour(clock, piece, reading) for clock in piece.clocks]
        start = first_time(repeat, hours, piece.part, reading.said, piece.day)
        rule = repeat.rule
        if hours and repeat.freq != "HOURLY":
            minutes = sorted({minute for _, minute in hours})
            rule += ";BYHOUR=" + ",".join(str(hour % 24) for hour, _ in sorted(set(hours)))
            rule += ";BYMINUTE=" + ",".join(map(str, minutes))
        return rule, start


def _is_from(word: str) -> bool:
    return word.strip().lower() in {"from", "从", "由"}


def inherit(left: Piece, right: Piece) -> Clock:
    """The closing time of a range, in the half of the day of its opening where it says none."""
    clock = right.clocks[0]
    if right.part and not clock.sure:
        return Clock(read_in(right.part.reads, clock.hour), clock.minute, sure=True)
    opening = left.clocks[0]
    if left.part and not clock.sure:
        hour = read_in(left.part.reads, clock.hour)
        if hour < read_in(left.part.reads, opening.hour):
            hour = clock.hour + 12 if clock.hour < 12 else clock.hour
        return Clock(hour, clock.minute, sure=True)
    return clock


def read_in(reads: str, hour: int) -> int:
    """An hour of the 12-hour clock inside a stretch of the day, as an hour from 0 to 28."""
    if reads == "am":
        return 0 if hour == 12 else hour
    if reads == "noon":
        return hour + 12 if hour < 5 else hour
    if reads == "pm":
        return hour + 12 if hour < 12 else hour
    if hour == 12:
        return 24
    return hour + 24 if hour < 5 else hour + 12


def _same_year(day: Day, opening: Day) -> Day:
    """The end of a range without a year, in the year that its opening names."""
    if opening.cycle or opening.precision == "year" or day.cycle != "year":
        return day
    first = shift_months(day.first, 12 * (opening.first.year - day.first.year))
    return replace(day, first=first)


def _later(day: Day, first: date) -> date | None:
    """The end of a range, moved on by its own cycle until it lies behind the start."""
    last = day.last or day.first
    for _ in range(2):
        if last > first:
            return last
        if day.cycle == "week":
            last += WEEK
        elif day.cycle == "month":
            last = shift_months(last, 1)
        elif day.cycle == "year":
            last = shift_months(last, 12)
    return last if last > first else None
