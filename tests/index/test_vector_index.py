"""The FAISS index: exact while small, in lists when large, with the same answers to the same questions."""

from __future__ import annotations

import numpy as np
import pytest

from graphmem.protocols import Vectors
from graphmem.store import vector_index
from graphmem.store.vector_index import VectorIndex, lists_for

DIMENSION = 16
TOTAL = 600


@pytest.fixture
def vectors() -> Vectors:
    """Unit rows around twenty centres, as texts gather around topics."""
    draw = np.random.default_rng(3)
    centres = draw.normal(size=(20, DIMENSION))
    rows = centres[draw.integers(0, 20, TOTAL)] + 0.3 * draw.normal(size=(TOTAL, DIMENSION))
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


@pytest.fixture
def small(vectors: Vectors) -> VectorIndex:
    index = VectorIndex.empty(DIMENSION)
    index.put([10 * n for n in range(TOTAL)], vectors)
    return index


@pytest.fixture
def large(small: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> VectorIndex:
    monkeypatch.setattr(vector_index, "LARGE", 500)
    return small.regrouped()


def test_a_small_index_stays_as_it_is(small: VectorIndex) -> None:
    assert small.regrouped() is small
    assert not small.in_lists


def test_a_large_one_is_kept_in_lists_and_finds_what_comparing_all_finds(
    small: VectorIndex, large: VectorIndex, vectors: Vectors
) -> None:
    assert large.in_lists
    assert large.regrouped() is large
    assert sorted(large.numbers().tolist()) == sorted(small.numbers().tolist())
    shared = [
        len({n for n, _ in small.search(row, 10)} & {n for n, _ in large.search(row, 10)})
        for row in vectors[:50]
    ]
    assert sum(shared) / 500 > 0.9
    assert all(large.search(row, 1)[0][1] > 0.99 for row in vectors[:50])


def test_lists_are_made_anew_when_the_memory_has_grown(
    large: VectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_index, "_REGROUP", 1)
    assert large.regrouped() is not large
    assert len(large.regrouped()) == TOTAL


@pytest.mark.parametrize("which", ["small", "large"])
def test_vectors_come_and_go_by_number(
    which: str, vectors: Vectors, request: pytest.FixtureRequest
) -> None:
    index: VectorIndex = request.getfixturevalue(which)
    index.drop([0, 50, 999_999])
    assert len(index) == TOTAL - 2
    assert not index.of([50]).any()
    assert np.allclose(index.of([60])[0], vectors[6], atol=0.05)
    index.put([50], vectors[5:6])
    again = VectorIndex.read(index.written())
    assert len(again) == TOTAL - 1
    assert again.in_lists == index.in_lists
    assert again.search(vectors[5], 1)[0][0] == 50
    assert np.allclose(again.of([50])[0], vectors[5], atol=0.05)


@pytest.mark.parametrize("which", ["small", "large"])
def test_among_few_each_of_them_is_found(
    which: str, vectors: Vectors, request: pytest.FixtureRequest
) -> None:
    index: VectorIndex = request.getfixturevalue(which)
    few = np.array([0, 1000, 2000, 5990], dtype=np.int64)
    found = index.search(vectors[0], 10, few)
    assert {n for n, _ in found} == set(few.tolist())
    assert found[0][0] == 0


def test_nothing_is_found_in_nothing() -> None:
    empty = VectorIndex.empty(DIMENSION)
    assert empty.search(np.zeros(DIMENSION, dtype=np.float32), 5) == []
    assert empty.numbers().tolist() == []


def test_the_number_of_lists_grows_with_the_square_root() -> None:
    assert [lists_for(n) for n in (20_000, 100_000, 1_000_000)] == [256, 512, 1024]
