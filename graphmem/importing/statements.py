"""What an importer gives: statements with their dates, and problems with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from graphmem.chatlogs.times import Times
from graphmem.importing.wording import Wording
from graphmem.model import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One memory of another program. `past` says that it was over there already: it becomes history."""

    message: Message
    past: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the file that was passed over."""

    place: str
    met: str
    expected: str

    def __str__(self) -> str:
        return f"{self.place}: {self.met}; expected {self.expected}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How to read: `me` is the owner's name, `times` reads dates, `wording` gives sentences a subject.

    `now` stands for the time of an entry that has none.
    """

    me: str
    times: Times
    wording: Wording
    now: Any


class Importer(Protocol):
    """Reads one program's export."""

    @property
    def name(self) -> str: ...

    @property
    def looks_for(self) -> str:
        """What the file must hold, in a few words."""
        ...

    def knows(self, value: Any) -> bool:
        """Whether a parsed file has the shape."""
        ...

    def read(self, value: Any, reading: Reading, where: str) -> Iterator[Statement | Problem]:
        """The statements of a parsed file, in any order."""
        ...


def entries(value: Any, *keys: str) -> list[Any]:
    """The list itself, or the one under the first of `keys` that holds one."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return next((value[key] for key in keys if isinstance(value.get(key), list)), [])
    return []


def text_of(entry: Any, *keys: str) -> str:
    """The first text with something in it under `keys`, empty where there is none."""
    if not isinstance(entry, dict):
        return ""
    found = (entry.get(key) for key in keys)
    return next((text for text in found if isinstance(text, str) and text.strip()), "")
