"""What a recall gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.model import Conflict, Recalled, Trigger
from graphmem.recall.card import memory_card
from graphmem.recall.context import written
from graphmem.recall.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer of a recall: `items` best first, `question` as it was read, `at` when it was asked,
    `reminders` whose cue came up in it, `conflicts` still open about what was recalled. `aside` holds
    the places of items that a context leaves out: questions, chatter, what somebody else's words say,
    or an older statement whose newer side is here too.
    """

    items: tuple[Recalled, ...]
    question: Question
    at: datetime
    reminders: tuple[Trigger, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    aside: frozenset[int] = frozenset()

    @property
    def open_conflicts(self) -> int:
        """How many open conflicts concern what was recalled."""
        return len(self.conflicts)

    def context(self, *, max_tokens: int = 1500, model_context: int = 8000) -> str:
        """Text for a model: at most 8 memories, a fifth of `model_context` and `max_tokens` tokens, in
        blocks: current, possibly outdated, historical; at the end how many open conflicts about them wait
        for the owner. The same memory and clock give the same bytes.
        """
        chosen = [item for place, item in enumerate(self.items) if place not in self.aside]
        return written(
            chosen,
            max_tokens=max_tokens,
            model_context=model_context,
            open_conflicts=self.open_conflicts,
        )

    def card(self) -> list[dict[str, Any]]:
        """The items as plain values ordered by time: text, time, state and source snapshot."""
        return memory_card(self.items)
