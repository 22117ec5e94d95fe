"""Holidays: fixed, movable and lunar dates by year."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from graphmem_extractors.times.calendar import easter, nth_weekday


class Holidays:
    """The dates of named holidays, from the table `times` of the lexicon."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table
        self._lunar = {
            name: {int(day[:4]): date.fromisoformat(day) for day in days}
            for name, days in table["lunar"].items()
        }

    def on(self, name: str, year: int) -> date | None:
        """The day of a holiday in a year; None where the table does not reach."""
        if name in self._lunar:
            return self._lunar[name].get(year)
        if name in self._table["fixed"]:
            month, day = self._table["fixed"][name].split("-")
            return date(year, int(month), int(day))
        if name in self._table["nth"]:
            month, which, weekday = self._table["nth"][name]
            return nth_weekday(year, month, which, weekday)
        if name in self._table["easter"]:
            return easter(year) + timedelta(days=self._table["easter"][name])
        month, constant = self._table["solar"][name]
        short = year % 100
        return date(year, month, int(short * 0.2422 + constant) - short // 4)

    def near(self, name: str, day: date, *, past: bool) -> date | None:
        """The next such holiday from `day` on, or the last one up to it.

        Where the last one is most of a year away and the next at hand, the next one is meant.
        """
        ahead = self._first(name, range(day.year, day.year + 2), lambda found: found >= day)
        if not past or (ahead and ahead - day <= timedelta(days=30)):
            return ahead
        return self._first(name, range(day.year, day.year - 2, -1), lambda found: found <= day)

    def _first(self, name: str, years: range, fits: Callable[[date], bool]) -> date | None:
        dates = (self.on(name, year) for year in years)
        return next((found for found in dates if found and fits(found)), None)
