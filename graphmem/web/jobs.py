"""Chat logs that are being read in the background, one after another."""

from __future__ import annotations

import secrets
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from graphmem.errors import GraphmemError
from graphmem.feeding import Feed
from graphmem.memory import Memory
from graphmem.secrecy.masking import without_secrets

_KEPT = 20  # jobs that can be looked at
_LONGEST_NAME = 60  # characters, the ending with them


@dataclass(slots=True)
class Job:
    """One upload. `state` is waiting, running, done or failed; `error` says why it failed."""

    name: str
    feed: Feed
    me: str | None
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = "waiting"
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        """How far it is."""
        size = max(1, self.feed.size)
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "error": self.error,
            "percent": 100 if self.state == "done" else min(99, 100 * self.feed.place // size),
            **{
                name: self.feed.counts[name]
                for name in ("messages", "stored", "facts", "conflicts")
            },
            "problems": self.feed.problems[:50],
        }


class Jobs:
    """The uploads of one run of the page; their files are deleted when they were read."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._folder = Path(mkdtemp(prefix="graphmem-"))
        self._turn = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._ended = False

    def place(self, name: str) -> Path:
        """Where an upload may be written: under its own name, which names its conversations, in a folder
        of its own. A path in the name counts for nothing.
        """
        last = name.replace("\\", "/").rpartition("/")[2]
        plain = "".join(one for one in last if one.isprintable()).strip(". ")[-_LONGEST_NAME:]
        folder = self._folder / secrets.token_hex(8)
        folder.mkdir()
        return folder / (plain or "chat")

    def begin(self, name: str, file: Path, *, me: str | None) -> Job:
        """Read an upload in a thread of its own, after those before it."""
        job = Job(name=name, feed=Feed(file), me=me)
        self._jobs[job.id] = job
        while len(self._jobs) > _KEPT:
            del self._jobs[next(iter(self._jobs))]
        threading.Thread(target=self._run, args=(job,), name="graphmem-chats", daemon=True).start()
        return job

    def job(self, id_: str) -> Job | None:
        """A job of this run."""
        return self._jobs.get(id_)

    def all(self) -> list[Job]:
        """The jobs, newest first."""
        return list(reversed(self._jobs.values()))

    def end(self) -> None:
        """Stop after the batch that is being kept; what is kept stays."""
        self._ended = True
        with self._turn:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, job: Job) -> None:
        with self._turn:
            job.state = "running"
            try:
                for _ in job.feed.into(self._memory, me=job.me):
                    if self._ended:
                        return
                job.state = "done"
            except GraphmemError as error:
                job.state, job.error = "failed", without_secrets(str(error))
            finally:
                shutil.rmtree(job.feed.file.parent, ignore_errors=True)
