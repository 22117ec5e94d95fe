"""Standard input and output, what the shell completes, JSON errors, and what an empty memory says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphmem.cli.app import app
from graphmem.errors import UnknownId
from graphmem.memory import Memory
from graphmem.testing import TinyEmbedder

Run = Callable[..., Result]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the memory of a test is."""
    return tmp_path / "memory"


@pytest.fixture
def run(place: Path) -> Run:
    """Run a command on a memory of this test."""
    runner = CliRunner()

    def invoke(*words: str, input: str | None = None) -> Result:
        return runner.invoke(app, ["--memory", str(place), *words], input=input)

    return invoke


def completed(place: Path, line: str, word: str = "") -> list[str]:
    """What Bash would offer for the word after `line`."""
    words = ["graphmem", "--memory", str(place), *line.split(), word]
    done = subprocess.run(
        [sys.executable, "-m", "graphmem.cli"],
        env={
            **os.environ,
            "_GRAPHMEM_COMPLETE": "complete_bash",
            "COMP_WORDS": "\n".join(words),
            "COMP_CWORD": str(len(words) - 1),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if line]


def test_a_chat_log_comes_from_standard_input(run: Run) -> None:
    told = run(
        "ingest",
        "-",
        "--me",
        "Ana",
        "--json",
        input="Ana: I live in Porto.\nTom: Nice!\nAna: Yes.\n",
    )
    assert json.loads(told.output)["stored"] == 3
    assert "Porto" in run("facts", "Ana").output


def test_texts_come_from_standard_input(run: Run) -> None:
    assert run("add", "-", "--speaker", "Ana", input="I live in Porto.").exit_code == 0
    found = json.loads(run("recall", "-", "--json", input="Where do I live?").output)
    assert "Porto" in found["items"][0]["text"]


def test_a_calendar_goes_to_standard_output(run: Run) -> None:
    assert run("remind", "export", "-o", "-").output.startswith("BEGIN:VCALENDAR")


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "Where do I live?"),
        ("context", "Where do I live?"),
        ("facts",),
        ("conflicts",),
        ("review",),
        ("status",),
        ("entities", "list"),
        ("remind", "list"),
        ("remind", "due"),
        ("cypher", "MATCH (f:Fact) RETURN f.text"),
    ],
)
def test_an_empty_memory_says_what_to_do_next(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 0
    assert "graphmem ingest FILE" in result.output + result.stderr
    if words != ("status",):
        result = run(*words, "--json")
        json.loads(result.stdout)
        assert "graphmem ingest FILE" in result.stderr


@pytest.mark.parametrize(
    "words", [("facts", "Ana"), ("history", "Ana"), ("lineage", "Ana"), ("fact", "f_x")]
)
def test_a_name_in_an_empty_memory(run: Run, words: tuple[str, ...]) -> None:
    error = run(*words).exception
    assert isinstance(error, UnknownId)
    assert "graphmem ingest FILE" in str(error)


def test_a_fact_is_shown_with_who_said_it(run: Run) -> None:
    run("add", "I live in Porto.", "--speaker", "Ana", "--at", "2024-05-04T09:00+00:00")
    (fact,) = json.loads(run("facts", "Ana", "--slot", "home", "--json").output)
    shown = run("fact", fact["id"]).output
    assert "“I live in Porto.” Ana, 2024-05-04" in shown
    told = json.loads(run("fact", fact["id"], "--json").output)
    assert told["fact"]["id"] == fact["id"]
    assert told["evidence"][0]["speaker"] == "Ana"


def test_completion(place: Path) -> None:
    with Memory.open(place, embedder=TinyEmbedder()) as memory:
        memory.remember("My sister Marta lives in Oslo.", speaker="Ana")
        memory.remember("My password is tulip-42, remember it.", speaker="Ana")
        (fact,) = memory.facts("Marta", slot="home")
        # somebody has the memory open: what the index knows is still completed
        offered = completed(place, "confirm", "f_")
        assert fact.id in offered
        assert not any("tulip" in one for one in offered)
        assert completed(place, "history", "A") == ["Ana"]
        assert completed(place, "history", "Mar") == []
    assert completed(place, "history", "Mar") == ["Marta"]
    with Memory.open(place, embedder=TinyEmbedder()) as memory:
        (conflict,) = memory.remember("My sister Marta moved to Rome.", speaker="Ana").conflicts
        (reminder,) = memory.remind("call Marta", keywords=("Marta",)).reminders
    assert completed(place, "resolve", "c_") == [conflict.id]
    assert completed(place, "remind done", "t_") == [reminder.id]
    assert completed(place, "facts --slot", "ho") == ["home"]
    assert completed(place, "lineage Marta", "ho") == ["home"]
    assert completed(place, "config get", "time") == ["timezone"]
    assert "Europe/Lisbon" in completed(place, "ingest --timezone", "Europe/L")
    assert "whatsapp" in completed(place, "ingest --format", "wh")
    assert completed(place, "--reader tv confirm", "f_") == []


def test_completion_where_there_is_no_memory(place: Path) -> None:
    assert completed(place, "confirm", "f_") == []
    assert completed(place, "history", "A") == []
    assert not place.exists()


def test_errors_are_json_where_the_answer_would_be(place: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "graphmem.cli",
            "--memory",
            str(place),
            "ingest",
            "no.txt",
            "--json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    told = json.loads(done.stderr)
    assert told["error"] == "UnreadableFile"
    assert told["exit_status"] == 2
    assert "no.txt" in told["met"]


def test_no_colour_in_a_pipe_and_colour_where_forced(place: Path) -> None:
    with Memory.open(place, embedder=TinyEmbedder()) as memory:
        memory.remember("I live in Porto.", speaker="Ana")
    line = [sys.executable, "-m", "graphmem.cli", "--memory", str(place), "facts"]
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    plain = subprocess.run(line, env=clean, capture_output=True, text=True, check=True).stdout
    forced = subprocess.run(
        line, env={**clean, "FORCE_COLOR": "1"}, capture_output=True, text=True, check=True
    ).stdout
    assert "\x1b[" not in plain
    assert "\x1b[" in forced
