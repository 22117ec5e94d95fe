"""A long stream is read by a second process while it is written: with the same outcome as without."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory, Message
from graphmem.remember import ahead
from graphmem.remember.ahead import Ahead

TOWNS = ("Lisbon", "Oslo", "Graz", "Turin", "Ghent")
COUNT = 60


def said(count: int = COUNT) -> Iterator[Message]:
    """English and Chinese, with a pronoun that points back over the end of a batch."""
    for n in range(count):
        text = ("My sister is called Zelda.", "She lives in Oslo.", "我喜欢爬山。")[n % 3]
        if n % 5 == 4:
            text = f"My friend Ben lives in {TOWNS[n % len(TOWNS)]}."
        yield Message(
            text=f"{text}",
            speaker="Ana",
            said_at=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=n),
        )


def learnt(folder: Path, *, ahead: bool) -> tuple[list[Any], list[str]]:
    """What is told of each message, and the facts afterwards."""
    with Memory.open(folder, config={"batch": 8, "read_ahead": ahead}) as memory:
        told = [
            (one.stored, one.snapshot.text, [fact.predicate for fact in one.facts])
            for one in memory.ingest(said())
            if one.snapshot is not None
        ]
        assert memory.check().findings == ()
        return told, sorted(f"{one.entity} {one.predicate} {one.object}" for one in memory.facts())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of messages in each task, on a machine with two cores."""
    sizes: list[int] = []
    original = Ahead.ask
    monkeypatch.setattr(ahead, "_cores", lambda: 2)

    def ask(self: Ahead, task: ahead.Task) -> bool:
        sizes.append(len(task.messages))
        return original(self, task)

    monkeypatch.setattr(Ahead, "ask", ask)
    return sizes


def test_the_outcome_is_the_same(tmp_path: Path, asked: list[int]) -> None:
    alone = learnt(tmp_path / "alone", ahead=False)
    assert asked == []
    assert learnt(tmp_path / "ahead", ahead=True) == alone
    assert sum(asked) == COUNT
    assert len(alone[0]) == COUNT


def test_where_the_process_dies_the_caller_goes_on(
    tmp_path: Path, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = learnt(tmp_path / "alone", ahead=False)
    original = Ahead.answer
    answered: list[bool] = []

    def dying(self: Ahead) -> ahead.Answer | None:
        if len(answered) == 1:
            self._process.kill()
            self._process.wait()
        answered.append(True)
        return original(self)

    monkeypatch.setattr(Ahead, "answer", dying)
    assert learnt(tmp_path / "ahead", ahead=True) == alone
    assert 2 <= len(answered) <= 8
    assert asked


def test_a_short_stream_starts_no_process(tmp_path: Path, asked: list[int]) -> None:
    with Memory.open(tmp_path / "m", config={"batch": 8}) as memory:
        assert sum(one.stored for one in memory.ingest(said(20))) == 20
    assert asked == []
