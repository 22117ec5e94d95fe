"""What follows a deletion survives reopening: the engine cannot replay every log, so none holds both."""

from __future__ import annotations

from contextlib import suppress
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


def test_two_remembered_texts_that_read_like_a_deleted_one_stay(tmp_path):
    said = datetime(2026, 6, 1, 12, tzinfo=UTC)

    def opened():
        return Memory.open(tmp_path / "m", embedder=TinyEmbedder(), clock=FixedClock(said))

    with opened() as memory:
        messages = [
            Message(text=f"My friend number 41008-{n} lives in Oslo.", speaker="Ana", said_at=said)
            for n in range(1, 40)
        ]
        assert len(list(memory.ingest(messages))) == 39
    with opened() as memory:
        [gone] = [one for one in memory.facts(states="all") if one.object == "41008-24"]
        kept = {one.id: one for one in memory._whole.scan_facts() if one.id != gone.id}
        memory.forget(gone.sources[0])
    with opened() as memory:
        assert {one.id: one for one in memory._whole.scan_facts()} == kept
        assert memory.check().findings == ()
    assert not list(tmp_path.rglob("*.altering"))
    assert not list(tmp_path.rglob("*.erase"))


@pytest.mark.parametrize("died", [False, True])
def test_a_wipe_that_went_wrong_is_put_back(tmp_path, monkeypatch, died):
    said = datetime(2026, 6, 1, 12, tzinfo=UTC)

    def opened():
        return Memory.open(tmp_path / "m", embedder=TinyEmbedder(), clock=FixedClock(said))

    def wipes_too_much(self, patterns, live):
        raw = self._file.read_bytes()
        self._file.write_bytes(raw.replace(b"Oslo", b"    "))
        if died:
            raise SystemExit("killed")

    with opened() as memory:
        memory.remember("Nadia lives in Oslo.", speaker="Ana")
        memory.remember("Ben works at Alder Labs.", speaker="Ana")
        kept = {one.id: one for one in memory.facts("Nadia", states="all")}
        memory.forget(memory.facts("Ben")[0].sources[0])
        with monkeypatch.context() as patch:
            patch.setattr("graphmem.store.erase.Erasure.wipe", wipes_too_much)
            with suppress(SystemExit):
                memory.close()
    with opened() as memory:
        assert {one.id: one for one in memory.facts("Nadia", states="all")} == kept
        assert memory.check().findings == ()
    assert not list(tmp_path.rglob("*.altering"))
