"""`graphmem bench`: builds a memory of each size and measures writing, asking, opening, and what it takes up."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphmem.bench import alternatives, asking, building
from graphmem.bench.household import conversation
from graphmem.memory import Memory

_MORE = 100_000_000  # messages that may follow those of the build


def measure(facts: int, *, seed: int = 7, keep: Path | None = None) -> Mapping[str, Any]:
    """Build a memory of about `facts` facts (claims and notes) in a temporary folder, or in `keep`, and
    measure it. Everything is measured in this one run.

    Times are milliseconds (medians, and 95th percentiles) of the wall where "cpu" is not in the name;
    `ingest.per_second` is the rate at which messages were stored while the last tenth of the facts was
    learnt, `ingest.stages_cpu_ms` where the time of one goes. Sizes are MB and bytes.
    """
    with _folder(keep) as place:
        built = building.build(place, facts, seed=seed)
        used = building.memory_used()
        talk = conversation(_MORE, seed=seed, start=built.messages)
        size = _sizes(place)
        found: dict[str, Any] = {
            "facts": built.facts,
            "messages": built.messages,
            "ingest": {
                "per_second": built.per_second,
                "build_seconds": built.seconds,
                "rss_mb": used,
                "stages_cpu_ms": building.stages(place, talk),
            },
            **building.adds(place, talk),
            "nomination_cpu_ms": building.nomination(place, talk),
            "recall": asking.recalls(place, messages=built.messages),
            **asking.looking_up(place),
            **asking.starting(place, messages=built.messages),
            "bytes_per_fact": round(sum(size.values()) / built.facts),
            "bytes_per_message": round(sum(size.values()) / built.messages),
            "mb": {name: round(count / (1 << 20), 1) for name, count in size.items()},
        }
        plain = alternatives.alternatives(place, messages=built.messages, seed=seed)
        found["alternatives"] = plain
        found["recall"]["times_faiss_flat"] = round(
            found["recall"]["p50_ms"] / max(plain["faiss_flat_only_ms"], 0.01), 2
        )
        return found


def flat(found: Mapping[str, Any], beneath: str = "") -> dict[str, Any]:
    """The figures with dotted names, for a table."""
    made: dict[str, Any] = {}
    for name, value in found.items():
        whole = f"{beneath}{name}"
        made.update(flat(value, f"{whole}.") if isinstance(value, Mapping) else {whole: value})
    return made


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        yield Path(folder) / "memory"


def _sizes(place: Path) -> Mapping[str, int]:
    """Bytes on disk, by file, once the memory has been closed."""
    Memory.open(place).close()
    found: dict[str, int] = {}
    for file in sorted(place.rglob("*")):
        if file.is_file():
            found[file.name] = file.stat().st_size
    return {name: count for name, count in found.items() if count > 1 << 20} | {
        "other": sum(count for count in found.values() if count <= 1 << 20)
    }
