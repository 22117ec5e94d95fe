"""Two-part wishes and orders to be reminded: a cue and what to do then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from graphmem.lexicon import Lexicon
from graphmem.protocols import ReminderCandidate, TimeGrammar, TimeSpan
from graphmem_extractors.reminders_base import Frame
from graphmem_extractors.reminders_chinese import ChineseReminders
from graphmem_extractors.reminders_english import EnglishReminders

_LONGEST = 20_000  # characters; nobody buries an order behind more
_HINT_EN = re.compile(
    r"\bme\b|\bmy\b|alarm|reminder|tomorrow|tonight|remind|forget|remember|\bwhen|\bonce\b|next time|as soon as|\bif i\b|\bafter\b|\bbefore\b|"
    r"\bat (?:lunch|home|work|bed)|on (?:my|the) way|\bevery\b|\beach\b|the mo(?:ment)|note to self|to-?do",
    re.IGNORECASE,
)
_HINT_ZH = re.compile(
    r"提醒|[叫喊催戳敲]|记得|记着|忘|路过|经过|[到回下上]|[见碰遇看]|闹钟|前|后|时|逛|放学|每"
)


def find_reminders(
    text: str,
    *,
    said_at: datetime,
    language: str,
    times: TimeGrammar,
    spans: Sequence[TimeSpan] | None = None,
    lexicon: Lexicon | None = None,
) -> tuple[ReminderCandidate, ...]:
    """The reminders that a message asks for, left to right.

    `cue` and `action` are as said. `at` (instant or date), `rule` (RRULE) and `routine` tell when;
    `keywords` are the place, person or thing whose coming up fires it. Plans, appointments, habits,
    questions and reports give none. Any text is accepted; its first 20,000 characters are read.
    `spans` are the times of the text where the caller has found them already.
    Raises InvalidTime where `said_at` is naive.
    """
    hint = _HINT_ZH if language == "zh" else _HINT_EN
    if hint.search(text, 0, _LONGEST) is None:
        return ()
    reader = _shipped(language) if lexicon is None else _built(lexicon, language)
    text = text[:_LONGEST]
    if not reader.may_ask(text):
        return ()
    if spans is None:
        spans = times.find(text, said_at=said_at, language=language)
    return reader.find(Frame(text, said_at, spans))


def _built(lexicon: Lexicon, language: str) -> EnglishReminders | ChineseReminders:
    words, table = lexicon.table("times", language), lexicon.table("reminders", language)
    return ChineseReminders(table, words) if language == "zh" else EnglishReminders(table, words)


@lru_cache(maxsize=2)
def _shipped(language: str) -> EnglishReminders | ChineseReminders:
    return _built(Lexicon.load(), "zh" if language == "zh" else "en")
