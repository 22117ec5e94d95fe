"""Upkeep of a whole memory: what it does, that it can be broken off, and that nothing waits for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphmem import Memory, Message
from graphmem.cli.app import app
from graphmem.errors import UnknownId
from graphmem.model import Entity, Fact, Snapshot, State, Tier
from graphmem.plan import AddEntity, AddFact, AddSnapshot, Plan
from graphmem.remember import tending
from graphmem.store.home import open_store
from graphmem.testing import FixedClock, TinyEmbedder

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
NOT_AT_OPENING = {"upkeep_hours": 1e6}
Opened = Callable[[], Memory]


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Opened:
    return lambda: Memory.open(tmp_path / "memory", clock=clock, embedder=TinyEmbedder())


def say(memory: Memory, text: str, at: datetime = NOON) -> None:
    memory.add(Message(text=text, speaker="Ana", said_at=at))


def states(memory: Memory) -> dict[str, str]:
    return {fact.object: str(fact.state) for fact in memory.facts(states="all")}


def filled(folder: Path, count: int) -> None:
    """A memory of `count` facts, written past the extractors."""
    with_store = open_store(folder)
    with_store.apply(
        Plan(kind="add", at=NOON, ops=(AddEntity(Entity(id="e1", name="Ana", kind="person")),))
    )
    for start in range(0, count, 500):
        ops: list = []
        for n in range(start, min(start + 500, count)):
            text = f"I like thing {n}."
            one = Snapshot(id=f"s{n}", text=text, speaker="Ana", said_at=NOON, recorded_at=NOON)
            fact = Fact(
                id=f"f{n}", entity="Ana", entity_id="e1", predicate="likes", object=f"thing {n}",
                text=text, said_at=NOON, recorded_at=NOON, sources=(one.id,), importance=1 + n % 5,
            )  # fmt: skip
            ops += [AddSnapshot(one), AddFact(fact)]
        with_store.apply(Plan(kind="add", at=NOON, ops=tuple(ops)))
    with_store.close()


def test_what_fades_is_archived_found_when_asked_for_and_brought_back(memory, clock) -> None:
    say(memory, "I like jazz.")
    say(memory, "I live in Lisbon.")
    say(memory, "I am allergic to peanuts.")
    clock.advance(timedelta(days=70))
    done = memory.tend()
    assert (done.archived, done.complete) == (1, True)
    assert states(memory) == {"jazz": "archived", "Lisbon": "current", "peanuts": "current"}
    assert not any("jazz" in item.text for item in memory.recall("Do I like jazz?").items)
    asked = memory.recall("Do I like jazz?", include=["archived"]).items
    assert any("jazz" in item.text for item in asked)
    (jazz,) = memory.facts(states={"archived"})
    again = memory.tend()
    assert (again.archived, again.expired, again.retiered) == (0, 0, 0)
    memory.confirm(jazz.id)
    back = memory.fact(jazz.id)
    assert (back.state, back.tier) == (State.CURRENT, Tier.LONG_TERM)
    assert any("jazz" in item.text for item in memory.recall("Do I like jazz?").items)
    assert memory.tend().archived == 0


def test_saying_it_again_brings_it_back_as_one_fact(memory, clock) -> None:
    say(memory, "I like jazz.")
    clock.advance(timedelta(days=70))
    memory.tend()
    memory.add(Message(text="I like jazz.", speaker="Ana", said_at=clock.now()))
    (jazz,) = memory.facts(states="all")
    assert (jazz.state, len(jazz.sources)) == (State.CURRENT, 2)
    assert jazz.confirmed_at == clock.now()


@pytest.mark.parametrize(
    "text", ["The garage door squeaks a bit when it rains.", "旧车库门下雨天会响。"]
)
def test_a_note_said_again_comes_back_as_one(memory, clock, text: str) -> None:
    say(memory, text, clock.now())
    clock.advance(timedelta(days=80))
    assert memory.tend().archived == 1
    receipt = memory.add(Message(text=text, speaker="Ana", said_at=clock.now()))
    (note,) = memory.facts(states="all", kinds=["note"])
    assert [one.id for one in receipt.merged] == [note.id]
    assert (note.state, len(note.sources)) == (State.CURRENT, 2)


def test_another_note_in_like_words_stays_archived(memory, clock) -> None:
    say(memory, "The garage door squeaks a bit when it rains.", clock.now())
    clock.advance(timedelta(days=80))
    memory.tend()
    say(memory, "The garage door no longer squeaks when it rains.", clock.now())
    found = {note.text: note.state for note in memory.facts(states="all", kinds=["note"])}
    assert list(found.values()) == [State.CURRENT, State.ARCHIVED]


def test_recall_refreshes_nothing(memory, clock) -> None:
    say(memory, "I like jazz.")
    for _ in range(7):
        clock.advance(timedelta(days=10))
        memory.recall("Do I like jazz?")
    memory.tend()
    assert states(memory) == {"jazz": "archived"}


def test_pins_never_fade(memory, clock) -> None:
    say(memory, "I like jazz.")
    (jazz,) = memory.facts()
    memory.pin(jazz.id)
    assert memory.fact(jazz.id).tier is Tier.CORE
    clock.advance(timedelta(days=4000))
    memory.tend()
    assert states(memory) == {"jazz": "current"}


def test_expiry_needs_no_upkeep(memory, clock) -> None:
    say(memory, "I have a dentist appointment tomorrow at 3 pm.")
    question = "When is my dentist appointment?"
    assert any("dentist" in item.text for item in memory.recall(question).items)
    before, later = clock.now(), clock.now() + timedelta(days=3)
    at_once = memory.recall(question, at=later).items
    assert not any("dentist" in item.text for item in at_once)
    clock.set(later)
    assert not any("dentist" in item.text for item in memory.recall(question).items)
    assert any("dentist" in item.text for item in memory.recall(question, at=before).items)
    done = memory.tend()
    assert done.expired == 1
    assert memory.tend().expired == 0


def test_an_event_that_is_over_is_no_current_fact_in_a_listing(memory, clock) -> None:
    say(memory, "I have a dentist appointment tomorrow at 3 pm.")
    assert len(memory.facts(kinds=["claim", "note"])) == 1
    clock.advance(timedelta(days=3))
    assert memory.facts(kinds=["claim", "note"]) == ()
    (over,) = memory.facts(states={"expired"}, kinds=["claim", "note"])
    assert memory.fact(over.id).state is State.EXPIRED
    assert over in memory.facts(states="all", kinds=["claim", "note"])


def test_broken_off_it_goes_on_where_it_stood(tmp_path, clock, monkeypatch) -> None:
    filled(tmp_path / "m", 1200)
    monkeypatch.setattr(tending, "SLICE", 300)
    clock.set(NOON)
    with Memory.open(tmp_path / "m", clock=clock, embedder=TinyEmbedder()) as memory:
        memory.tend()
    clock.set(NOON + timedelta(days=70))
    with Memory.open(
        tmp_path / "m", clock=clock, embedder=TinyEmbedder(), config=NOT_AT_OPENING
    ) as memory:
        carry_out, rounds = memory._commander.carry_out, []

        def broken(*args, **values):
            if len(rounds) == 2:
                raise KeyboardInterrupt
            rounds.append(1)
            return carry_out(*args, **values)

        monkeypatch.setattr(memory._commander, "carry_out", broken)
        with pytest.raises(KeyboardInterrupt):
            memory.tend()
        monkeypatch.undo()
        assert json.loads((tmp_path / "m" / "upkeep.json").read_text())["after"] == 600
        done = memory.tend()
        assert done.seen == 600
        assert memory.tend().retiered == 0
        assert memory.status()["states"]["archived"] == 1200 // 5 * 3
        assert memory.check().findings == ()


def test_opening_does_a_part_of_it_in_bounded_time(tmp_path: Path, clock: FixedClock) -> None:
    filled(tmp_path / "m", 1000)
    with Memory.open(tmp_path / "m", clock=clock, embedder=TinyEmbedder()) as memory:
        memory.tend()
        assert memory.status()["upkeep_overdue"] is False
    clock.advance(timedelta(days=70))
    seen = []
    for _ in range(40):
        with Memory.open(
            tmp_path / "m", clock=clock, embedder=TinyEmbedder(), config=NOT_AT_OPENING
        ) as memory:
            started = time.perf_counter()
            done = memory.tend(budget=0.15)
            assert time.perf_counter() - started < 2  # 0.2 on a machine of one's own
            seen.append(done.complete)
            if done.complete:
                break
    assert seen[-1]
    with Memory.open(tmp_path / "m", clock=clock, embedder=TinyEmbedder()) as memory:
        status = memory.status()
        assert status["upkeep_overdue"] is False
        assert status["tiers"]["archived"] == 600
        clock.advance(timedelta(hours=7))
        assert memory.status()["upkeep_overdue"] is True


def test_a_lost_or_damaged_note_of_it_only_makes_it_due(opened: Opened, tmp_path: Path) -> None:
    with opened() as memory:
        say(memory, "I like jazz.")
        memory.tend()
        assert memory.status()["upkeep_overdue"] is False
    for text in (
        "",
        "{}",
        '{"done_at": "x", "after": 0}',
        '{"done_at": "2025-01-01", "after": 1, "begun_at": ""}',
    ):
        (tmp_path / "memory" / "upkeep.json").write_text(text)
        with opened() as memory:
            assert memory.tend().complete


def test_upkeep_is_nothing_to_undo(memory, clock) -> None:
    say(memory, "I like jazz.")
    clock.advance(timedelta(days=70))
    memory.tend()
    assert memory.undo().remarks == ("took back: add",)
    assert memory.facts(states="all") == ()


def test_a_reminder_that_was_told_long_ago_is_done(memory, clock) -> None:
    memory.remind("buy milk", at=clock.now() + timedelta(hours=1))
    memory.remind("untold", at=clock.now() + timedelta(days=31))
    memory.remind("stretch", rule="FREQ=DAILY")
    clock.advance(timedelta(days=2))
    memory.due()
    assert memory.tend().ended == 0
    clock.advance(timedelta(days=31))
    assert memory.tend().ended == 1
    assert [one.action for one in memory.reminders()] == ["untold", "stretch"]


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner, memory = CliRunner(), str(tmp_path / "memory")
    runner.invoke(app, ["-m", memory, "add", "I like jazz.", "--speaker", "Ana"])
    done = json.loads(runner.invoke(app, ["-m", memory, "tend", "--json"]).output)
    assert done["complete"] is True
    told = runner.invoke(app, ["-m", memory, "status"])
    assert "last upkeep" in told.output
    status = json.loads(runner.invoke(app, ["-m", memory, "status", "--json"]).output)
    assert {"sizes", "tiers", "states", "last_upkeep", "open_conflicts", "due_reminders"} <= set(
        status
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("graphmem.cli.upkeep._run", lambda command, fed: "")
    monkeypatch.setattr("graphmem.cli.upkeep.shutil.which", lambda name: name)
    monkeypatch.setattr("graphmem.cli.upkeep.sys.platform", "linux")
    unit = tmp_path / "home" / ".config" / "systemd" / "user"
    assert "not installed" in runner.invoke(app, ["-m", memory, "tend", "--status"]).output
    runner.invoke(app, ["-m", memory, "tend", "--install"])
    assert len(list(unit.iterdir())) == 2
    found = runner.invoke(app, ["-m", memory, "tend", "--status", "--json"]).output
    assert json.loads(found)["installed"] is True
    runner.invoke(app, ["-m", memory, "tend", "--uninstall"])
    assert list(unit.iterdir()) == []


def test_unknown_ids(memory) -> None:
    with pytest.raises(UnknownId):
        memory.confirm("f_none")
