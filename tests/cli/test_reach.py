"""Every verb of the facade has a command, every command has examples, `--json` and a place in the help."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from graphmem import Memory, cli
from graphmem.cli import EXIT_CODES, colours, exit_code
from graphmem.cli.app import app
from graphmem.cli.help import EXIT_STATUS
from graphmem.errors import GraphmemError, MemoryLocked, UnknownId

FOLDER = Path(cli.__file__).parent
# Verbs that are no commands of their own: the two ends of every command, `add` with less to say, and what `eval` asks through.
ENDS = {"open", "close", "remember", "trial"}
# Commands that serve until they are stopped, and print nothing of their own.
SERVERS = {"mcp", "web"}


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its path, groups left out."""
    for name, command in (group or get_command(app)).commands.items():
        here = (*path, name)
        if hasattr(command, "commands"):
            yield from commands(command, here)
        else:
            yield " ".join(here), command


COMMANDS = dict(commands())


def verbs() -> list[str]:
    """The public methods of the facade."""
    return [
        name
        for name, value in inspect.getmembers(Memory)
        if not name.startswith("_") and callable(value)
    ]


def called_in_the_command_line() -> set[str]:
    """Names of methods called on a memory, or on its class, anywhere in graphmem/cli, or in what it shares
    with the memory page.
    """
    return {
        node.attr
        for file in (*FOLDER.glob("*.py"), FOLDER.parent / "feeding.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in {"memory", "Memory"}
    }


@pytest.mark.parametrize("verb", sorted(set(verbs()) - ENDS))
def test_every_verb_of_the_facade_is_reached(verb: str) -> None:
    assert verb in called_in_the_command_line(), (
        f"Memory.{verb} has no command: add one in graphmem/cli, or an option that calls it"
    )


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_every_command_has_help_examples_and_json(path: str) -> None:
    command = COMMANDS[path]
    told = f"{command.help or ''}\n{command.epilog or ''}"
    assert command.help, "a command without a docstring"
    assert f"graphmem {path}" in told or any(
        word.startswith(path) for word in told.split("graphmem ")
    ), f"`{path} --help` shows no example"
    options = {option for parameter in command.params for option in parameter.opts}
    if path.split(maxsplit=1)[0] not in SERVERS:
        assert "--json" in options
    for parameter in command.params:
        assert getattr(parameter, "help", None), f"{path}: {parameter.name} is not explained"


def test_no_two_commands_have_one_name() -> None:
    names = [
        one.name or getattr(one.callback, "__name__", "") for one in app.registered_commands
    ] + [str(one.name) for one in app.registered_groups]
    assert len(set(names)) == len(names)


def test_every_top_level_command_stands_under_a_heading() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        assert isinstance(command.rich_help_panel, str), f"{name} stands under no heading"


def test_help_is_there_at_once_and_loads_nothing_heavy() -> None:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "graphmem.cli", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    took = time.perf_counter() - started
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {"kuzu", "faiss", "numpy", "spacy", "networkx", "scipy", "rich", "graphmem.memory"}
    assert not loaded & heavy
    assert "Usage: graphmem" in done.stdout
    assert took < 5  # .15 s on an idle machine; this one may be busy


def test_exit_statuses_are_distinct_and_told() -> None:
    codes = list(EXIT_CODES.values())
    assert len(set(codes)) == len(codes)
    for code in (*codes, 0, 1, 130):
        assert f" {code} " in EXIT_STATUS
    assert exit_code(UnknownId("x")) == 7
    assert exit_code(MemoryLocked("x")) == 5
    assert exit_code(GraphmemError("x")) == 1


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, None),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_follow_the_environment(environment: dict[str, str], wanted: bool | None) -> None:
    assert colours(environment) is wanted
