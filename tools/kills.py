"""Kills a writing process again and again: is everything that was acknowledged there afterwards?

    python tools/kills.py --kills 200 [--seed 1] [--tiny] [--json]

Each round a process opens the memory, works on it (adds, batches, changes, deletions, decisions, undo, upkeep,
backups, restores) and tells of each verb before it begins and once it has returned. It is killed (SIGKILL) at a
random moment, or by itself in the middle of a named step, such as between the commit of the graph and the saving of the
index, or inside a fold of the engine's log. Another process then opens the memory, compares it with what was told, and checks
it; `repair` is tried where the check finds something. A new memory is begun every twenty-five rounds. A third as
many again come in upgrades of the schema and in restores (tools/kill_moments.py). Exit status 1 where anything is lost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from kill_steps import FOLD, STEPS, killing_in_a_fold, killing_itself

from graphmem import Memory, Message
from graphmem.embed.use import UniversalEncoder
from graphmem.errors import GraphmemError
from graphmem.model import Receipt
from graphmem.protocols import Embedder
from graphmem.testing import TinyEmbedder

ROUNDS_EACH = 25  # kills of one memory
LONGEST = 1.5  # seconds that a process is left to work; twice as long to come to a named step
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOWNS = ("Lisbon", "Oslo", "Graz", "Turin", "Ghent", "Porto", "Leeds", "Brno", "Cork", "Bergen")


@dataclass(slots=True)
class Told:
    """What the processes on one memory said: acknowledged, and begun but never acknowledged."""

    said: dict[str, str] = field(default_factory=dict)  # text: snapshot id
    gone: set[str] = field(default_factory=set)  # snapshot ids that were deleted
    unsure: set[str] = field(default_factory=set)  # snapshot ids whose deletion was begun
    verbs: Counter[str] = field(default_factory=Counter)

    def take(self, lines: list[dict[str, Any]]) -> None:
        """What one process said until it was killed."""
        for line in lines:
            if line["at"] == "begin":
                self.unsure.update(line.get("deletes", ()))
                continue
            self.verbs[line["verb"]] += 1
            self.said.update(line.get("said", {}))
            self.gone.update(line.get("deletes", ()))

    @property
    def wanted(self) -> dict[str, str]:
        """Text and id of every acknowledged statement that must be there."""
        maybe = self.gone | self.unsure
        return {text: id_ for text, id_ in self.said.items() if id_ not in maybe}


class Worker:
    """The process that is killed: does one thing after the other and tells of it."""

    def __init__(self, folder: Path, embedder: Embedder, out: int, seed: int) -> None:
        self._folder = folder
        self._embedder = embedder
        self._out = out
        self._draw = random.Random(seed)  # noqa: S311 - which verb comes next
        self._count = 0
        self._mark = f"{seed}"

    def work(self) -> None:
        """Until killed."""
        if self._draw.random() < 0.2:
            self._tell("begin", "open")  # may be killed while it opens
        while True:
            with Memory.open(self._folder, embedder=self._embedder) as memory:
                self._tell("begin", "work")
                for _ in range(self._draw.randrange(5, 25)):
                    self._one(memory)
            if self._draw.random() < 0.3:
                self._restore()

    def _one(self, memory: Memory) -> None:
        verbs: list[tuple[int, Callable[[Memory], None]]] = [
            (8, self._add),
            (4, self._ingest),
            (2, self._change),
            (2, self._forget),
            (2, self._decide),
            (2, self._retire_and_back),
            (1, self._tend),
            (1, self._back_up),
        ]
        [act] = self._draw.choices([act for _, act in verbs], [often for often, _ in verbs])
        act(memory)

    def _tell(self, at: str, verb: str, **more: Any) -> None:
        os.write(self._out, (json.dumps({"at": at, "verb": verb, **more}) + "\n").encode())

    def _stored(self, verb: str, receipt: Receipt) -> None:
        said = receipt.snapshot
        self._tell("done", verb, said={} if said is None else {said.text: said.id})

    def _text(self) -> str:
        self._count += 1
        town = self._draw.choice(TOWNS)
        return f"My friend number {self._mark}-{self._count} lives in {town}."

    def _message(self) -> Message:
        return Message(
            text=self._text(), speaker="Ana", said_at=NOON + timedelta(seconds=self._count)
        )

    def _add(self, memory: Memory) -> None:
        self._stored("add", memory.add(self._message()))

    def _ingest(self, memory: Memory) -> None:
        for receipt in memory.ingest([self._message() for _ in range(8)]):
            self._stored("ingest", receipt)

    def _change(self, memory: Memory) -> None:
        if facts := memory.facts(limit=20):
            done = memory.update(self._draw.choice(facts).id, self._text())
            self._stored("update", done)

    def _forget(self, memory: Memory) -> None:
        if facts := memory.facts(limit=20):
            fact = self._draw.choice(facts)
            whole = [fact.sources[0]]
            self._tell("begin", "forget", deletes=whole)
            memory.forget(whole[0])
            self._tell("done", "forget", deletes=whole)

    def _decide(self, memory: Memory) -> None:
        if conflicts := memory.conflicts():
            memory.resolve(self._draw.choice(conflicts).id, "keep_both")
            self._tell("done", "resolve")

    def _retire_and_back(self, memory: Memory) -> None:
        if facts := memory.facts(limit=20):
            done = memory.retire(self._draw.choice(facts).id)
            memory.undo(done.event)
            self._tell("done", "undo")

    def _tend(self, memory: Memory) -> None:
        memory.tend()
        self._tell("done", "tend")

    def _back_up(self, memory: Memory) -> None:
        memory.backup(self._folder.with_suffix(".gmb"))
        self._tell("done", "backup")

    def _restore(self) -> None:
        file = self._folder.with_suffix(".gmb")
        if file.exists():
            Memory.restore_backup(file, self._folder)
            self._tell("done", "restore")


def run(kills: int, *, seed: int, folder: Path, tiny: bool) -> dict[str, Any]:
    """Kill so often; the figures."""
    embedder: Embedder = TinyEmbedder() if tiny else UniversalEncoder()
    warm(folder, embedder)
    draw = random.Random(seed)  # noqa: S311 - when to kill
    figures: Counter[str] = Counter()
    at: Counter[str] = Counter()  # where they were killed
    verbs: Counter[str] = Counter()
    findings: list[str] = []
    told, place = Told(), folder / "0"
    for number in range(kills):
        if number % ROUNDS_EACH == 0:
            told, place = Told(), folder / str(number)
        step = draw.choice([None, *STEPS, FOLD])
        before = Counter(told.verbs)
        reached, lines = killed(place, embedder, draw, step, seed=1000 * seed + number)
        told.take(lines)
        verbs += told.verbs - before
        at[(reached and step) or "at a random moment"] += 1
        seen = looked_at(place, embedder, told)
        figures["kills"] += 1
        for name, count in seen["figures"].items():
            figures[name] += count
        findings += seen["findings"]
    moments = more(folder, draw, kills=kills // 3)
    at.update(moments.pop("killed"))
    figures.update(moments)
    return {
        **{name: figures[name] for name in FIGURES},
        "verbs acknowledged": dict(sorted(verbs.items())),
        "killed": dict(sorted(at.items())),
        "findings": sorted(set(findings)),
    }


def more(folder: Path, draw: random.Random, *, kills: int) -> dict[str, Any]:
    """The kills in upgrades and restores: an oracle knows what must be there."""
    from kill_moments import Moments  # noqa: PLC0415 - it imports this module

    return Moments(folder).run(draw, kills=kills)


BAD = (
    "lost",
    "doubled",
    "deleted, but there",
    "interpreter crashes",
    "refused to open",
    "not mended by repair",
    "not as before or after",
)
FIGURES = (
    "kills",
    "statements compared",
    "lost",
    "doubled",
    "deleted, but there",
    "interpreter crashes",
    "refused to open",
    "checks that found something",
    "not mended by repair",
    "not as before or after",
    "killed in upgrades and restores",
)


def warm(folder: Path, embedder: Embedder) -> None:
    """Load in this process, once, what every process needs: it opens no memory itself."""

    def once() -> None:
        with Memory.open(folder / "warm", embedder=embedder) as memory:
            memory.remember("I live in Lisbon.", speaker="Ana")

    from graphmem import plugins  # noqa: PLC0415 - by the names in the settings
    from graphmem.lexicon import Lexicon  # noqa: PLC0415
    from graphmem.lifecycle.reading import read  # noqa: PLC0415
    from graphmem.remember.extraction import Extractors  # noqa: PLC0415

    said = [Message(text=f"My friend Ben lives in {town}.", said_at=NOON) for town in TOWNS]
    Extractors(("english", "chinese"), Lexicon.load()).extract(said)
    times = plugins.shared(plugins.TIMES, "grammar", Lexicon.load())
    for one in said:
        times.find(one.text, said_at=NOON, language="en")
        read(one.text, "en", Lexicon.load())
    embedder.passages(["."])
    ended, _ = in_child(lambda _: once())
    if ended:
        raise SystemExit("no memory can be opened here")


def in_child(act: Callable[[int], None], *, after: float | None = None) -> tuple[int, bytes]:
    """Run `act` in a fork, which writes to the descriptor that it is given; kill it after so many
    seconds. Its exit status (negative: the signal that ended it) and what it wrote.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        status = 1
        try:
            act(write)
            status = 0
        except GraphmemError as error:
            os.write(write, (json.dumps({"at": "error", "verb": str(error)}) + "\n").encode())
            status = 3
        finally:
            if status == 1:
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(status)
    os.close(write)
    killer = None
    with os.fdopen(read, "rb", buffering=0) as pipe:
        written = pipe.read(1) or b""  # it tells that it is at work
        if after is not None:
            killer = threading.Timer(after, os.kill, (child, signal.SIGKILL))
            killer.start()
        written += pipe.read()  # until it has ended
    if killer is not None:
        killer.cancel()
        killer.join()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), written


def killed(
    place: Path, embedder: Embedder, draw: random.Random, step: str | None, *, seed: int
) -> tuple[bool, list[dict[str, Any]]]:
    """Let a process work and kill it: whether it came to the step, and what it told."""

    def act(out: int) -> None:
        worker = Worker(place, embedder, out, seed)
        if step is None:
            worker.work()
            return
        ready = partial(os.write, out, (json.dumps({"at": "step"}) + "\n").encode())
        times = draw.choice((1, 2, 3, 5, 8, 13, 21))
        with killing_in_a_fold(draw) if step == FOLD else killing_itself(step, times, ready):
            worker.work()

    after = draw.uniform(0.05, LONGEST) if step is None else (4 if step == FOLD else 2) * LONGEST
    ended, written = in_child(act, after=after)
    lines = written.decode().split("\n")[:-1]  # what follows the last line break was cut off
    found = [json.loads(line) for line in lines]
    reached = ended == -signal.SIGALRM or any(line["at"] == "step" for line in found)
    found = [line for line in found if line["at"] != "step"]
    for line in found:
        if line["at"] == "error":
            raise SystemExit(f"the working process failed by itself: {line['verb']}")
    return reached, found


def looked_at(place: Path, embedder: Embedder, told: Told) -> dict[str, Any]:
    """Open the memory in another process and compare it with what was told."""

    def act(out: int) -> None:
        figures: Counter[str] = Counter()
        with Memory.open(place, embedder=embedder) as memory:
            there = Counter(stored_texts(memory))
            wanted = told.wanted
            figures["statements compared"] = len(wanted)
            figures["lost"] = sum(text not in there for text in wanted)
            figures["doubled"] = sum(count > 1 for count in there.values())
            ids = {id_: text for text, id_ in told.said.items()}
            figures["deleted, but there"] = sum(ids.get(one, "") in there for one in told.gone)
            findings = list(memory.check().findings)
            if findings:
                figures["checks that found something"] = 1
                figures["not mended by repair"] = bool(memory.repair().findings)
        line = json.dumps({"figures": figures, "findings": findings[:3]})
        os.write(out, line.encode())

    if not (place / "memory.json").exists():  # killed before there was anything
        return {"figures": {"lost": len(told.wanted)}, "findings": []}
    ended, written = in_child(act)
    if ended < 0:
        return {"figures": {"interpreter crashes": 1}, "findings": [f"signal {-ended}"]}
    if ended:
        return {"figures": {"refused to open": 1}, "findings": [written.decode()[:300]]}
    found: dict[str, Any] = json.loads(written)
    return found


def stored_texts(memory: Memory) -> Iterator[str]:
    """The text of every statement that the graph has."""
    after = 0
    query = "MATCH (s:Snapshot) WHERE s.n > $after RETURN s.n, s.text ORDER BY s.n LIMIT 5000"
    while rows := memory.cypher(query, after=after).rows:
        yield from (text for _, text in rows)
        after = rows[-1][0]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tiny", action="store_true", help="the tiny embedder of graphmem.testing")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphmem-kills-") as folder:
        found = run(chosen.kills, seed=chosen.seed, folder=Path(folder), tiny=chosen.tiny)
    if chosen.json:
        print(json.dumps(found, indent=1))
    else:
        for name, value in found.items():
            print(f"{name:30} {value}")
    sys.exit(any(found[name] for name in BAD))


if __name__ == "__main__":
    main()
