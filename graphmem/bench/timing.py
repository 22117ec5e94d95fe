"""Stop-watches: seconds of one act or of many, medians and percentiles in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


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


def spread(seconds: Sequence[float]) -> Mapping[str, float]:
    """Median and 95th percentile in milliseconds."""
    return {"p50_ms": median(seconds), "p95_ms": percentile(seconds, 95)}
