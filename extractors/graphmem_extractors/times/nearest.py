"""The nearest date that words without a year or month can mean, ahead or behind."""

from __future__ import annotations

from datetime import date

from graphmem_extractors.times.calendar import real_date, shift_months


def near_day(today: date, month: int, day: int, *, past: bool) -> date | None:
    """The next 18 May from today on, or the last one up to today; 29 February waits for a leap year."""
    step = -1 if past else 1
    for year in range(today.year, today.year + 9 * step, step):
        found = real_date(year, month, day)
        if found is not None and (found <= today if past else found >= today):
            return found
    return None


def near_month(today: date, month: int, *, past: bool) -> date:
    """The first day of the next such month (this one counts), or of the last one that has begun."""
    if past:
        return date(today.year - (month > today.month), month, 1)
    return date(today.year + (month < today.month), month, 1)


def near_day_of_month(today: date, day: int, *, past: bool) -> date | None:
    """The next 30th from today on (months too short are passed over), or the last one up to today."""
    for step in range(4):
        month = shift_months(today.replace(day=1), -step if past else step)
        found = real_date(month.year, month.month, day)
        if found is not None and (found <= today if past else found >= today):
            return found
    return None
