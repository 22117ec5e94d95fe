"""The pages beside their Python: commands parse, the tutorial runs, settings hold, references are fresh."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from graphmem.cli.app import app
from graphmem.config import Settings
from graphmem.config_file import examined
from graphmem.errors import UnreadableFile

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
SHELL = {"console", "sh", "bash"}


def blocks(page: Path, languages: set[str]) -> Iterator[tuple[str, str]]:
    """(title, code) of the fenced blocks of a page in these languages."""
    for found in FENCE.finditer(page.read_text("utf-8")):
        if found["language"] in languages:
            yield found["title"] or "", found["code"]


def commands(code: str) -> Iterator[str]:
    """The shell lines of a block, without prompts and output, continued ones joined."""
    prompted = any(line.startswith("$ ") for line in code.splitlines())
    for line in code.replace("\\\n", " ").splitlines():
        if not prompted or line.startswith("$ "):
            yield line.removeprefix("$ ")


def graphmem_words(line: str) -> Iterator[list[str]]:
    """The arguments of each call of graphmem in a shell line."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    call: list[str] | None = None
    skipped = False
    for word in lexer:
        if set(word) <= set("|&;"):
            if call is not None:
                yield call
            call = None
        elif set(word) <= set("<>"):
            skipped = True
        elif skipped:
            skipped = False
        elif call is None and word == "graphmem":
            call = []
        elif call is not None:
            call.append(word)
    if call is not None:
        yield call


LINES = sorted(
    {
        (str(page.relative_to(ROOT)), line)
        for page in PAGES
        for _, code in blocks(page, SHELL)
        for line in commands(code)
        if "graphmem" in line and not line.startswith(("pip ", "git ", "python", "make ", "#"))
    }
)


def silenced(command: Any) -> Any:
    """The same command line, whose commands do nothing."""
    command.callback = lambda **_: None
    for inner in getattr(command, "commands", {}).values():
        silenced(inner)
    return command


@pytest.mark.parametrize(("page", "line"), LINES)
def test_every_command_line_in_the_pages_parses(page: str, line: str) -> None:
    for words in graphmem_words(line):
        silenced(get_command(app)).main(words, prog_name="graphmem", standalone_mode=False)
        assert page


SETTINGS = [
    pytest.param(code, id=f"{page.relative_to(ROOT)}-{place}")
    for page in PAGES
    for place, (_, code) in enumerate(blocks(page, {"toml"}))
]


def looked_at(values: dict[str, Any]) -> Settings | None:
    """The settings; None where a model in a folder of the reader's own is missing."""
    try:
        return examined(values, "the documentation")
    except UnreadableFile as error:
        if "/models/" in error.met:
            return None
        raise


@pytest.mark.parametrize("code", SETTINGS)
def test_every_toml_block_is_a_settings_file(code: str) -> None:
    values = tomllib.loads(code)
    if "tool" in values:  # a pyproject.toml
        return
    settings = looked_at(values)
    assert settings != Settings()
    assert settings is not None or "/models/" in code


def test_every_json_block_is_json() -> None:
    for page in PAGES:
        for _, code in blocks(page, {"json"}):
            lines = code.splitlines() if code.count("\n{") else [code]  # JSON Lines
            assert all(json.loads(line) is not None for line in lines), page


def test_the_tutorial_runs_and_says_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "tutorial.md"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path / "memory"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    for title, code in blocks(page, {"text"}):
        Path(title).write_text(code, "utf-8")
    runner = CliRunner()
    ran = 0
    for _, code in blocks(page, {"console"}):
        for step in code.removeprefix("$ ").split("\n$ "):
            line, *wanted = step.strip().splitlines()
            (words,) = graphmem_words(line)
            source = re.search(r"< (\S+)", line)
            fed = Path(source[1]).read_text("utf-8") if source else None
            result = runner.invoke(app, words, input=fed)
            assert result.exit_code == 0, (line, result.output, result.exception)
            for piece in wanted:
                assert piece in result.output, (line, piece, result.output)
            ran += 1
    assert ran > 15


def test_references_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "reference.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_page_is_in_the_navigation() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import site_nav
    finally:
        sys.path.pop(0)
    sections = site_nav.nav(ROOT / "docs")
    listed = [page for section in sections for pages in section.values() for page in pages]
    there = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:]]
    assert sorted(listed) == sorted(there)
    assert [next(iter(section)) for section in sections[:4]] == list(site_nav.ORDER)
