"""Exports of other memories, in the shapes that their own documentation shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphmem import Memory
from graphmem.cli.app import app
from graphmem.errors import InvalidTime, UnknownFormat, UnreadableFile
from graphmem.importing import bring_in, importer_named
from graphmem.importing.wording import Wording
from graphmem.lexicon import Lexicon

MEM0 = {
    "results": [
        {
            "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
            "memory": "Lives in Lyon",
            "hash": "f1",
            "metadata": {"category": "personal"},
            "created_at": "2024-07-20T01:30:36.275141-07:00",
            "updated_at": None,
            "user_id": "ana-17",
        },
        {
            "id": "second",
            "memory": "The user is vegan",
            "created_at": "2024-07-21T01:30:36-07:00",
            "updated_at": "2024-08-02T10:00:00-07:00",
            "user_id": "ana-17",
        },
        {"id": "third", "memory": " ", "user_id": "ana-17"},
        {"id": "fourth", "memory": "Has a dog named Rex", "user_id": "ana-17"},
    ],
    "relations": [],
}
ZEP = {
    "nodes": [{"uuid": "n1", "name": "Ana"}],
    "edges": [
        {
            "uuid": "new",
            "name": "LIVES_IN",
            "fact": "Ana lives in Lyon.",
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
            "created_at": "2024-05-02T10:00:00Z",
            "valid_at": "2024-05-01T00:00:00Z",
            "invalid_at": None,
            "group_id": "ana",
        },
        {
            "uuid": "old",
            "name": "LIVES_IN",
            "fact": "Ana lives in Porto.",
            "created_at": "2022-01-01T10:00:00Z",
            "valid_at": "2021-06-01T00:00:00Z",
            "invalid_at": "2024-05-01T00:00:00Z",
            "expired_at": "2024-05-02T10:00:00Z",
            "group_id": "ana",
        },
    ],
    "episodes": [
        {
            "uuid": "e1",
            "content": "I am allergic to peanuts.",
            "role": "Ana",
            "role_type": "user",
            "created_at": "2024-05-02T09:59:00Z",
        },
        {
            "uuid": "e2",
            "content": "I live in a data centre.",
            "role_type": "assistant",
            "created_at": "2024-05-02T09:59:30Z",
        },
    ],
}


def written(tmp_path: Path, value: Any, name: str = "export.json") -> Path:
    """The value as a JSON file."""
    file = tmp_path / name
    file.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return file


def test_mem0_memories_become_statements_with_dates_and_sources(
    memory: Memory, tmp_path: Path
) -> None:
    done = bring_in(memory, "mem0", written(tmp_path, MEM0), me="Ana")
    assert (done.statements, done.stored, done.past) == (3, 3, 0)
    assert len(done.problems) == 1
    assert "memory 3" in done.problems[0]
    (home,) = memory.facts("Ana", slot="home")
    assert home.object == "Lyon"
    assert home.said_at.isoformat() == "2024-07-20T01:30:36.275141-07:00"
    (diet,) = memory.facts("Ana", slot="diet")
    assert diet.said_at.month == 8  # when it was last changed
    (dog,) = (fact for fact in memory.facts("Ana") if fact.predicate == "has_pet")
    assert dog.said_at == memory.now()
    (stage,) = memory.lineage(home.id).stages
    assert [one.source for one in stage.evidence] == [f"mem0:{MEM0['results'][0]['id']}"]


def test_the_same_file_again_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    for name, value in (("mem0", {"results": MEM0["results"][:2]}), ("zep", ZEP)):
        file = written(tmp_path, value)
        bring_in(memory, name, file, me="Ana")
        before = memory.status()
        again = bring_in(memory, name, file, me="Ana")
        assert (again.stored, again.facts, again.notes) == (0, 0, 0)
        after = memory.status()
        assert after["last_event"] == before["last_event"]
        assert after["open_conflicts"] == before["open_conflicts"]


@pytest.mark.parametrize(
    "value",
    [
        MEM0["results"][:2],
        {"memories": MEM0["results"][:2]},
        {"count": 2, "next": None, "results": MEM0["results"][:2]},
    ],
)
def test_every_shape_of_mem0_is_known(memory: Memory, tmp_path: Path, value: Any) -> None:
    assert bring_in(memory, "mem0", written(tmp_path, value)).stored == 2


def test_json_lines_are_read(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "memories.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in MEM0["results"][:2]))
    assert bring_in(memory, "mem0", file).stored == 2


def test_several_users_stay_apart(memory: Memory, tmp_path: Path) -> None:
    file = written(
        tmp_path,
        [
            {"id": "1", "memory": "Lives in Lyon", "user_id": "user_17"},
            {"id": "2", "memory": "Lives in Oslo", "user_id": "user_18"},
        ],
    )
    done = bring_in(memory, "mem0", file, me="Ana")
    assert done.conflicts == 0
    assert [fact.object for fact in memory.facts("user_17", slot="home")] == ["Lyon"]
    assert [fact.object for fact in memory.facts("user_18", slot="home")] == ["Oslo"]


def test_zep_facts_that_ended_become_history(memory: Memory, tmp_path: Path) -> None:
    done = bring_in(memory, "zep", written(tmp_path, ZEP), me="Ana")
    assert (done.statements, done.past, done.conflicts) == (4, 1, 0)
    homes = {fact.object: fact for fact in memory.facts("Ana", slot="home", states="all")}
    assert homes["Porto"].state == "historical"
    assert homes["Lyon"].state == "current"
    assert homes["Lyon"].said_at.date().isoformat() == "2024-05-01"
    assert any(fact.predicate == "allergic_to" for fact in memory.facts("Ana"))
    assert all("data centre" not in fact.text for fact in memory.facts(states="all"))


@pytest.mark.parametrize("value", [ZEP["edges"], {"facts": ZEP["edges"]}])
def test_every_shape_of_zep_is_known(memory: Memory, tmp_path: Path, value: Any) -> None:
    assert bring_in(memory, "zep", written(tmp_path, value), me="Ana").past == 1


def test_a_fact_without_a_time_is_told(memory: Memory, tmp_path: Path) -> None:
    file = written(tmp_path, [{"uuid": "x", "fact": "Ana lives in Lyon."}])
    done = bring_in(memory, "zep", file)
    assert done.stored == 1
    assert "today" in done.problems[0]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Lives in Lyon", "I live in Lyon"),
        ("Recently moved to Lyon", "I recently moved to Lyon"),
        ("Doesn't eat meat", "I don't eat meat"),
        ("Studies law", "I study law"),
        ("User's name is Ana", "My name is Ana"),
        ("The user prefers tea", "I prefer tea"),
        ("The user currently teaches maths", "I currently teach maths"),
        ("User juggles", "I juggle"),
        ("Name is Ana", "My name is Ana"),
        ("Dog's name is Rex", "My dog's name is Rex"),
        ("Tom lives in Lyon", "Tom lives in Lyon"),
        ("Users of the app are many", "Users of the app are many"),
        ("Catalonia is lovely", "Catalonia is lovely"),
        ("用户对花生过敏", "我对花生过敏"),
        ("用户的名字是王芳", "我的名字是王芳"),
        ("I live in Lyon", "I live in Lyon"),
        ("", ""),
    ],
)
def test_sentences_get_the_person_they_are_about(text: str, wanted: str) -> None:
    assert Wording.of(Lexicon.load()).first_person(text) == wanted


@pytest.mark.parametrize(
    "value", [{"hello": "world"}, [], [1, 2], {"results": "none"}, {"messages": [{"role": "user"}]}]
)
@pytest.mark.parametrize("name", ["mem0", "zep"])
def test_other_files_are_refused(memory: Memory, tmp_path: Path, value: Any, name: str) -> None:
    with pytest.raises(UnknownFormat, match=name):
        bring_in(memory, name, written(tmp_path, value))
    assert memory.status()["snapshots"] == 0


def test_hostile_entries_are_passed_over(memory: Memory, tmp_path: Path) -> None:
    entries = [
        {"id": "good", "memory": "Lives in Lyon", "created_at": "2024-07-20T01:30:36Z"},
        None,
        7,
        ["x"],
        {"memory": {"a": 1}},
        {"memory": "Likes tea", "created_at": "9999999-99-99", "id": 5, "user_id": ["x"]},
        {"memory": "Likes jazz", "created_at": 1e400},
    ]
    done = bring_in(memory, "mem0", written(tmp_path, entries))
    assert done.stored == 3
    assert len(done.problems) >= 4


def test_unreadable_files(memory: Memory, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"results": [')
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"memory": "x"}\n{"memory": \n')
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    for file in (broken, lines, binary, deep, tmp_path / "missing.json", tmp_path):
        with pytest.raises(UnreadableFile):
            bring_in(memory, "mem0", file)


def test_unknown_names(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="mem0, zep"):
        importer_named("other")
    with pytest.raises(InvalidTime):
        bring_in(memory, "mem0", written(tmp_path, MEM0), timezone="Europe/Atlantis")


def test_the_command(tmp_path: Path) -> None:
    runner = CliRunner()
    home = ["--memory", str(tmp_path / "memory")]
    told = runner.invoke(app, [*home, "import", "zep", "-", "--me", "Ana"], input=json.dumps(ZEP))
    assert told.exit_code == 0, told.output
    assert told.output.startswith("4 statements, 4 new: 3 facts")
    found = runner.invoke(app, [*home, "history", "Ana", "home"]).output
    assert "Current: Ana lives in Lyon." in found
    assert "Previously: Ana lives in Porto." in found
