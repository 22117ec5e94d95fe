"""The list of what the package stands on, held to pyproject.toml; and the audit's verdict."""

from __future__ import annotations

import re
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import audit  # noqa: E402 - from the folder above

LIST = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def declared(requirements: list[str]) -> dict[str, str]:
    found = {Requirement(one).name: one for one in requirements}
    return {name: one.removeprefix(name) for name, one in found.items() if name != "graphmem"}


def listed(title: str) -> dict[str, list[str]]:
    section = LIST.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in rows if cells[0] != "Package"}


SECTIONS = {
    "Always": declared(PROJECT["project"]["dependencies"]),
    "Extras": declared(
        [one for some in PROJECT["project"]["optional-dependencies"].values() for one in some]
    ),
    "To develop": declared([one for some in PROJECT["dependency-groups"].values() for one in some]),
}


@pytest.mark.parametrize("title", SECTIONS)
def test_the_list_is_that_of_the_project(title: str) -> None:
    rows, wanted = listed(title), SECTIONS[title]
    assert wanted
    assert {name: cells[0].strip("`") for name, cells in rows.items()} == wanted
    for name, (_, version, licence, why) in rows.items():
        assert version in Requirement(f"{name}{wanted[name]}").specifier, name
        assert re.search(r"MIT|BSD|Apache|MPL|PSF", licence), f"{name}: {licence}"
        assert len(why.split()) >= 1, name


def test_somebody_has_looked() -> None:
    day = re.search(r"^Last looked at: (\S+?),", LIST, re.MULTILINE)
    assert day is not None
    assert date.fromisoformat(day[1]) >= date(2026, 12, 1)


ANSWERS: list[dict[str, Any]] = [
    {"name": "one", "version": "1.0", "vulns": []},
    {"name": "two", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]},
    {"name": "three", "skip_reason": "not found"},
]


def test_a_known_weakness_is_told_and_what_is_unknown_is_counted() -> None:
    lines, looked, skipped = audit.verdict(ANSWERS)
    assert lines == ["two 2.0: PYSEC-1, mended in 2.1"]
    assert (looked, skipped) == (2, 1)


@pytest.mark.parametrize(
    ("answers", "status", "told"),
    [
        (ANSWERS, 1, "2 packages looked up in pypi, 1 unknown there, 1 weaknesses"),
        (ANSWERS[:1], 0, "1 packages looked up"),
        (None, 0, "no database of known weaknesses answers"),
    ],
)
def test_the_exit_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: Any,
    status: int,
    told: str,
) -> None:
    """A database that knows none of the packages is none that was reached: that must not look like "no weakness"."""
    monkeypatch.setattr(audit, "audit_tool", lambda _: ["tool"])
    monkeypatch.setattr(audit, "installed", lambda _: ["one==1.0"])
    monkeypatch.setattr(audit, "asked", lambda *_: answers)
    assert audit.main(["python", "folder"]) == status
    assert told in capsys.readouterr().out


def test_an_answer_that_skips_everything_is_no_answer(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(
        '#!/bin/sh\necho \'{"dependencies": [{"name": "one", "skip_reason": "not found"}]}\'\n'
    )
    tool.chmod(0o700)
    assert audit.asked([str(tool)], ["one==1.0"], "pypi") is None
    tool.write_text(
        '#!/bin/sh\necho \'{"dependencies": [{"name": "one", "version": "1", "vulns": []}]}\'\n'
    )
    assert audit.asked([str(tool)], ["one==1.0"], "pypi") == [
        {"name": "one", "version": "1", "vulns": []}
    ]
    tool.write_text("#!/bin/sh\necho broken >&2; exit 1\n")
    assert audit.asked([str(tool)], ["one==1.0"], "pypi") is None
