"""Many on one memory at the same time: is anything lost or doubled, and how long does whom keep waiting?

`python tools/stress.py processes --processes 4 --each 500`: each process adds and recalls; `--kill` ends one of them
with SIGKILL in the middle, `--default` takes the default embedder instead of the tiny one.
`python tools/stress.py mixed --each 50`: an MCP server, the command line and a script on one memory.
`python tools/stress.py threads --threads 8 --each 100`: one `Memory` shared by threads that add, recall, resolve and
forget, each held against what it must see. Exit status 1 where something is wrong. Each prints JSON with `--json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphmem import Memory, Message
from graphmem.errors import UnknownId
from graphmem.testing import TinyEmbedder

WAIT = 60.0
NAMES = ("Ada", "Bea", "Cem", "Dov", "Eva", "Fay", "Gus", "Hal", "Ida", "Jon", "Kai", "Lea")
THINGS = (
    "tea coffee chess opera jazz tennis football cricket rugby hockey sailing cycling swimming hiking climbing skiing "
    "dancing singing painting drawing pottery knitting gardening cooking baking fishing camping running yoga poetry "
    "history physics chemistry biology geology astronomy mathematics philosophy architecture photography cinema theatre "
    "ballet blues reggae techno tango sushi pizza pasta ramen curry tacos paella risotto cheese chocolate honey "
    "olives almonds apples pears plums cherries grapes melons mangoes peaches bananas lemons cats horses owls foxes"
)
PLACES = (
    "London Paris Berlin Madrid Rome Vienna Prague Lisbon Dublin Oslo Helsinki Athens Warsaw Budapest Brussels Zurich "
    "Geneva Milan Naples Munich Hamburg Boston Chicago Seattle Denver Toronto Sydney Tokyo Kyoto Seoul"
)
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def opened(folder: Path, *, default: bool) -> Memory:
    """The memory, with models out of the way unless told otherwise."""
    return Memory.open(
        folder, embedder=None if default else TinyEmbedder(), config={"lock_wait": WAIT}
    )


def say(memory: Memory, speaker: str, text: str, *, minute: int = 0) -> Any:
    """Add one statement."""
    said = NOON + timedelta(minutes=minute)
    return memory.add(Message(text=text, speaker=speaker, said_at=said))


@dataclass
class Report:
    """What is printed: figures, and what is wrong."""

    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


# --- processes -----------------------------------------------------------------------------------------


def work(folder: Path, name: int, each: int, *, default: bool) -> None:
    """One process: add and recall; each line tells what was acknowledged, when, and how long it took."""
    with opened(folder, default=default) as memory:
        say(memory, "Ana", f"Worker {name} is here.")  # the models are loaded now
        memory.recall("Who is here?")
        print(json.dumps({"ready": time.time()}), flush=True)
        sys.stdin.readline()  # all begin together
        for n in range(each):
            start = time.perf_counter()
            text = f"Worker {name} saw bird number {n} by the river."
            say(memory, "Ana", text, minute=n)
            memory.recall(f"Which bird did worker {name} see?")
            took = time.perf_counter() - start
            print(json.dumps({"said": text, "at": time.time(), "took": took}), flush=True)


def processes(count: int, each: int, *, kill: bool, default: bool) -> Report:
    """Start the processes, wait, count."""
    with tempfile.TemporaryDirectory(prefix="graphmem-stress-") as place:
        folder = Path(place) / "memory"
        command = [sys.executable, __file__, "worker", "--folder", str(folder), "--each", str(each)]
        command += ["--default"] if default else []
        files = [Path(place) / f"told-{n}" for n in range(count)]
        workers = [_begun([*command, "--name", str(n)], file) for n, file in enumerate(files)]
        while not all(file.read_text() for file in files):
            time.sleep(0.1)
        start = time.time()
        for one in workers:
            assert one.stdin is not None  # noqa: S101
            one.stdin.write(b"go\n")
            one.stdin.flush()
        if kill:
            _killed(workers[0], files[0], each)
        for one in workers:
            one.communicate()
        seconds = time.time() - start
        told = [_told(file) for file in files]
        with opened(folder, default=default) as memory:
            texts = [text for (text,) in memory.cypher("MATCH (s:Snapshot) RETURN s.text").rows]
            findings = memory.check().findings
    report = _counted(told, texts, seconds)
    report.wrong += [f"check: {one}" for one in findings]
    codes = [one.returncode for one in workers[int(kill) :]]
    report.wrong += [f"a process ended with {code}" for code in codes if code]
    finished = [len(one) for one in told[int(kill) :]]
    report.wrong += [f"{n} of {each} acknowledged" for n in finished if n != each]
    if kill:
        report.figures["killed after"] = len(told[0])
    return report


def _begun(command: Sequence[str], file: Path) -> subprocess.Popen[bytes]:
    with file.open("wb") as out:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out)  # noqa: S603


def _killed(worker: subprocess.Popen[bytes], file: Path, each: int) -> None:
    while len(_told(file)) < each // 3:
        time.sleep(0.02)
    worker.send_signal(signal.SIGKILL)


def _told(file: Path) -> list[dict[str, Any]]:
    lines = file.read_text().splitlines()
    return [json.loads(one) for one in lines if '"said"' in one and one.endswith("}")]


def _counted(
    told: Sequence[Sequence[dict[str, Any]]], texts: Sequence[str], seconds: float
) -> Report:
    acknowledged = {one["said"] for some in told for one in some}
    lost = len(acknowledged - set(texts))
    doubled = len(texts) - len(set(texts))
    until = min(some[-1]["at"] for some in told)  # as long as all of them were there
    shares = [sum(one["at"] <= until for one in some) for some in told]
    took = sorted(one["took"] for some in told for one in some)
    report = Report(
        {
            "acknowledged": len(acknowledged),
            "lost": lost,
            "doubled": doubled,
            "seconds": round(seconds, 1),
            "share of each (%)": [round(100 * one / sum(shares), 1) for one in shares],
            "p50 (s)": round(took[len(took) // 2], 3),
            "p95 (s)": round(took[int(len(took) * 0.95)], 3),
            "longest of each (s)": [round(max(one["took"] for one in some), 2) for some in told],
        }
    )
    if lost or doubled:
        report.wrong.append(f"{lost} lost, {doubled} doubled")
    return report


# --- an MCP server, the command line, a script ------------------------------------------------------------


def mixed(each: int) -> Report:
    """Three kinds of process take turns; each adds `each` statements."""
    with tempfile.TemporaryDirectory(prefix="graphmem-stress-") as place:
        folder, told = Path(place) / "memory", dict[str, list[float]]()
        started = threading.Barrier(3)
        parts: dict[str, Callable[[], None]] = {
            "script": lambda: _by_script(folder, each, told.setdefault("script", []), started),
            "command line": lambda: _by_command(
                folder, each, told.setdefault("command line", []), started
            ),
            "MCP server": lambda: asyncio.run(
                _by_server(folder, each, told.setdefault("MCP server", []), started)
            ),
        }
        wrong: list[str] = []
        threads = [
            threading.Thread(target=_caught, args=(name, part, wrong, started))
            for name, part in parts.items()
        ]
        start = time.perf_counter()
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        seconds = time.perf_counter() - start
        with opened(folder, default=True) as memory:
            texts = [text for (text,) in memory.cypher("MATCH (s:Snapshot) RETURN s.text").rows]
            wrong += [f"check: {one}" for one in memory.check().findings]
    counted = Counter(texts)
    wanted = {f"The {name} saw heron number {n}." for name in parts for n in range(each)}
    lost, doubled = len(wanted - counted.keys()), sum(counted.values()) - len(counted)
    if lost or doubled:
        wrong.append(f"{lost} lost, {doubled} doubled")
    longest = {name: round(max(took), 2) for name, took in told.items() if took}
    figures = {"acknowledged": sum(map(len, told.values())), "lost": lost, "doubled": doubled}
    return Report({**figures, "seconds": round(seconds, 1), "longest of each (s)": longest}, wrong)


def _caught(name: str, part: Callable[[], None], wrong: list[str], started: Any) -> None:
    try:
        part()
    except Exception as error:  # noqa: BLE001 - it is told
        started.abort()
        wrong.append(f"{name}: {type(error).__name__}: {error}")


def _timed(took: list[float], call: Callable[[], Any]) -> None:
    start = time.perf_counter()
    call()
    took.append(time.perf_counter() - start)


def _by_script(folder: Path, each: int, took: list[float], started: Any) -> None:
    with opened(folder, default=True) as memory:
        started.wait(120)
        for n in range(each):
            _timed(took, lambda n=n: say(memory, "Ana", f"The script saw heron number {n}."))


def _by_command(folder: Path, each: int, took: list[float], started: Any) -> None:
    command = [sys.executable, "-m", "graphmem.cli", "--memory", str(folder), "add"]
    around = {**os.environ, "GRAPHMEM_LOCK_WAIT": str(WAIT)}
    started.wait(120)
    for n in range(each):
        words = [*command, f"The command line saw heron number {n}.", "--json"]
        run = lambda words=words: subprocess.run(  # noqa: E731, S603
            words, check=True, capture_output=True, env=around
        )
        _timed(took, run)


async def _by_server(folder: Path, each: int, took: list[float], started: Any) -> None:
    from mcp import Client, StdioServerParameters  # noqa: PLC0415 - an extra

    words = ["-m", "graphmem.cli", "--memory", str(folder), "mcp"]
    around = {**os.environ, "GRAPHMEM_LOCK_WAIT": str(WAIT)}
    server = StdioServerParameters(command=sys.executable, args=words, env=around)
    async with Client(server, read_timeout_seconds=WAIT) as client:
        await asyncio.to_thread(started.wait, 120)
        for n in range(each):
            start = time.perf_counter()
            text = f"The MCP server saw heron number {n}."
            answer = await client.call_tool("remember", {"text": text, "speaker": "Ana"})
            if answer.is_error:
                raise RuntimeError(str(answer.content))
            took.append(time.perf_counter() - start)


# --- threads ---------------------------------------------------------------------------------------------


class Oracle:
    """What one speaker has told, and how each of it must stand."""

    def __init__(self, memory: Memory, name: str, seed: int) -> None:
        self._memory = memory
        self._name = name
        self._dice = random.Random(seed)  # noqa: S311
        self._said = 0
        self._things = self._dice.sample(THINGS.split(), len(THINGS.split()))
        self._places = self._dice.sample(PLACES.split(), len(PLACES.split()))
        self.homes: list[tuple[str, str]] = []  # place, state
        self.likes: dict[str, str] = {}  # thing, id of the fact
        self.done: Counter[str] = Counter()

    def step(self) -> None:
        """One verb; raises AssertionError where it gives what it must not."""
        verb = self._dice.choice((self._add, self._add, self._recall, self._move, self._forget))
        verb()
        self.done[verb.__name__.strip("_")] += 1

    def settled(self) -> list[str]:
        """What differs at the end."""
        try:
            facts = self._memory.facts(self._name, states="all")
        except UnknownId:
            facts = ()
        homes = [(one.object, str(one.state)) for one in reversed(facts) if one.slot == "home"]
        likes = {one.object: one.id for one in facts if one.predicate == "likes"}
        found = []
        if homes != self.homes:
            found.append(f"{self._name}: homes {homes}, not {self.homes}")
        if likes != self.likes:
            found.append(f"{self._name}: likes {sorted(likes)}, not {sorted(self.likes)}")
        return found

    def _tell(self, text: str) -> Any:
        self._said += 1
        receipt = say(self._memory, self._name, text, minute=self._said)
        self._must(receipt.stored, f"{text} is not stored")
        return receipt

    def _add(self) -> None:
        if not self._things:
            return
        thing = self._things.pop()
        receipt = self._tell(f"I like {thing}.")
        self._must(len(receipt.facts) == 1, f"{thing}: {receipt.facts}")
        self.likes[thing] = receipt.facts[0].id

    def _recall(self) -> None:
        home = next((place for place, state in self.homes if state == "current"), None)
        if not self.homes and not self.likes:
            return
        found = self._memory.recall(f"Where does {self._name} live?", about=self._name)
        texts = " ".join(one.text for one in found.items)
        self._must(home is None or home in texts, f"{home} is not in {texts!r}")
        gone = [place for place, state in self.homes if state != "current" and place in texts]
        self._must(not gone, f"{gone} are history, and in {texts!r}")

    def _move(self) -> None:
        if not self._places:
            return
        place = self._places.pop()
        receipt = self._tell(f"I live in {place}.")
        if self.homes:
            self._must(len(receipt.conflicts) == 1, f"{place}: {receipt.conflicts}")
            self._memory.resolve(receipt.conflicts[0].id, "mark_older_as_past")
            self._memory.resolve(receipt.conflicts[0].id, "mark_older_as_past")  # harmless
            self.homes[-1] = (self.homes[-1][0], "historical")
        self.homes.append((place, "current"))

    def _forget(self) -> None:
        if self.likes:
            thing = self._dice.choice(sorted(self.likes))
            self._memory.forget(self.likes.pop(thing))

    def _must(self, fits: bool, why: str) -> None:  # noqa: FBT001 - a condition
        if not fits:
            raise AssertionError(f"{self._name}: {why}")


def threads(count: int, each: int) -> Report:
    """One memory, many threads, an oracle each."""
    report, waits = Report(), list[float]()
    with (
        tempfile.TemporaryDirectory(prefix="graphmem-stress-") as place,
        opened(Path(place) / "memory", default=False) as memory,
    ):
        oracles = [Oracle(memory, NAMES[n], n) for n in range(count)]

        def run(oracle: Oracle) -> None:
            for _ in range(each):
                _timed(waits, oracle.step)

        began = time.perf_counter()
        running = [
            threading.Thread(
                target=_caught,
                args=("thread", lambda one=one: run(one), report.wrong, threading.Barrier(1)),
            )
            for one in oracles
        ]
        for one in running:
            one.start()
        for one in running:
            one.join()
        seconds = time.perf_counter() - began
        for oracle in oracles:
            report.wrong += oracle.settled()
        report.wrong += [f"check: {one}" for one in memory.check().findings]
    done = sum((one.done for one in oracles), Counter[str]())
    report.figures = {
        "verbs": dict(done),
        "differences": len(report.wrong),
        "seconds": round(seconds, 1),
        "longest verb (s)": round(max(waits), 2),
    }
    return report


def main() -> int:
    """Run one of them and say what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", choices=["processes", "mixed", "threads", "worker"], nargs="?", default="processes"
    )
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--each", type=int, default=500)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--default", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--name", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.what == "worker":
        work(given.folder, given.name, given.each, default=given.default)
        return 0
    if given.what == "mixed":
        report = mixed(given.each)
    elif given.what == "threads":
        report = threads(given.threads, given.each)
    else:
        report = processes(given.processes, given.each, kill=given.kill, default=given.default)
    if given.json:
        print(json.dumps({**report.figures, "wrong": report.wrong}))
    else:
        for name, value in report.figures.items():
            print(f"{name:<22} {value}")
        print(f"{'wrong':<22} {report.wrong or 'nothing'}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
