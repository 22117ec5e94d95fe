"""What a process holds in its memory does not get into the files of a database (graphmem/store/zeroed.py)."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

MARK = (
    165  # glibc fills what is given back with this byte, and what is handed out with its complement
)
LONG = 16  # bytes of it that do not come together by chance
WRITES = """
import sys
from datetime import UTC, datetime
from graphmem import Memory, Message
from graphmem.testing import TinyEmbedder

noon = datetime(2026, 6, 1, 12, tzinfo=UTC)
with Memory.open(sys.argv[1], embedder=TinyEmbedder(), config={"engine": sys.argv[2]}) as memory:
    for part in range(2):
        for n in range(20):
            memory.add(Message(text=f"My friend {part} {n} lives in Oslo.", speaker="Ana", said_at=noon))
        memory._whole._engine.recycle()
    memory.forget(memory.facts(states="all", kinds=("claim", "note"))[0].id)
"""


def on_glibc() -> bool:
    return sys.platform == "linux" and hasattr(ctypes.CDLL(None), "gnu_get_libc_version")


def written(place: Path, code: str, *arguments: str) -> dict[str, bytes]:
    """The files below `place` once a process that marks its memory has run the code."""
    marked = os.environ | {"MALLOC_PERTURB_": str(MARK)}
    run = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    subprocess.run(run, check=True, timeout=120, env=marked)
    return {one.name: one.read_bytes() for one in place.rglob("*") if one.is_file()}


def foreign(files: dict[str, bytes]) -> list[str]:
    marks = (bytes([MARK]) * LONG, bytes([MARK ^ 0xFF]) * LONG)
    return [name for name, content in files.items() if any(mark in content for mark in marks)]


@pytest.mark.skipif(not on_glibc(), reason="only glibc marks memory")
@pytest.mark.parametrize("engine", ["kuzu", "ladybug"])
def test_no_file_holds_what_the_memory_of_the_process_held(engine: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")
    files = written(tmp_path / "memory", WRITES, str(tmp_path / "memory"), engine)
    assert f"graph.{engine}" in files
    assert foreign(files) == []


@pytest.mark.skipif(not on_glibc(), reason="only glibc marks memory")
def test_the_mark_is_seen_where_the_engine_is_left_to_itself(tmp_path: Path) -> None:
    code = """
        import sys
        import kuzu
        database = kuzu.Database(sys.argv[1], buffer_pool_size=1 << 28, max_db_size=1 << 30)
        database.close()
    """
    files = written(tmp_path, code, str(tmp_path / "bare.kuzu"))
    assert foreign(files) == ["bare.kuzu"]
