"""Thirds of months and years ("early March", "late 2024"), and the words before English dates."""

from __future__ import annotations

from datetime import date

from graphmem_extractors.times.calendar import Day, month_end

PREPOSITION = (
    r"(?:ever since|since|starting from|starting on|starting|as of|as from|from|up to|until|till|'?til|"
    r"through|by|before|after|on|in|at|for|during|over|around|about|back in|of|due|this|to)"
)
SPELL = r"(?:the\s+)?(?:early|mid|late|beginning of|start of|middle of|end of|last day of)"


def thirds(
    position: str, early: tuple[int, int], middle: tuple[int, int], late: tuple[int, int]
) -> tuple[int, int]:
    """The first of three for early or beginning, the second for mid, else the third."""
    word = position.lower()
    if any(mark in word for mark in ("early", "beginning", "start")):
        return early
    return middle if "mid" in word else late


def third_of_month(first: date, position: str) -> Day:
    """Early is the 1st to 10th, mid the 11th to 20th, late the 21st on; the end is the last day."""
    end = month_end(first)
    if "end" in position.lower() or "last" in position.lower():
        return Day(end)
    low, high = thirds(position, (1, 10), (11, 20), (21, end.day))
    return Day(first.replace(day=low), last=first.replace(day=high))


def third_of_year(year: int, position: str) -> Day:
    """Early is January to April, mid May to August, late September to December; the end is December."""
    if "end" in position.lower():
        return Day(date(year, 12, 1), "month")
    low, high = thirds(position, (1, 4), (5, 8), (9, 12))
    return Day(date(year, low, 1), "month", last=date(year, high, 1))
