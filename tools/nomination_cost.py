"""What noticing changes costs an add: the same adds to one memory with review on and off.

    python tools/nomination_cost.py FOLDER

FOLDER holds a memory (made by `graphmem bench`, say); it is copied, the copy is written to.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphmem import Memory, Message, Settings

SAID = (
    "I moved to town number {n} for good.",
    "I sold car number {n}.",
    "We talked about plan {n} for an hour.",
    "My new phone number is 0555 01{n:04}.",
)
ROUNDS = 40


def cost(folder: Path, *, review: bool) -> tuple[int, list[float]]:
    """Facts in the memory, and CPU milliseconds of each add."""
    with tempfile.TemporaryDirectory() as aside:
        copy = shutil.copytree(folder, Path(aside) / "memory")
        with Memory.open(copy, config=Settings(review=review)) as memory:
            facts = int(memory.status()["facts"])
            start, spent = datetime.now(UTC), []
            for n in range(ROUNDS):
                for k, text in enumerate(SAID):
                    said_at = start + timedelta(seconds=4 * n + k)
                    message = Message(text=text.format(n=n), speaker="Ana", said_at=said_at)
                    before = time.process_time()
                    memory.add(message)
                    spent.append(1000 * (time.process_time() - before))
        return facts, spent[len(SAID) :]


def main() -> None:
    """Print the medians and their difference."""
    folder = Path(sys.argv[1])
    medians = {}
    for review in (False, True):
        facts, spent = cost(folder, review=review)
        medians[review] = statistics.median(spent)
        print(f"{facts} facts, review {review}: median {medians[review]:.2f} CPU ms an add")
    print(f"noticing changes adds {medians[True] - medians[False]:.2f} CPU ms")


if __name__ == "__main__":
    main()
