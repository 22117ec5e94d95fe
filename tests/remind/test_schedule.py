"""When a reminder is due, to the minute."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from made import HOURS, PARIS, paris, trigger, utc

from graphmem.errors import InvalidTime
from graphmem.model import Trigger
from graphmem.remind.repeats import Repeat
from graphmem.remind.schedule import due, due_at, next_after
from graphmem.when import When


def moments(one: Trigger, start: datetime, count: int) -> list[str]:
    """The next `count` moments after `start`, in wall-clock time."""
    found: list[str] = []
    for _ in range(count):
        following = next_after(one, after=start, zone=PARIS, hours=HOURS)
        if following is None:
            break
        found.append(f"{following.astimezone(PARIS):%m-%d %H:%M}")
        start = following
    return found


def test_a_single_one_is_due_at_its_minute_and_told_once() -> None:
    one = trigger(at=When("2026-01-05T17:00:00+01:00"))
    assert due_at(one, now=paris(2026, 1, 5, 16, 59), zone=PARIS, hours=HOURS) is None
    at = due_at(one, now=paris(2026, 1, 5, 17), zone=PARIS, hours=HOURS)
    assert at == paris(2026, 1, 5, 17)
    told = replace(one, fired_at=at)
    assert due_at(told, now=paris(2026, 1, 6), zone=PARIS, hours=HOURS) is None
    assert next_after(told, after=paris(2026, 1, 1), zone=PARIS, hours=HOURS) is None


def test_a_date_falls_on_the_morning_and_a_routine_on_its_hour() -> None:
    day = trigger(at=When("2026-01-05", 60))
    assert moments(day, paris(2026, 1, 1), 3) == ["01-05 09:00"]
    evening = replace(day, routine="after_work")
    assert moments(evening, paris(2026, 1, 1), 3) == ["01-05 18:00"]


def test_eight_in_the_morning_and_in_the_evening() -> None:
    one = trigger(rule="FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", at=When("2026-01-01T20:00:00+01:00"))
    assert moments(one, paris(2026, 1, 1, 9), 3) == ["01-01 20:00", "01-02 08:00", "01-02 20:00"]


def test_every_other_friday() -> None:
    one = trigger(rule="FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", at=When("2026-01-02", 60))
    assert moments(one, paris(2026, 1, 1), 3) == ["01-02 09:00", "01-16 09:00", "01-30 09:00"]
    late = next_after(one, after=paris(2031, 6, 1), zone=PARIS, hours=HOURS)
    assert late is not None
    assert (late.date() - paris(2026, 1, 2).date()).days % 14 == 0


@pytest.mark.parametrize(
    "end", ["UNTIL=20260103", "UNTIL=20260103T080000Z", "UNTIL=20260103T090000", "COUNT=3"]
)
def test_a_repeat_ends(end: str) -> None:
    one = trigger(rule=f"FREQ=DAILY;{end}", at=When("2026-01-01", 60))
    assert moments(one, paris(2026, 1, 1), 9) == ["01-01 09:00", "01-02 09:00", "01-03 09:00"]


def test_a_repeat_keeps_its_hour_across_the_change_of_clocks() -> None:
    one = trigger(rule="FREQ=DAILY", at=When("2026-03-27T08:00:00+01:00"))
    following = [
        next_after(one, after=utc(2026, 3, day, 12), zone=PARIS, hours=HOURS) for day in (27, 28)
    ]
    assert following == [utc(2026, 3, 28, 7), utc(2026, 3, 29, 6)]


def test_an_hour_that_is_skipped_comes_an_hour_later_and_never_early() -> None:
    one = trigger(rule="FREQ=DAILY", at=When("2026-03-20T02:30:00+01:00"))
    told = replace(one, fired_at=paris(2026, 3, 28, 2, 30))
    assert due_at(told, now=utc(2026, 3, 29, 1, 10), zone=PARIS, hours=HOURS) is None
    at = due_at(told, now=utc(2026, 3, 29, 1, 30), zone=PARIS, hours=HOURS)
    assert at == utc(2026, 3, 29, 1, 30)


def test_an_hour_that_comes_twice_is_told_the_first_time_only() -> None:
    one = trigger(rule="FREQ=DAILY", at=When("2026-10-01T02:30:00+02:00"))
    told = replace(one, fired_at=paris(2026, 10, 24, 2, 30))
    first = utc(2026, 10, 25, 0, 30)
    assert due_at(told, now=first, zone=PARIS, hours=HOURS) == first
    between = utc(2026, 10, 25, 1, 10)  # 02:10 for the second time
    assert due_at(told, now=between, zone=PARIS, hours=HOURS) == first
    again = replace(told, fired_at=first)
    assert due_at(again, now=utc(2026, 10, 25, 1, 30), zone=PARIS, hours=HOURS) is None


def test_the_owner_in_another_zone_than_the_clock() -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    one = trigger(at=When("2026-01-05", 480))
    assert due_at(one, now=utc(2026, 1, 5, 1), zone=shanghai, hours=HOURS) == utc(2026, 1, 5, 1)
    assert due_at(one, now=utc(2026, 1, 5, 0, 59), zone=shanghai, hours=HOURS) is None


def test_of_missed_ones_the_latest_is_told_and_is_late() -> None:
    one = trigger(rule="FREQ=DAILY", at=When("2026-01-01T08:00:00+01:00"), fired_at=None)
    found = due(one, now=paris(2026, 1, 9, 12), zone=PARIS, hours=HOURS)
    assert found is not None
    assert found.at == paris(2026, 1, 9, 8)
    assert found.late
    assert found.window.end == paris(2026, 1, 9, 9)


def test_what_was_missed_before_it_was_made_is_not_told() -> None:
    one = trigger(rule="FREQ=DAILY", at=When("2020-01-01T07:00:00+01:00"))
    assert due_at(one, now=paris(2026, 1, 1, 9), zone=PARIS, hours=HOURS) is None


def test_a_date_is_on_time_all_day() -> None:
    one = trigger(at=When("2026-01-05", 60))
    evening = due(one, now=paris(2026, 1, 5, 23), zone=PARIS, hours=HOURS)
    night = due(one, now=paris(2026, 1, 6, 0), zone=PARIS, hours=HOURS)
    assert evening is not None
    assert night is not None
    assert (evening.late, night.late) == (False, True)


def test_a_snooze_is_told_once_with_what_was_missed_meanwhile() -> None:
    one = trigger(rule="FREQ=DAILY", at=When("2026-01-01T08:00:00+01:00"))
    put_off = replace(one, fired_at=paris(2026, 1, 2, 8), snoozed_until=paris(2026, 1, 2, 10))
    assert due_at(put_off, now=paris(2026, 1, 2, 9), zone=PARIS, hours=HOURS) is None
    soon = due_at(put_off, now=paris(2026, 1, 2, 10), zone=PARIS, hours=HOURS)
    assert soon == paris(2026, 1, 2, 10)
    later = due_at(put_off, now=paris(2026, 1, 4, 12), zone=PARIS, hours=HOURS)
    assert later == paris(2026, 1, 4, 8)
    assert moments(put_off, paris(2026, 1, 2, 9), 1) == ["01-02 10:00"]


def test_one_that_waits_for_a_word_or_is_done_has_no_moment() -> None:
    now = paris(2027, 1, 1)
    assert due_at(trigger(keywords=("Tom",)), now=now, zone=PARIS, hours=HOURS) is None
    for state in ("done", "cancelled"):
        one = trigger(at=When("2026-01-05", 60), state=state)
        assert due_at(one, now=now, zone=PARIS, hours=HOURS) is None


def test_an_old_repeat_is_found_quickly_and_rightly() -> None:
    start = datetime(1990, 1, 1, 8, tzinfo=timezone(timedelta(hours=1)))
    for rule in ("FREQ=MINUTELY;INTERVAL=7", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TH"):
        found = Repeat(rule, start, PARIS).latest(paris(2026, 5, 5, 5))
        assert found is not None
        assert found <= paris(2026, 5, 5, 5) < (found + timedelta(days=5))
    leap = Repeat("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29", start, PARIS).latest(paris(2027, 5, 5))
    assert leap == paris(2024, 2, 29, 8)


@pytest.mark.parametrize("rule", ["", "FREQ=NEVER", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;UNTIL=x"])
def test_a_broken_rule_is_an_error(rule: str) -> None:
    with pytest.raises(InvalidTime):
        Repeat(rule, paris(2026, 1, 1), PARIS)
