"""Embedders, rerankers and judges: what may stand on a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graphmem.model import Fact, Relation

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Cosines that mean something for one embedder: same topic, and unrelated at the most."""

    same_topic: float = 0.60
    unrelated: float = 0.30


class Embedder(Protocol):
    """Turns texts into unit vectors; registered under `graphmem.embedders`."""

    @property
    def name(self) -> str:
        """Tells vectors of this embedder from those of others."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """What its cosines mean."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1. Any text is accepted."""
        ...

    def questions(self, texts: Sequence[str]) -> Vectors:
        """The same for questions (some models want another prefix)."""
        ...


class Reranker(Protocol):
    """Scores how well each text answers the question; higher is better."""

    name: str

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score in 0..1 per text."""
        ...


class Judge(Protocol):
    """Tells how a new statement stands to older ones."""

    name: str

    def judge(self, new: Fact, olds: Sequence[Fact]) -> list[Mapping[Relation, float]]:
        """Per older fact, the probability of each relation. Raises ServiceFailed."""
        ...
