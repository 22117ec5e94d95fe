"""The moments of a repeat: an iCalendar rule (RFC 5545) read in the owner's wall-clock time. Pure.

dateutil counts occurrences one by one from the start, which takes long for a daily reminder of many years
ago. Where a rule does not count, the start is therefore moved ahead by whole intervals, which leaves its
occurrences where they are.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from dateutil.rrule import rrulestr

from graphmem.errors import InvalidTime

_STEPS = {
    "WEEKLY": timedelta(weeks=1),
    "DAILY": timedelta(days=1),
    "HOURLY": timedelta(hours=1),
    "MINUTELY": timedelta(minutes=1),
}
_SHIFT = timedelta(hours=3)  # more than any clock change
_FREQUENT = {"HOURLY": timedelta(days=3), "MINUTELY": timedelta(hours=12)}
_RUN_UP = timedelta(days=70)


class Repeat:
    """The moments of `rule` from `start` on, in the wall-clock time of `zone`; given back in UTC.

    A moment that a clock change skips comes an hour later; one that it repeats comes once, the first
    time. Raises InvalidTime for a rule that is none.
    """

    def __init__(self, rule: str, start: datetime, zone: tzinfo) -> None:
        self._zone = zone
        self._parts = dict(
            part.split("=", 1)
            for part in rule.upper().removeprefix("RRULE:").split(";")
            if "=" in part
        )
        if "UNTIL" in self._parts:
            self._parts["UNTIL"] = self._local(self._parts["UNTIL"])
        self._start = _wall(start, zone)
        self._rule = self._made(self._start)

    def latest(self, moment: datetime) -> datetime | None:
        """The last moment at or before `moment`, or None."""
        moment = moment.astimezone(UTC)
        wall = _wall(moment, self._zone) + _SHIFT
        for rule in self._near(wall):
            found = rule.before(wall, inc=True)
            while found is not None and self._placed(found) > moment:
                found = rule.before(found)
            if found is not None:
                return self._placed(found)
        return None

    def following(self, moment: datetime) -> datetime | None:
        """The first moment after `moment`, or None."""
        moment = moment.astimezone(UTC)
        wall = _wall(moment, self._zone) - _SHIFT
        rule = self._near(wall)[0]
        found = rule.after(wall, inc=True)
        while found is not None and self._placed(found) <= moment:
            found = rule.after(found)
        return None if found is None else self._placed(found)

    @property
    def until(self) -> datetime | None:
        """The last instant at which it may come, None where it has no such end."""
        end = self._parts.get("UNTIL")
        return self._placed(datetime.strptime(end, "%Y%m%dT%H%M%S")) if end else None  # noqa: DTZ007

    def first(self) -> datetime | None:
        """The first moment of all, which may lie behind `start`."""
        found = self._rule.after(self._start, inc=True)
        return None if found is None else self._placed(found)

    def _near(self, wall: datetime) -> list[Any]:
        """The rule from a start shortly before `wall`, and the whole rule for what lies further back."""
        step = _STEPS.get(self._parts["FREQ"])
        if step is None or "COUNT" in self._parts:
            return [self._rule]
        step *= int(self._parts.get("INTERVAL", "1"))
        run_up = max(_FREQUENT.get(self._parts["FREQ"], _RUN_UP), 2 * step)
        skipped = (wall - run_up - self._start) // step
        if skipped <= 0:
            return [self._rule]
        return [self._made(self._start + skipped * step), self._rule]

    def _made(self, start: datetime) -> Any:
        text = ";".join(f"{name}={value}" for name, value in self._parts.items())
        try:
            if int(self._parts.get("INTERVAL", "1")) < 1:
                raise ValueError("INTERVAL below 1")
            return rrulestr(text, dtstart=start)
        except (ValueError, TypeError, KeyError) as cause:
            raise InvalidTime(
                f"{text!r} is no rule of repetition ({cause})",
                expected="an iCalendar RRULE, such as FREQ=WEEKLY;BYDAY=MO",
            ) from cause

    def _local(self, until: str) -> str:
        """The end of a rule in wall-clock time; a date alone includes its whole day."""
        try:
            if "T" not in until:
                return f"{datetime.strptime(until, '%Y%m%d'):%Y%m%d}T235959"  # noqa: DTZ007
            end = datetime.strptime(until.rstrip("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
        except ValueError as cause:
            raise InvalidTime(
                f"UNTIL={until} is not a time", expected="YYYYMMDD or YYYYMMDDTHHMMSSZ"
            ) from cause
        if until.endswith("Z"):
            end = _wall(end.replace(tzinfo=UTC), self._zone)
        return f"{end:%Y%m%dT%H%M%S}"

    def _placed(self, wall: datetime) -> datetime:
        return placed(wall, self._zone)


def placed(wall: datetime, zone: tzinfo) -> datetime:
    """A wall-clock time of a zone in UTC. One that daylight saving time skips comes an hour later, one
    that it repeats comes the first time.
    """
    return wall.replace(tzinfo=zone).astimezone(UTC)


def _wall(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)
