"""A few of the kills and faults of tools/kills.py and tools/faults.py: the recorded runs are longer."""

from __future__ import annotations

import json
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


@pytest.mark.slow
def test_damage_ends_in_a_clear_error_or_a_rebuild() -> None:
    found = ran("faults.py", "--every", "13")
    assert found["not allowed"] == []
    assert found["faults"] > 12
    assert set(found["outcomes"]) == {"all there", "refused with a clear error"}
