"""10,000 random schedules, asked at random instants, with restarts between: none lost, none doubled.

What is right is counted day by day without the library that the schedule uses.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made import HOURS, trigger

from graphmem.model import Trigger
from graphmem.remind.schedule import due_at, next_after
from graphmem.store.records import trigger_of, trigger_row
from graphmem.when import When

EXAMPLES, EACH = 500, 20
ZONES = [
    ZoneInfo(name)
    for name in ("Europe/Paris", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "UTC")
]
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
SPAN = timedelta(days=40)


def placed(wall: datetime, zone: ZoneInfo) -> datetime:
    return wall.replace(tzinfo=zone).astimezone(UTC)


class Schedule:
    """A random reminder, and every moment at which it is right to tell it."""

    def __init__(self, dice: random.Random) -> None:
        self.zone = dice.choice(ZONES)
        # around both changes of the clocks, in both hemispheres
        base = datetime(2026, dice.choice((3, 4, 10, 11)), dice.randint(1, 28), tzinfo=self.zone)
        self.made = base + timedelta(minutes=dice.randrange(24 * 60))
        first = self.made + timedelta(minutes=dice.randrange(1, 4 * 24 * 60))
        wall = first.astimezone(self.zone).replace(tzinfo=None)
        self.hours = sorted(dice.sample(range(24), dice.choice((1, 1, 2, 3))))
        self.minute = dice.choice((0, 15, 30))
        self.step = dice.choice((1, 1, 2, 3))
        self.days = sorted(dice.sample(range(7), dice.choice((1, 2, 5))))
        self.kind = dice.choice(("once", "day", "daily", "weekly", "count", "until"))
        self.count = dice.randint(1, 12)
        self.until = wall.date() + timedelta(days=dice.randint(0, 30))
        self.start = wall
        self.trigger = trigger(created_at=self.made, **self._fields())

    def _fields(self) -> dict[str, object]:
        if self.kind == "day":
            return {"at": When.day(self.start.replace(tzinfo=self.zone))}
        start = When.of(placed(self.start, self.zone).astimezone(self.zone))
        if self.kind == "once":
            return {"at": start}
        clock = f"BYHOUR={','.join(map(str, self.hours))};BYMINUTE={self.minute};BYSECOND=0"
        rule = f"FREQ=DAILY;INTERVAL={self.step};{clock}"
        if self.kind == "weekly":
            days = ",".join(DAYS[day] for day in self.days)
            rule = f"FREQ=WEEKLY;INTERVAL={self.step};BYDAY={days};{clock}"
        if self.kind == "count":
            rule += f";COUNT={self.count}"
        if self.kind == "until":
            rule += f";UNTIL={self.until:%Y%m%d}"
        return {"at": start, "rule": rule}

    def moments(self) -> list[datetime]:
        """In order, those after it was made."""
        found = sorted({placed(wall, self.zone) for wall in self._walls()})
        return [moment for moment in found if moment > self.made or self.kind in {"once", "day"}]

    def _walls(self) -> Iterator[datetime]:
        if self.kind == "once":
            yield self.start
        elif self.kind == "day":
            yield datetime.combine(self.start.date(), HOURS["morning"])
        else:
            left = self.count if self.kind == "count" else 10**6
            monday = self.start.date() - timedelta(days=self.start.weekday())
            for ahead in range(80):
                day = self.start.date() + timedelta(days=ahead)
                weeks = (day - monday).days // 7
                fits = ahead % self.step == 0
                if self.kind == "weekly":
                    fits = weeks % self.step == 0 and day.weekday() in self.days
                if not fits or (self.kind == "until" and day > self.until):
                    continue
                for hour in self.hours:
                    wall = datetime(day.year, day.month, day.day, hour, self.minute)
                    if wall >= self.start.replace(second=0) and left > 0:
                        left -= 1
                        yield wall


def reopened(one: Trigger) -> Trigger:
    """What the store gives back after a restart."""
    return trigger_of(trigger_row(one))


def played(schedule: Schedule, dice: random.Random) -> int:
    """Asks at some instants; how many moments were told."""
    right = schedule.moments()
    instants = sorted(
        schedule.made + timedelta(minutes=dice.randrange(int(SPAN.total_seconds() // 60)))
        for _ in range(dice.randint(1, 8))
    )
    if right and dice.random() < 0.5:
        instants = sorted(
            [*instants, right[0], right[-1] if right[-1] < instants[-1] else right[0]]
        )
    one, told = schedule.trigger, list[datetime]()
    for now in instants:
        if dice.random() < 0.5:
            one = reopened(one)
        passed = [moment for moment in right if moment <= now and (not told or moment > told[-1])]
        at = due_at(one, now=now, zone=schedule.zone, hours=HOURS)
        where = (schedule.kind, schedule.trigger, now, told)
        assert (at is None) == (not passed), (at, passed, where)
        following = next_after(one, after=now, zone=schedule.zone, hours=HOURS)
        ahead = [moment for moment in right if moment > now]
        if ahead and ahead[0] < now + timedelta(days=20):
            assert following == ahead[0], (following, ahead[0], where)
        if at is not None:
            assert at == passed[-1], where
            told.append(at.astimezone(UTC))
            one = replace(one, fired_at=at)
            assert due_at(one, now=now, zone=schedule.zone, hours=HOURS) is None, where
    assert len(told) == len(set(told))
    assert set(told) <= set(right)
    late = [moment for moment in right if moment <= instants[-1]]
    assert told[-1:] == late[-1:]  # the last that came is the last that was told
    return len(told)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
@given(seed=st.integers(min_value=0, max_value=2**63))
def test_no_reminder_is_lost_or_told_twice(seed: int) -> None:
    dice = random.Random(seed)
    told = sum(played(Schedule(dice), dice) for _ in range(EACH))
    assert told > 0, "nothing was told: these schedules prove nothing"
