"""Measures one memory: ingest, single adds, recall, open, sizes. Medians of one run; ratios beside them."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from graphmem.bench.household import conversation, questions
from graphmem.memory import Memory

T = TypeVar("T")

SINGLE_ADDS = 100
QUESTIONS = 200


def measure(messages: int, *, seed: int = 7) -> Mapping[str, Any]:
    """Build a memory of `messages` messages in a temporary folder and measure it.

    Times are milliseconds (medians and 95th percentiles), rates messages a second, memory MB.
    """
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        place = Path(folder) / "memory"
        with Memory.open(place) as memory:
            memory.remember("I live in Lisbon.", speaker="Ana")  # loads what loads once
            took, receipts = timed(lambda: list(memory.ingest(conversation(messages, seed=seed))))
            facts = sum(len(one.facts) for one in receipts)
            adds = each(
                [
                    lambda one=one: memory.add(one)  # type: ignore[misc]
                    for one in conversation(SINGLE_ADDS, seed=seed, start=messages)
                ]
            )
            cold, _ = timed(lambda: memory.recall("Where do I live?"))
            recalls = each(
                [
                    lambda one=one: memory.recall(one)  # type: ignore[misc]
                    for one in questions(QUESTIONS)
                ]
            )
        opened, again = timed(lambda: Memory.open(place))
        again.close()
        size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
        fresh, _ = timed(lambda: _run(place, "recall", "Where do I live?"))
    helped = statistics.median(timed(lambda: _run(None, "--help"))[0] for _ in range(5))
    return {
        "messages": messages,
        "facts": facts,
        "ingest_per_second": round(messages / took, 1),
        "add_ms": median(adds),
        "recall_cold_ms": round(cold * 1000, 1),
        "recall_ms": median(recalls),
        "recall_p95_ms": percentile(recalls, 95),
        "open_ms": round(opened * 1000, 1),
        "recall_fresh_process_ms": round(fresh * 1000),
        "help_ms": round(helped * 1000),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "bytes_per_message": round(size / messages),
    }


def timed(act: Callable[[], T]) -> tuple[float, T]:
    """Seconds and result."""
    started = time.perf_counter()
    result = act()
    return time.perf_counter() - started, result


def each(acts: Sequence[Callable[[], Any]]) -> list[float]:
    """Seconds of each."""
    return [timed(act)[0] for act in acts]


def median(seconds: Sequence[float]) -> float:
    """Milliseconds."""
    return round(statistics.median(seconds) * 1000, 2)


def percentile(seconds: Sequence[float], share: int) -> float:
    """Milliseconds."""
    ordered = sorted(seconds)
    return round(ordered[min(len(ordered) - 1, len(ordered) * share // 100)] * 1000, 2)


def _run(place: Path | None, *words: str) -> None:
    memory = ["--memory", str(place)] if place else []
    subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", "from graphmem.cli import main; main()", *memory, *words],
        check=True,
        capture_output=True,
    )
