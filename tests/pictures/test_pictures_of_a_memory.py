"""`lineage`, `graph` and `stats` of a memory: by the library, by the command line, and for readers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphmem import Memory, Message
from graphmem.cli.app import app
from graphmem.errors import GraphmemError, InputError, UnknownId
from graphmem.testing import FixedClock, TinyEmbedder


def said(text: str, when: str = "2023-05-04", **more: object) -> Message:
    """A statement of Ana."""
    moment = datetime.fromisoformat(when).replace(tzinfo=UTC)
    return Message(text=text, speaker="Ana", said_at=moment, **more)  # type: ignore[arg-type]


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A memory with a move, a sister and a secret."""
    memory.add(said("I live in Lisbon."))
    memory.add(said("My sister Marta lives in Oslo."))
    (conflict,) = memory.add(said("I moved from Lisbon to Porto.", "2025-03-01")).conflicts
    memory.resolve(conflict.id, "mark_older_as_past")
    return memory


def test_around_an_entity(told: Memory) -> None:
    near = told.graph("Ana")
    names = {one.name for one in near.entities}
    assert {"Ana", "Marta", "Porto"} <= names
    assert "Oslo" not in names  # two facts far
    assert "Lisbon" not in names  # history
    further = told.graph("Ana", depth=2, states="all")
    assert {"Oslo", "Lisbon"} <= {one.name for one in further.entities}
    edges = {(one.label, one.tone) for one in further.diagram().edges}
    assert ("moved to", "current") in edges
    assert ("lives in", "past") in edges
    assert "moved to → Porto" in near.tree()
    assert json.loads(json.dumps(near.as_json()))["centre"] == near.centre.id


def test_the_limit_is_told(told: Memory) -> None:
    few = told.graph("Ana", depth=2, limit=2)
    assert len(few.entities) == 2
    assert few.left_out >= 1


def test_an_unknown_entity(told: Memory) -> None:
    with pytest.raises(UnknownId):
        told.graph("Nobody")


def test_secrets_are_masked_in_pictures(memory: Memory) -> None:
    memory.add(said("Remember my password: tulip-4242-X."))
    kept = memory.facts(states="all", kinds=("claim", "note"))
    assert kept
    for fact in kept:
        assert fact.sensitive
        picture = memory.lineage(fact.id).diagram().svg()
        assert "tulip" not in picture
    try:
        text = memory.graph("Ana").diagram().svg()
    except UnknownId:
        return
    assert "tulip" not in text


def test_readers_see_only_what_they_may(tmp_path: Path, clock: FixedClock) -> None:
    home = tmp_path / "memory"
    with Memory.open(home, clock=clock, embedder=TinyEmbedder()) as memory:
        memory.add(said("I live in Porto."))
        memory.add(said("I am allergic to peanuts.", readers=("phone",)))
    with Memory.open(home, clock=clock, embedder=TinyEmbedder(), reader="tv") as memory:
        assert {one.name for one in memory.graph("Ana").entities} == {"Ana", "Porto"}
        assert sum(memory.stats().states.values()) == 1
    with Memory.open(home, clock=clock, embedder=TinyEmbedder(), reader="phone") as memory:
        assert "peanuts" in {one.name for one in memory.graph("Ana").entities}
        assert sum(memory.stats().states.values()) == 2


def test_stats_count_by_month_and_state(told: Memory) -> None:
    stats = told.stats()
    assert next(iter(stats.months)) == "2023-05"
    assert list(stats.months)[-1] == "2025-03"
    assert len(stats.months) == 23
    assert stats.states["historical"] == 1  # type: ignore[index]
    assert sum(stats.states.values()) == len(told.facts(states="all", kinds=("claim", "note")))
    assert stats.bars().text().startswith("2023-05")


def test_the_lineage_is_a_chain(told: Memory) -> None:
    diagram = told.lineage("Ana", "home").diagram()
    assert [edge.label for edge in diagram.edges if edge.label] == ["replaced by"]
    assert sum(node.tone == "said" for node in diagram.nodes) == 2


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (("lineage", "Ana", "home", "-o", "x.svg"), b"<svg"),
        (("lineage", "Ana", "home", "-o", "x.html"), b"<!doctype html>"),
        (("lineage", "Ana", "home", "-o", "x.png"), b"\x89PNG"),
        (("lineage", "Ana", "home", "-o", "x.mmd"), b"flowchart"),
        (("lineage", "Ana", "home", "-o", "x.dot"), b"digraph"),
        (("lineage", "Ana", "home", "-o", "x.json"), b"{"),
        (("lineage", "Ana", "home", "-o", "x.txt"), b"I moved"),
        (("graph", "Ana", "-o", "x.svg"), b"<svg"),
        (("graph", "Ana", "-d", "2", "-o", "x.html"), b"<!doctype html>"),
        (("graph", "Ana", "-o", "x.png"), b"\x89PNG"),
        (("graph", "Ana", "--format", "mermaid", "-o", "x"), b"flowchart"),
        (("graph", "Ana", "-o", "x.dot"), b"digraph"),
        (("graph", "Ana", "--json", "-o", "x"), b"{"),
        (("graph", "Ana", "-o", "x.txt"), b"Ana"),
        (("stats", "-o", "x.svg"), b"<svg"),
        (("stats", "-o", "x.png"), b"\x89PNG"),
        (("stats", "--json", "-o", "x"), b"{"),
        (("stats", "-o", "x.txt"), b"2023-05"),
    ],
)
def test_the_commands_write_every_format(
    told: Memory, tmp_path: Path, words: tuple[str, ...], begins: bytes
) -> None:
    told.close()
    *command, name = words
    file = tmp_path / name
    result = CliRunner().invoke(app, ["--memory", str(told.path), *command, str(file)])
    assert result.exit_code == 0, (result.output, result.exception)
    assert file.read_bytes().startswith(begins)
    assert f"written: {file}" in result.stderr
    assert result.stdout == ""


def test_pictures_go_to_standard_output_too(told: Memory) -> None:
    told.close()
    home = ["--memory", str(told.path)]
    runner = CliRunner()
    assert runner.invoke(app, [*home, "graph", "Ana", "--format", "svg"]).stdout.startswith("<svg")
    png = runner.invoke(app, [*home, "stats", "--format", "png"])
    assert png.stdout_bytes.startswith(b"\x89PNG")
    assert "2023-05" in runner.invoke(app, [*home, "stats"]).stdout


def test_an_unknown_ending_and_a_missing_folder_are_told(told: Memory, tmp_path: Path) -> None:
    told.close()
    home = ["--memory", str(told.path)]
    odd = CliRunner().invoke(app, [*home, "graph", "Ana", "-o", "x.bmp"]).exception
    assert isinstance(odd, InputError)
    assert "svg" in str(odd)
    lost = CliRunner().invoke(app, [*home, "graph", "Ana", "-o", str(tmp_path / "no" / "x.svg")])
    assert isinstance(lost.exception, GraphmemError)
