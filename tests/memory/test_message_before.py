"""A pronoun points back to the message before, also over a restart (R2.6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory, Message
from graphmem.testing import FixedClock, TinyEmbedder

NINE = datetime(2025, 6, 1, 9, tzinfo=UTC)


def say(memory: Memory, text: str, *, minutes: int = 0, conversation: str = "", **more: object):
    message = Message(
        text=text,
        speaker=more.pop("speaker", "Tom"),
        said_at=NINE + timedelta(minutes=minutes),
        conversation=conversation,
        **more,
    )
    return [(one.entity, one.predicate, one.object) for one in memory.add(message).facts]


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock):
    return lambda: Memory.open(tmp_path / "memory", clock=clock, embedder=TinyEmbedder())


HER = ("Anna", "lives_in", "Rome")


def test_over_a_restart(opened) -> None:
    with opened() as memory:
        say(memory, "My sister Anna is a nurse.", conversation="a")
        say(memory, "My brother Ugo is a cook.", conversation="b")
    with opened() as memory:
        assert HER in say(memory, "She lives in Rome.", minutes=5, conversation="a")
        assert say(memory, "She plays chess.", minutes=6, conversation="c") == []


@pytest.mark.parametrize("restarted", [False, True])
def test_over_what_the_assistant_and_others_say_in_between(opened, restarted: bool) -> None:
    with opened() as memory:
        say(memory, "My sister Anna is a nurse.")
        say(memory, "How nice! My mother was one.", minutes=1, role="assistant", speaker="Bot")
        say(memory, "My aunt Eva is a vet.", minutes=2, speaker="Zoe")
        if not restarted:
            assert HER in say(memory, "She lives in Rome.", minutes=3)
    if restarted:
        with opened() as memory:
            assert HER in say(memory, "She lives in Rome.", minutes=3)


@pytest.mark.parametrize(("minutes", "found"), [(60, True), (60 * 48, False), (-60, False)])
def test_not_over_a_long_pause(opened, minutes: int, found: bool) -> None:
    with opened() as memory:
        say(memory, "My sister Anna is a nurse.")
    with opened() as memory:
        assert (HER in say(memory, "She lives in Rome.", minutes=minutes)) is found


def test_the_memory_is_asked_once_a_conversation(opened, monkeypatch) -> None:
    with opened() as memory:
        say(memory, "My sister Anna is a nurse.", conversation="a")
    with opened() as memory:
        asked: list[str] = []
        look = memory._search.last_of
        monkeypatch.setattr(
            memory._search, "last_of", lambda name, who: [asked.append(name), look(name, who)][1]
        )
        for minute in range(5):
            say(memory, f"Message {minute} of today.", minutes=minute, conversation="a")
            say(memory, f"Message {minute} of today.", minutes=minute, conversation="new")
        assert asked == ["a", "new"]


def test_extract_reads_what_add_reads(opened) -> None:
    with opened() as memory:
        say(memory, "My sister Anna is a nurse.")
        message = Message(
            text="She lives in Rome.", speaker="Tom", said_at=NINE + timedelta(minutes=1)
        )
        [fact] = memory.extract(message).facts
        assert (fact.entity, fact.predicate, fact.object) == HER


def test_what_only_one_reader_may_see_names_nobody_for_others(opened) -> None:
    with opened() as memory:
        say(memory, "My sister Anna is a nurse.", readers=("phone",))
        assert say(memory, "She lives in Rome.", minutes=1) == []
