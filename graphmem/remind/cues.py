"""Reminders that wait for a word: a keyword, or an entity under any of its names (R6.3). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime

from graphmem.model import Trigger
from graphmem.words import key, language_of

Names = Callable[[str], Iterable[str]]
_LETTER = r"[^\W\u2e80-\U0003ffff]"  # Han characters stand beside a word without blanks


def brought_up(
    triggers: Iterable[Trigger], text: str, *, now: datetime, names: Names = lambda _: ()
) -> tuple[Trigger, ...]:
    """The active reminders of which a keyword stands in `text`, as a word of its own in English, also in
    the plural. `names` gives further names of the entity that a keyword names. What was put off until
    after `now` stays silent.
    """
    folded = key(text)
    return tuple(
        trigger
        for trigger in triggers
        if trigger.state == "active"
        and trigger.keywords
        and not (trigger.snoozed_until is not None and trigger.snoozed_until > now)
        and any(_stands(word, folded) for word in _words(trigger.keywords, names))
    )


def _words(keywords: Iterable[str], names: Names) -> Iterable[str]:
    for word in keywords:
        yield word
        yield from names(word)


def _stands(word: str, folded: str) -> bool:
    wanted = key(word)
    if not wanted:
        return False
    if language_of(wanted) == "zh":
        return wanted in folded
    stem = re.escape(wanted.removesuffix("y"))
    ending = r"(?:y(?:'s)?|ies)" if wanted.endswith("y") else r"(?:e?s|'s)?"
    return re.search(rf"(?<!{_LETTER}){stem}{ending}(?!{_LETTER})", folded) is not None
