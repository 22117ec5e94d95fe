"""After a deletion and a closing no file of the memory holds a byte of what was deleted (R3.7)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory, Message
from graphmem.testing import FixedClock, TinyEmbedder

DAY = datetime(2025, 6, 2, 9, tzinfo=UTC)


def opened(folder: Path, clock: FixedClock) -> Memory:
    return Memory.open(folder, clock=clock, embedder=TinyEmbedder())


def say(memory: Memory, clock: FixedClock, text: str):
    clock.advance(timedelta(minutes=1))
    return memory.add(Message(text=text, speaker="Ana", said_at=clock.now()))


def bytes_with(folder: Path, word: str) -> dict[str, int]:
    """Per file how often the word stands in it, in any case."""
    wanted = word.casefold().encode()
    found = {
        str(file.relative_to(folder)): file.read_bytes().lower().count(wanted)
        for file in folder.rglob("*")
        if file.is_file()
    }
    return {name: times for name, times in found.items() if times}


KEPT = ("I have two brothers.", "I love cheese.")
GONE = [
    ("My dog is called Zorbathus.", "zorbathus"),
    ("I live in Quixotville.", "quixotville"),
    ("My plumber Wendelgard repaired the boiler.", "wendelgard"),
    ("我的猫叫奥利奥斯卡。", "奥利奥斯卡"),
]


@pytest.mark.parametrize(("text", "word"), GONE)
def test_a_forgotten_fact(tmp_path: Path, clock: FixedClock, text: str, word: str) -> None:
    folder = tmp_path / "memory"
    with opened(folder, clock) as memory:
        for kept in KEPT:
            say(memory, clock, kept)
        receipt = say(memory, clock, text)
        for other in ("I work at Acme.", "I bought a lamp."):
            say(memory, clock, other)
    assert bytes_with(folder, word)
    with opened(folder, clock) as memory:
        before = {fact.text for fact in memory.facts(states="all", kinds=("claim", "note"))}
        for fact in (*receipt.facts, *receipt.notes):
            memory.forget(fact.id)
    assert bytes_with(folder, word) == {}
    with opened(folder, clock) as memory:  # and the rest is whole
        left = {fact.text for fact in memory.facts(states="all", kinds=("claim", "note"))}
        assert left == before - {text}
        assert memory.check().findings == ()
        say(memory, clock, text)
        assert memory.recall(word).items


def test_what_is_still_said_elsewhere_stays(tmp_path: Path, clock: FixedClock) -> None:
    folder = tmp_path / "memory"
    with opened(folder, clock) as memory:
        receipt = say(memory, clock, "I live in Quixotville.")
        say(memory, clock, "My sister Wendelgard lives in Quixotville.")
        for fact in receipt.facts:
            memory.forget(fact.id)
    with opened(folder, clock) as memory:
        assert "Quixotville" in {fact.object for fact in memory.facts(entity="Wendelgard")}
        assert memory.check().findings == ()
    assert bytes_with(folder, "i live in quixotville") == {}


@pytest.mark.parametrize("decision", ["replace_older", "discard_newer"])
def test_a_decision_that_deletes(tmp_path: Path, clock: FixedClock, decision: str) -> None:
    folder = tmp_path / "memory"
    with opened(folder, clock) as memory:
        say(memory, clock, "I live in Quixotville.")
        (conflict,) = say(memory, clock, "I moved to Brandenstein for good.").conflicts
        memory.resolve(conflict.id, decision)
    word, other = ("quixotville", "brandenstein")
    if decision == "discard_newer":
        word, other = other, word
    assert bytes_with(folder, word) == {}
    assert bytes_with(folder, other)


def test_the_text_before_an_edit(tmp_path: Path, clock: FixedClock) -> None:
    folder = tmp_path / "memory"
    with opened(folder, clock) as memory:
        receipt = say(memory, clock, "I live in Quixotvile.")
        memory.edit(receipt.facts[0].id, "I live in Quixotville.")
    assert bytes_with(folder, "quixotvile") == {}
    assert bytes_with(folder, "quixotville")
