"""A stream of messages on its way into the memory: batch by batch, a long one read ahead by another process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Self

from graphmem.model import Message, Receipt
from graphmem.remember.ahead import Ahead, Task
from graphmem.remember.commander import Commander

AHEAD = 2  # batches that are pulled beyond the one to be written; a stream of fewer is read here


@dataclass(slots=True)
class _Batch:
    messages: list[Message]
    asked: tuple[Message, ...] | None = None  # what the other process reads of it


class Stream:
    """`pull` the next messages from their source, then `add` a batch, while `pull` says that there is one.

    `start` starts the process that reads ahead, or gives None. A context manager: at its end that
    process ends. Messages that were pulled and not added are not remembered.
    """

    def __init__(
        self,
        messages: Iterable[Message],
        commander: Commander,
        *,
        batch: int,
        start: Callable[[], Ahead | None],
    ) -> None:
        self._source = iter(messages)
        self._commander = commander
        self._size = batch
        self._start = start
        self._pulled: deque[_Batch] = deque()
        self._ended = False
        self._begun = False
        self._ahead: Ahead | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._give_up()

    def pull(self) -> bool:
        """Take messages from the source, and load what is needed to read them, while the memory is not
        needed yet. False at the end.
        """
        wanted = 1 + AHEAD if self._ahead is not None or not self._begun else 1
        while len(self._pulled) < wanted and not self._ended:
            messages = list(islice(self._source, self._size))
            self._ended = len(messages) < self._size
            if messages:
                self._pulled.append(_Batch(messages))
        if not self._begun:
            self._begun = True
            self._ahead = None if self._ended else self._start()
        if self._pulled and self._ahead is None:
            self._commander.load(self._pulled[0].messages)
        return bool(self._pulled)

    def add(self) -> list[Receipt]:
        """Remember the oldest batch that was pulled; the memory is this process's meanwhile."""
        self._ask()
        batch = self._pulled.popleft()
        if self._ahead is not None and batch.asked is not None:
            answer = self._ahead.answer()
            if answer is not None:
                read = zip(batch.asked, answer.extractions, strict=True)
                self._commander.know_vectors(batch.asked, answer)
                return self._commander.add(batch.messages, read=dict(read))
            self._give_up()
        return self._commander.add(batch.messages)

    def _ask(self) -> None:
        """Hand what was pulled to the other process, as far as it was not."""
        for batch in self._pulled:
            if self._ahead is None or batch.asked is not None:
                continue
            fresh, before = self._commander.unread(batch.messages)
            if self._ahead.ask(Task(tuple(fresh), before)):
                batch.asked = tuple(fresh)
            else:
                self._give_up()

    def _give_up(self) -> None:
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.close()
        for batch in self._pulled:
            batch.asked = None
