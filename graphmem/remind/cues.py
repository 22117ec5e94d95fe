"""Reminders that wait for a word: fired when it comes up in a message or a question (R6.3). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphmem.model import Trigger
from graphmem.words import key, language_of


def brought_up(triggers: Iterable[Trigger], text: str) -> tuple[Trigger, ...]:
    """The active reminders of which a keyword stands in `text`, as a word of its own in English."""
    folded = key(text)
    return tuple(
        trigger
        for trigger in triggers
        if trigger.state == "active" and any(_stands(word, folded) for word in trigger.keywords)
    )


def _stands(word: str, folded: str) -> bool:
    wanted = key(word)
    if not wanted:
        return False
    if language_of(wanted) == "zh":
        return wanted in folded
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", folded) is not None
