"""The same tests on the other engine, in a process of their own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphmem.errors import InvalidSettings
from graphmem.store.home import open_store

HERE = Path(__file__).parent


@pytest.mark.skipif(
    os.environ.get("GRAPHMEM_TEST_ENGINE") == "ladybug"
    or importlib.util.find_spec("ladybug") is None,
    reason="ladybug is not installed, or this is its run",
)
def test_the_contract_holds_on_ladybug():
    files = [
        str(HERE / name)
        for name in (
            "test_contract.py",
            "test_opening.py",
            "test_undo.py",
            "test_readonly.py",
            "test_failure.py",
        )
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        env={**os.environ, "GRAPHMEM_TEST_ENGINE": "ladybug"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


def test_two_engines_do_not_meet_in_one_process(engine, tmp_path):
    open_store(tmp_path / "first", engine=engine).close()
    other = "ladybug" if engine == "kuzu" else "kuzu"
    with pytest.raises(InvalidSettings, match="loaded in this process already"):
        open_store(tmp_path / "second", engine=other)
