"""The iCalendar export, read back by the library."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from icalendar import Calendar
from made import HOURS, PARIS, paris, trigger, utc

from graphmem.model import Fact
from graphmem.remind.calendar import calendar
from graphmem.when import When

NOW = utc(2026, 1, 1, 12)


def fact(**values: object) -> Fact:
    return Fact(
        **{  # type: ignore[arg-type]
            "id": "f1", "entity": "Ana", "entity_id": "e1", "predicate": "has_event",
            "object": "dentist", "text": "The dentist is on Friday.",
            "said_at": NOW, "recorded_at": NOW, **values,
        }
    )  # fmt: skip


def events(*, triggers=(), facts=(), zone=PARIS) -> list:
    text = calendar(triggers, facts, now=NOW, zone=zone, hours=HOURS)
    assert "\r\n" in text
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    whole = Calendar.from_ical(text)
    assert not whole.errors
    assert whole["version"] == "2.0"
    return whole.walk("VEVENT")


def test_a_single_reminder_and_one_by_date() -> None:
    found = events(
        triggers=[
            trigger(id="a", at=When("2026-07-05T17:00:00+02:00"), action="买牛奶; call, Ben"),
            trigger(id="b", at=When("2026-01-05", 60)),
            trigger(id="c", keywords=("Tom",)),
            trigger(id="d", at=When("2026-01-05", 60), state="done"),
        ]
    )
    assert [event["uid"] for event in found] == ["a@graphmem", "b@graphmem"]
    assert [event.decoded("dtstart") for event in found] == [
        utc(2026, 7, 5, 15), utc(2026, 1, 5, 8),
    ]  # fmt: skip
    assert str(found[0]["summary"]) == "买牛奶; call, Ben"
    assert len(found[0].walk("VALARM")) == 1


@pytest.mark.parametrize("end", ["", ";COUNT=40", ";UNTIL=20260406T220000Z"])
def test_a_repeat_keeps_its_hour_in_the_calendar_too(end: str) -> None:
    rule = "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8,20;BYMINUTE=0" + end
    (event,) = events(triggers=[trigger(at=When("2026-01-05T08:00:00+01:00"), rule=rule)])
    start = event.decoded("dtstart")
    assert start == paris(2026, 1, 5, 8)
    told = rrulestr(event["rrule"].to_ical().decode(), dtstart=start)
    assert told.between(utc(2026, 3, 23), utc(2026, 3, 31))[-2:] == [
        paris(2026, 3, 30, 8), paris(2026, 3, 30, 20),
    ]  # fmt: skip


def test_the_zone_of_a_repeat_is_in_the_file() -> None:
    one = trigger(at=When("2026-01-05T08:00:00+01:00"), rule="FREQ=DAILY")
    text = calendar([one], [], now=NOW, zone=PARIS, hours=HOURS)
    whole = Calendar.from_ical(text)
    (zone,) = whole.walk("VTIMEZONE")
    read = zone.to_tz()
    summer = datetime(2026, 7, 1, 12, tzinfo=UTC).astimezone(read)
    assert summer.utcoffset() == timedelta(hours=2)
    assert "VTIMEZONE" not in calendar([], [fact()], now=NOW, zone=PARIS, hours=HOURS)


def test_an_owner_with_a_bare_offset() -> None:
    east = timezone(timedelta(hours=8))
    (event,) = events(
        triggers=[trigger(at=When("2026-01-05T08:00:00+08:00"), rule="FREQ=DAILY")], zone=east
    )
    assert event.decoded("dtstart").utcoffset() == timedelta(hours=8)
    assert event.decoded("dtstart") == utc(2026, 1, 5)


def test_dated_facts_at_their_precision() -> None:
    east = 8 * 60
    found = events(
        facts=[
            fact(id="f1", happens_at=When("2026-01-09T15:00:00+08:00")),
            fact(id="f2", happens_at=When("2026-01-09", east)),
            fact(id="f3", happens_at=When("2026-02", east)),
            fact(id="f4", happens_at=When("2026-01-09", east), expires_at=When("2026-01-11", east)),
            fact(id="f5"),
            fact(id="f6", happens_at=When("2026-01-09"), sensitive=True),
        ],
        zone=ZoneInfo("Asia/Shanghai"),
    )
    assert [
        (event.decoded("dtstart"), event.decoded("dtend") if "dtend" in event else None)
        for event in found
    ] == [
        (utc(2026, 1, 9, 7), None),
        (date(2026, 1, 9), date(2026, 1, 10)),
        (date(2026, 2, 1), date(2026, 3, 1)),
        (date(2026, 1, 9), date(2026, 1, 12)),
    ]
