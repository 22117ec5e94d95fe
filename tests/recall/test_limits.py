"""R4.2: time, predicate, state, source, tier and speaker limit the search itself."""

from datetime import UTC, datetime, timedelta

import pytest

from graphmem import Message
from graphmem.errors import InvalidQuery, InvalidTime
from graphmem.protocols import EVERYTHING
from graphmem.recall.limits import limits

DAY = datetime(2025, 3, 10, 9, tzinfo=UTC)


@pytest.fixture
def told(memory):
    """Two hundred statements on the same, of which the limits of a test let few through."""
    for i in range(200):
        memory.add(
            Message(
                text=f"I bought plums number {i} at the market",
                speaker="Ana",
                said_at=DAY + timedelta(days=i % 20, minutes=i),
                source="diary" if i == 150 else "chat",
            )
        )
    memory.add(Message(text="I like plums", speaker="Bo", said_at=DAY))
    memory.add(Message(text="I have a plums tasting on 20 May 2025", speaker="Ana", said_at=DAY))
    return memory


def test_nothing_given_lets_everything_through():
    assert limits() == EVERYTHING


def test_time_is_when_it_was_said_or_happens(told):
    at = DAY + timedelta(days=60)
    found = told.recall("plums", since=DAY + timedelta(days=19), at=at, limit=50).items
    assert len(found) == 11
    assert {item.said_at.date() for item in found} == {
        (DAY + timedelta(days=19)).date(),
        DAY.date(),  # the tasting, which happens then
    }
    until = told.recall("plums", until=DAY + timedelta(days=1), at=at, limit=50).items
    assert len(until) == 12
    assert all(item.said_at < DAY + timedelta(days=1) for item in until)


def test_source_speaker_predicate_and_tier(told):
    assert [i.text for i in told.recall("plums", sources=["diary"]).items] == [
        "I bought plums number 150 at the market"
    ]
    assert [i.text for i in told.recall("plums", speakers=["Bo"]).items] == ["I like plums"]
    assert [i.text for i in told.recall("plums", predicates=["likes"]).items] == ["I like plums"]
    assert told.recall("plums", tiers=["archived"]).items == ()


def test_state(told):
    fact = told.facts("Bo")[0]
    told.retire(fact.id)
    assert [i.text for i in told.recall("plums", states=["historical"]).items] == ["I like plums"]
    assert "I like plums" not in [i.text for i in told.recall("plums", limit=50).items]


@pytest.mark.parametrize(
    "given",
    [
        {"states": ["sleepy"]},
        {"tiers": ["attic"]},
        {"states": "current"},
        {"since": DAY, "until": DAY},
    ],
)
def test_unusable_limits_are_refused(memory, given):
    with pytest.raises(InvalidQuery) as caught:
        memory.recall("plums", **given)
    assert caught.value.expected


def test_a_time_without_zone_is_refused(memory):
    with pytest.raises(InvalidTime):
        memory.recall("plums", since=DAY.replace(tzinfo=None))


def test_only_this_year_is_a_limit_inside_the_search(memory):
    for year in (2024, 2025):
        for i in range(3):
            memory.add(
                Message(
                    text=f"I bought plum jam number {i} in {year}",
                    speaker="Ana",
                    said_at=datetime(year, 3, 1 + i, tzinfo=UTC),
                )
            )
    at = datetime(2025, 6, 1, tzinfo=UTC)
    found = memory.recall("Which plum jam did I buy, only this year?", at=at, limit=20)
    assert found.items
    assert all(item.said_at.year == 2025 for item in found.items)
    both = memory.recall("Which plum jam did I buy this year?", at=at, limit=20)
    assert {item.said_at.year for item in both.items} == {2024, 2025}
