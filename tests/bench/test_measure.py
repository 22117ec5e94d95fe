"""The benchmark measures what it says: on a memory of a few messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.bench import measure
from graphmem.bench.household import conversation
from graphmem.bench.stages import EMBED, EXTRACT, INDEX, PLAN, WRITE, Stages, watched_memory

ALL = {EXTRACT, EMBED, PLAN, WRITE, INDEX}


def test_a_stage_is_counted_without_those_inside_it() -> None:
    now = iter(float(second) for second in (0, 1, 3, 7))
    count = Stages(lambda: next(now))
    with count("outer"), count("inner"):
        pass
    assert dict(count.seconds) == {"outer": 1 + 4, "inner": 2}


def test_a_watched_memory_tells_every_stage_and_learns_the_same(tmp_path: Path) -> None:
    count = Stages(iter(range(1_000_000)).__next__)
    with watched_memory(tmp_path / "memory", count) as memory:
        with count(EXTRACT):
            receipts = list(memory.ingest(conversation(12)))
        assert all(one.stored for one in receipts)
        assert memory.recall("Who likes what?").items
        assert memory.check().findings == ()
    assert set(count.seconds) == ALL


@pytest.mark.slow
def test_a_tiny_run_gives_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SINGLE_ADDS", 2)
    monkeypatch.setattr(measure, "QUESTIONS", 2)
    monkeypatch.setattr(measure, "STARTS", 1)
    found = measure.measure(6)
    assert found["messages"] == 6
    assert set(found["ingest_cpu_ms"]) == ALL
    numbers = [value for value in found.values() if not isinstance(value, dict)]
    assert all(value >= 0 for value in numbers)
    assert found["durable_add_ms"] < found["add_ms"]
