"""Every program in examples/ runs, offline, and says what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(FOLDER.glob("*.py"))
OFFLINE = """
import runpy, socket, sys
connect = socket.socket.connect
def guarded(self, address):
    host = address[0] if isinstance(address, tuple) else address
    if self.family in (socket.AF_INET, socket.AF_INET6) and host not in ("127.0.0.1", "::1"):
        raise AssertionError(f"an example tried to reach {host}")
    return connect(self, address)
socket.socket.connect = guarded
runpy.run_path(sys.argv[1], run_name="__main__")
"""
SAID = {
    "quickstart_agent": ("I'm allergic to peanuts", "Current: ", "Previously: "),
    "family_reminders": ("call the school", "due: call the school", "buy milk", "接孩子", "drill"),
    "async_chatbot": ("['I work at Acme as a nurse.'", "['I play the cello.'", "ben: "),
    "mem0_swap": ("UPDATE I live in London. -> I live in Lisbon.", "left: []"),
    "mcp_session": ("tools: remember, recall", "Volvo", "confirm_deletion"),
    "langgraph_agent": ('knowing ["I\'m allergic to peanuts."', "peanut butter"),
}


def test_each_program_is_promised_something() -> None:
    assert {program.stem for program in PROGRAMS} == set(SAID)
    readme = (FOLDER / "README.md").read_text("utf-8")
    assert all(f"[{program.name}]({program.name})" in readme for program in PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_it_runs(program: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "GRAPHMEM_HOME": str(tmp_path / "home" / "memory")}
    ran = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(program)],
        cwd=tmp_path,
        env={**os.environ, **home},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for words in SAID[program.stem]:
        assert words in ran.stdout, ran.stdout
    assert "Traceback" not in ran.stderr
