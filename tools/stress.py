"""Several processes add to one memory and ask it at the same time: none lost, none doubled?

`python tools/stress.py --processes 4 --each 500` prints what was found, and how long turns took to come.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from graphmem import Memory, Message

WAIT = 60.0


def work(folder: Path, name: int, each: int) -> None:
    """One process: add, ask, and tell how long each took."""
    took: list[float] = []
    with Memory.open(folder, config={"lock_wait": WAIT}) as memory:
        for n in range(each):
            start = time.perf_counter()
            text = f"Worker {name} saw bird number {n} by the river."
            memory.add(Message(text=text, speaker="Ana", said_at=datetime.now(UTC)))
            memory.recall(f"Which bird did worker {name} see?")
            took.append(time.perf_counter() - start)
    took.sort()
    print(json.dumps([took[len(took) // 2], took[int(len(took) * 0.95)], took[-1]]))


def main() -> None:
    """Start the processes, wait, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--each", type=int, default=500)
    parser.add_argument("--worker", type=int)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.worker is not None:
        work(given.folder, given.worker, given.each)
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "memory"
        start = time.perf_counter()
        command = [sys.executable, __file__, "--folder", str(folder), "--each", str(given.each)]
        workers = [
            subprocess.Popen([*command, "--worker", str(n)], stdout=subprocess.PIPE, text=True)  # noqa: S603
            for n in range(given.processes)
        ]
        told = [json.loads(one.communicate()[0]) for one in workers]
        seconds = time.perf_counter() - start
        with Memory.open(folder) as memory:
            texts = [text for (text,) in memory.cypher("MATCH (s:Snapshot) RETURN s.text").rows]
            findings = memory.check().findings
    wanted = given.processes * given.each
    print(
        f"{wanted} acknowledged, {wanted - len(set(texts))} lost, {len(texts) - len(set(texts))} doubled"
    )
    print(f"check: {findings or 'healthy'}; {seconds:.0f} s")
    for median, late, worst in told:
        print(f"add and recall: p50 {median:.2f} s, p95 {late:.2f} s, longest {worst:.2f} s")


if __name__ == "__main__":
    main()
