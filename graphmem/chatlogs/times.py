"""Times as chat exports write them: seconds or milliseconds since 1970, ISO text, local wall clocks."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from graphmem.errors import InvalidTime

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")
# Above these sizes a count since 1970 can only be meant in finer units than seconds.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))


@dataclass(frozen=True, slots=True)
class Times:
    """Makes aware datetimes in the owner's zone; `zone` None is the machine's."""

    zone: tzinfo | None = None

    def local(self, naive: datetime) -> datetime | None:
        """A wall clock time of the owner's zone; None where the calendar ends."""
        try:
            return _sane(
                naive.astimezone() if self.zone is None else naive.replace(tzinfo=self.zone)
            )
        except (OverflowError, ValueError, OSError):
            return None

    def instant(self, seconds: float) -> datetime | None:
        """A count since 1970 in seconds, milli-, micro- or nanoseconds; None where it is no date."""
        if not math.isfinite(seconds) or seconds <= 0:
            return None
        for limit, unit in _UNITS:
            if seconds > limit:
                seconds = seconds / unit
                break
        try:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
            return _sane(moment.astimezone(self.zone))
        except (OverflowError, ValueError, OSError):
            return None

    def read(self, value: Any) -> datetime | None:
        """A number, a number as text, or ISO text; None for anything else.

        A written offset is kept, but "Z" and "+00:00" are how exports write an instant: where the
        owner's zone was named, they are told in it.
        """
        if isinstance(value, bool):
            return None
        if isinstance(value, (int, float)):
            return self.instant(as_float(value))
        if not isinstance(value, str):
            return None
        text = value.strip()
        if _NUMBER.fullmatch(text):
            return self.instant(as_float(text))
        if not _DATED.match(text):
            return None
        try:
            moment = datetime.fromisoformat(text.removesuffix(" UTC") + "Z" * text.endswith(" UTC"))
            if moment.tzinfo is None:
                return self.local(moment)
            if self.zone is not None and moment.utcoffset() == timedelta(0):
                moment = moment.astimezone(self.zone)
        except (OverflowError, ValueError):
            return None
        return _sane(moment)

    def beside(self, instant: datetime, wall: Any) -> datetime:
        """`instant` at the offset that a wall clock text beside it tells, unless the zone was named."""
        if self.zone is not None or not isinstance(wall, str):
            return instant
        try:
            shown = datetime.fromisoformat(wall)
            offset = shown - instant.astimezone(UTC).replace(tzinfo=None)
            return instant.astimezone(timezone(offset))
        except (OverflowError, ValueError, TypeError):
            return instant


def _sane(moment: datetime) -> datetime | None:
    """`moment`, None where the years around it could not be told in every zone."""
    return moment if MINYEAR < moment.year < MAXYEAR else None


def zone_named(name: str | None) -> tzinfo | None:
    """The zone of an IANA name, None for None. Raises InvalidTime for an unknown one."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as cause:
        raise InvalidTime(
            f"{name!r} is not a time zone",
            expected='an IANA name such as "Europe/Lisbon" or "Asia/Shanghai"',
        ) from cause


def as_float(value: float | str) -> float:
    """The number; infinity for a whole one that is larger than any float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
