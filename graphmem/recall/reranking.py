"""A reranker inside a time budget; whatever goes wrong with it, the built-in order stands."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from graphmem.protocols import Reranker

MOST = 50  # candidates that it is shown
_AT_ONCE = 10  # between two looks at the clock
_FIRST = 60.0  # seconds for the first question of a process, which loads the model


@dataclass(frozen=True, slots=True)
class Scores:
    """`values` in 0..1, one per text; or none of them, and in `note` why not."""

    values: tuple[float, ...] = ()
    note: str = ""


class Budgeted:
    """Asks `reranker` and waits at most `budget` seconds (longer for the first answer). Usable from threads.

    A late answer is thrown away, and until the reranker is free again nobody waits for it.
    """

    def __init__(self, reranker: Reranker, *, budget: float) -> None:
        self._reranker = reranker
        self._budget = budget
        self._workers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranker")
        self._lock = threading.Lock()
        self._running: Future[list[float]] | None = None
        self._answered = False

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Never raises: what the reranker raised is told in the note."""
        budget = self._budget if self._answered else max(self._budget, _FIRST)
        with self._lock:
            if self._running is not None and not self._running.done():
                return self._without("is still busy with an earlier question")
            asked = self._running = self._workers.submit(
                self._asked, question, tuple(texts), time.monotonic() + budget
            )
        try:
            error = asked.exception(timeout=budget)
        except TimeoutError:
            return self._without(f"took longer than {budget:g} s")
        if isinstance(error, TimeoutError):
            return self._without(f"took longer than {budget:g} s")
        if error is not None:
            return self._without(f"failed: {error}")
        self._answered = True
        values = tuple(asked.result())
        if len(values) != len(texts) or not all(0.0 <= value <= 1.0 for value in values):
            return self._without("gave something else than a score in 0..1 per text")
        return Scores(values)

    def close(self) -> None:
        """Let the worker go."""
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _asked(self, question: str, texts: tuple[str, ...], until: float) -> list[float]:
        values: list[float] = []
        for start in range(0, len(texts), _AT_ONCE):
            if time.monotonic() > until:
                raise TimeoutError
            values += self._reranker.score(question, texts[start : start + _AT_ONCE])
        return values

    def _without(self, why: str) -> Scores:
        return Scores(note=f"built-in order: {self._reranker.name} {why}")
