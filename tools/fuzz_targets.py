"""What tools/fuzz.py tries: each target breaks an input, hands it over, and looks at what came of it."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from fuzz_inputs import (
    EXTREMES,
    ODD,
    SAMPLES,
    dumped,
    moment,
    mutated_bytes,
    mutated_json,
    mutated_text,
)

from graphmem import Memory, Message
from graphmem.backup.file import writing
from graphmem.chatlogs.registry import READERS, detect, fingerprint, open_log, size
from graphmem.config import load
from graphmem.errors import GraphmemError
from graphmem.importing import bring_in
from graphmem.model import Decision, State, Tier
from graphmem.testing import FixedClock, TinyEmbedder

NOW = datetime(2026, 6, 10, 10, tzinfo=UTC)
LIFE = (
    "I live in London.",
    "I drive a Golf.",
    "My sister Zelda lives in Oslo.",
    "I moved to Paris for good.",
    "我对花生过敏。",
    "我住在上海，明天下午3点开会。",
    "Remind me to call Ben on Friday at 5pm",
    "Remember my locker key sk-test-4242.",
    "I have a meeting with Ben tomorrow at 3 pm.",
    "Move tomorrow's meeting to Friday.",
    "The garage door squeaks a bit when it rains.",
)
QUESTIONS = (
    "Where do I live?",
    "What did I drive before?",
    "What is on this weekend?",
    "我对什么过敏？",
)
CYPHER = (
    "MATCH (f:Fact) RETURN f.text LIMIT 5",
    "MATCH (old:Fact)-[:REPLACED_BY]->(new:Fact) RETURN old.text, new.text",
    "MATCH (e:Entity)-[r:RELATES]->(o:Entity) WHERE r.state = 'current' RETURN e.name, r.predicate, o.name",
    "MATCH p = (a:Entity)-[:RELATES* SHORTEST 1..3]->(b:Entity) RETURN length(p)",
    "MATCH (s:Snapshot) WHERE s.text CONTAINS $word RETURN s.said_at, count(*) ORDER BY s.said_at",
    "UNWIND range(1, 5) AS x RETURN x, x * 2.5, 'a' + 'b', date('2024-01-01')",
    "CREATE (:Entity {id: 'x'})",
    "MATCH (n) DETACH DELETE n",
)
_MOST_ITEMS = 20_000


class Wrong(AssertionError):
    """An outcome that must not be."""


def opened(path: Path, reader: str | None = None) -> Memory:
    """A memory whose models are out of the way."""
    return Memory.open(
        path,
        clock=FixedClock(NOW),
        embedder=TinyEmbedder(),
        reader=reader,
        config={"lock_wait": 5.0},
    )


def lived(path: Path) -> Memory:
    """A memory with a little of everything in it."""
    memory = opened(path)
    for day, text in enumerate(LIFE):
        memory.add(Message(text=text, speaker="Kim", said_at=NOW - timedelta(days=30 - day)))
    return memory


def standing(memory: Memory) -> tuple[Any, ...]:
    """What tells that nothing was written."""
    status = memory.status()
    return tuple(
        status[name] for name in ("last_event", "facts", "snapshots", "entities", "triggers")
    )


def healthy(memory: Memory) -> None:
    """Raises Wrong where graph and indexes do not agree."""
    findings = memory.check().findings
    if findings:
        raise Wrong(f"check: {findings}")


class Target:
    """One door. `run` tries one input, made from the dice alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, dice: random.Random) -> None:
        """Raises a GraphmemError where the input is refused, anything else where something is wrong."""
        raise NotImplementedError

    def close(self) -> None:
        """Give back what it holds."""


class LogReader(Target):
    """A chat-log reader by name; "" tells the format by content."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder)
        self.name = name or None
        files = [one for one in sorted(SAMPLES.rglob("*")) if one.is_file()]
        mine = [one for one in files if name in {"", detect(_log_of(one)).name}]
        self.mine, self.all = (
            [one.read_bytes() for one in some] for some in (mine or files, files)
        )

    def run(self, dice: random.Random) -> None:
        """Read it to its end: messages, problems, or an error of ours."""
        raw = mutated_bytes(dice, dice.choice(self.mine), dice.choice(self.all))
        if dice.random() < 0.1:
            raw = _zipped(dice, raw)
        if dice.random() < 0.1:
            with suppress(ValueError):
                raw = dumped(mutated_json(dice, json.loads(dice.choice(self.mine))))
        path = self.folder / "log"
        path.write_bytes(raw)
        with suppress(GraphmemError):
            size(path, format=self.name)
            fingerprint(path)
        zone = dice.choice(("UTC", "Asia/Shanghai"))
        for read, item in enumerate(open_log(path, format=self.name, timezone=zone)):
            if (item.message is None) == (item.problem is None):
                raise Wrong(f"{item} is neither message nor problem")
            if item.message is not None and not item.message.text.strip():
                raise Wrong("an empty message")
            if read > _MOST_ITEMS:
                raise Wrong(f"{len(raw)} bytes gave more than {_MOST_ITEMS} items")


def _log_of(file: Path) -> Path:
    return (
        file.parents[1]
        if file.parents[1].name == "slack"
        else file.parent
        if file.parent.name == "slack"
        else file
    )


def _zipped(dice: random.Random, raw: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            dice.choice(("chat.txt", "../../x.json", "/etc/x", "a/b.json", "result.json")), raw
        )
    return mutated_bytes(dice, packed.getvalue()) if dice.random() < 0.5 else packed.getvalue()


class OnMemory(Target):
    """A target on one memory, which is made anew after some inputs."""

    EACH = 400

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.memory = lived(folder / "memory")
        self.made = 0
        self.tried = 0

    def run(self, dice: random.Random) -> None:
        """One input; where it is refused the memory must be as it was."""
        self.tried += 1
        if self.tried % self.EACH == 0:
            healthy(self.memory)
            self.memory.close()
            self.made += 1
            shutil.rmtree(self.folder / ("memory" if self.made == 1 else f"memory{self.made - 1}"))
            self.memory = lived(self.folder / f"memory{self.made}")
        before = standing(self.memory)
        try:
            self.act(dice)
        except GraphmemError:
            if standing(self.memory) != before:
                raise Wrong(
                    f"refused, and yet changed: {before} to {standing(self.memory)}"
                ) from None
            raise

    def act(self, dice: random.Random) -> None:
        """The input."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the memory, which must be healthy."""
        healthy(self.memory)
        self.memory.close()


class Add(OnMemory):
    """Messages."""

    def act(self, dice: random.Random) -> None:
        """A message of any kind is kept whole, or refused."""
        text = mutated_text(dice, dice.choice(LIFE), dice.choice(LIFE))
        message = Message(
            text=text,
            speaker=dice.choice(("Kim", "Ana", mutated_text(dice, "Kim"), "\u202eAna")),
            role=dice.choice(("user", "user", "user", "assistant", "system", "tool")),
            said_at=moment(dice),
            source=dice.choice(("", "file#1", mutated_text(dice, "a.txt#1"))),
            conversation=dice.choice(("", "home", mutated_text(dice, "home"))),
            readers=dice.choice(((), (), ("tv",), ("tv", "phone"))),
        )
        if dice.random() < 0.2:
            before = standing(self.memory)
            self.memory.extract(message)
            if standing(self.memory) != before:
                raise Wrong("a preview has changed the memory")
        receipt = self.memory.add(message)
        if receipt.snapshot is None or (receipt.stored and not receipt.event):
            raise Wrong(f"acknowledged without a trace: {receipt}")
        if replace(self.memory.snapshot(receipt.snapshot.id), n=0) != replace(
            receipt.snapshot, n=0
        ):
            raise Wrong("the memory has another statement than the receipt")
        if self.memory.add(message).stored:
            raise Wrong("the same message twice is stored twice")


class Recall(OnMemory):
    """Questions, their limits, and contexts."""

    def act(self, dice: random.Random) -> None:
        """Answers change nothing."""
        before = standing(self.memory)
        try:
            self._ask(dice)
        finally:
            if standing(self.memory) != before:
                raise Wrong("a question has changed the memory")

    def _ask(self, dice: random.Random) -> None:
        question = mutated_text(dice, dice.choice(QUESTIONS), dice.choice(LIFE))
        some: dict[str, Callable[[], Any]] = {
            "at": lambda: moment(dice),
            "as_of": lambda: moment(dice),
            "since": lambda: moment(dice),
            "until": lambda: moment(dice),
            "limit": lambda: dice.choice((0, 1, -1, 3, 10**9, -(2**70))),
            "about": lambda: dice.choice(("Kim", "", "nobody", mutated_text(dice, "Zelda"))),
            "include": lambda: dice.sample([*State, "gone", ""], 2),
            "states": lambda: dice.sample([*State, "gone"], 2),
            "tiers": lambda: dice.sample([*Tier, "x"], 1),
            "predicates": lambda: (mutated_text(dice, "lives_in"),),
            "sources": lambda: (mutated_text(dice, "file"),),
            "speakers": lambda: (mutated_text(dice, "Kim"),),
            "reveal": lambda: True,
        }
        names = dice.sample(sorted(some), dice.choice((0, 1, 2, 5)))
        found = self.memory.recall(question, **{name: some[name]() for name in names})
        found.card()
        found.context(
            max_tokens=dice.choice((1500, 0, 1, -5, 10**12)),
            model_context=dice.choice((8000, 0, 1, -5)),
        )
        for one in found.items:
            if not 0 <= one.score <= 1:
                raise Wrong(f"score {one.score}")


class Cypher(OnMemory):
    """Queries, which are read-only whatever they say."""

    def act(self, dice: random.Random) -> None:
        """No query changes anything."""
        before = standing(self.memory)
        query = dice.choice(CYPHER)
        if dice.random() < 0.8:
            query = mutated_text(dice, query, dice.choice(CYPHER))
        given = {"word": dice.choice(ODD)} if "$word" in query or dice.random() < 0.1 else {}
        try:
            self.memory.cypher(query, **given)
        finally:
            if standing(self.memory) != before:
                raise Wrong(f"a query has changed the memory: {query!r}")


class Verbs(OnMemory):
    """The other verbs, with ids, names and numbers that are there, that are not, or that are odd."""

    EACH = 150

    def act(self, dice: random.Random) -> None:
        """Some verb."""
        memory = self.memory
        facts = [one.id for one in memory.facts(states="all", kinds=("claim", "note"))]
        triggers = [one.id for one in memory.reminders(active_only=False)]
        conflicts = [one.id for one in memory.conflicts(open_only=False)]
        name = dice.choice(
            ("Kim", "Zelda", "", "nobody", "\ud800", mutated_text(dice, "Kim"), *facts[:3])
        )
        fact = dice.choice((*facts, "f_none", "", "\x00", mutated_text(dice, "f_a")))
        trigger = dice.choice((*triggers, "t_none", ""))
        text = mutated_text(dice, dice.choice(LIFE))
        number = dice.choice((0, 1, -1, 2, 10**9, 2**70, -(2**70)))
        verbs: tuple[Callable[[], Any], ...] = (
            lambda: memory.update(fact, text),
            lambda: memory.edit(fact, text),
            lambda: memory.confirm(fact),
            lambda: memory.retire(fact),
            lambda: memory.restore(fact),
            lambda: memory.pin(fact, pinned=dice.random() < 0.5),
            lambda: memory.limit(fact, dice.choice(((), ("tv",), ("",), ("\x00",)))),
            lambda: memory.forget(fact),
            lambda: memory.undo(dice.choice((None, number))),
            lambda: memory.merge_entities(name, dice.choice(("Oslo", "London", "Kim", "x"))),
            lambda: memory.split_entity(name, dice.choice(("Kim", "Oslo", "x", text))),
            lambda: memory.resolve(
                dice.choice((*conflicts, "c_none")), dice.choice((*Decision, "x"))
            ),
            lambda: memory.due(moment(dice), record=dice.random() < 0.5),
            lambda: memory.remind(text, at=dice.choice((None, moment(dice)))),
            lambda: memory.remind(text, rule=mutated_text(dice, "FREQ=DAILY;INTERVAL=2;COUNT=5")),
            lambda: memory.remind(text, keywords=(mutated_text(dice, "plumber"),)),
            lambda: memory.snooze(trigger, moment(dice)),
            lambda: memory.reminder_done(trigger),
            lambda: memory.cancel_reminder(trigger),
            memory.calendar,
            memory.stats,
            memory.status,
            lambda: memory.tend(budget=dice.choice((None, 0.0, 0.01, -1.0))),
            lambda: memory.history(name, dice.choice((None, "home", text)), as_of=moment(dice)),
            lambda: memory.lineage(
                name, dice.choice((None, "home", text)), as_of=moment(dice)
            ).mermaid(),
            lambda: memory.graph(name, depth=number, limit=dice.choice((1, 0, -1, 60))),
            lambda: memory.facts(name, limit=number, before=dice.choice((None, number))),
            lambda: memory.entities(limit=number),
            lambda: memory.remember(text, said_at=dice.choice(EXTREMES)),
        )
        dice.choice(verbs)()


class File(OnMemory):
    """Files that come back into a memory."""

    EACH = 60

    def after(self, memory: Memory, dice: random.Random) -> None:
        """What was taken in is sound: every reading verb works on it."""
        healthy(memory)
        memory.recall(dice.choice(QUESTIONS))
        for one in memory.facts(states="all", kinds=("claim", "note"))[:20]:
            memory.history(one.entity)
            memory.lineage(one.id).mermaid()
        memory.due(NOW + timedelta(days=9), record=False)
        memory.calendar()
        memory.tend()
        for _ in range(3):
            with suppress(GraphmemError):
                memory.undo()
        healthy(memory)


class Restore(File):
    """Backups: broken, or forged so that their end fits."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.memory.backup(folder / "m.gmb")
        self.raw = (folder / "m.gmb").read_bytes()
        self.records = [json.loads(line) for line in gzip.decompress(self.raw).splitlines()][1:-1]

    def act(self, dice: random.Random) -> None:
        """Restored into a new memory: whole and sound, or not at all."""
        file, place = self.folder / "broken.gmb", self.folder / "restored"
        shutil.rmtree(place, ignore_errors=True)
        file.unlink(missing_ok=True)
        match dice.randrange(4):
            case 0:
                file.write_bytes(mutated_bytes(dice, self.raw))
            case 1:
                file.write_bytes(gzip.compress(mutated_bytes(dice, gzip.decompress(self.raw)), 1))
            case _:
                _forged(dice, file, self.records)
        try:
            Memory.restore_backup(file, place, clock=FixedClock(NOW))
        except GraphmemError:
            if place.exists() or list(self.folder.glob(".restored*")):
                raise Wrong("refused, and yet there is a memory") from None
            raise
        with opened(place) as memory:
            self.after(memory, dice)


def _forged(dice: random.Random, file: Path, records: list[dict[str, Any]]) -> None:
    some = _with_one_broken(dice, records)
    with (
        suppress(ValueError, KeyError, TypeError, AttributeError),
        writing(file, written_at=NOW, sealer=None) as writer,
    ):
        for one in some:
            writer.add(one)
    if not file.exists():
        file.write_bytes(b"")


def _with_one_broken(dice: random.Random, records: list[dict[str, Any]]) -> list[Any]:
    some: list[Any] = list(records)
    for _ in range(dice.choice((1, 1, 3))):
        at = dice.randrange(len(some))
        match dice.randrange(6):
            case 0:
                del some[at]
            case 1:
                some.insert(dice.randrange(len(some)), some[at])
            case 2:
                other = dice.choice(some)
                names = sorted(set(some[at]) & set(other) - {"record"})
                name = dice.choice(names) if names else "id"
                some[at] = {**some[at], name: other.get(name)}
            case _:
                kind = some[at].get("record")
                broken = mutated_json(dice, some[at])
                some[at] = {**broken, "record": kind} if isinstance(broken, dict) else some[at]
        if not some:
            return list(records)
    return some


class OwnExport(File):
    """Exports of JSON Lines, merged into a memory that is there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.memory.export(folder / "m.jsonl", reveal=True)
        self.raw = (folder / "m.jsonl").read_bytes()
        self.records = [json.loads(line) for line in self.raw.splitlines()]

    def act(self, dice: random.Random) -> None:
        """Merged: sound, or nothing is written."""
        file = self.folder / "broken.jsonl"
        if dice.random() < 0.3:
            file.write_bytes(mutated_bytes(dice, self.raw))
        else:
            head, *middle, _ = self.records
            some = _with_one_broken(dice, middle)
            counts: dict[str, int] = {}
            for one in some:
                counts[str(one.get("record"))] = counts.get(str(one.get("record")), 0) + 1
            lines = [head, *some, {"record": "end", "counts": counts}]
            file.write_bytes(b"".join(dumped(one) + b"\n" for one in lines))
        self.memory.import_export(file)
        self.after(self.memory, dice)


class OtherExport(File):
    """Exports of other programs."""

    MEM0: ClassVar[Any] = {"results": [{"id": "1", "memory": "Lives in Porto", "user_id": "ana", "created_at": "2024-05-20T10:00:00+01:00"}, {"id": "2", "memory": "The user is vegan", "updated_at": "2024-06-01T10:00:00Z", "is_deleted": True}]}  # fmt: skip
    ZEP: ClassVar[Any] = {"edges": [{"uuid": "a", "fact": "Ana lives in Porto", "valid_at": "2024-01-01T00:00:00Z", "invalid_at": "2025-01-01T00:00:00Z"}], "episodes": [{"uuid": "b", "content": "I live in Porto", "role": "user", "created_at": "2024-01-01T00:00:00Z"}]}  # fmt: skip

    def act(self, dice: random.Random) -> None:
        """Told anew, part by part; what cannot be read is named."""
        program = dice.choice(("mem0", "zep"))
        raw = dumped(mutated_json(dice, self.MEM0 if program == "mem0" else self.ZEP))
        file = self.folder / "other.json"
        file.write_bytes(mutated_bytes(dice, raw) if dice.random() < 0.3 else raw)
        done = bring_in(self.memory, program, file, me="Kim")
        if done.stored > done.statements:
            raise Wrong(f"{done}")


class Tools(OnMemory):
    """The MCP tools: an answer, or an answer that says what was wrong."""

    def act(self, dice: random.Random) -> None:
        """A call."""
        from graphmem.mcp.server import build  # noqa: PLC0415 - loads the SDK

        server = build(self.memory)
        offered = asyncio.run(server.list_tools())
        tool = dice.choice(offered)
        given: dict[str, Any] = {}
        facts = [one.id for one in self.memory.facts(states="all", kinds=("claim", "note"))]
        for name in tool.input_schema["properties"]:
            if dice.random() < 0.7:
                given[name] = dice.choice(
                    (
                        *ODD[:-8],
                        *facts[:3],
                        mutated_text(dice, dice.choice(LIFE)),
                        "user",
                        "2025-01-01",
                        True,
                    )
                )
        answer = asyncio.run(server.call_tool(tool.name, given))
        if not getattr(answer, "is_error", None) and not getattr(
            answer, "structured_content", None
        ):
            raise Wrong(f"{tool.name} gave nothing")
        told = answer.model_dump_json()
        if "Traceback" in told:
            raise Wrong(f"{tool.name} shows its insides")


class Config(Target):
    """Settings files and environments."""

    GOOD = 'engine = "kuzu"\nlock_wait = 2.5\nextractors = ["english"]\nbatch = 64\nowner = "Ana"\ntimezone = "Europe/Lisbon"\nmin_confidence = 0.5\n[lexicon.slots.boat]\npredicates = ["owns_boat"]\n[model]\nurl = "http://127.0.0.1:1"\n'

    def run(self, dice: random.Random) -> None:
        """Read, or refused; what is read opens a memory or is refused by it."""
        (self.folder / "config.toml").write_bytes(mutated_bytes(dice, self.GOOD.encode()))
        name = dice.choice(
            ("LOCK_WAIT", "BATCH", "MIN_CONFIDENCE", "UPKEEP_HOURS", "EXTRACTORS", "REVIEW")
        )
        around = {
            f"GRAPHMEM_{name}": dice.choice(
                ("nan", "-1", "0", "1e400", "x", "", "true", "inf", "9" * 30)
            )
        }
        settings = load(self.folder, environment=around)
        if dice.random() < 0.05:
            place = self.folder / "memory"
            shutil.rmtree(place, ignore_errors=True)
            with Memory.open(
                place, clock=FixedClock(NOW), embedder=TinyEmbedder(), config=settings
            ) as memory:
                memory.add(Message(text="I live in Rome.", speaker="Kim", said_at=NOW))
                memory.recall("Where do I live?")


TARGETS: dict[str, Callable[[Path], Target]] = {
    **{
        f"read-{name or 'any'}": (lambda folder, name=name: LogReader(folder, name))
        for name in ("", *READERS)
    },
    "add": Add,
    "recall": Recall,
    "cypher": Cypher,
    "verbs": Verbs,
    "restore": Restore,
    "import": OwnExport,
    "import-other": OtherExport,
    "mcp": Tools,
    "config": Config,
}
