"""Remembers the vectors of recent texts, so that nothing is embedded twice in a row."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from graphmem.protocols import Embedder, Thresholds, Vectors


class _Recent:
    """The vectors of at most `size` texts. Usable from threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    def among(
        self, texts: Sequence[str], dimension: int, make: Callable[[Sequence[str]], Vectors]
    ) -> Vectors:
        """Shape (len(texts), dimension); only those not seen lately are made, in one call."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            known.update(zip(new, make(new), strict=True))
        with self._lock:
            for text in texts:
                self._vectors[text] = known[text]
                self._vectors.move_to_end(text)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        if not texts:
            return np.zeros((0, dimension), dtype=np.float32)
        return np.stack([known[text] for text in texts])

    def know(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Remember vectors that were made elsewhere; all of them, however many."""
        with self._lock:
            self._vectors.update(zip(texts, vectors, strict=True))


class RecentTexts:
    """An embedder in front of another: what was embedded lately costs nothing. Usable from threads.

    A message is embedded once, although both the search for older facts and the index ask for it.
    `size` is the number of questions, and of passages, that are remembered; `thresholds` are used in
    place of those of the embedder behind.
    """

    def __init__(
        self, embedder: Embedder, *, size: int = 512, thresholds: Thresholds | None = None
    ) -> None:
        self._embedder = embedder
        self._thresholds = thresholds
        self._questions = _Recent(size)
        self._passages = _Recent(size)

    @property
    def name(self) -> str:
        """The name of the embedder behind."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._embedder.dimension

    @property
    def thresholds(self) -> Thresholds:
        """What cosines mean."""
        return self._thresholds or self._embedder.thresholds

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension)."""
        return self._passages.among(texts, self.dimension, self._embedder.passages)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension)."""
        return self._questions.among(texts, self.dimension, self._embedder.questions)

    def know(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Take over the vectors, shape (len(texts), dimension), that this embedder made of these passages in
        another process.
        """
        self._passages.know(texts, vectors)
