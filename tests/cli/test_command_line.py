"""The command line, as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphmem.cli import exit_code
from graphmem.cli.app import app
from graphmem.errors import GraphmemError

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command on a memory of this test; errors come back as `graphmem` prints them."""
    runner = CliRunner()

    def invoke(*words: str, input: str | None = None) -> Result:
        return runner.invoke(app, ["--memory", str(tmp_path / "memory"), *words], input=input)

    return invoke


def failed(result: Result) -> tuple[int, str]:
    """The exit code and the message of a command that raised one of our errors."""
    assert isinstance(result.exception, GraphmemError), result.exception
    return exit_code(result.exception), str(result.exception)


def test_add_then_recall_then_facts(run: Run) -> None:
    added = run("add", "I live in London.", "--speaker", "Ana", "--at", "2023-05-04T09:00+00:00")
    assert added.exit_code == 0
    assert "lives_in" in added.output
    found = json.loads(run("recall", "Where do I live?", "--json").output)
    assert any("London" in item["text"] for item in found["items"])
    facts = json.loads(run("facts", "Ana", "--slot", "home", "--json").output)
    assert [fact["object"] for fact in facts] == ["London"]


def test_a_change_waits_for_the_owner(run: Run) -> None:
    run("add", "I live in London.", "--speaker", "Ana", "--at", "2023-05-04T09:00+00:00")
    run(
        "add", "I moved from London to Paris.", "--speaker", "Ana", "--at", "2025-03-01T09:00+00:00"
    )
    (conflict,) = json.loads(run("conflicts", "--json").output)
    assert conflict["old"]["object"] == "London"
    assert conflict["old"]["state"] == "unsure"
    decided = run("resolve", conflict["id"], "mark_older_as_past")
    assert decided.exit_code == 0
    assert "London" in run("history", "Ana", "home").output
    tree = run("lineage", "Ana", "home").output
    assert "London" in tree
    assert "Paris" in tree


def test_review_walks_through_with_one_key(run: Run) -> None:
    run("add", "I live in London.", "--speaker", "Ana", "--at", "2023-05-04T09:00+00:00")
    run(
        "add", "I moved from London to Paris.", "--speaker", "Ana", "--at", "2025-03-01T09:00+00:00"
    )
    walked = run("review", input="p\n")
    assert walked.exit_code == 0
    assert "1 of 1" in walked.output
    assert run("review").output.strip() == "nothing to review"


def test_extract_stores_nothing_and_says_why(run: Run) -> None:
    shown = run("extract", "If I moved to Oslo, where would I live?", "--speaker", "Ana")
    assert shown.exit_code == 0
    assert json.loads(run("status", "--json").output)["snapshots"] == 0


def test_ingest_is_idempotent(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "chat.jsonl"
    log.write_text(
        "\n".join(
            json.dumps({"role": "user", "name": "Ana", "content": text, "created_at": time})
            for text, time in [
                ("I live in London.", "2023-05-04T09:00:00+00:00"),
                ("I'm allergic to peanuts.", "2023-05-05T09:00:00+00:00"),
            ]
        )
    )
    first = json.loads(run("ingest", str(log), "--json").output)
    assert (first["messages"], first["stored"]) == (2, 2)
    second = json.loads(run("ingest", str(log), "--json").output)
    assert (second["messages"], second["stored"]) == (2, 0)


def test_cypher_reads_and_refuses_writes(run: Run) -> None:
    run("add", "I live in London.", "--speaker", "Ana")
    rows = json.loads(run("cypher", "MATCH (f:Fact) RETURN f.object AS o", "--json").output)
    assert rows == [{"o": "London"}]
    code, said = failed(run("cypher", "MATCH (f:Fact) DETACH DELETE f"))
    assert code == 2
    assert "only reads" in said
    assert json.loads(run("cypher", "MATCH (f:Fact) RETURN f.object AS o", "--json").output) == rows


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.txt", None, "missing.txt"),
        ("picture.jsonl", b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe" * 50, "picture.jsonl"),
        ("odd.dat", b"nothing that looks like a chat", "format"),
    ],
)
def test_unusable_files_are_named(
    run: Run, tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    code, said = failed(run("ingest", str(file)))
    assert code == 2
    assert words in said


def test_broken_json_in_the_middle_loses_nothing_else(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "chat.jsonl"
    good = {
        "role": "user",
        "name": "Ana",
        "content": "I live in London.",
        "created_at": "2023-05-04T09:00:00Z",
    }
    later = {**good, "content": "I have a dog.", "created_at": "2023-05-05T09:00:00Z"}
    log.write_text(json.dumps(good) + '\n{"role": "user", "content": \n' + json.dumps(later) + "\n")
    result = run("ingest", str(log), "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["stored"] == 2
    assert len(told["problems"]) == 1
    assert "2" in told["problems"][0]


@pytest.mark.parametrize("text", ["", "   "])
def test_empty_text_is_refused(run: Run, text: str) -> None:
    code, said = failed(run("add", text))
    assert code == 2
    assert "message.text" in said


def test_a_past_fact_is_made_current_again(run: Run) -> None:
    run("add", "I live in London.", "--speaker", "Ana")
    (fact,) = json.loads(run("facts", "Ana", "--slot", "home", "--json").output)
    assert "marked as past" in run("retire", fact["id"]).output
    assert "current again" in run("restore", fact["id"]).output
    assert json.loads(run("facts", "Ana", "--slot", "home", "--json").output)


def test_an_unknown_id_is_refused(run: Run) -> None:
    code, said = failed(run("update", "f_unknown", "anything"))
    assert code == 7
    assert "f_unknown" in said


def test_a_directory_that_is_no_memory_is_left_alone(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "memory"
    place.mkdir()
    (place / "letter.txt").write_text("dear diary")
    code, said = failed(run("status"))
    assert code == 4
    assert "memory.json" in said
    assert [file.name for file in place.iterdir()] == ["letter.txt"]


def test_help_names_every_verb(run: Run) -> None:
    shown = run("--help").output
    for verb in ("ingest", "recall", "facts", "history", "lineage", "cypher", "review", "status"):
        assert verb in shown
