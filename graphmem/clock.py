"""The system's clock; tests pass `graphmem.testing.FixedClock` instead."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_LINK = Path("/etc/localtime")


class SystemClock:
    """The present instant, in the owner's zone where one is given, else the machine's."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone or machine_zone()

    def now(self) -> datetime:
        """The present instant, aware."""
        return datetime.now(self._zone)


def machine_zone() -> tzinfo:
    """The machine's zone with its rules of daylight saving time: a bare offset holds for one half of
    the year only.
    """
    named = (
        os.environ.get("TZ", "").removeprefix(":")
        or str(_LINK.resolve()).rpartition("zoneinfo/")[2]
    )
    try:
        return ZoneInfo(named)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        from dateutil.tz import tzlocal  # noqa: PLC0415 - only where the zone has no name

        local: tzinfo = tzlocal()
        return local
