"""Exports: plain JSON Lines that come back, GraphML that other programs read, nothing hidden in either."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from typer.testing import CliRunner

from graphmem import Memory, Message
from graphmem.cli.app import app
from graphmem.errors import (
    BrokenFile,
    ChangeRefused,
    GraphmemError,
    InvalidQuery,
    MemoryUnwritable,
    ReaderRefused,
    UnknownFormat,
    UnreadableFile,
)
from graphmem.store import reading
from graphmem.testing import FixedClock, TinyEmbedder

START = datetime(2026, 6, 10, 10, tzinfo=UTC)
LIFE = (
    "I live in London.",
    "I drive a Golf.",
    "My sister Zelda lives in Oslo.",
    "I moved to Paris for good.",
    "我对花生过敏。",
    "Remind me to call Ben on Friday at 5pm",
    'I like tea & <jam>, "quoted"\x0b and\ttabbed',
    "The garage door squeaks a bit when it rains.",
)
LOCKER = "sk-test-4242"

Opened = Callable[..., Memory]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def at(tmp_path: Path, clock: FixedClock) -> Opened:
    def opened(name: str, reader: str | None = None) -> Memory:
        return Memory.open(tmp_path / name, reader=reader, clock=clock, embedder=TinyEmbedder())

    return opened


def say(memory: Memory, clock: FixedClock, text: str, *readers: str) -> None:
    clock.advance(timedelta(days=1))
    memory.add(Message(text=text, speaker="Kim", said_at=clock.now(), readers=readers))


def told(memory: Memory, clock: FixedClock) -> None:
    for text in LIFE:
        say(memory, clock, text)
    (conflict,) = memory.conflicts()
    memory.resolve(conflict.id, "mark_older_as_past")
    (golf,) = (fact for fact in memory.facts() if "Golf" in fact.text)
    memory.update(golf.id, "I drive a Tesla now.")
    say(memory, clock, "I live in Rome.")  # an open conflict
    memory.merge_entities("Zelda", "Oslo")


def facts_of(memory: Memory) -> set[Any]:
    facts = memory.facts(states="all", kinds=["claim", "note"])
    return {replace(fact, n=0, tier="") for fact in facts}


def seen(memory: Memory) -> dict[str, Any]:
    return {
        "facts": facts_of(memory),
        "entities": {replace(one, aliases=tuple(sorted(one.aliases))) for one in memory.entities()},
        "conflicts": {
            (one.id, one.decision, one.old.id, one.new.id)
            for one in memory.conflicts(open_only=False)
        },
        "reminders": set(memory.reminders(active_only=False)),
        "mentions": memory.cypher(
            "MATCH (s:Snapshot)-[:MENTIONS]->(e:Entity) RETURN s.id, e.id ORDER BY s.id, e.id"
        ),
        "lineage": memory.lineage("Kim", "car").mermaid(),
    }


def records(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def test_everything_comes_back_and_twice_changes_nothing(
    at: Opened, clock: FixedClock, tmp_path: Path
) -> None:
    with at("one") as memory:
        told(memory, clock)
        made = memory.export(tmp_path / "m.jsonl")
        want = seen(memory)
    assert made.counts == {"entity": 11, "snapshot": 10, "fact": 12, "conflict": 2, "trigger": 1}
    assert len(want["facts"]) == 12
    with at("two") as memory:
        done = memory.import_export(tmp_path / "m.jsonl")
        assert (done.added, done.changed, done.kept, done.masked) == (made.counts, {}, {}, 0)
        assert seen(memory) == want
        assert memory.check().findings == ()
        assert "Paris" in memory.recall("Where did I move to?").context()
        again = memory.import_export(tmp_path / "m.jsonl")
        assert (again.added, again.changed, again.kept) == ({}, {}, made.counts)
        assert seen(memory) == want
        memory.export(tmp_path / "again.jsonl")
    assert list(records(tmp_path / "again.jsonl"))[1:] == list(records(tmp_path / "m.jsonl"))[1:]


def test_later_changes_win_on_either_side(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I like tea")
        say(memory, clock, "I own a boat.")
        memory.export(tmp_path / "early.jsonl")
        ids = {fact.object: fact.id for fact in memory.facts()}
        clock.advance(timedelta(days=1))
        memory.retire(ids["tea"])
        memory.export(tmp_path / "late.jsonl")
        clock.advance(timedelta(days=1))
        done = memory.import_export(tmp_path / "early.jsonl")
        assert (done.added, done.changed) == ({}, {})
        assert memory.fact(ids["tea"]).state == "historical"
    with at("two") as memory:
        memory.import_export(tmp_path / "early.jsonl")
        assert memory.fact(ids["tea"]).state == "current"
        assert memory.import_export(tmp_path / "late.jsonl").changed == {"fact": 1}
        assert memory.fact(ids["tea"]).state == "historical"
        clock.advance(timedelta(days=1))
        memory.restore(ids["tea"])
        assert memory.import_export(tmp_path / "late.jsonl").changed == {}
        assert memory.fact(ids["tea"]).state == "current"


def test_a_filled_slot_is_put_before_the_owner(
    at: Opened, clock: FixedClock, tmp_path: Path
) -> None:
    with at("one") as memory:
        say(memory, clock, "I live in London.")
        memory.export(tmp_path / "m.jsonl")
    with at("two") as memory:
        say(memory, clock, "I live in Paris.")
        memory.import_export(tmp_path / "m.jsonl")
        (conflict,) = memory.conflicts()
        assert (conflict.old.object, conflict.new.object) == ("London", "Paris")


def test_secrets_are_masked_unless_revealed(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I like tea")
        say(memory, clock, f"Remember my locker key {LOCKER}.")
        say(memory, clock, "Remember my bank PIN is 8841, and I live in Lisbon.")
        secret_ids = [
            row[0] for row in memory.cypher("MATCH (s:Snapshot) WHERE s.sensitive RETURN s.id").rows
        ]
        secret_ids += [
            one.id
            for one in memory.facts(states="all", kinds=("claim", "note"))
            if "tea" not in one.text
        ]
        secret_ids += [one.id for one in memory.conflicts(open_only=False)]
        for name in ("m.jsonl", "m.graphml"):
            made = memory.export(tmp_path / name)
            text = (tmp_path / name).read_text("utf-8")
            assert made.masked == len(secret_ids)
            assert not [word for word in (LOCKER, "8841", *secret_ids) if word in text]
            memory.export(tmp_path / f"open-{name}", reveal=True)
            text = (tmp_path / f"open-{name}").read_text("utf-8")
            assert LOCKER in text
            assert "8841" in text
        before = facts_of(memory)
        assert memory.import_export(tmp_path / "m.jsonl").changed == {}
        assert facts_of(memory) == before  # a mask overwrites nothing
    with at("two") as memory:
        done = memory.import_export(tmp_path / "m.jsonl")
        assert done.masked == len(secret_ids)
        assert [fact.object for fact in memory.facts()] == ["tea"]
        assert memory.import_export(tmp_path / "open-m.jsonl").masked == 0
        assert LOCKER in memory.recall("What is my locker key?", reveal=True).context()
        assert memory.check().findings == ()


def test_a_reader_exports_what_it_may_see(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I live in London.")
        say(memory, clock, "My therapist is Doctor Xanthos.", "phone")
        say(memory, clock, "Remind me to call Obadiah when I get home.", "phone")
        say(memory, clock, "I like tea")
    for name in ("m.jsonl", "m.graphml"):
        with at("one", "tv") as memory:
            made = memory.export(tmp_path / name)
            assert made.counts["snapshot"] == 2
        text = (tmp_path / name).read_text("utf-8").casefold()
        assert "london" in text
        assert not [word for word in ("xanthos", "obadiah", "phone", "therapist") if word in text]
        with at("one", "phone") as memory:
            memory.export(tmp_path / name)
        assert "xanthos" in (tmp_path / name).read_text("utf-8").casefold()
    with at("one", "tv") as memory, pytest.raises(ReaderRefused):
        memory.import_export(tmp_path / "m.jsonl")


def test_networkx_reads_the_graphml(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        told(memory, clock)
        made = memory.export(tmp_path / "m.graphml")
        facts = {one.id: one for one in memory.facts(states="all", kinds=("claim", "note"))}
        replaced = {(one.id, one.replaced_by) for one in facts.values() if one.replaced_by}
        rows = memory.cypher(
            "MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN a.id, b.id, r.predicate"
        ).rows
    graph = nx.read_graphml(tmp_path / "m.graphml", force_multigraph=True)
    kinds = dict(graph.nodes(data="type"))
    assert {one for one, kind in kinds.items() if kind == "Fact"} == facts.keys()
    assert len(kinds) == sum(made.counts.values()) - made.counts["conflict"]
    for one, fact in facts.items():
        node = graph.nodes[one]
        assert node["text"] == fact.text.replace("\x0b", "\ufffd")
        assert (node["state"], node["importance"], node["confidence"]) == (
            fact.state,
            fact.importance,
            fact.confidence,
        )
    edges = {kind: set() for _, _, kind in graph.edges(data="type")}
    for source, target, kind in graph.edges(data="type"):
        edges[kind].add((source, target))
    assert edges["REPLACED_BY"] == replaced
    assert edges["RELATES"] == {(a, b) for a, b, _ in rows}
    assert edges["STATES"] == {
        (source, one) for one, fact in facts.items() for source in fact.sources
    }
    assert len(edges["MAY_REPLACE"]) == made.counts["conflict"]


def test_what_is_there_and_no_export_is_left_alone(
    at: Opened, clock: FixedClock, tmp_path: Path
) -> None:
    (tmp_path / "letter.jsonl").write_text("dear all")
    with at("one") as memory:
        say(memory, clock, "I like tea")
        with pytest.raises(ChangeRefused):
            memory.export(tmp_path / "letter.jsonl")
        assert (tmp_path / "letter.jsonl").read_text() == "dear all"
        with pytest.raises(MemoryUnwritable):
            memory.export(tmp_path / "no" / "folder.jsonl")
        with pytest.raises(UnreadableFile):
            memory.export(tmp_path)
        with pytest.raises(InvalidQuery, match="jsonl, graphml"):
            memory.export(tmp_path / "m.csv", form="csv")
        for name in ("m.jsonl", "m.graphml"):
            memory.export(tmp_path / name)
            first = (tmp_path / name).read_bytes()
            assert memory.export(tmp_path / name).bytes == len(first)  # an older one is replaced
            assert (tmp_path / name).read_bytes() == first
            assert (tmp_path / name).stat().st_mode & 0o077 == 0


WRONG: tuple[tuple[str, Any], ...] = (
    ("importance", 9),
    ("importance", "3"),
    ("importance", True),
    ("confidence", float("nan")),
    ("confidence", 3),
    ("text", 5),
    ("text", ""),
    ("text", "a\x00b"),
    ("text", "a\ud800b"),
    ("id", ""),
    ("id", "f a|b"),
    ("state", "gone"),
    ("tense", "never"),
    ("said_at", "2026-06-10T10:00:00"),
    ("said_at", "9999-12-31T23:59:59-12:00"),
    ("said_at", None),
    ("valid_from", {"when": "soon", "offset": 0}),
    ("valid_from", {"when": "2024", "offset": 1 << 80}),
    ("valid_from", 5),
    ("sources", "s_1"),
    ("sources", [["s_1"]]),
    ("readers", {"tv": 1}),
    ("readers", [1]),
    ("kind", []),
    ("pinned", "yes"),
    ("surprise", 1),
    ("changed_at", "yesterday"),
    ("changed_at", 3),
)


def test_a_record_with_a_wrong_value_writes_nothing(
    at: Opened, clock: FixedClock, tmp_path: Path
) -> None:
    file = tmp_path / "m.jsonl"
    with at("one") as memory, at("two") as other:
        say(memory, clock, "I live in London.")
        memory.export(file)
        whole = file.read_text("utf-8")
        before = memory.status()["last_event"]
        for name, value in WRONG:
            lines = [json.loads(line) for line in whole.splitlines()]
            next(one for one in lines if one["record"] == "fact")[name] = value
            file.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
            for one in (memory, other):
                with pytest.raises(BrokenFile):
                    one.import_export(file)
        assert memory.status()["last_event"] == before
        assert other.status()["last_event"] == 0


def test_other_and_cut_files_write_nothing(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        told(memory, clock)
        memory.export(tmp_path / "m.jsonl")
    whole = (tmp_path / "m.jsonl").read_bytes()
    broken = tmp_path / "broken.jsonl"
    lines = whole.splitlines(keepends=True)
    with at("two") as memory:
        for expected, raw in (
            (UnknownFormat, b""),
            (UnknownFormat, b"hello\n"),
            (UnknownFormat, whole.replace(b'"version":1', b'"version":2', 1)),
            (UnknownFormat, b"[" * 100_000 + b"\n"),
            (BrokenFile, whole[: len(whole) // 2]),
            (BrokenFile, b"".join(lines[:-1])),
            (BrokenFile, b"".join(lines[:4] + lines[5:])),
            (BrokenFile, whole + lines[-1]),
            (BrokenFile, lines[0] + b"[" * 100_000 + b"\n"),
            (BrokenFile, lines[0] + b'{"record":"event"}\n'),
            (BrokenFile, lines[0] + b'{"record":["fact"]}\n'),
        ):
            broken.write_bytes(raw)
            with pytest.raises(expected) as met:
                memory.import_export(broken)
            assert isinstance(met.value, GraphmemError)
        with pytest.raises(UnreadableFile):
            memory.import_export(tmp_path / "missing.jsonl")
        assert memory.status()["last_event"] == 0
        assert memory.check().findings == ()


def test_an_export_does_not_grow_with_the_memory(
    at: Opened, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written as it is read: never are more than some pages of texts held at once."""
    monkeypatch.setattr(reading, "_PAGE", 20)
    with at("one") as memory:
        texts = [f"The box {n} holds {'papers and letters of old ' * 400}." for n in range(300)]
        list(memory.ingest(Message(text=one, speaker="Kim", said_at=clock.now()) for one in texts))
        size = memory.export(tmp_path / "m.jsonl").bytes
        for name in ("m.jsonl", "m.graphml"):
            tracemalloc.start()
            memory.export(tmp_path / name)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < size / 4, (name, peak, size)


def test_the_command_line(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I live in London.")
        say(memory, clock, f"Remember my locker key {LOCKER}.")
        say(memory, clock, "I like opera", "phone")
    run = CliRunner().invoke
    one, two = (["-m", str(tmp_path / name)] for name in ("one", "two"))
    file = str(tmp_path / "m.jsonl")
    done = run(app, [*one, "export", file])
    assert done.exit_code == 0, done.output
    assert "masked (--reveal shows them)" in done.stdout
    told = json.loads(run(app, [*one, "export", file, "--reveal", "--json"]).stdout)
    assert (told["form"], told["masked"]) == ("jsonl", 0)
    told = json.loads(run(app, [*two, "import", "graphmem", file, "--json"]).stdout)
    assert told["added"]["snapshot"] == 3
    assert "kept" in run(app, [*two, "import", "graphmem", file]).stdout
    piped = run(app, ["--reader", "tv", *one, "export", "-"])
    assert piped.exit_code == 0
    assert "London" in piped.stdout
    assert not [word for word in ("opera", LOCKER) if word in piped.stdout]
    graph = run(app, [*one, "export", "-", "--format", "graphml"]).stdout
    assert graph.startswith("<?xml")
    assert nx.parse_graphml(graph).number_of_nodes() > 3
    back = run(app, [*two, "import", "graphmem", "-"], input=piped.stdout)
    assert back.exit_code == 0, back.output
