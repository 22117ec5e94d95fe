"""Upkeep of a memory of COUNT notes: a round in which nearly all of them move, and one in which none does.

python tools/upkeep_bench.py [COUNT]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphmem import Memory
from graphmem.model import Entity, Fact, Kind, Snapshot, Tier
from graphmem.plan import AddEntity, AddFact, AddSnapshot, Op, Plan
from graphmem.store.home import open_store
from graphmem.store.search import open_search
from graphmem.testing import FixedClock, TinyEmbedder

NOW = datetime(2025, 1, 1, tzinfo=UTC)
PEOPLE = 200
BATCH = 2000


def build(folder: Path, count: int) -> None:
    """A memory of notes said over the last eleven months, four a message, without an embedding model."""
    store = open_store(folder)
    people = [Entity(id=f"e_{one}", name=f"P{one}", kind="person") for one in range(PEOPLE)]
    store.apply(Plan(kind="add", at=NOW, ops=tuple(map(AddEntity, people))))
    for begin in range(0, count, BATCH):
        ops: list[Op] = []
        for one in range(begin, min(count, begin + BATCH)):
            said_at, who = NOW - timedelta(hours=one % 8000), one % PEOPLE
            text, message = f"note number {one} of a day", f"s_{one - one % 4}"
            if one % 4 == 0:
                ops.append(
                    AddSnapshot(
                        Snapshot(
                            id=message,
                            text=text,
                            speaker=f"P{who}",
                            said_at=said_at,
                            recorded_at=said_at,
                        )
                    )
                )
            ops.append(
                AddFact(
                    Fact(
                        id=f"f_{one}",
                        kind=Kind.NOTE,
                        entity=f"P{who}",
                        entity_id=f"e_{who}",
                        predicate="noted",
                        text=text,
                        said_at=said_at,
                        recorded_at=said_at,
                        tier=Tier.WORKING,
                        sources=(message,),
                    )
                )
            )
        store.apply(Plan(kind="add", at=NOW, ops=tuple(ops)))
    search = open_search(folder, TinyEmbedder())
    search.rebuild(store)
    search.close()
    store.close()


def main(count: int) -> None:
    """Build, tend twice, tell."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), count)
        clock = FixedClock(NOW)
        with Memory.open(folder, clock=clock, embedder=TinyEmbedder()) as memory:
            for name in ("nearly all move", "none moves"):
                began = time.process_time()
                done = memory.tend()
                took = time.process_time() - began
                print(f"{name}: {done.seen} seen, {done.archived} archived, {took:.1f} CPU-seconds")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"resident memory: {peak} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
