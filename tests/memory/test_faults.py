"""The faults that users of other memories reported: each test stands for a kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from graphmem import Memory, Message, State
from graphmem.errors import UnknownId
from graphmem.plain import MASK, plain
from graphmem.testing import FixedClock, TinyEmbedder

DAY = datetime(2025, 5, 1, 9, tzinfo=UTC)


def say(memory: Memory, text: str, *, speaker: str = "Ana", role: str = "user", day: int = 0):
    """Add one message, `day` days after the first of May."""
    return memory.add(
        Message(text=text, speaker=speaker, role=role, said_at=DAY + timedelta(days=day))  # type: ignore[arg-type]
    )


def claims(memory: Memory, entity: str = "Ana") -> list[tuple[str, str, str]]:
    return [
        (fact.predicate, fact.object, fact.polarity)
        for fact in memory.facts(states="all")
        if fact.entity == entity
    ]


def test_recalled_text_is_not_learnt_again(memory: Memory) -> None:
    say(memory, "I'm vegan.")
    for day in range(1, 6):
        say(memory, "Memory: user is vegan", role="assistant" if day % 2 else "system", day=day)
    (fact,) = memory.facts("Ana", states="all")
    assert fact.object == "vegan"
    assert len(fact.sources) == 1


def test_fiction_does_not_become_a_profile(memory: Memory) -> None:
    receipt = say(memory, "Write a story about Tom, 31, Google engineer in London.")
    assert receipt.facts == ()
    assert memory.facts(states="all") == ()


def test_hypotheticals_are_not_stored_as_facts(memory: Memory) -> None:
    assert say(memory, "If I bought a Tesla, where would I charge it?").facts == ()
    assert claims(memory) == []


def test_reported_speech_and_negation_name_nobody(memory: Memory) -> None:
    say(memory, "My sister said: I live in Oslo.")
    say(memory, "I'm not sure", day=1)
    assert all(predicate != "lives_in" for predicate, _, _ in claims(memory))
    assert all("not sure" not in entity.name.lower() for entity in memory.entities())


def test_not_always_counts(memory: Memory) -> None:
    say(memory, "I eat peanuts.")
    say(memory, "I do not eat peanuts.", day=1)
    assert len([one for one in memory.facts("Ana", states="all") if "peanuts" in one.text]) == 2


def test_numbers_are_values_not_duplicates(memory: Memory) -> None:
    say(memory, "My locker is number 1.")
    say(memory, "My locker is number 2.", day=1)
    kept = memory.facts(states="all", kinds=("claim", "note"))
    assert {fact.text for fact in kept} == {"My locker is number 1.", "My locker is number 2."}


def test_the_old_stays_until_the_owner_decides(memory: Memory) -> None:
    say(memory, "I love Chinese food.")
    say(memory, "I hate Chinese food.", day=1)
    states = {fact.state for fact in memory.facts("Ana", states="all")}
    assert State.HISTORICAL not in states
    assert len(memory.facts("Ana", states="all")) == 2


def test_a_new_favourite_nominates_the_old(memory: Memory) -> None:
    say(memory, "My favourite player is Ronaldo.")
    receipt = say(memory, "My favourite player is Messi now.", day=1)
    (conflict,) = receipt.conflicts
    memory.resolve(conflict.id, "mark_older_as_past")
    assert [fact.object for fact in memory.facts("Ana")] == ["Messi"]


def test_no_collateral_retirement(memory: Memory) -> None:
    say(memory, "I'm an engineer at Acme.")
    receipt = say(memory, "I administer Acme's GitHub.", day=1)
    assert receipt.conflicts == ()
    assert all(fact.state is State.CURRENT for fact in memory.facts("Ana", states="all"))


def test_recurrence_is_three_facts(memory: Memory) -> None:
    for day, text in enumerate(
        ["I live in Berlin.", "I moved from Berlin to Paris.", "I moved back from Paris to Berlin."]
    ):
        for conflict in say(memory, text, day=day).conflicts:
            memory.resolve(conflict.id, "mark_older_as_past")
    homes = memory.facts("Ana", slot="home", states="all")
    assert [fact.object for fact in reversed(homes) if fact.polarity == "+"][-1] == "Berlin"
    assert sum(fact.object == "Berlin" for fact in homes) >= 2
    assert [fact.object for fact in homes if fact.state is State.CURRENT] == ["Berlin"]


def test_the_index_follows_the_graph(memory: Memory) -> None:
    say(memory, "I live in London.")
    for conflict in say(memory, "I moved from London to Paris.", day=1).conflicts:
        memory.resolve(conflict.id, "mark_older_as_past")
    found = memory.recall("I live in London", at=DAY + timedelta(days=2))
    assert all(item.text != "I live in London." for item in found.items)


def test_chinese_keywords_are_found(memory: Memory) -> None:
    say(memory, "我对花生过敏", speaker="周伟")
    say(memory, "今天天气不错，去公园走了走", speaker="周伟", day=1)
    (first, *_) = memory.recall("花生").items
    assert first.text == "我对花生过敏"


def test_yesterday_is_computed_in_the_speakers_zone(memory: Memory) -> None:
    there = timezone(timedelta(hours=8))
    said = datetime(2025, 7, 25, 2, tzinfo=UTC).astimezone(there)
    receipt = memory.add(Message(text="I sold my car yesterday.", speaker="Ana", said_at=said))
    assert {str(fact.happens_at) for fact in receipt.facts if fact.happens_at} == {"2025-07-24"}


def test_an_old_chat_is_not_expired_at_once(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
    with Memory.open(tmp_path / "old", clock=clock, embedder=TinyEmbedder()) as memory:
        memory.add(
            Message(
                text="I have a dog called Rex.",
                speaker="Ana",
                said_at=datetime(2023, 2, 3, tzinfo=UTC),
            )
        )
        assert any("Rex" in item.text for item in memory.recall("What is my dog called?").items)


def test_another_embedder_rebuilds_the_index(tmp_path: Path) -> None:
    place = tmp_path / "memory"
    with Memory.open(place, embedder=TinyEmbedder(dimension=384)) as memory:
        say(memory, "I live in London.")
    with Memory.open(place, embedder=TinyEmbedder(dimension=512)) as memory:
        assert any("London" in item.text for item in memory.recall("London").items)
        assert memory.check().findings == ()


def test_deletion_leaves_no_ghosts(tmp_path: Path) -> None:
    place = tmp_path / "memory"
    texts = [f"My code for door {number} is K{number:04}." for number in range(150)]
    with Memory.open(place, embedder=TinyEmbedder(), config={"review": False}) as memory:
        list(
            memory.ingest(
                Message(text=text, speaker="Ana", said_at=DAY + timedelta(days=day))
                for day, text in enumerate(texts)
            )
        )
        for fact in memory.facts(states="all", kinds=("claim", "note")):
            memory.forget(fact.id)
        assert memory.facts(states="all", kinds=("claim", "note")) == ()
        for text in texts[::10]:
            assert all(text not in item.text for item in memory.recall(text).items)


def test_secrets_are_masked(memory: Memory) -> None:
    receipt = say(memory, "Remember my key sk-test-4242-abcdefgh")
    assert "sk-test-4242" not in str(plain(receipt))
    assert MASK in str(plain(receipt))


def test_updating_an_unknown_id_is_an_error(memory: Memory) -> None:
    with pytest.raises(UnknownId, match="f_nobody"):
        memory.update("f_nobody", "anything")
