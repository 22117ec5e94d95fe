"""What a present-tense answer shows of two sides between which a conflict is open (R4.4)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory, Message

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
WEEK = timedelta(weeks=1)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """With the embedder that it has by default: nearness in meaning counts here."""
    with Memory.open(tmp_path / "memory") as opened:
        yield opened


def say(memory: Memory, *texts: str) -> datetime:
    """Say them a month apart; returns a moment a week after the last."""
    for place, text in enumerate(texts):
        memory.add(Message(text=text, speaker="Ana", role="user", said_at=START + 4 * place * WEEK))
    return START + (4 * len(texts) - 3) * WEEK


def context(memory: Memory, question: str, at: datetime) -> str:
    return memory.recall(question, at=at).context()


@pytest.mark.parametrize(
    ("older", "newer", "question", "stale", "fresh"),
    [
        (
            "the alarm at home: user Garden, code tulip-22",
            "changed ours at home after the break-in, it's daisy-71 now",
            "What's the alarm code at home?",
            "tulip-22",
            "daisy-71",
        ),
        (
            "I owe Petra 45 euros for the tickets",
            "settled up with Petra",
            "How much do I owe Petra?",
            "45 euros",
            "settled up",
        ),
        (
            "爷爷高血压，吃的硝苯地平，一天一片",
            "爷爷的药换成厄贝沙坦了",
            "爷爷现在吃什么降压药？",
            "硝苯地平",
            "厄贝沙坦",
        ),
    ],
)
def test_the_side_that_says_what_changed_stands_in(  # noqa: PLR0917 - one case
    memory: Memory, older: str, newer: str, question: str, stale: str, fresh: str
) -> None:
    at = say(memory, older, newer)
    told = context(memory, question, at)
    assert fresh in told
    assert stale not in told
    assert [item.text for item in memory.recall(question, at=at).items if stale in item.text]


def test_of_opposites_the_newer_side_is_told_first(memory: Memory) -> None:
    at = say(memory, "my cousin Mira is pregnant, no wine for her", "Mira had the baby, a girl")
    items = memory.recall("Is Mira allowed wine again?", at=at).items
    told = [item.text for item in items]
    assert told.index("Mira had the baby, a girl") < told.index(
        "my cousin Mira is pregnant, no wine for her"
    )


def test_a_row_of_conflicts_is_followed_to_its_end(memory: Memory) -> None:
    at = say(
        memory,
        "I go to yoga on Mondays at 18:00",
        "yoga moved to Wednesdays at 19:00",
        "yoga moved again, Fridays at 17:30 now",
    )
    told = context(memory, "When is my yoga class?", at)
    assert "17:30" in told
    assert "18:00" not in told
    assert "19:00" not in told


def test_a_relative_nobody_knows_by_name_is_not_the_asker(memory: Memory) -> None:
    at = say(
        memory,
        "I started as a baker at Krume",
        "Tom works nights at the harbour so we text a lot",
        "Tom switched to the day shift, dinners together at last",
    )
    told = context(memory, "Does my boyfriend still work at night?", at)
    assert "day shift" in told


@pytest.mark.parametrize(
    ("older", "newer", "question", "stale", "fresh"),
    [
        (
            "the choir's bus to Graz leaves on 9 June at 7:05",
            "the bus firm went bust, on 9 June we take the train at 8:20 instead",
            "When do we leave on 9 June?",
            "7:05",
            "8:20",
        ),
        (
            "badminton for Mia every Friday at 16:40",
            "the hall is flooded, Mia has no badminton until May",
            "Does Mia have badminton on Friday?",
            "16:40",
            "flooded",
        ),
        (
            "周五下午四点四十米娅有羽毛球课",
            "球馆淹水，羽毛球课停了",
            "米娅周五还有羽毛球课吗？",
            "四点四十",
            "停了",
        ),
        ("我女朋友叫阿芝", "我跟阿芝分手了", "我有女朋友吗？", "女朋友叫", "分手"),
    ],
)
def test_what_is_called_off_or_over_is_not_told_as_planned(  # noqa: PLR0917 - one case
    memory: Memory, older: str, newer: str, question: str, stale: str, fresh: str
) -> None:
    at = say(memory, older, newer)
    found = context(memory, question, at)
    assert fresh in found
    assert stale not in found


def test_a_plan_of_the_same_day_stays_beside_another(memory: Memory) -> None:
    at = say(memory, "dentist on 9 June at 7:05", "dinner with Ruth on 9 June at 20:20")
    found = context(memory, "What am I doing on 9 June?", at)
    assert "7:05" in found
    assert "20:20" in found


def test_what_held_up_to_a_day_is_told_before_that_day_only(memory: Memory) -> None:
    say(memory, "Max has no lessons until September")
    question = "Does Max have lessons?"
    assert "no lessons" in context(memory, question, START + 2 * WEEK)
    assert "no lessons" not in context(memory, question, START + 40 * WEEK)
