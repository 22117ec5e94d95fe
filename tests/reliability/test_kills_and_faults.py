"""A few of the kills and faults of tools/kills.py and tools/faults.py: the recorded runs are longer."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


def ran(*words: str) -> dict[str, Any]:
    """What a tool prints as JSON; it must end well."""
    done = subprocess.run(
        [sys.executable, str(TOOLS / words[0]), *words[1:], "--json"],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_what_was_acknowledged_survives_kills() -> None:
    found = ran("kills.py", "--kills", "8", "--tiny", "--seed", "3")
    assert found["kills"] == 8
    assert found["statements compared"] > 20
    assert sum(found["verbs acknowledged"].values()) > 10
    bad = ("lost", "doubled", "deleted, but there", "interpreter crashes", "refused to open")
    assert {name: found[name] for name in bad} == dict.fromkeys(bad, 0)
    assert found["not mended by repair"] == 0


ALLOWED = {
    "the same answers",
    "the same answers; check found something, and repair mended it",
    "refused with a clear error",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "every", "at_least"),
    [(("files", "strays"), "11", 12), (("calls", "limits", "disk", "read-only"), "17", 12)],
)
def test_no_fault_makes_a_memory_tell_anything_wrong(
    groups: tuple[str, ...], every: str, at_least: int
) -> None:
    if shutil.which("cc") is None:
        pytest.skip("the library that lets calls fail needs a C compiler")
    only = [word for group in groups for word in ("--only", group)]
    found = ran("faults.py", "--every", every, "--bits", "4", "--nth", "2", *only)
    assert found["not allowed"] == []
    assert found["faults"] > at_least
    assert set(found["outcomes"]) <= ALLOWED
    assert len(found["outcomes"]) > 1
