"""When a reminder is due (R6.1, R6.2). Pure: the trigger, the instant, the owner's zone and hours go in.

Times repeat in the owner's wall-clock time, so that "every day at eight" stays at eight across a change of
daylight saving time: occurrences are computed without zone by dateutil's RFC 5545 rules and placed in the
zone afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo

from dateutil.rrule import rrulestr

from graphmem.model import Trigger

MORNING = time(9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A reminder that is to be told now: for which moment, and whether that is long past."""

    trigger: Trigger
    at: datetime
    late: bool


def due_at(
    trigger: Trigger, *, now: datetime, zone: tzinfo, hours: Mapping[str, time]
) -> datetime | None:
    """The untold moment that has come at `now`, or None.

    Of several missed moments of a repeat only the latest is told, once. A reminder that waits for a
    word to come up has no moment.
    """
    if trigger.state != "active":
        return None
    if trigger.snoozed_until is not None:
        return trigger.snoozed_until if trigger.snoozed_until <= now else None
    start = first_moment(trigger, zone=zone, hours=hours)
    if start is None:
        return None
    if trigger.rule is None:
        untold = trigger.fired_at is None and start <= now
        return start if untold else None
    latest = _latest(trigger.rule, start, now, zone)
    if latest is None or latest < trigger.created_at:
        return None
    return latest if trigger.fired_at is None or latest > trigger.fired_at else None


def next_after(
    trigger: Trigger, *, after: datetime, zone: tzinfo, hours: Mapping[str, time]
) -> datetime | None:
    """The first moment strictly after `after`, or None where there is none."""
    start = first_moment(trigger, zone=zone, hours=hours)
    if start is None or trigger.state != "active":
        return None
    if trigger.rule is None:
        return start if start > after else None
    following = _rule(trigger.rule, start, zone).after(_wall(after, zone))
    return None if following is None else _placed(following, zone)


def first_moment(trigger: Trigger, *, zone: tzinfo, hours: Mapping[str, time]) -> datetime | None:
    """The first moment of a reminder: its time, its day at the routine's hour (or nine), or the routine
    after it was made.
    """
    hour = hours.get(trigger.routine or "", MORNING)
    if trigger.at is not None:
        if trigger.at.precision == "instant":
            return trigger.at.start
        day = trigger.at.start.date()
        return _placed(datetime.combine(day, hour), zone)
    if trigger.routine is None and trigger.rule is None:
        return None
    made = trigger.created_at.astimezone(zone)
    moment = _placed(datetime.combine(made.date(), hour), zone)
    if trigger.rule is None and moment <= made:
        following = datetime.combine(made.date(), hour).toordinal() + 1
        moment = _placed(datetime.combine(datetime.fromordinal(following).date(), hour), zone)
    return moment


def _latest(rule: str, start: datetime, now: datetime, zone: tzinfo) -> datetime | None:
    found = _rule(rule, start, zone).before(_wall(now, zone), inc=True)
    return None if found is None else _placed(found, zone)


def _rule(rule: str, start: datetime, zone: tzinfo):  # type: ignore[no-untyped-def]  # noqa: ANN202
    local = ";".join(
        part.rstrip("Z") if part.startswith("UNTIL=") else part for part in rule.split(";")
    )
    return rrulestr(local, dtstart=_wall(start, zone))


def _wall(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _placed(wall: datetime, zone: tzinfo) -> datetime:
    return wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
