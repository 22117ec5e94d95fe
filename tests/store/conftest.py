from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.protocols import GraphStore
from graphmem.store.home import open_store

# The two engines cannot be loaded in one process: test_ladybug.py runs this folder again for the other.
ENGINE = os.environ.get("GRAPHMEM_TEST_ENGINE", "kuzu")


@pytest.fixture
def engine() -> str:
    return ENGINE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def store(engine: str, folder: Path) -> Iterator[GraphStore]:
    opened = open_store(folder, engine=engine)
    yield opened
    opened.close()
