"""Remembers the vectors of recent questions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from graphmem.protocols import Embedder, Thresholds, Vectors


class RecentQuestions:
    """An embedder in front of another: questions asked lately cost nothing. Usable from threads.

    `thresholds` are used in place of those of the embedder behind.
    """

    def __init__(
        self, embedder: Embedder, *, size: int = 256, thresholds: Thresholds | None = None
    ) -> None:
        self._embedder = embedder
        self._thresholds = thresholds
        self._size = size
        self._lock = threading.Lock()
        self._recent: OrderedDict[str, Vectors] = OrderedDict()

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
        """Straight from the embedder behind."""
        return self._embedder.passages(texts)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension); only those not seen lately are computed, in one call."""
        with self._lock:
            known = {text: self._recent[text] for text in texts if text in self._recent}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            known.update(zip(new, self._embedder.questions(new), strict=True))
        with self._lock:
            for text in texts:
                self._recent[text] = known[text]
                self._recent.move_to_end(text)
            while len(self._recent) > self._size:
                self._recent.popitem(last=False)
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([known[text] for text in texts])
