"""Reminders and dated facts as iCalendar (RFC 5545), for any calendar program (R6.4)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from graphmem.model import Fact, Trigger
from graphmem.when import When


def calendar(
    moments: Iterable[tuple[Trigger, datetime]], facts: Iterable[Fact], *, now: datetime
) -> str:
    """An iCalendar file with an event for each reminder that has a moment and each dated fact.

    Reminders that wait for a word have no date and are left out.
    """
    from icalendar import Calendar, Event, vRecur  # noqa: PLC0415 - only for exports

    whole = Calendar()
    whole.add("prodid", "-//graphmem//reminders//EN")
    whole.add("version", "2.0")
    for trigger, moment in moments:
        event = Event()
        event.add("uid", f"{trigger.id}@graphmem")
        event.add("dtstamp", now.astimezone(UTC))
        event.add("dtstart", moment.astimezone(UTC))
        if trigger.rule:
            event.add("rrule", vRecur.from_ical(trigger.rule))
        event.add("summary", trigger.action)
        event.add("description", trigger.text)
        whole.add_component(event)
    for fact in facts:
        if fact.happens_at is None:
            continue
        event = Event()
        event.add("uid", f"{fact.id}@graphmem")
        event.add("dtstamp", now.astimezone(UTC))
        event.add("dtstart", _start(fact.happens_at))
        if fact.happens_at.precision != "instant":
            event.add("dtend", _end(fact.happens_at, fact.expires_at))
        event.add("summary", fact.object or fact.text)
        event.add("description", fact.text)
        whole.add_component(event)
    return bytes(whole.to_ical()).decode("utf-8")


def _start(when: When) -> date | datetime:
    return when.start.astimezone(UTC) if when.precision == "instant" else when.start.date()


def _end(when: When, until: When | None) -> date:
    last = until.end if until is not None and until.end > when.start else when.end
    return max(last, when.start + timedelta(days=1)).date()
