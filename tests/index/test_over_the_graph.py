"""The index over the real graph, as `Memory` uses it."""

from __future__ import annotations

import pytest
from index_world import NOW, World, fact, said

from graphmem import plan as ops
from graphmem.model import Entity, State, When
from graphmem.plan import Plan
from graphmem.protocols import Filter
from graphmem.store.home import open_store
from graphmem.store.search import open_search
from graphmem.testing import TinyEmbedder

CURRENT = Filter(states=frozenset({State.CURRENT}), now=NOW)


@pytest.fixture
def home(tmp_path):
    world = World(tmp_path / "unused")
    world.index.close()
    world.folder = tmp_path / "memory" / "index"
    world.store = open_store(tmp_path / "memory")
    world.index = open_search(tmp_path / "memory", TinyEmbedder())
    world.index.catch_up(world.store)
    world.apply(
        ops.AddEntity(Entity(id="ana", name="Ana")), ops.AddEntity(Entity(id="place", name="Oslo"))
    )
    yield world
    world.index.close()
    world.store.close()


def lives(id, source, text, **more):
    return fact(id, source, text, object="Oslo", object_id="place", predicate="lives_in", **more)


def test_one_life_of_a_memory(home):
    home.say("s1", "I live in Oslo", lives("f1", "s1", "I live in Oslo"))
    home.say("s2", "我住在卑尔根", lives("f2", "s2", "我住在卑尔根", happens_at=When("2025-03-02")))
    home.set("f1", state=State.HISTORICAL)
    assert home.by_word("oslo", only=CURRENT) == []
    assert home.by_word("卑", only=CURRENT) == ["我住在卑尔根"]
    assert home.index.check(home.store).findings == ()
    home.apply(ops.RemoveFact("f2"), ops.RedactSnapshot("s2", "…"), kind="delete")
    assert "卑尔根".encode() not in home.bytes_on_disk()
    assert home.index.check(home.store).findings == ()
    home.index.rebuild(home.store)
    assert home.by_word("oslo") == ["I live in Oslo"]
    assert home.index.check(home.store).findings == ()


def test_a_failed_transaction_is_taken_back(home):
    home.say("s1", "I live in Oslo", lives("f1", "s1", "I live in Oslo"))

    def fails_halfway():
        with home.store.transaction():
            home.say("s2", "I live in Bergen")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails_halfway()
    home.index.catch_up(home.store)
    assert home.by_word("bergen") == []
    plan = Plan(kind="add", at=NOW, ops=(ops.AddSnapshot(said("s3", "I live in Hamar")),))
    home.index.update([home.store.apply(plan)], home.store)
    assert home.by_word("hamar") == ["I live in Hamar"]
    assert home.index.check(home.store).findings == ()
