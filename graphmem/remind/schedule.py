"""When a reminder is due (R6.1, R6.2). Pure: the trigger, the instant, the owner's zone and hours go in.

Times repeat in the owner's wall-clock time, so that "every day at eight" stays at eight across a change of
daylight saving time: occurrences are computed by graphmem.remind.repeats without zone and placed afterwards.
Moments are compared in UTC only: within one zone Python compares wall-clock times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from graphmem.model import Trigger
from graphmem.remind.repeats import Repeat, placed
from graphmem.when import Interval

Hours = Mapping[str, time]

MORNING = "morning"  # the routine on which a date without a time falls
FREQUENT = ("FREQ=HOURLY", "FREQ=MINUTELY")  # repeats that know no time of day
ON_TIME = timedelta(hours=1)  # how long after a clock time telling is not late
_NINE = time(9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A reminder that is to be told now: for which moment, and until when that is on time.

    `window` is half-open; `late` is True where the present is behind it.
    """

    trigger: Trigger
    at: datetime
    window: Interval
    late: bool


def due(trigger: Trigger, *, now: datetime, zone: tzinfo, hours: Hours) -> Due | None:
    """The reminder with its untold moment that has come at `now`, in the owner's zone; None without."""
    at = due_at(trigger, now=now, zone=zone, hours=hours)
    if at is None:
        return None
    window = window_of(trigger, at, zone=zone)
    late = now.astimezone(UTC) not in window
    return Due(trigger=trigger, at=at.astimezone(zone), window=window, late=late)


def due_at(trigger: Trigger, *, now: datetime, zone: tzinfo, hours: Hours) -> datetime | None:
    """The untold moment that has come at `now`, in UTC, or None.

    `fired_at` is the latest moment that was told. Of several missed moments of a repeat only the latest
    is told, once; those before the reminder was made are not missed. A reminder that waits for a word to
    come up has no moment.
    """
    if trigger.state != "active":
        return None
    now, snoozed, fired = now.astimezone(UTC), _utc(trigger.snoozed_until), _utc(trigger.fired_at)
    if snoozed is not None and snoozed > now:
        return None
    told = max(filter(None, (fired, snoozed)), default=None)
    start = first_moment(trigger, zone=zone, hours=hours)
    untold = None
    if start is not None and trigger.rule is not None:
        latest = Repeat(trigger.rule, start, zone).latest(now)
        behind = max(filter(None, (told, _utc(trigger.created_at))))
        untold = latest if latest is not None and latest > behind else None
    elif start is not None and start <= now and told is None:
        untold = start
    return untold or snoozed


def next_after(trigger: Trigger, *, after: datetime, zone: tzinfo, hours: Hours) -> datetime | None:
    """The first moment strictly after `after` at which it will be told, in UTC; None without."""
    if trigger.state != "active":
        return None
    after, snoozed = after.astimezone(UTC), _utc(trigger.snoozed_until)
    if snoozed is not None:
        return snoozed if snoozed > after else None
    start = first_moment(trigger, zone=zone, hours=hours)
    if start is None:
        return None
    if trigger.rule is not None:
        made = trigger.created_at.astimezone(UTC)
        return Repeat(trigger.rule, start, zone).following(max(after, made))
    return start if start > after and trigger.fired_at is None else None


def first_moment(trigger: Trigger, *, zone: tzinfo, hours: Hours) -> datetime | None:
    """Where its moments start, in UTC: its time; its day at the routine's hour, in the morning without
    one; the day it was made for a repeat without a time. None where it waits for a word.

    The time of day at which a repeat starts is one of the owner's wall clock, whatever the offset in
    which it was said: "every day at 8" is at 8 in summer and winter.
    """
    hour = hours.get(trigger.routine or MORNING, hours.get(MORNING, _NINE))
    if trigger.at is not None:
        if trigger.at.precision == "instant":
            start = trigger.at.start
            if trigger.rule is not None and not trigger.rule.upper().startswith(FREQUENT):
                return placed(start.replace(tzinfo=None), zone)
            return start.astimezone(UTC)
        return placed(datetime.combine(trigger.at.start.date(), hour), zone)
    if trigger.routine is None and trigger.rule is None:
        return None
    return placed(datetime.combine(trigger.created_at.astimezone(zone).date(), hour), zone)


def window_of(trigger: Trigger, at: datetime, *, zone: tzinfo) -> Interval:
    """How long telling the moment `at` is on time: an hour for a clock time or a snooze, for a date or a
    routine moment the rest of the owner's day, for a month or year the rest of that.
    """
    if trigger.snoozed_until is not None or _has_clock(trigger):
        return Interval(at, at + ON_TIME)
    if trigger.at is not None and trigger.rule is None and trigger.at.precision != "day":
        return Interval(at, max(trigger.at.end, at + ON_TIME))
    midnight = datetime.combine(at.astimezone(zone).date() + timedelta(days=1), time())
    return Interval(at, max(placed(midnight, zone), at + ON_TIME))


def _has_clock(trigger: Trigger) -> bool:
    if trigger.at is not None and trigger.at.precision == "instant":
        return True
    rule = (trigger.rule or "").upper()
    return "BYHOUR=" in rule or rule.startswith(FREQUENT)


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
