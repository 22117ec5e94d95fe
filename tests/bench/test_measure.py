"""The benchmark measures what it says: on a memory of a few messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem.bench import asking, building, measure
from graphmem.bench.household import conversation, questions
from graphmem.bench.stages import EMBED, EXTRACT, INDEX, PLAN, WRITE, Stages, watched_memory
from graphmem.config import Settings

ALL = {EXTRACT, EMBED, PLAN, WRITE, INDEX}


def test_a_stage_is_counted_without_those_inside_it() -> None:
    now = iter(float(second) for second in (0, 1, 3, 7))
    count = Stages(lambda: next(now))
    with count("outer"), count("inner"):
        pass
    assert dict(count.seconds) == {"outer": 1 + 4, "inner": 2}


def test_a_watched_memory_tells_every_stage_and_learns_the_same(tmp_path: Path) -> None:
    count = Stages(iter(range(1_000_000)).__next__)
    with watched_memory(tmp_path / "memory", count, Settings()) as memory:
        with count(EXTRACT):
            receipts = list(memory.ingest(conversation(12)))
        assert all(one.stored for one in receipts)
        assert memory.recall("Who likes what?").items
        assert memory.check().findings == ()
    assert set(count.seconds) == ALL


def test_the_household_is_the_same_for_a_seed_wherever_it_begins() -> None:
    whole = list(conversation(40))
    assert whole[25:] == list(conversation(15, start=25))
    assert whole != list(conversation(40, seed=8))
    assert len(set(questions(30, known=2000))) > 20


@pytest.mark.slow
def test_a_tiny_run_gives_every_figure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(building, "SINGLE_ADDS", 2)
    monkeypatch.setattr(building, "STAGED", 4)
    monkeypatch.setattr(asking, "QUESTIONS", 2)
    monkeypatch.setattr(asking, "WARMING", 1)
    monkeypatch.setattr(asking, "STARTS", 1)
    found = measure.measure(20, keep=tmp_path / "kept")
    assert (tmp_path / "kept" / "memory.json").exists()
    assert 20 <= found["facts"] < 300  # whole batches
    assert set(found["ingest"]["stages_cpu_ms"]) == ALL
    assert set(found["alternatives"]) == {
        "fts5_only_ms",
        "faiss_flat_only_ms",
        "networkx_two_hops_ms",
    }
    table = measure.flat(found)
    assert json.loads(json.dumps(table)) == table
    signed = {"nomination_cpu_ms", "recall.without_embedding_p50_ms"}  # differences
    assert all(value >= 0 for name, value in table.items() if name not in signed)
    assert table["add_without_reading.p50_ms"] < table["add.p50_ms"]
