"""Statements carried out in order on a thread of their own, while the caller goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

Statement = tuple[str, Mapping[str, Any]]


class Behind:
    """A row of statements for `run`, which takes one and raises where it is refused.

    Used by one thread at a time, which must `settle` before it uses by itself what `run` uses. After
    a statement that was refused those behind it are passed over: the engine has given the transaction
    up by then, and would commit each of them for itself.
    """

    def __init__(self, run: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._run = run
        self._worker: ThreadPoolExecutor | None = None
        self._waiting: deque[Future[None]] = deque()
        self._refused = False

    def do(self, statements: Iterable[Statement]) -> None:
        """Carry the statements out behind those that wait."""
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="graphmem-engine")
        self._waiting.append(self._worker.submit(self._carry_out, tuple(statements)))

    def settle(self) -> None:
        """Wait for all of them. Raises, once, what the first that was refused raised."""
        refusal: BaseException | None = None
        while self._waiting:
            refusal = self._waiting[0].exception() or refusal
            self._waiting.popleft()
        self._refused = False
        if refusal is not None:
            raise refusal

    def close(self) -> None:
        """End the thread, behind what waits."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.shutdown()
        self._waiting.clear()
        self._refused = False

    def _carry_out(self, statements: tuple[Statement, ...]) -> None:
        if self._refused:
            return
        self._refused = True
        for text, values in statements:
            self._run(text, values)
        self._refused = False
