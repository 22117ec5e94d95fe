"""The process that reads ahead: `python -m graphmem.remember.ahead_process`, started by graphmem.remember.ahead.

It answers tasks from its standard input until that ends. What it reads and what it answers are parcels of
`ahead.send`. It opens no memory and writes no file.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import IO

from graphmem.config import Settings
from graphmem.embed.make import make
from graphmem.lexicon import Lexicon
from graphmem.model import Message
from graphmem.remember.ahead import Answer, Task, received, send
from graphmem.remember.conversations import Thread, keep_last, thread
from graphmem.remember.extraction import Extractors


class ReadingAhead:
    """Reads tasks one after the other, and goes on where the last one ended."""

    def __init__(self, settings: Settings) -> None:
        self._extractors = Extractors(settings.extractors, Lexicon.load(settings.lexicon))
        self._embedder = make(settings.embedder, allow_download=settings.allow_download)
        self._last: dict[Thread, Message] = {}

    def read(self, task: Task) -> Answer:
        """What the task asks for. What was said in an earlier task is newer than what the memory knew."""
        before = {**task.before, **self._last}
        extractions = self._extractors.extract(task.messages, before=before)
        for message in task.messages:
            if message.role == "user":
                keep_last(self._last, thread(message), message)
        vectors = self._embedder.passages([message.text for message in task.messages])
        return Answer(tuple(extractions), self._embedder.name, vectors)


def serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until the tasks end."""
    try:
        reading = ReadingAhead(received(tasks))
        while True:
            send(answers, reading.read(received(tasks)))
    except (EOFError, BrokenPipeError):  # whoever asked has ended or had enough
        return


def main() -> None:
    """Serve over this process's own standard streams; nothing else may print there."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is for the one who asks, who then ends this one
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with answers:
        serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
