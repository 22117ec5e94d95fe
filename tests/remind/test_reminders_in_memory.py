"""Reminders of a whole memory: made, told once, put off, brought up by a word."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from made import PARIS, paris

from graphmem import Memory, Message
from graphmem.errors import InvalidMessage, InvalidSettings, InvalidTime, UnknownId
from graphmem.testing import FixedClock, TinyEmbedder, temporary_memory

NOW = paris(2026, 3, 4, 10)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with temporary_memory(clock, config={"timezone": "Europe/Paris"}) as opened:
        yield opened


def said(text: str, at: datetime = NOW, **values: object) -> Message:
    return Message(text=text, speaker="Ana", said_at=at, **values)  # type: ignore[arg-type]


def actions(found) -> list[str]:
    return [getattr(one, "trigger", one).action for one in found]


def test_told_once_across_restarts_and_zones(tmp_path: Path) -> None:
    clock = FixedClock(NOW)

    def opened() -> Memory:
        return Memory.open(
            tmp_path / "m",
            clock=clock,
            embedder=TinyEmbedder(),
            config={"timezone": "Europe/Paris"},
        )

    with opened() as memory:
        memory.add(said("Remind me to call Ben on Friday at 5pm"))
        assert memory.due() == ()
    clock.set(paris(2026, 3, 6, 17))
    with opened() as memory:
        assert actions(memory.due(record=False)) == ["call Ben"]
        (told,) = memory.due(clock.now().astimezone(ZoneInfo("Asia/Tokyo")))
        assert (told.trigger.action, told.late) == ("call Ben", False)
        assert f"{told.at:%H:%M}" == "17:00"
    with opened() as memory:
        assert memory.due() == ()
        clock.advance(timedelta(days=9))
        assert memory.due() == ()


@pytest.mark.parametrize(
    ("text", "action", "hour"),
    [("When I get off work, buy milk", "buy milk", 18), ("下班买牛奶", "买牛奶", 18)],
)
def test_a_routine_moment_counts_from_when_it_was_said(clock, memory, text, action, hour) -> None:
    memory.add(said(text, paris(2026, 3, 3, 19)))  # after work already: the next day
    clock.set(paris(2026, 3, 4, hour - 1))
    assert memory.due() == ()
    clock.set(paris(2026, 3, 4, hour))
    assert actions(memory.due()) == [action]


def test_the_owners_own_hours(clock) -> None:
    hours = {"lexicon": {"routines": {"hours": {"after_work": "15:15", "morning": "06:00"}}}}
    with temporary_memory(clock, config=hours) as memory:
        memory.remind("When I get off work, buy milk", said_at=NOW)
        memory.remind("pay the rent", at=paris(2026, 3, 5, 6))
        assert f"{memory.next_time(memory.reminders()[0]):%H:%M}" == "15:15"
    with (
        pytest.raises(InvalidSettings, match="after_work"),
        temporary_memory(clock, config={"lexicon": {"routines": {"hours": {"after_work": "6"}}}}),
    ):
        pass


def test_a_reminder_of_an_old_chat_is_kept_and_never_told(clock, memory) -> None:
    long_ago = NOW - timedelta(days=900)
    for text in ("Remind me tomorrow at 5pm to call Ben", "下班买牛奶"):
        receipt = memory.add(said(text, long_ago))
        (kept,) = receipt.reminders
        assert kept.state == "done"
        assert any("not told" in remark for remark in receipt.remarks)
    clock.advance(timedelta(days=30))
    assert memory.due() == ()
    assert len(memory.reminders(active_only=False)) == 2


def test_a_reminder_of_yesterdays_chat_is_told_late_once(memory) -> None:
    memory.add(said("Remind me to call Ben at 5pm", NOW - timedelta(days=1)))
    (told,) = memory.due()
    assert told.late
    assert memory.due() == ()


def test_an_old_repeat_goes_on_from_its_next_time(clock, memory) -> None:
    memory.add(said("Remind me every Monday at 8 to put the bins out", NOW - timedelta(days=900)))
    assert memory.due() == ()
    clock.set(paris(2026, 3, 9, 8))
    (told,) = memory.due()
    assert (told.at, told.late) == (paris(2026, 3, 9, 8), False)


def test_done_snooze_cancel(clock, memory) -> None:
    made = [memory.remind(text, at=NOW + timedelta(hours=1)).reminders[0] for text in "abc"]
    clock.advance(timedelta(hours=1))
    assert sorted(actions(memory.due())) == ["a", "b", "c"]
    memory.snooze(made[0].id, clock.now() + timedelta(minutes=10))
    memory.reminder_done(made[1].id)
    memory.cancel_reminder(made[2].id)
    assert memory.due() == ()
    assert actions(memory.reminders()) == ["a"]
    clock.advance(timedelta(minutes=10))
    assert actions(memory.due()) == ["a"]
    assert memory.due() == ()
    assert memory.reminder_done(made[1].id).stored is False
    with pytest.raises(UnknownId):
        memory.reminder_done("t_none")
    with pytest.raises(InvalidTime):
        memory.snooze(made[0].id, clock.now())


def test_telling_is_nothing_to_undo(clock, memory) -> None:
    memory.remind("a", at=NOW + timedelta(hours=1))
    clock.advance(timedelta(hours=1))
    memory.due()
    assert memory.undo().remarks == ("took back: remind",)
    assert memory.reminders(active_only=False) == ()


def test_a_word_brings_it_up_once_by_a_message_and_with_every_recall(clock, memory) -> None:
    made = memory.add(said("Next time I see Tom, give back his book"))
    assert made.brought_up == ()
    assert memory.add(said("Tomorrow is Monday.", NOW + timedelta(seconds=1))).brought_up == ()
    old = memory.add(said("Tom came by.", NOW - timedelta(days=90)))
    assert old.brought_up == ()
    assert actions(memory.recall("When did I meet Tom?").reminders) == ["give back his book"]
    first = memory.add(said("I am having lunch with Tom.", NOW + timedelta(seconds=2)))
    assert actions(first.brought_up) == ["give back his book"]
    second = memory.add(said("Tom is late.", NOW + timedelta(seconds=3)))
    assert second.brought_up == ()
    assert actions(memory.recall("Where is Tom?").reminders) == ["give back his book"]
    memory.reminder_done(made.reminders[0].id)
    assert memory.recall("Where is Tom?").reminders == ()


def test_a_word_in_chinese_and_an_entity_by_another_name(clock, memory) -> None:
    memory.add(said("下次见到老王记得还书"))
    found = memory.add(said("今天老王来了。", NOW + timedelta(seconds=1)))
    assert actions(found.brought_up) == ["还书"]
    memory.add(said("My wife Mei likes tea.", NOW + timedelta(seconds=2)))
    memory.remind("give her the letter", keywords=["Ana's wife"])
    by_alias = memory.add(said("Mei is here.", NOW + timedelta(seconds=3)))
    assert actions(by_alias.brought_up) == ["give her the letter"]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What's on this weekend?", ["pay the rent", "water the plants"]),
        ("周末有什么安排？", ["pay the rent", "water the plants"]),
        ("What's on tomorrow?", []),
        ("Where do I live?", []),
    ],
)
def test_what_comes_in_the_asked_time_is_told_with_the_recall(
    memory, question: str, wanted: list[str]
) -> None:
    memory.remind("pay the rent", at=paris(2026, 3, 7, 9))
    memory.remind("call Ben", at=paris(2026, 3, 9, 9))
    memory.remind("water the plants", rule="FREQ=WEEKLY;BYDAY=SU;BYHOUR=8")
    memory.cancel_reminder(memory.remind("buy a kite", at=paris(2026, 3, 7, 10)).reminders[0].id)
    for _ in range(2):  # a recall records nothing
        assert actions(memory.recall(question).reminders) == wanted


def test_by_hand_only_with_a_when(memory) -> None:
    with pytest.raises(InvalidMessage):
        memory.remind("?!")
    with pytest.raises(InvalidTime):
        memory.remind("x", rule="FREQ=SOMETIMES")
    once = memory.remind("x", rule="FREQ=DAILY")
    assert once.reminders[0].repeat == "daily"
    assert memory.next_time(once.reminders[0]) == paris(2026, 3, 5, 9)


def test_a_reader_is_told_only_what_it_may_see(tmp_path: Path, clock) -> None:
    for reader in (None, "tv"):
        with Memory.open(
            tmp_path / "m", clock=clock, embedder=TinyEmbedder(), reader=reader
        ) as memory:
            if reader is None:
                memory.add(said("Remind me at 5pm to buy a present", readers=("phone",)))
                memory.add(said("Remind me at 5pm to call Ben"))
                clock.set(paris(2026, 3, 4, 17))
            seen = (actions(memory.reminders()), actions(memory.due(record=False)))
            wanted = ["call Ben"] if reader else ["buy a present", "call Ben"]
            assert tuple(map(sorted, seen)) == (wanted, wanted)


def test_without_a_zone_in_the_settings_the_clock_tells_it() -> None:
    clock = FixedClock(datetime(2026, 3, 28, 12, tzinfo=PARIS))
    with temporary_memory(clock) as memory:
        one = memory.remind("x", rule="FREQ=DAILY", at=paris(2026, 3, 28, 8)).reminders[0]
        assert memory.next_time(one) == paris(2026, 3, 29, 8)


def test_a_time_of_day_is_one_of_the_owners_wall_clock() -> None:
    winter = datetime(2026, 3, 4, 10, tzinfo=timezone(timedelta(hours=1)))
    clock = FixedClock(winter)
    with temporary_memory(clock, config={"timezone": "Europe/Paris"}) as memory:
        memory.add(said("Remind me on July 6 at 8 am to call Ben", winter))
        in_utc = winter.astimezone(UTC)
        memory.add(said("Remind me every Monday at 8 am to put the bins out", in_utc))
        times = [memory.next_time(one) for one in memory.reminders()]
        assert sorted(times) == [paris(2026, 3, 9, 8), paris(2026, 7, 6, 8)]
