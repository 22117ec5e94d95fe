"""Reminders and dated facts as iCalendar (RFC 5545), for any calendar program (R6.4).

A repeat is written in the owner's zone, with the zone's rules beside it, so that a calendar program keeps it
at its hour across a change of daylight saving time; a single moment is written in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from graphmem.model import Fact, Trigger
from graphmem.remind.repeats import Repeat
from graphmem.remind.schedule import Hours, first_moment, next_after
from graphmem.secrecy.masking import without_secrets
from graphmem.when import When

if TYPE_CHECKING:
    from icalendar import Event, Timezone

PRODUCT = "-//graphmem//reminders//EN"
_YEARS = 12  # how far ahead the zone's rules are written


def calendar(
    triggers: Iterable[Trigger],
    facts: Iterable[Fact],
    *,
    now: datetime,
    zone: tzinfo,
    hours: Hours,
) -> str:
    """An iCalendar file with an event for each active reminder that has a time and each dated fact.

    Left out: reminders that wait for a word alone, and what is marked sensitive.
    """
    from icalendar import Calendar  # noqa: PLC0415 - only for exports

    whole = Calendar()
    whole.add("prodid", PRODUCT)
    whole.add("version", "2.0")
    events = [
        *(_reminder(one, now=now, zone=zone, hours=hours) for one in triggers),
        *(_dated(one, now=now) for one in facts),
    ]
    if any(event is not None and "rrule" in event for event in events):
        since = min(int(event["dtstart"].to_ical()[:4]) for event in events if event is not None)
        whole.add_component(_timezone(zone, since=min(since, now.year), until=now.year + _YEARS))
    for event in events:
        if event is not None:
            whole.add_component(event)
    return bytes(whole.to_ical()).decode("utf-8")


def _reminder(trigger: Trigger, *, now: datetime, zone: tzinfo, hours: Hours) -> Event | None:
    from icalendar import Alarm, vRecur  # noqa: PLC0415

    start = first_moment(trigger, zone=zone, hours=hours)
    if start is None or trigger.state != "active":
        return None
    action = without_secrets(trigger.action)
    event = _event(trigger.id, action, without_secrets(trigger.text), now)
    if trigger.rule is not None:
        first = Repeat(trigger.rule, start, zone).first()
        if first is None:
            return None
        wall = first.astimezone(zone).replace(tzinfo=None)
        event.add("dtstart", wall, parameters={"TZID": _name(zone)})
        event.add("rrule", vRecur.from_ical(_in_utc(trigger.rule, first, zone)))
    else:
        told = next_after(trigger, after=now, zone=zone, hours=hours) or start
        event.add("dtstart", told.astimezone(UTC))
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("trigger", timedelta())
    alarm.add("description", action)
    event.add_component(alarm)
    return event


def _dated(fact: Fact, *, now: datetime) -> Event | None:
    when = fact.happens_at
    if when is None or fact.sensitive:
        return None
    event = _event(fact.id, fact.object or fact.text, fact.text, now)
    if when.precision == "instant":
        event.add("dtstart", when.start.astimezone(UTC))
    else:
        event.add("dtstart", when.start.date())
        event.add("dtend", _day_after(when, fact.expires_at))
    return event


def _event(id: str, summary: str, description: str, now: datetime) -> Event:
    from icalendar import Event  # noqa: PLC0415

    event = Event()
    event.add("uid", f"{id}@graphmem")
    event.add("dtstamp", now.astimezone(UTC))
    event.add("summary", summary)
    if description and description != summary:
        event.add("description", description)
    return event


def _day_after(when: When, until: When | None) -> date:
    last = when.end
    if until is not None and when.start < until.end:
        last = max(last, until.end)
    local = last.astimezone(when.start.tzinfo)
    ends_at_midnight = (local.hour, local.minute, local.second) == (0, 0, 0)
    return local.date() if ends_at_midnight else local.date() + timedelta(days=1)


def _in_utc(rule: str, first: datetime, zone: tzinfo) -> str:
    """The rule with its end in UTC, as RFC 5545 wants it beside a start with a zone."""
    until = Repeat(rule, first, zone).until
    kept = [part for part in rule.upper().split(";") if not part.startswith("UNTIL=")]
    if until is not None:
        kept.append(f"UNTIL={until.astimezone(UTC):%Y%m%dT%H%M%SZ}")
    return ";".join(kept)


def _name(zone: tzinfo) -> str:
    key: Any = getattr(zone, "key", None)
    return str(key) if key else "graphmem-owner"


def _timezone(zone: tzinfo, *, since: int, until: int) -> Timezone:
    """The zone's rules between two years; for a bare offset, that offset."""
    from icalendar import Timezone, TimezoneStandard  # noqa: PLC0415

    if getattr(zone, "key", None):
        return Timezone.from_tzinfo(
            zone, _name(zone), first_date=date(since - 1, 1, 1), last_date=date(until, 1, 1)
        )
    offset = datetime(since, 1, 1, tzinfo=zone).utcoffset()
    standard = TimezoneStandard()
    standard.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001 - wall-clock by definition
    standard.add("tzoffsetfrom", offset)
    standard.add("tzoffsetto", offset)
    whole = Timezone()
    whole.add("tzid", _name(zone))
    whole.add_component(standard)
    return whole
