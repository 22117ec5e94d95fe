"""What a newcomer meets on the command line: settings, a first review, empty answers, an interruption."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphmem.cli import exit_code
from graphmem.cli.app import app
from graphmem.errors import ExtensionMissing, InputError, InvalidSettings
from graphmem.memory import Memory

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


@pytest.fixture
def waiting(run: Run) -> Run:
    """The same with one conflict that waits."""
    run("add", "I live in London.", "--speaker", "Ana", "--at", "2023-05-04T09:00+00:00")
    run("add", "I moved to Paris.", "--speaker", "Ana", "--at", "2025-03-01T09:00+00:00")
    return run


def conflict_of(run: Run) -> str:
    """The id of the only open conflict."""
    (one,) = json.loads(run("conflicts", "--json").output)
    return str(one["id"])


def chat(tmp_path: Path, *texts: str) -> Path:
    """A chat log of Ana, one day a message."""
    log = tmp_path / "chat.jsonl"
    lines = (
        {"role": "user", "name": "Ana", "content": text, "created_at": f"2023-05-{day:02}T09:00Z"}
        for day, text in enumerate(texts, 1)
    )
    log.write_text("\n".join(json.dumps(line) for line in lines))
    return log


def test_a_directory_with_only_a_configuration_becomes_a_memory(run: Run, place: Path) -> None:
    place.mkdir()
    (place / "config.toml").write_text('owner = "Ana"\n')
    assert run("add", "I live in London.").exit_code == 0
    assert "London" in run("facts", "Ana").output
    assert (place / "config.toml").read_text() == 'owner = "Ana"\n'


def test_status_tells_the_engine_that_the_memory_is_on(run: Run, place: Path) -> None:
    run("status")
    (place / "config.toml").write_text('engine = "ladybug"\n')
    assert json.loads(run("status", "--json").output)["engine"] == "kuzu"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('engine = "neo"', ("neo", "kuzu", "ladybug")),
        ('batch = "many"', ("many", "an int")),
        ('timezone = "Europe/Atlantis"', ("Europe/Atlantis", "IANA")),
        ('judge = "yes"', ("yes", "a table")),
        ('[judge]\nkind = "oracle"', ("oracle",)),
        ('embedder = "nope"', ("nope", "use-multilingual")),
        ("[lexicon.weather]\nwords = []", ("weather",)),
    ],
)
def test_wrong_settings_name_their_file(
    run: Run, place: Path, written: str, words: tuple[str, ...]
) -> None:
    place.mkdir()
    file = place / "config.toml"
    file.write_text(written + "\n")
    error = run("status").exception
    assert isinstance(error, (InvalidSettings, ExtensionMissing))
    assert exit_code(error) in (2, 6)
    assert str(error).count(str(file)) == 1
    for word in words:
        assert word in str(error)


def test_an_unknown_key_is_asked_again_and_a_skip_is_said(waiting: Run) -> None:
    walked = waiting("review", input="x\ns\n").output
    assert "the keys are p, k, r, d, s and q" in walked
    assert "skipped" in walked.splitlines()
    assert conflict_of(waiting)


@pytest.mark.parametrize(
    ("key", "kept", "gone"), [("r", "Paris", "London"), ("d", "London", "Paris")]
)
def test_a_deleting_decision_is_confirmed(waiting: Run, key: str, kept: str, gone: str) -> None:
    declined = waiting("review", input=f"{key}\nn\nq\n")
    assert declined.exit_code == 0
    assert "not deleted" in declined.output
    assert conflict_of(waiting)
    assert waiting("review", input=f"{key}\ny\n").exit_code == 0
    left = waiting("facts", "Ana", "--slot", "home", "--all").output
    assert kept in left
    assert gone not in left


@pytest.mark.parametrize("answer", ["y", "r"])
def test_a_pipe_that_never_decides_comes_to_an_end(waiting: Run, answer: str) -> None:
    error = waiting("review", input=f"{answer}\n" * 50).exception
    assert isinstance(error, InputError)
    assert conflict_of(waiting)


def test_a_decision_stands_on_a_line_of_its_own(waiting: Run) -> None:
    assert "mark older as past" in waiting("review", input="p\n").output.splitlines()


@pytest.mark.parametrize("decision", ["k", "keep_both"])
def test_resolve_takes_keys_and_long_names(waiting: Run, decision: str) -> None:
    decided = waiting("resolve", conflict_of(waiting), decision)
    assert decided.exit_code == 0
    assert "keep both" in decided.output


def test_resolve_tells_the_keys_for_an_unknown_one(waiting: Run) -> None:
    refused = waiting("resolve", conflict_of(waiting), "x")
    assert refused.exit_code == 2
    assert "keep_both" in refused.output


def test_an_interrupted_ingest_tells_how_far_it_got(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = chat(tmp_path, "I live in London.", "I have a dog.")
    whole = Memory.ingest

    def stopped(self: Memory, messages: object) -> Iterator[object]:
        yield next(whole(self, messages))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "ingest", stopped)
    result = run("ingest", str(log))
    assert result.exit_code == 130
    assert f"stopped after 1 message of {log}; run the same command again" in result.stderr
    monkeypatch.undo()
    assert json.loads(run("ingest", str(log), "--json").output)["messages"] == 2


def test_one_message_is_told_in_the_singular(run: Run, tmp_path: Path) -> None:
    told = run("ingest", str(chat(tmp_path, "I live in London."))).stdout
    assert told.startswith("1 message, 1 new: 1 fact, 0 notes, 0 reminders, 0 conflicts")


def test_no_reminders(run: Run) -> None:
    run("add", "I live in London.", "--speaker", "Ana")
    assert run("remind", "list").output.strip() == "no active reminders (see --all)"


def test_nothing_known_is_not_an_empty_memory(run: Run) -> None:
    assert "feed it with" in run("facts").output
    run("add", "I live in London.", "--speaker", "Ana")
    told = run("facts", "Ana", "--slot", "car").output
    assert told.startswith("nothing is known of Ana")
    assert "feed it" not in told
    assert "--all --notes" in told
    assert "entities list" in told


def test_history_labels_what_is_unsure(waiting: Run) -> None:
    lines = waiting("history", "Ana", "home").output.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Current", "Unsure"]


def test_help_of_forget_names_what_else_is_for_good(run: Run) -> None:
    shown = " ".join(run("forget", "--help").output.split())
    assert "edit" in shown
    assert "discard newer" in shown
