from __future__ import annotations

import pytest
from index_world import World


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "index")
    yield world
    world.index.close()
