"""What recall asks of the wording of a statement; the memory hands it in, since comparing statements is
the business of another part (graphmem.lifecycle.reading).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Reading(Protocol):
    """One statement read: the everyday topics that it speaks of, its numbers, dates and codes by kind, its
    cues of change, which things it names that words tell apart (group and which of it), the sides that it
    takes in everyday opposites and those it leaves, whom each clause is about ("speaker", "pronoun", a relative by one plain word; empty:
    unsaid), and all relatives that it mentions.
    """

    @property
    def topics(self) -> Mapping[str, int]: ...
    @property
    def values(self) -> Mapping[str, frozenset[str]]: ...
    @property
    def marks(self) -> Mapping[str, Any]: ...
    @property
    def kinds(self) -> frozenset[tuple[int, int]]: ...
    @property
    def sides(self) -> frozenset[tuple[int, int]]: ...
    @property
    def other_sides(self) -> frozenset[tuple[int, int]]: ...
    @property
    def people(self) -> tuple[frozenset[str], ...]: ...
    @property
    def relatives(self) -> frozenset[str]: ...


class Wording(Protocol):
    """Reads statements and compares them."""

    def read(self, text: str, language: str) -> Reading: ...

    def shared(self, newer: Any, older: Any) -> frozenset[str]:
        """Content words that both readings hold, but for words of change."""
        ...
