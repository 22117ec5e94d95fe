"""Time values: an instant or a date at the precision at which it was stated, and half-open intervals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Literal

from graphmem.errors import InvalidTime

Precision = Literal["year", "month", "day", "instant"]

# `start` and `end` stay two days inside the range of datetime, so that they can be told in every zone.
_FIRST = datetime(1, 1, 3)  # noqa: DTZ001 - wall-clock, in whatever zone is asked about
_LAST = datetime(9999, 12, 30)  # noqa: DTZ001
_DAY = timedelta(days=1)

_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


def offset_minutes(moment: datetime) -> int:
    """The offset of an aware datetime in minutes east of UTC."""
    offset = moment.utcoffset()
    if offset is None:
        raise InvalidTime(
            f"{moment.isoformat()} has no time zone",
            expected="an aware datetime",
            next_step="attach a zone, for example datetime(..., tzinfo=timezone.utc)",
        )
    return int(offset.total_seconds() // 60)


def parse_moment(text: str, zone: tzinfo | None = None) -> datetime:
    """An ISO date or time, in `zone` (None: the machine's) where it names none. Raises InvalidTime."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found if found.tzinfo else found.replace(tzinfo=zone) if zone else found.astimezone()
    except (ValueError, OverflowError) as cause:
        raise InvalidTime(
            f"{text!r} is not a time", expected="ISO, such as 2025-03-01 or 2025-03-01T09:30+01:00"
        ) from cause


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open stretch of time, [start, end); None means unbounded on that side."""

    start: datetime | None = None
    end: datetime | None = None

    def __contains__(self, moment: datetime) -> bool:
        return (self.start is None or self.start <= moment) and (
            self.end is None or moment < self.end
        )

    def overlaps(self, other: Interval) -> bool:
        """True where the two intervals share at least one instant."""
        left = self.start is None or other.end is None or self.start < other.end
        right = other.start is None or self.end is None or other.start < self.end
        return left and right


@dataclass(frozen=True, slots=True)
class When:
    """A time exactly as precise as it was stated.

    `iso` is "2024", "2025-03", "2024-05-20" or a full instant with offset such as
    "2025-09-25T16:30:00+01:00". `offset` (minutes east of UTC) is the zone in which a partial date
    is read. `start` and `end` bound it as aware datetimes, half-open; for an instant `end` is one
    minute later. Raises InvalidTime for anything else. The first and the last days that a datetime can
    name are told exactly by `iso`; their bounds are those of the nearest day within.
    """

    iso: str
    offset: int = 0

    def __post_init__(self) -> None:
        self._bounds()

    @classmethod
    def of(cls, moment: datetime) -> When:
        """The instant `moment`, which must be aware."""
        return cls(moment.replace(microsecond=0).isoformat(), offset_minutes(moment))

    @classmethod
    def day(cls, moment: datetime) -> When:
        """The calendar day of `moment` in its own zone."""
        return cls(moment.date().isoformat(), offset_minutes(moment))

    @property
    def precision(self) -> Precision:
        """How precisely the time was stated."""
        if "T" in self.iso:
            return "instant"
        return ("year", "month", "day")[self.iso.count("-")]

    @property
    def start(self) -> datetime:
        """The first instant it covers."""
        return self._bounds()[0]

    @property
    def end(self) -> datetime:
        """The first instant after it."""
        return self._bounds()[1]

    @property
    def interval(self) -> Interval:
        """All instants it covers, half-open."""
        start, end = self._bounds()
        return Interval(start, end)

    def _bounds(self) -> tuple[datetime, datetime]:
        try:
            if "T" in self.iso:
                start = datetime.fromisoformat(self.iso)
                if start.tzinfo is None:
                    raise ValueError("no offset")
                start = min(
                    max(start, _FIRST.replace(tzinfo=start.tzinfo)), _last_day(start.tzinfo)
                )
                return start, start + timedelta(minutes=1)
            found = _PARTIAL.fullmatch(self.iso)
            if found is None:
                raise ValueError("not a date")
            zone = timezone(timedelta(minutes=self.offset))
            year, month, day = (int(part) if part else 0 for part in found.groups())
            stated = datetime(year, month or 1, day or 1, tzinfo=zone)
            start = min(max(stated, _FIRST.replace(tzinfo=zone)), _last_day(zone))
            if day:
                return start, start + _DAY
            if year == _LAST.year and month in {0, 12}:
                return start, _LAST.replace(tzinfo=zone)
            if month:
                last = month == 12
                return start, datetime(year + last, 1 if last else month + 1, 1, tzinfo=zone)
            return start, datetime(year + 1, 1, 1, tzinfo=zone)
        except (ValueError, OverflowError) as cause:
            raise InvalidTime(
                f"{self.iso!r} is not a time ({cause})",
                expected="YYYY, YYYY-MM, YYYY-MM-DD or an ISO instant with its offset",
            ) from cause

    def __str__(self) -> str:
        return self.iso


def _last_day(zone: tzinfo | None) -> datetime:
    return _LAST.replace(tzinfo=zone) - _DAY
