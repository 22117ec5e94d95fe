"""The owner's zone and the hours of the owner's day, from the settings and the lexicon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphmem.config import Settings
from graphmem.errors import InvalidSettings
from graphmem.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class OwnerTime:
    """When the owner's day has its moments. `zone` is None where the settings name none."""

    zone: tzinfo | None
    hours: Mapping[str, time]

    @classmethod
    def of(cls, settings: Settings, lexicon: Lexicon) -> OwnerTime:
        """Raises InvalidSettings for a zone or an hour that is none."""
        return cls(zone_of(settings), hours_of(lexicon))

    def zone_at(self, now: datetime) -> tzinfo:
        """The settings' zone, else that of the clock which gave `now`."""
        zone = self.zone or now.tzinfo
        if zone is None:
            raise InvalidSettings(
                "an instant without a zone was given", expected="an aware datetime"
            )
        return zone


def hours_of(lexicon: Lexicon) -> Mapping[str, time]:
    """The owner's hours by routine. Raises InvalidSettings for one that is no time of day."""
    hours: dict[str, time] = {}
    for name, text in lexicon.table("routines")["hours"].items():
        try:
            hours[name] = time.fromisoformat(str(text)).replace(tzinfo=None)
        except ValueError as cause:
            raise InvalidSettings(
                f"lexicon.routines.hours.{name} = {text!r}",
                expected='a time of day, such as "18:30"',
            ) from cause
    return hours


def zone_of(settings: Settings) -> tzinfo | None:
    """The owner's zone, None where the settings name none. Raises InvalidSettings for an unknown one."""
    if not settings.timezone:
        return None
    try:
        return ZoneInfo(settings.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as cause:
        raise InvalidSettings(
            f"timezone = {settings.timezone!r}", expected="an IANA zone, such as Europe/Paris"
        ) from cause
