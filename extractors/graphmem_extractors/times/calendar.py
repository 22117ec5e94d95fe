"""Pure arithmetic on dates and zones. Weeks begin on Monday; weekdays count from Monday = 0."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from graphmem.when import When, offset_minutes

Precision = Literal["year", "month", "day"]
Cycle = Literal["week", "month", "year"]
WEEK = timedelta(days=7)
DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True, slots=True)
class Day:
    """A date at its precision, or a stretch of dates: `last` is the last one included.

    `cycle` is after how long the same words name another date ("Friday": a week).
    """

    first: date
    precision: Precision = "day"
    last: date | None = None
    cycle: Cycle | None = None

    @property
    def iso(self) -> str:
        """The first date at the precision stated."""
        return clip(self.first, self.precision)

    @property
    def closing(self) -> date:
        """The last day it covers."""
        last = self.last or self.first
        if self.precision == "year":
            return last.replace(month=12, day=31)
        if self.precision == "month":
            return last.replace(day=month_length(last.year, last.month))
        return last


def clip(day: date, precision: Precision) -> str:
    """`day` in ISO form, cut to a precision."""
    return day.isoformat()[: {"year": 4, "month": 7, "day": 10}[precision]]


def month_length(year: int, month: int) -> int:
    """How many days a month has."""
    return calendar.monthrange(year, month)[1]


def month_end(day: date) -> date:
    """The last day of the month of `day`."""
    return day.replace(day=month_length(day.year, day.month))


def shift_months(day: date, months: int) -> date:
    """The same day of another month, or that month's last day where it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, month_length(year, month + 1)))


def week_start(day: date) -> date:
    """The Monday of the week of `day`."""
    return day - timedelta(days=day.weekday())


def weekday_after(day: date, weekday: int) -> date:
    """The next such weekday, `day` itself left out."""
    return day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)


def weekday_before(day: date, weekday: int) -> date:
    """The last such weekday, `day` itself left out."""
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def nth_weekday(year: int, month: int, which: int, weekday: int) -> date:
    """The first (1) to fifth or last (-1) such weekday of a month."""
    if which > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (which - 1))
    last = date(year, month, month_length(year, month))
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def easter(year: int) -> date:
    """Easter Sunday by the anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, ch. 8)."""
    a, (b, c) = year % 19, divmod(year, 100)
    (d, e), g = divmod(b, 4), (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    weekday = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * weekday) // 433
    month = (h + weekday - 7 * m + 90) // 25
    return date(year, month, (h + weekday - 7 * m + 33 * month + 19) % 32)


def real_date(year: int, month: int, day: int) -> date | None:
    """The date, or None where there is none such (30 February)."""
    if 1 <= month <= 12 and 1 <= year <= 9999 and 1 <= day <= month_length(year, month):
        return date(year, month, day)
    return None


@dataclass(frozen=True, slots=True)
class Said:
    """When and in which zone something was said. The zone is an IANA zone, or a bare offset."""

    moment: datetime

    @property
    def zone(self) -> tzinfo:
        """The speaker's zone."""
        return self.moment.tzinfo or UTC

    @property
    def day(self) -> date:
        """The calendar day in the speaker's zone."""
        return self.moment.date()

    def at(self, day: date, hour: int, minute: int = 0) -> datetime:
        """A wall-clock time in the speaker's zone; hour 24 and beyond reach into the next day.

        A time that a clock change skips is read an hour later, as calendars do.
        """
        extra, hour = divmod(hour, 24)
        local = datetime.combine(day + timedelta(days=extra), time(hour, minute), self.zone)
        return local.astimezone(UTC).astimezone(self.zone)

    def partial(self, day: date, precision: Precision) -> When:
        """A date cut to a precision, read in the zone's offset on that day."""
        noon = datetime.combine(day, time(12), self.zone)
        return When(clip(day, precision), offset_minutes(noon))
