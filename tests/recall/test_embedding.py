"""The question's embedding is made beside the search by words, and its errors reach whoever asks."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
import pytest

from graphmem.errors import StoreError
from graphmem.recall.embedding import Embedding
from graphmem.recall.question import Question


@dataclass
class Slow:
    """An embedder that waits until it is let go."""

    go: threading.Event = field(default_factory=threading.Event)
    name = "slow"
    dimension = 2

    def questions(self, texts):
        assert self.go.wait(10)
        return np.array([[3.0, 4.0], [0.0, 2.0]][: len(texts)], dtype=np.float32)


def asked(text, *, focus=""):
    return Question(text=text, language="en", terms=(), tense="none", focus=focus)


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
def embedding(slow):
    made = Embedding(slow)
    yield made
    slow.go.set()
    made.close()


def test_the_caller_goes_on_until_it_needs_the_vector(slow, embedding):
    vector = embedding.of(asked("where?"))
    slow.go.set()
    assert vector().tolist() == [3.0, 4.0]
    assert vector().tolist() == [3.0, 4.0]


def test_the_last_line_counts_half_and_the_mixture_has_length_one(slow, embedding):
    slow.go.set()
    vector = embedding.of(asked("a long talk. where?", focus="where?"))()
    assert np.allclose(vector, np.array([3.0, 5.0]) / np.sqrt(34.0))


def test_what_the_embedder_raises_is_raised_to_whoever_waits(slow, embedding):
    def fails(texts):
        raise StoreError("no")

    slow.questions = fails
    vector = embedding.of(asked("where?"))
    with pytest.raises(StoreError):
        vector()


def test_without_an_embedder_there_is_no_vector():
    embedding = Embedding(None)
    assert embedding.of(asked("where?"))() is None
    embedding.close()
