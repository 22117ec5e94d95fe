"""Reads what is to be remembered in a process of its own, while this one writes what was read before.

To read a message (rules, vectors) and to write it cost about the same, and Python runs one thread at a
time: a long stream is ingested half as fast again with a second process. It is started by
`Ahead.started`, told settings and messages over its standard input, and answers over its standard
output. Whatever goes wrong with it, the caller reads the messages itself: nothing depends on it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Any

from graphmem.config import Settings
from graphmem.model import Message
from graphmem.protocols import Extraction, Vectors
from graphmem.remember.conversations import Thread

_LENGTH = 8  # bytes before each parcel that tell its length
_MODULE = "graphmem.remember.ahead_process"


@dataclass(frozen=True, slots=True)
class Task:
    """Messages to read, with the last message of each thread as far as the caller knows it."""

    messages: tuple[Message, ...]
    before: Mapping[Thread, Message]


@dataclass(frozen=True, slots=True)
class Answer:
    """An extraction for each message, and a vector by the embedder of that name, shape (messages, dimension)."""

    extractions: tuple[Extraction, ...]
    embedder: str
    vectors: Vectors


class Ahead:
    """The other process. Tasks are answered in their order.

    A thread takes the answers from the pipe as they come: it holds less than one answer, and the other
    process would wait for room in it while this one waits to be heard.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._waiting = 0
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()
        self._listener = threading.Thread(target=self._listen, name="graphmem-ahead", daemon=True)
        self._listener.start()

    @classmethod
    def started(cls, settings: Settings) -> Ahead | None:
        """A process for these settings; None where they want none, there is but one core, or it cannot be
        started.
        """
        if not settings.read_ahead or _cores() < 2:
            return None
        places = os.pathsep.join(place for place in sys.path if place)
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module, by this interpreter
                [sys.executable, "-P", "-m", _MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": places},
            )
        except (OSError, ValueError):
            return None
        made = cls(process)
        made._tell(settings)
        return made

    def ask(self, task: Task) -> bool:
        """Send a task; False where the process is gone."""
        if not self._tell(task):
            return False
        self._waiting += 1
        return True

    def answer(self) -> Answer | None:
        """The answer to the oldest task that waits for one; None where the process is gone."""
        if not self._waiting:
            return None
        self._waiting -= 1
        return self._answers.get()

    def close(self) -> None:
        """End the process. Harmless when it has ended."""
        self._process.terminate()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _listen(self) -> None:
        stream = self._process.stdout
        try:
            with suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
                while stream is not None:
                    self._answers.put(received(stream))
        finally:
            self._answers.put(None)  # nobody waits for what will not come

    def _tell(self, what: object) -> bool:
        if self._process.stdin is None:
            return False
        try:
            send(self._process.stdin, what)
        except (OSError, ValueError):  # it has ended, or was closed
            return False
        return True


def send(stream: IO[bytes], what: object) -> None:
    """Write one parcel."""
    body = pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(body).to_bytes(_LENGTH, "big") + body)
    stream.flush()


def received(stream: IO[bytes]) -> Any:
    """The next parcel. Raises EOFError where the other side has ended."""
    length = stream.read(_LENGTH)
    body = stream.read(int.from_bytes(length, "big")) if len(length) == _LENGTH else b""
    if not body:
        raise EOFError
    return pickle.loads(body)  # noqa: S301 - from the process that we started, over our own pipe


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
