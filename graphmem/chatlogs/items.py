"""What readers take and give: drafts and problems inside, items with a position outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from graphmem.chatlogs.times import Times
from graphmem.chatlogs.vocabulary import Vocabulary
from graphmem.model import Message, Role

if TYPE_CHECKING:
    from graphmem.chatlogs.source import Head, Source


@dataclass(frozen=True, slots=True)
class Problem:
    """A part that was skipped: where it stands, what was met there, and what was expected.

    `position` is the number of bytes read when it was met.
    """

    place: str
    met: str
    expected: str = ""
    position: int = 0

    def __str__(self) -> str:
        expected = f"; expected {self.expected}" if self.expected else ""
        return f"{self.place}: {self.met}{expected}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message as a reader found it, before the rules common to all formats are applied.

    `speaker` None is the owner, or the assistant where `role` says so. `time` None is filled from
    the message before it, else from `fallback` (the conversation's own time), else from the file's.
    `mark` tells messages of one file apart in `Message.source`, as "FILE#MARK". `place` is where it
    stands, for problems. `position` is the number of bytes read so far.
    """

    text: str
    speaker: str | None = None
    role: Role = "user"
    time: datetime | None = None
    fallback: datetime | None = None
    conversation: str = ""
    mark: str = ""
    place: str = ""
    position: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """One message or one problem of a chat log.

    `number` counts items from 1: pass it as `after=` to go on behind it. `position` is the number of
    bytes read so far, to be held against `size(path)`.
    """

    content: Message | Problem
    number: int
    position: int

    @property
    def message(self) -> Message | None:
        """The message, None for a problem."""
        return self.content if isinstance(self.content, Message) else None

    @property
    def problem(self) -> Problem | None:
        """The problem, None for a message."""
        return self.content if isinstance(self.content, Problem) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller knows about a log: the owner's name, the zone of its times, the words of exports."""

    me: str | None
    times: Times
    words: Vocabulary


@runtime_checkable
class Reader(Protocol):
    """Reads one format. Pure: it opens the source and nothing else."""

    name: str
    looks_for: str

    def sniff(self, head: Head) -> float:
        """How surely the file is of this format, 0 to 1, judged by its beginning. Never raises."""
        ...

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """Messages in the order of the file, and a problem for each part that had to be skipped."""
        ...
