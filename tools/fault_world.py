"""The memory that tools/faults.py damages, what it must answer, and what a process finds in what is left of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kills import in_child

from graphmem import Memory, Message
from graphmem.model import Kind
from graphmem.store import migrations, schema
from graphmem.store.engine import Engine
from graphmem.testing import FixedClock, TinyEmbedder

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
PEOPLE = (
    ("Nadia", "Oslo"),
    ("Ben", "Graz"),
    ("Carla", "Turin"),
    ("Dmitri", "Ghent"),
    ("Elif", "Porto"),
    ("Farah", "Leeds"),
    ("Goran", "Brno"),
    ("Hana", "Cork"),
    ("Ivo", "Bergen"),
    ("Jelena", "Lisbon"),
)
SAID = (
    *(f"{name} lives in {town}." for name, town in PEOPLE),
    "I live in Lisbon.",
    "I moved to Porto.",
    "My sister Zelda is allergic to nuts.",
    "Carla has a dog named Rex.",
    "Ben works at Alder Labs.",
    "我对花生过敏。",
    "The locker has the number 4711.",
    "When I get off work, buy milk.",
    "I like green tea.",
    "Nadia works at Birch.",
)
QUESTIONS = (
    *(f"Where does {name} live?" for name, _ in PEOPLE),
    "Where do I live?",
    "Where did I live before?",
    "What is Zelda allergic to?",
    "What is the dog called?",
    "Where does Ben work?",
    "我对什么过敏？",
    "What number has the locker?",
    "What do I like?",
)
LONGEST = 60.0  # seconds for one look, then it hangs
SAME, REFUSED = "the same answers", "refused with a clear error"
MENDED = "the same answers; check found something, and repair mended it"
CRASHED, OTHER = "the interpreter crashed or hung", "another exception"
ALLOWED = frozenset({SAME, MENDED, REFUSED})

Told = dict[str, Any]


def opened(place: Path, *, dimension: int = 64) -> Memory:
    """The memory as every process here opens it: a day and an hour later."""
    clock = FixedClock(NOON + timedelta(days=1, hours=1))
    return Memory.open(place, embedder=TinyEmbedder(dimension), clock=clock)


def message(text: str) -> Message:
    """Something that Ana says."""
    return Message(text=text, speaker="Ana", said_at=NOON)


def told(memory: Memory) -> Told:
    """All that the memory says: statements, facts, conflicts, reminders, and its answers to the questions."""
    facts = memory.facts(states="all", kinds=tuple(Kind), limit=1000)
    statements = memory.cypher("MATCH (s:Snapshot) RETURN s.text ORDER BY s.text").rows
    return json.loads(
        json.dumps(
            {
                "statements": [text for (text,) in statements],
                "facts": sorted(
                    [one.entity, one.predicate, one.object, one.text, one.state, len(one.sources)]
                    for one in facts
                ),
                "conflicts": sorted(
                    [one.old.text, one.new.text, one.decision or ""]
                    for one in memory.conflicts(open_only=False)
                ),
                "reminders": sorted([one.text, one.action] for one in memory.reminders()),
                "answers": {
                    question: [[one.text, one.state] for one in memory.recall(question).items]
                    for question in QUESTIONS
                },
            }
        )
    )


def made(folder: Path, *, killed: bool) -> Path:
    """A memory of SAID in which everything is there: closed, or killed with its log unfolded."""

    def act(_: int) -> None:
        memory = Memory.open(folder, embedder=TinyEmbedder(), clock=FixedClock(NOON))
        for text in SAID:
            memory.add(message(text))
        memory.close()
        memory = Memory.open(
            folder, embedder=TinyEmbedder(), clock=FixedClock(NOON + timedelta(days=1))
        )
        memory.tend()
        memory.confirm(memory.facts("Nadia")[0].id)
        if not killed:
            memory.close()

    ended, _ = in_child(act)
    if ended:
        raise SystemExit("no memory can be made here")
    return folder


def oracle(whole: Path) -> Told:
    """What a memory that nothing happened to says."""
    found = look(whole)
    if found.told is None or found.findings:
        raise SystemExit(
            f"the memory is not well before anything was done: {found.outcome}; {found.error}; {found.findings}"
        )
    return found.told


class Look:
    """What a process found: what the memory told, or how the process ended."""

    def __init__(self, ended: int, written: bytes) -> None:
        self.told: Told | None = None
        self.findings: list[str] = []
        self.unmended: list[str] = []
        self.outcome = SAME
        self.error = ""
        line = written.decode().strip().rpartition("\n")[2]
        if ended == 0:
            self.told, self.findings, self.unmended, again = json.loads(line)
            if self.findings:
                self.outcome = MENDED
            if self.unmended or again != self.told:
                self.outcome = "check finds what repair does not mend"
        elif ended == 3:  # one of graphmem's errors, see kills.in_child
            self.outcome, self.error = REFUSED, json.loads(line)["verb"]
        else:
            self.outcome = CRASHED if ended < 0 else OTHER

    def against(self, *wanted: Told) -> str:
        """The outcome, where it must have told one of these."""
        if self.told is None or self.told in wanted:
            return self.outcome
        names = [
            name for name, value in self.told.items() if all(value != one[name] for one in wanted)
        ]
        return f"other {' and '.join(names) or 'combinations'} than it must tell"


def look(place: Path, *, dimension: int = 64) -> Look:
    """Open it in another process, ask everything, check, repair where that finds something, ask again."""

    def act(out: int) -> None:
        os.write(out, b"\n")
        with opened(place, dimension=dimension) as memory:
            first = told(memory)
            findings = list(memory.check().findings)
            unmended = list(memory.repair().findings) if findings else []
            again = told(memory) if findings else first
        os.write(out, json.dumps([first, findings, unmended, again]).encode())

    return Look(*in_child(act, after=LONGEST))


def after(whole: Path, change: Callable[[Path], None], wanted: Told, *, dimension: int = 64) -> str:
    """What is found in a copy of a memory once it has been changed so."""
    copy = whole.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)
    change(copy)
    found = look(copy, dimension=dimension)
    shutil.rmtree(copy)
    return found.against(wanted)


@contextmanager
def a_newer_schema() -> Iterator[None]:
    """This process has a schema one version newer than the memories: opening one brings it up to date."""

    def step(engine: Engine) -> None:
        engine.change("ALTER TABLE Snapshot ADD mood STRING DEFAULT 'calm'")
        engine.change("MATCH (s:Snapshot) SET s.mood = 'kept'")

    version, steps = schema.VERSION, migrations.STEPS
    newer = migrations.Step(version + 1, step)
    schema.VERSION, migrations.STEPS = version + 1, (*steps, newer)  # type: ignore[misc]
    try:
        yield
    finally:
        schema.VERSION, migrations.STEPS = version, steps  # type: ignore[misc]
