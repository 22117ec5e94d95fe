"""The frozen values: what they refuse, and that they mean what they say."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Interval, Message, When
from graphmem.errors import GraphmemError, InvalidMessage, InvalidTime
from graphmem.identity import snapshot_id
from graphmem.model import Fact, Trigger
from graphmem.plain import MASK, plain

NOW = datetime(2025, 3, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("text", {"text": "  "}),
        ("text", {"text": 7}),
        ("speaker", {"speaker": ""}),
        ("role", {"role": "robot"}),
        ("said_at", {"said_at": datetime(2025, 3, 1, 9)}),
        ("said_at", {"said_at": "2025-03-01"}),
    ],
)
def test_a_message_names_the_field_that_breaks_a_rule(field: str, change: dict) -> None:
    with pytest.raises(InvalidMessage) as caught:
        Message(**{"text": "I live in Paris.", "speaker": "Ana", "said_at": NOW} | change)
    assert caught.value.field == field
    assert caught.value.expected


def test_an_error_says_what_was_met_what_was_expected_and_what_to_do() -> None:
    error = GraphmemError("a was met", expected="b", next_step="do c")
    assert str(error) == "a was met; expected b; do c"


def test_the_same_message_has_the_same_id_in_every_zone() -> None:
    here = Message(text="Hi", speaker="Ana", said_at=NOW)
    there = Message(text="Hi", speaker="Ana", said_at=NOW.astimezone(timezone(timedelta(hours=8))))
    assert snapshot_id(here) == snapshot_id(there)
    assert snapshot_id(here) != snapshot_id(Message(text="Hi!", speaker="Ana", said_at=NOW))


@pytest.mark.parametrize(
    ("iso", "precision", "days"),
    [
        ("2024", "year", 366),
        ("2024-02", "month", 29),
        ("2025-12", "month", 31),
        ("2024-02-29", "day", 1),
    ],
)
def test_a_partial_date_covers_its_whole_stretch(iso: str, precision: str, days: int) -> None:
    when = When(iso, 60)
    assert when.precision == precision
    assert when.end - when.start == timedelta(days=days)
    assert when.start.utcoffset() == timedelta(hours=1)
    assert str(when) == iso


@pytest.mark.parametrize("iso", ["", "24", "2024-13", "2024-02-30", "2024-02-01T09:00", "May"])
def test_what_is_no_time_is_refused(iso: str) -> None:
    with pytest.raises(InvalidTime):
        When(iso)


@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)))
def test_an_instant_lasts_a_minute(moment: datetime) -> None:
    when = When.of(moment.replace(tzinfo=UTC))
    assert when.precision == "instant"
    assert when.end - when.start == timedelta(minutes=1)


bounds = st.one_of(st.none(), st.dates(date(2000, 1, 1), date(2001, 1, 1)))


@given(bounds, bounds, bounds, bounds, st.dates(date(2000, 1, 1), date(2001, 1, 1)))
def test_two_intervals_that_share_an_instant_overlap(a, b, c, d, day) -> None:
    def at(one: date | None) -> datetime | None:
        return one and datetime(one.year, one.month, one.day, tzinfo=UTC)

    first, second = Interval(at(a), at(b)), Interval(at(c), at(d))
    moment = at(day)
    if moment in first and moment in second:
        assert first.overlaps(second)
        assert second.overlaps(first)


def test_secrets_are_masked_unless_revealed() -> None:
    fact = Fact(
        id="f_1",
        entity="wifi",
        entity_id="e_1",
        predicate="password_is",
        object="plum-7",
        text="the wifi password is plum-7",
        sensitive=True,
        said_at=NOW,
        recorded_at=NOW,
    )
    assert "plum-7" not in str(plain(fact))
    assert plain(fact)["object"] == MASK
    assert plain(fact, reveal=True)["object"] == "plum-7"


def test_a_reminder_tells_how_it_repeats() -> None:
    weekly = Trigger(
        id="t_1", cue="Mondays", action="bins", rule="FREQ=WEEKLY;BYDAY=MO", created_at=NOW
    )
    assert weekly.repeat == "weekly"
    assert plain(weekly)["repeat"] == "weekly"
