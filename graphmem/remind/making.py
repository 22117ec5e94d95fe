"""From a reminder that was read in a message to the trigger that is kept (R6.1). Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

from graphmem.errors import InvalidTime
from graphmem.identity import digest
from graphmem.model import Snapshot, Trigger
from graphmem.protocols import ReminderCandidate
from graphmem.remind.repeats import Repeat, placed
from graphmem.remind.schedule import FREQUENT, Hours, first_moment
from graphmem.when import When

STALE_AFTER = timedelta(days=7)


def made(
    read: ReminderCandidate, snapshot: Snapshot, *, now: datetime, zone: tzinfo, hours: Hours
) -> Trigger:
    """The trigger of a reminder that a message asks for.

    A routine moment without a day is the first one after the message was said; a wish without any cue
    is told on the next morning. One whose last moment passed more than a week before it was recorded
    comes from an old chat: it is kept as done, and never told. Raises InvalidTime for a broken rule.
    """
    trigger = Trigger(
        id=digest("t", snapshot.id, str(read.span[0]), read.action),
        cue=read.cue,
        action=read.action,
        text=read.text,
        at=_at_home(read.at, snapshot.said_at, zone) or _start(read, snapshot.said_at, zone, hours),
        rule=read.rule,
        routine=read.routine,
        keywords=read.keywords,
        created_at=now,
        snapshot_id=snapshot.id,
        speaker=snapshot.speaker,
        readers=snapshot.readers,
    )
    if is_stale(trigger, now=now, zone=zone, hours=hours):
        return replace(trigger, state="done")
    return trigger


def is_stale(trigger: Trigger, *, now: datetime, zone: tzinfo, hours: Hours) -> bool:
    """True where its last moment lies more than a week behind `now`."""
    start = first_moment(trigger, zone=zone, hours=hours)
    if start is None:
        return False
    if trigger.rule is None:
        return start < now - STALE_AFTER
    return Repeat(trigger.rule, start, zone).following(now - STALE_AFTER) is None


def _at_home(at: When | None, said_at: datetime, zone: tzinfo) -> When | None:
    """A time of day that was read at the offset of the message, which knows no daylight saving time: where
    that is the owner's own offset, it is a time of the owner's wall clock.
    """
    if at is None or at.precision != "instant":
        return at
    offset = said_at.utcoffset()
    if at.start.utcoffset() != offset or said_at.astimezone(zone).utcoffset() != offset:
        return at
    return When.of(placed(at.start.replace(tzinfo=None), zone).astimezone(zone))


def _start(read: ReminderCandidate, said_at: datetime, zone: tzinfo, hours: Hours) -> When | None:
    """The time from which a wish counts that names none; None where it waits for a word alone."""
    if read.rule is not None:
        frequent = read.rule.upper().startswith(FREQUENT)
        return When.of(said_at) if frequent else When.day(said_at)
    said = said_at.astimezone(zone)
    if read.routine is not None:
        hour = hours.get(read.routine)
        passed = hour is not None and placed(
            datetime.combine(said.date(), hour), zone
        ) <= said_at.astimezone(UTC)
        return When.day(said + timedelta(days=passed))
    return None if read.keywords else When.day(said + timedelta(days=1))


def checked_rule(rule: str, *, zone: tzinfo, now: datetime) -> str:
    """The rule in capitals. Raises InvalidTime where it is none, or has no moment at all."""
    if Repeat(rule, now, zone).first() is None:
        raise InvalidTime(f"{rule!r} never comes", expected="a rule with at least one moment")
    return rule.upper().removeprefix("RRULE:")
