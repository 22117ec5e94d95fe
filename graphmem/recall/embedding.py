"""The question's embedding, made on a thread of its own while what does not need it is looked for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from graphmem.protocols import Embedder, Vectors
from graphmem.recall.question import Question

Vector = Callable[[], Vectors | None]
"""Waits for the vector, shape (dimension,); None where the memory has no embedder."""

_FOCUS = 0.5  # weight of a question's last line beside the whole of it


class Embedding:
    """Embeds questions one after the other; `close` ends its thread, which the first question starts."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._worker: ThreadPoolExecutor | None = None

    def of(self, question: Question) -> Vector:
        """Begin; what it gives back waits for the end, and raises what the embedder raised."""
        if self._embedder is None:
            return lambda: None
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="graphmem-question")
        return self._worker.submit(_embedded, self._embedder, question).result

    def close(self) -> None:
        """End the thread. Harmless when there is none; a later question starts another."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.shutdown()


def _embedded(embedder: Embedder, question: Question) -> Vectors:
    if not question.focus:
        return np.asarray(embedder.questions([question.text])[0], dtype=np.float32)
    whole, end = embedder.questions([question.text, question.focus])
    mixed = np.asarray(whole + _FOCUS * end, dtype=np.float32)
    return mixed / max(float(np.linalg.norm(mixed)), 1e-9)
