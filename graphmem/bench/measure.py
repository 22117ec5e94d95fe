"""Measures one memory: ingest, single adds, recall, open, sizes. Medians of one run; ratios beside them."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from graphmem.bench.household import conversation, questions
from graphmem.bench.stages import EMBED, EXTRACT, INDEX, PLAN, WRITE, Stages, watched_memory
from graphmem.memory import Memory
from graphmem.model import Message

T = TypeVar("T")

SINGLE_ADDS = 100
QUESTIONS = 200
STARTS = 5  # of the command line


def measure(messages: int, *, seed: int = 7) -> Mapping[str, Any]:
    """Build a memory of `messages` messages in a temporary folder and measure it.

    Times are milliseconds (medians and 95th percentiles), rates messages a second, memory MB; those
    with "cpu" in their name are of the CPU, which a busy machine changes little, the others of the
    wall. `ingest_cpu_ms` tells where the time of an ingested message goes, `durable_add_ms` what a
    single add costs besides extraction and embedding. `marginal_bytes_per_message` leaves out most of
    what an engine takes for its tables: it compares the memory at half its size with the whole.
    """
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        place = Path(folder) / "memory"
        cpu = Stages(time.process_time)
        half = messages // 2
        with watched_memory(place, cpu) as memory:
            memory.remember("I live in Lisbon.", speaker="Ana")  # loads what loads once
            cpu.seconds.clear()
            first, facts = _ingest(memory, cpu, conversation(half, seed=seed))
        before = _size(place)
        with watched_memory(place, cpu) as memory:
            took, more = _ingest(memory, cpu, conversation(messages - half, seed=seed, start=half))
        grown = _size(place) - before
        took, facts = took + first, facts + more
        singles = [conversation(SINGLE_ADDS, seed=seed, start=messages + at) for at in (0, 1000)]
        adds, durable = _single_adds(place, singles[0], time.perf_counter)
        cpu_adds, cpu_durable = _single_adds(place, singles[1], time.process_time)
        with Memory.open(place) as memory:
            cold, _ = timed(lambda: memory.recall("Where do I live?"))
            asking: list[Callable[[], Any]] = [
                lambda one=one: memory.recall(one)  # type: ignore[misc]
                for one in questions(QUESTIONS, known=messages)
            ]
            recalls, cpu_recalls = each(asking), each(asking, time.process_time)
        opened, again = timed(lambda: Memory.open(place), time.process_time)
        again.close()
        size = _size(place)
        fresh, _ = timed(lambda: _run(place, "recall", "Where do I live?"))
    helped = statistics.median(timed(lambda: _run(None, "--help"))[0] for _ in range(STARTS))
    return {
        "messages": messages,
        "facts": facts,
        "ingest_per_second": round(messages / took, 1),
        "ingest_per_cpu_second": round(messages / sum(cpu.seconds.values()), 1),
        "ingest_cpu_ms": {
            stage: round(cpu.seconds[stage] / messages * 1000, 2)
            for stage in (EXTRACT, EMBED, PLAN, WRITE, INDEX)
        },
        "add_ms": median(adds),
        "add_cpu_ms": median(cpu_adds),
        "durable_add_ms": median(durable),
        "durable_add_cpu_ms": median(cpu_durable),
        "recall_cold_ms": round(cold * 1000, 1),
        "recall_ms": median(recalls),
        "recall_cpu_ms": median(cpu_recalls),
        "recall_p95_ms": percentile(recalls, 95),
        "open_cpu_ms": round(opened * 1000, 1),
        "recall_fresh_process_ms": round(fresh * 1000),
        "help_ms": round(helped * 1000),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "bytes_per_message": round(size / messages),
        "marginal_bytes_per_message": round(grown / (messages - half)),
    }


def _ingest(memory: Memory, count: Stages, messages: Iterable[Message]) -> tuple[float, int]:
    """Seconds of the wall, and facts learnt."""
    with count(EXTRACT):
        took, receipts = timed(lambda: list(memory.ingest(messages)))
    return took, sum(len(one.facts) for one in receipts)


def _single_adds(
    place: Path, messages: Iterable[Message], clock: Callable[[], float]
) -> tuple[list[float], list[float]]:
    """Seconds of each add, and of each without extraction and embedding."""
    count = Stages(clock)
    adds: list[float] = []
    durable: list[float] = []
    with watched_memory(place, count) as memory:
        memory.remember("I like tea.", speaker="Ana")
        for message in messages:
            count.seconds.clear()
            with count(EXTRACT):
                memory.add(message)
            adds.append(sum(count.seconds.values()))
            durable.append(sum(count.seconds[stage] for stage in (PLAN, WRITE, INDEX)))
    return adds, durable


def _size(place: Path) -> int:
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())


def timed(act: Callable[[], T], clock: Callable[[], float] = time.perf_counter) -> tuple[float, T]:
    """Seconds and result."""
    started = clock()
    result = act()
    return clock() - started, result


def each(
    acts: Sequence[Callable[[], Any]], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Seconds of each."""
    return [timed(act, clock)[0] for act in acts]


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
