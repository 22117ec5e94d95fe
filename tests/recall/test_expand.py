"""The walk in the graph."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.recall.expand import page_rank, walk_from

NODES = st.sampled_from("abcdef")


@given(
    st.lists(st.tuples(NODES, NODES), max_size=20),
    st.lists(NODES, min_size=1, max_size=3, unique=True),
)
def test_shares_are_a_distribution(edges, seeds):
    shares = page_rank(edges, seeds)
    assert sum(shares.values()) == pytest.approx(1.0, abs=1e-6)
    assert all(share >= 0 for share in shares.values())


def test_nearer_is_more():
    shares = page_rank([("a", "b"), ("b", "c"), ("c", "d")], ["a"])
    assert shares["a"] > shares["b"] > shares["c"] > shares["d"]


def test_facts_two_steps_away_are_reached(world):
    world.say("Mei is my wife", predicate="married_to", object="Mei")
    far = world.say("Mei works at Acme", entity="Mei", predicate="works_at", object="Acme")
    walk = walk_from(world.store, [world.entity("Ana").id])
    assert far.id in walk.facts
    assert walk.paths[far.id] == ("Mei", "works_at", "Acme")
    assert max(walk.facts.values()) == 1.0
