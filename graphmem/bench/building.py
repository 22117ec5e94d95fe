"""Builds a memory of a given size, and measures what it takes to write to one of that size."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from graphmem.bench.household import conversation
from graphmem.bench.stages import EMBED, EXTRACT, INDEX, PLAN, WRITE, Stages, watched_memory
from graphmem.bench.timing import median, spread
from graphmem.config import load
from graphmem.memory import Memory
from graphmem.model import Message

SINGLE_ADDS = 100
STAGED = 512  # messages by which the stages of an ingest are told
_LAST = 0.1  # of the facts: the rate at full size is measured while these are learnt
_MORE = 1_000_000_000  # messages: more than anybody waits for


@dataclass(frozen=True, slots=True)
class Built:
    """A memory of `facts` facts from `messages` messages; `per_second` is the rate of the last tenth."""

    facts: int
    messages: int
    per_second: float
    seconds: float


def build(place: Path, facts: int, *, seed: int) -> Built:
    """Ingest the household's talk until so many facts (claims and notes) are known."""
    known = messages = before = 0
    started = since = time.perf_counter()
    with Memory.open(place) as memory:
        wanted = takewhile(lambda _: known < facts, conversation(_MORE, seed=seed))
        for receipt in memory.ingest(wanted):
            known += len(receipt.facts) + len(receipt.notes)
            messages += 1
            if not before and known >= facts * (1 - _LAST):
                before, since = messages, time.perf_counter()
        ended = time.perf_counter()
    return Built(
        facts=known,
        messages=messages,
        per_second=round((messages - before) / (ended - since), 1),
        seconds=round(ended - started, 1),
    )


def stages(place: Path, talk: Iterator[Message]) -> Mapping[str, float]:
    """CPU milliseconds of an ingested message by stage, all in one process, caches warm."""
    count = Stages(time.process_time)
    settings = replace(load(place), read_ahead=False)
    with watched_memory(place, count, settings) as memory:
        list(memory.ingest(_some(talk, STAGED)))
        count.seconds.clear()
        with count(EXTRACT):
            list(memory.ingest(_some(talk, STAGED)))
    return {
        stage: round(count.seconds[stage] / STAGED * 1000, 2)
        for stage in (EXTRACT, EMBED, PLAN, WRITE, INDEX)
    }


def adds(place: Path, talk: Iterator[Message]) -> Mapping[str, Any]:
    """Single durable adds: whole, and without extraction and embedding."""
    whole, durable = _single_adds(place, talk, time.perf_counter)
    cpu_whole, cpu_durable = _single_adds(place, talk, time.process_time)
    return {
        "add": {**spread(whole), "cpu_ms": median(cpu_whole)},
        "add_without_reading": {**spread(durable), "cpu_ms": median(cpu_durable)},
    }


def nomination(place: Path, talk: Iterator[Message]) -> float:
    """CPU milliseconds that noticing changes adds to an add: with review on and off, turn by turn."""
    spent: dict[bool, list[float]] = {True: [], False: []}
    for review in (False, True, False, True):
        with Memory.open(place, config=replace(load(place), review=review)) as memory:
            memory.remember("I like tea.", speaker="Ana")
            for message in _some(talk, SINGLE_ADDS // 2):
                before = time.process_time()
                memory.add(message)
                spent[review].append(time.process_time() - before)
    return round(median(spent[True]) - median(spent[False]), 2)


def memory_used() -> Mapping[str, int]:
    """MB that this process, and the largest of its children, have held at most."""
    return {
        name: round(resource.getrusage(who).ru_maxrss / 1024)
        for name, who in (
            ("process", resource.RUSAGE_SELF),
            ("reading_ahead", resource.RUSAGE_CHILDREN),
        )
    }


def _single_adds(
    place: Path, talk: Iterator[Message], clock: Callable[[], float]
) -> tuple[list[float], list[float]]:
    """Seconds of each add, and of each without extraction and embedding, once caches are warm."""
    count = Stages(clock)
    whole: list[float] = []
    durable: list[float] = []
    with watched_memory(place, count, load(place)) as memory:
        for message in _some(talk, 2 * SINGLE_ADDS):
            count.seconds.clear()
            with count(EXTRACT):
                memory.add(message)
            whole.append(sum(count.seconds.values()))
            durable.append(sum(count.seconds[stage] for stage in (PLAN, WRITE, INDEX)))
    return whole[SINGLE_ADDS:], durable[SINGLE_ADDS:]


def _some(talk: Iterator[Message], count: int) -> Iterable[Message]:
    return [next(talk) for _ in range(count)]
