"""Numeric dates whose order of day, month and year only the whole file tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

_ORDERS = ("dmy", "mdy", "ymd")


def dated(parts: tuple[str, str, str], order: str, hour: int, minute: int, second: int) -> datetime:
    """The naive time of three date parts read in `order`; raises ValueError where it is none.

    A year of two digits is of this century, unless it says 70 to 99.
    """
    if len(parts[0]) == 4:
        order = "ymd"
    values = dict(zip(order, parts, strict=True))
    year = int(values["y"])
    if len(values["y"]) <= 2:
        year += 1900 if year >= 70 else 2000
    month, day = int(values["m"]), int(values["d"])
    return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - a wall clock of no zone yet


@dataclass
class _Reading:
    """How well one order fits the dates seen so far."""

    impossible: int = 0
    backwards: int = 0
    travelled: float = 0.0
    last: datetime | None = None


@dataclass
class DateOrder:
    """Takes every date of a file, then names the order that fits best.

    The order that gives the fewest impossible dates wins; next the fewest steps back in time; next
    the one under which the chat is clearly denser (less than half the time between messages); last
    what the style suggests: month first with a half-day clock and slashes, else day first.
    """

    american: bool = False
    seen: int = 0
    _readings: dict[str, _Reading] = field(
        default_factory=lambda: {order: _Reading() for order in _ORDERS}
    )

    def take(self, parts: tuple[str, str, str], hour: int, minute: int, *, american: bool) -> None:
        """Note one date and the style in which it is written."""
        self.seen += 1
        self.american = self.american or american
        for order, reading in self._readings.items():
            try:
                moment = dated(parts, order, hour, minute, 0)
            except ValueError:
                reading.impossible += 1
                continue
            if reading.last is not None:
                step = (moment - reading.last).total_seconds()
                reading.backwards += step < -86_400
                reading.travelled += abs(step)
            reading.last = moment

    def decide(self) -> str:
        """ "dmy", "mdy" or "ymd"."""

        def badness(order: str) -> tuple[int, int]:
            return self._readings[order].impossible, self._readings[order].backwards

        best = min(map(badness, _ORDERS))
        left = [order for order in _ORDERS if badness(order) == best]
        if left[0] == "ymd":
            return "ymd"
        left = [order for order in left if order != "ymd"]
        shortest = min(self._readings[order].travelled for order in left)
        dense = [order for order in left if self._readings[order].travelled <= 2 * shortest]
        if self.american and "mdy" in dense:
            return "mdy"
        return dense[0]
