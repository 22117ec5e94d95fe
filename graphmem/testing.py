"""For tests, ours and yours: a clock that stands still, a tiny embedder, a store in dictionaries, a memory
that is gone afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmem.protocols import Embedder, Thresholds, Vectors
from graphmem.store.in_memory import DictStore
from graphmem.words import clean, meaningful

if TYPE_CHECKING:
    from graphmem.memory import Memory

__all__ = ["DictStore", "FixedClock", "TinyEmbedder", "temporary_memory"]


@contextmanager
def temporary_memory(
    clock: FixedClock,
    *,
    embedder: Embedder | None = None,
    reader: str | None = None,
    config: Mapping[str, Any] | None = None,
) -> Iterator[Memory]:
    """A new memory in a temporary directory, with a tiny embedder unless one is given; it is closed
    and deleted at the end.
    """
    from graphmem.memory import Memory  # noqa: PLC0415

    with (
        TemporaryDirectory(prefix="graphmem-") as folder,
        Memory.open(
            Path(folder) / "memory",
            clock=clock,
            embedder=embedder or TinyEmbedder(),
            reader=reader,
            config=config,
        ) as memory,
    ):
        yield memory


class FixedClock:
    """A clock that stands still until it is told to move on. `moment` must be aware."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The moment it was set to."""
        return self._moment

    def set(self, moment: datetime) -> None:
        """Stand at another moment."""
        self._moment = moment

    def advance(self, by: timedelta) -> None:
        """Move on by a stretch of time."""
        self._moment += by


class TinyEmbedder:
    """A deterministic embedder without a model: texts that share words have near vectors.

    Each content word (`words.meaningful`) has a pseudo-random direction made from its hash; a text is
    the normalised sum of its words' directions.
    """

    thresholds = Thresholds(same_topic=0.85, unrelated=0.30)  # its cosine is an overlap of words

    def __init__(self, dimension: int = 64, name: str = "tiny") -> None:
        self.name = name
        self.dimension = dimension
        self.calls = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit rows, shape (len(texts), dimension)."""
        self.calls += 1
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for at, text in enumerate(texts):
            for word in sorted(meaningful(text)) or [clean(text)]:
                rows[at] += self._direction(word)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return rows

    def questions(self, texts: Sequence[str]) -> Vectors:
        """The same as passages."""
        return self.passages(texts)

    def _direction(self, word: str) -> Vectors:
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
