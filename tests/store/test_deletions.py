"""What follows a deletion survives reopening: the engine cannot replay every log, so none holds both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory, Message
from graphmem.testing import FixedClock, TinyEmbedder

CITIES = [
    "Aberdeen",
    "Bergamo",
    "Cordoba",
    "Dresden",
    "Eindhoven",
    "Ferrara",
    "Gdansk",
    "Haarlem",
    "Izmir",
]


@pytest.mark.parametrize(
    "steps",
    [
        "add add undo add reopen",
        "add add undo reopen add reopen add",
        "add add undo undo add add reopen add undo reopen add reopen",
        "add add add replace add reopen replace reopen",
        "add forget:0 add reopen add reopen",
        "add update:0 edit:1 add reopen add reopen",
    ],
)
def test_additions_after_a_deletion_are_there_after_reopening(tmp_path: Path, steps: str) -> None:
    clock = FixedClock(datetime(2025, 3, 3, 9, tzinfo=UTC))
    cities = iter(CITIES)
    made: list[str] = []

    def held() -> list[tuple[str, str, str, str | None]]:
        facts = memory.facts(states="all", kinds=("claim", "note"))
        return [(fact.id, fact.text, fact.state, fact.replaced_by) for fact in facts]

    def opened() -> Memory:
        return Memory.open(tmp_path / "memory", clock=clock, embedder=TinyEmbedder())

    memory = opened()
    for step in steps.split():
        clock.advance(timedelta(minutes=1))
        verb, _, which = step.partition(":")
        before = held()
        match verb:
            case "add":
                text = f"I live in {next(cities)}."
                receipt = memory.add(Message(text=text, speaker="Ana", said_at=clock.now()))
                made += [fact.id for fact in (*receipt.facts, *receipt.notes)]
            case "update":
                receipt = memory.update(made[int(which)], f"I live in {next(cities)}.")
                made += [fact.id for fact in (*receipt.facts, *receipt.notes)]
            case "edit":
                memory.edit(made[int(which)], f"I live in {next(cities)}.")
            case "forget":
                memory.forget(made[int(which)])
            case "replace":
                (first, *_) = memory.conflicts()
                memory.resolve(first.id, "replace_older")
            case "undo":
                memory.undo()
            case "reopen":
                memory.close()
                memory = opened()
                assert held() == before
    assert memory.check().findings == ()
    memory.close()
