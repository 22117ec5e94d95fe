"""Times reached by counting: three days ago, in 20 minutes, for two years now."""

from __future__ import annotations

from datetime import UTC, date, timedelta

from graphmem_extractors.times.calendar import Day, shift_months
from graphmem_extractors.times.pieces import Piece, Reading

_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "year": 12, "decade": 120}
_MINUTES = {"minute": 1, "quarter": 15, "hour": 60}


def ago(span: tuple[int, int], at: Reading, number: float, unit: str, *, sign: int) -> Piece | None:
    """`number` units before (sign -1) or after (+1) the moment of saying, as precise as the unit.

    Minutes and hours give an instant, days and weeks a day, months a month (a day when ahead), and
    years a year (a day when ahead).
    """
    start, end = span
    if unit in _MINUTES:
        minutes = timedelta(minutes=number * _MINUTES[unit] * sign)
        said = at.said.moment
        return Piece(
            start=start, end=end, instant=(said.astimezone(UTC) + minutes).astimezone(at.said.zone)
        )
    day = shifted(at.said.day, number * sign, unit)
    if unit in _MONTHS and sign < 0 and not (unit == "month" and number < 1):
        whole = number == int(number)
        precision = "year" if unit != "month" and whole else "month"
        return Piece(start=start, end=end, day=Day(day, "year" if precision == "year" else "month"))
    return Piece(start=start, end=end, day=Day(day))


def lasting(
    span: tuple[int, int],
    at: Reading,
    number: float,
    unit: str,
    *,
    closed: bool = False,
    anniversary: bool = False,
) -> Piece | None:
    """What has lasted `number` units until now: since then.

    `closed` gives the stretch up to today ("in the last two weeks"), `anniversary` the very day
    ("two years since").
    """
    start, end = span
    if unit in _MINUTES:
        return None
    day = shifted(at.said.day, -number, unit)
    if closed:
        return Piece(start=start, end=end, day=Day(day, last=at.said.day))
    if unit in _DAYS or anniversary:
        found = Day(day)
    elif unit == "month" or number != int(number):
        found = Day(day, "month")
    else:
        found = Day(day, "year")
    counted = (number, unit) if anniversary else None
    return Piece(start=start, end=end, day=found, duration=True, counted=counted, anchor="since")


def shifted(day: date, number: float, unit: str) -> date:
    """A day moved by a number of days, weeks, months, years or decades; half a month is 15 days."""
    if unit in _MONTHS:
        months = number * _MONTHS[unit]
        return shift_months(day, int(months)) + timedelta(days=int((months - int(months)) * 30))
    return day + timedelta(days=int(number * _DAYS[unit]))
