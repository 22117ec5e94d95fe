"""Shared by all tests: no network, one thread per library, a memory that is quick to open."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.testing import FixedClock, TinyEmbedder

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


OFFLINE = Path(__file__).parent / "offline"


def _guard() -> Any:
    """tests/offline/sitecustomize.py, as every Python that a test starts loads it by itself."""
    spec = importlib.util.spec_from_file_location("offline_guard", OFFLINE / "sitecustomize.py")
    assert spec is not None
    assert spec.loader is not None
    guard = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(guard)
    return guard


GUARD = _guard()
GUARD.install()


@pytest.fixture(autouse=True)
def no_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Nothing in the suite, nor what it starts, may leave the machine; loopback servers of the tests' own are
    let through. An attempt fails the test even where what made it went on. Gives the file of attempts.
    """
    notes = tmp_path_factory.getbasetemp() / f"offline-{os.getpid()}"
    notes.unlink(missing_ok=True)
    monkeypatch.setenv(GUARD.NOTES, str(notes))
    paths = [str(OFFLINE), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    yield notes
    tried = notes.read_text() if notes.exists() else ""
    assert not tried, f"a test tried to reach another machine: {tried}"


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at noon of 1 June 2025 (UTC) until a test moves it."""
    return FixedClock(NOON)


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """A fresh memory with a tiny embedder."""
    with Memory.open(tmp_path / "memory", clock=clock, embedder=TinyEmbedder()) as opened:
        yield opened
