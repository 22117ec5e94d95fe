"""Spoken orders are carried out at once, and can be taken back (R3.4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphmem import Memory, Message, State

MONDAY = datetime(2025, 6, 2, 9, tzinfo=UTC)


def say(memory: Memory, *texts: str, speaker: str = "Ana"):
    """Add the texts an hour apart; gives the last receipt."""
    receipts = [
        memory.add(Message(text=text, speaker=speaker, said_at=MONDAY + timedelta(hours=hour)))
        for hour, text in enumerate(texts)
    ]
    return receipts[-1]


def states(memory: Memory) -> list[tuple[str, State]]:
    kept = memory.facts(states="all", kinds=("claim", "note"))
    return [(fact.text, fact.state) for fact in reversed(kept)]


ENGLISH = (
    "Dentist appointment on Tuesday at 3pm.",
    "Move the dentist appointment to Friday at 10am.",
    "Reschedule the dentist appointment to next Monday at 9am.",
    "Move the dentist appointment to 19 June at 11am.",
)
CHINESE = ("明天下午3点跟王总开会", "把明天的会议改到后天下午3点", "把后天的会议改到6月12号上午9点")


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE])
def test_reschedules_in_a_row_make_one_chain(memory: Memory, texts: tuple[str, ...]) -> None:
    receipt = say(memory, *texts)
    assert len(receipt.replaced) == 1
    assert states(memory) == [
        *((text, State.HISTORICAL) for text in texts[:-1]),
        (texts[-1], State.CURRENT),
    ]
    (last,) = memory.facts()
    shown = memory.lineage(last.id)
    assert [stage.fact.text for stage in shown.stages] == list(texts)
    assert len(shown.replaced) == len(texts) - 1


def test_only_the_tail_of_a_chain_is_recalled(memory: Memory) -> None:
    say(memory, *ENGLISH)
    found = memory.recall("When is the dentist appointment?", at=MONDAY + timedelta(days=1))
    assert [item.text for item in found.items if "dentist" in item.text.lower()] == [ENGLISH[-1]]


def test_a_cancelled_event_is_history_and_comes_back_by_undo(memory: Memory) -> None:
    say(memory, "明天下午3点跟王总开会")
    before = states(memory)
    receipt = memory.add(
        Message(text="取消明天跟王总的会议", speaker="Ana", said_at=MONDAY + timedelta(hours=3))
    )
    assert [old.text for old, _ in receipt.replaced] == ["明天下午3点跟王总开会"]
    assert states(memory)[0] == ("明天下午3点跟王总开会", State.HISTORICAL)
    memory.undo()
    assert states(memory) == before


def test_a_statement_that_something_moved_is_no_order(memory: Memory) -> None:
    receipt = say(memory, "I live in London.", "I moved to Paris.")
    assert receipt.replaced == ()
    assert State.HISTORICAL not in dict(states(memory)).values()


@pytest.mark.parametrize(
    ("said", "mended", "hour"),
    [
        ("My haircut is tomorrow at 10:15.", "Sorry, it's 11:15, not 10:15.", 11),
        ("Lunch with Tom on Saturday at 1pm", "Oops, I meant 2pm, not 1pm.", 14),
        ("明天下午两点拔牙", "不好意思，是三点，不是两点", 15),
    ],
)
def test_a_correction_moves_the_event(memory: Memory, said: str, mended: str, hour: int) -> None:
    receipt = say(memory, said, mended)
    ((old, new), *_) = receipt.replaced
    assert old.text == said
    assert new.happens_at is not None
    assert new.happens_at.start.hour == hour
    assert not receipt.conflicts
