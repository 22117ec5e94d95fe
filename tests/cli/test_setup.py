"""`init`, `config` and `doctor`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest
from typer.testing import CliRunner, Result

from graphmem import config_file
from graphmem.cli import exit_code
from graphmem.cli.app import app
from graphmem.doctor import examine
from graphmem.errors import GraphmemError
from graphmem.memory import Memory
from graphmem.testing import TinyEmbedder

Run = Callable[..., Result]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the memory of a test is; the shared configuration is out of the way."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    return tmp_path / "memory"


@pytest.fixture
def run(place: Path) -> Run:
    """Run a command on a memory of this test."""
    runner = CliRunner()

    def invoke(*words: str, input: str | None = None) -> Result:
        return runner.invoke(app, ["--memory", str(place), *words], input=input)

    return invoke


def refused(result: Result) -> tuple[int, str]:
    """The exit status and the message of a command that raised one of our errors."""
    assert isinstance(result.exception, GraphmemError), result.output
    return exit_code(result.exception), str(result.exception)


def test_init_makes_a_memory_and_says_what_to_do_next(run: Run, place: Path) -> None:
    told = run("init", "--owner", "Ana", "--language", "en", "--timezone", "Europe/Lisbon").output
    assert f"made a memory at {place}" in told
    assert "ingest FILE --me Ana" in told
    settings = json.loads(run("config", "list", "--json").output)
    assert settings["owner"] == {"value": "Ana", "from": str(place / "config.toml")}
    assert settings["extractors"]["value"] == ["english"]
    assert settings["timezone"]["value"] == "Europe/Lisbon"
    assert settings["batch"] == {"value": 64, "from": "default"}


def test_init_again_changes_only_what_is_given(run: Run) -> None:
    run("init", "--owner", "Ana", "--timezone", "Asia/Shanghai")
    again = json.loads(run("init", "--owner", "Ana Sousa", "--json").output)
    assert again["made"] is False
    assert again["settings"] == {"owner": "Ana Sousa"}
    assert run("config", "get", "timezone").output.strip() == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("words", "met"),
    [
        (("--timezone", "Europe/Atlantis"), "Europe/Atlantis"),
        (("--language", "fr"), "fr"),
        (("--engine", "neo"), "neo"),
    ],
)
def test_init_refuses_and_makes_nothing(
    run: Run, place: Path, words: tuple[str, str], met: str
) -> None:
    code, said = refused(run("init", *words))
    assert code == 2
    assert met in said
    assert not place.exists()


def test_init_names_a_missing_engine_and_makes_nothing(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config_file, "find_spec", lambda _: None)
    code, said = refused(run("init", "--engine", "ladybug"))
    assert code == 6
    assert "graphmem[ladybug]" in said
    assert not place.exists()


def test_init_leaves_a_foreign_directory_alone(run: Run, place: Path) -> None:
    place.mkdir()
    (place / "letter.txt").write_text("dear diary")
    code, said = refused(run("init", "--owner", "Ana"))
    assert code == 4
    assert "letter.txt" in said
    assert [file.name for file in place.iterdir()] == ["letter.txt"]


def test_set_keeps_comments_and_order(run: Run, place: Path) -> None:
    place.mkdir()
    file = place / "config.toml"
    file.write_text(
        '# mine\nowner = "Ana"  # that is me\n\n[lexicon.slots.gym]\npredicates = ["trains_at"]\n'
    )
    run("config", "set", "timezone", "Europe/Lisbon")
    run("config", "set", "batch", "128")
    text = file.read_text()
    assert text.startswith('# mine\nowner = "Ana"  # that is me\n')
    assert 'timezone = "Europe/Lisbon"' in text
    assert "batch = 128" in text
    assert run("config", "get", "lexicon.slots.gym.predicates").output.strip() == "[trains_at]"
    run("config", "unset", "timezone")
    assert "timezone" not in file.read_text()
    assert "# that is me" in file.read_text()


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [
        ("owner", "42", "42"),
        ("review", "false", False),
        ("lock_wait", "3", 3.0),
        ("extractors", "english,chinese", ["english", "chinese"]),
        ("extractors", '["chinese"]', ["chinese"]),
        ("lexicon.routines.hours.after_work", "17:15", "17:15"),
    ],
)
def test_set_reads_values_as_their_setting_wants_them(
    run: Run, name: str, value: str, stored: object
) -> None:
    assert run("config", "set", name, value).exit_code == 0
    assert json.loads(run("config", "get", name, "--json").output) == stored


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("colour", "red", "not a setting"),
        ("owner.name", "Ana", "not a table"),
        ("batch", "many", "an int"),
        ("embedder", "nope", "use-multilingual"),
        ("extractors", "french", "english"),
        ("judge.kind", "oracle", "oracle"),
        ("lexicon.weather.words", "[]", "weather"),
        ("lexicon.routines.hours.after_work", "noonish", "time of day"),
    ],
)
def test_set_refuses_what_could_not_be_used(
    run: Run, place: Path, name: str, value: str, words: str
) -> None:
    place.mkdir()
    (place / "config.toml").write_text('owner = "Ana"\n')
    code, said = refused(run("config", "set", name, value))
    assert code in (2, 6)
    assert words in said
    assert (place / "config.toml").read_text() == 'owner = "Ana"\n'


def test_unset_of_what_is_not_set_is_told(run: Run) -> None:
    code, said = refused(run("config", "unset", "owner"))
    assert code == 2
    assert "config list" in said


def test_the_environment_is_named_as_origin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_OWNER", "Bo")
    listed = json.loads(run("config", "list", "--json").output)
    assert listed["owner"] == {"value": "Bo", "from": "GRAPHMEM_OWNER"}


def test_path_and_the_shared_file(run: Run, place: Path, tmp_path: Path) -> None:
    assert run("config", "path").output.strip() == str(place / "config.toml")
    shared = tmp_path / "configuration" / "graphmem" / "config.toml"
    run("config", "set", "owner", "Ana", "--shared")
    assert shared.read_text() == 'owner = "Ana"\n'
    assert run("config", "path").output.strip() == str(shared)  # the one in use


def levels(found: object) -> dict[str, str]:
    """The level of each finding by its name."""
    return {one["name"]: one["level"] for one in found}  # type: ignore[attr-defined]


def test_doctor_before_there_is_a_memory(run: Run, place: Path) -> None:
    result = run("doctor", "--json")
    told = json.loads(result.output)
    assert result.exit_code == 0
    assert told["well"] is True
    assert levels(told["findings"])["memory"] == "note"
    assert not place.exists()


def test_doctor_of_a_memory_in_use(run: Run, place: Path) -> None:
    run("init", "--owner", "Ana")
    run("add", "I live in London.")
    shown = run("doctor")
    assert shown.exit_code == 0
    assert "graph and indexes agree" in shown.output
    assert "384 dimensions" in shown.output or "512 dimensions" in shown.output
    with Memory.open(place, embedder=TinyEmbedder()):
        held = json.loads(run("doctor", "--quick", "--json").output)
    assert levels(held["findings"])["lock"] == "note"


def test_doctor_finds_trouble_and_says_so_in_its_status(run: Run, place: Path) -> None:
    place.mkdir()
    (place / "config.toml").write_text('embedder = "nope"\n')
    (place / "memory.json").write_text("{")
    result = run("doctor", "--json")
    assert result.exit_code == 1
    found = levels(json.loads(result.output)["findings"])
    assert found["embedder"] == "trouble"
    assert found["schema"] == "trouble"


def test_doctor_tells_a_sick_index(place: Path) -> None:
    class Sick:
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def check(self) -> object:
            from graphmem.protocols import Health

            return Health(("3 passages are missing",))

        def status(self) -> dict[str, object]:
            return {
                "snapshots": 1,
                "facts": 1,
                "bytes": 9,
                "upkeep_overdue": True,
                "last_upkeep": "",
                "open_conflicts": 2,
                "due_reminders": 0,
            }

    place.mkdir()
    (place / "memory.json").write_text('{"engine": "kuzu", "schema": 1}')
    found = {one.name: one for one in examine(place, opening=lambda *_: Sick())}
    assert found["index"].level == "trouble"
    assert found["index"].next_step == "graphmem check --repair"
    assert found["upkeep"].level == "note"
    assert "graphmem review" in found["waiting"].next_step


def test_init_asks_on_a_terminal(place: Path) -> None:
    leader, follower = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "graphmem.cli", "--memory", str(place), "init"],
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TZ": "Europe/Lisbon"},
    )
    os.write(leader, b"Ana\nen\n\n")
    told, _ = process.communicate(timeout=120)
    os.close(follower)
    os.close(leader)
    assert process.returncode == 0
    assert b"your name" in told
    settings = tomllib.loads((place / "config.toml").read_text("utf-8"))
    assert settings == {"owner": "Ana", "extractors": ["english"], "timezone": "Europe/Lisbon"}
    assert place.stat().st_mode & 0o077 == 0
