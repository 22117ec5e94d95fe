"""The first occurrence of a repeat at or after the moment it was said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from graphmem.when import When
from graphmem_extractors.times.calendar import (
    DAY_CODES,
    Day,
    Said,
    month_length,
    nth_weekday,
    shift_months,
)
from graphmem_extractors.times.pieces import Part, Repeat


def first_time(
    repeat: Repeat,
    hours: Sequence[tuple[int, int]],
    part: Part | None,
    said: Said,
    start: Day | None = None,
) -> When | None:
    """The first time after `said` (from `start` on, where given).

    An instant where hours are known or a stretch of the day gives one, else a date. None where the
    rule names no day (every month, every year: any day may be meant).
    """
    times = list(hours) or ([(part.told, 0)] if part else [])
    for day in _days(repeat, start.first if start else said.day):
        if not times:
            return said.partial(day, "day")
        moments = [said.at(day, *time) for time in times]
        coming = [moment for moment in moments if moment > said.moment]
        if coming:
            return When.of(min(coming))
    return None


def _days(repeat: Repeat, start: date) -> list[date]:
    """Up to four days of the rule from `start` on."""
    by = dict(item.split("=", 1) for item in repeat.by)
    if repeat.freq == "DAILY":
        return [start + timedelta(days=step) for step in range(4)]
    if repeat.freq == "WEEKLY" and "BYDAY" in by:
        codes = by["BYDAY"].split(",")
        week = [start + timedelta(days=step) for step in range(15)]
        return [day for day in week if DAY_CODES[day.weekday()] in codes][:4]
    if repeat.freq == "MONTHLY" and by:
        months = [shift_months(start.replace(day=1), step) for step in range(14)]
        found = [day for month in months if (day := _in_month(by, month))]
        return [day for day in found if day >= start][:4]
    if repeat.freq == "YEARLY" and "BYMONTHDAY" in by:
        month, number = int(by["BYMONTH"]), int(by["BYMONTHDAY"])
        years = [start.year + step for step in range(9)]
        real = [date(year, month, number) for year in years if number <= month_length(year, month)]
        return [day for day in real if day >= start][:4]
    return []


def _in_month(by: dict[str, str], month: date) -> date | None:
    if "BYMONTHDAY" in by:
        number = int(by["BYMONTHDAY"])
        length = month_length(month.year, month.month)
        if number == -1:
            return month.replace(day=length)
        return month.replace(day=number) if 1 <= number <= length else None
    code = by["BYDAY"]
    day = nth_weekday(month.year, month.month, int(code[:-2]), DAY_CODES.index(code[-2:]))
    return day if day.month == month.month else None
