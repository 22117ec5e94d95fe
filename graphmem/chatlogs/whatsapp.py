"""WhatsApp's text export: every phone writes dates as its language does, so the whole file is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import PurePosixPath

from graphmem.chatlogs.dates import DateOrder, dated
from graphmem.chatlogs.decode import Line, lines
from graphmem.chatlogs.gather import Gathered, gather
from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.source import Head, Source
from graphmem.chatlogs.vocabulary import Vocabulary, name_of, visible

_LONGEST_HEADER = 60
_LONGEST_NAME = 80
# A text that begins with a left-to-right mark was written by WhatsApp, not by a person.
_OWN_MARK = "\u200e"
# What it writes in other languages in the place of something left out: a few words, no number, no address.
_BARE = re.compile(r"[^\d:：/<>]{1,60}")
_NAME = re.compile(r"(?P<name>[^:：\n]{1,120}?)\s*[:：](?:\s|(?=\S))(?P<text>.*)", re.DOTALL)


@lru_cache(maxsize=4)
def _header(half_days: str) -> re.Pattern[str]:
    return re.compile(
        rf"""\s*(?P<bracket>\[)?\s*
        (?P<a>\d{{1,4}})(?P<sep>\s?[./\-年]\s?)(?P<b>\d{{1,2}})\s?[./\-月]\s?(?P<c>\d{{1,4}})[.日]?
        (?:[,،，]\s?|\s)\s*(?:\w{{1,3}}\s)?\s?
        (?:(?P<before>{half_days})\s?)?
        (?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?
        (?:\s?(?P<after>{half_days}))?(?=[\s\]\-–])
        (?(bracket)\s?\]|\s?[-–]\s)\s?""",
        re.VERBOSE | re.IGNORECASE,
    )


class WhatsApp:
    """Reads both styles, "[date, time] Name: text" and "date, time - Name: text", in any date order."""

    name = "whatsapp"
    looks_for = 'WhatsApp\'s "date, time - Name: text" or "[date, time] Name: text"'

    def sniff(self, head: Head) -> float:
        """Sure where the first lines have a date, a time and a dash or brackets before a name."""
        pattern = _header(head.words.half_days())
        met = [found for line in head.lines[:200] if (found := _match(pattern, line))]
        if not met or not any(_NAME.match(rest) for _, rest in met):
            return 0.0
        if _match(pattern, head.lines[0]):
            return 0.85
        return 0.25 + 0.5 * len(met) / len(head.lines[:200])

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """Messages by people; WhatsApp's notices and the placeholders of omitted media are passed over."""
        pattern = _header(options.words.half_days())
        order = _order(source, pattern, options.words)
        chat = chat_name(source, options.words)

        def start(line: Line, text: str) -> Gathered | None:
            header = _match(pattern, text)
            if header is None:
                return None
            found, rest = header
            moment = _moment(found, order, options.words)
            if moment is None:
                return None
            speaker, said = _split(rest, options.words)
            return Gathered(line, said, speaker, options.times.local(moment))

        with source.open() as stream:
            yield from gather(lines(stream), start, source.name, chat, options.words)


def chat_name(source: Source, words: Vocabulary) -> str:
    """Whom the chat is with, where the name of the exported file, or of the archive around it, tells."""
    stem = source.stem
    if stem == "_chat":
        stem = PurePosixPath(source.name).parent.stem or stem
    folded = stem.casefold()
    for prefix in words.chat_files:
        if folded.startswith(prefix) and len(stem) > len(prefix):
            return stem[len(prefix) :].strip()
    return stem


def _match(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str], str] | None:
    """The header of a line, freed from marks of direction, and the rest of the line."""
    head = _without_marks(text[:_LONGEST_HEADER])
    found = pattern.match(head)
    return (found, head[found.end() :] + text[_LONGEST_HEADER:]) if found else None


def _without_marks(head: str) -> str:
    """`head` without direction marks, but for the one that WhatsApp sets before its own texts."""
    before, colon, after = head.partition(": " + _OWN_MARK)
    return visible(before) + colon + (_without_marks(after) if colon else "")


def _order(source: Source, pattern: re.Pattern[str], words: Vocabulary) -> str:
    order = DateOrder()
    with source.open() as stream:
        for line in lines(stream):
            header = _match(pattern, line.text) if line.text else None
            if header:
                found = header[0]
                half = found["before"] or found["after"]
                hour = words.hour(int(found["hour"]), half)
                american = half is not None and "/" in found["sep"]
                parts = (found["a"], found["b"], found["c"])
                order.take(parts, min(hour, 23), 0, american=american)
    return order.decide()


def _moment(found: re.Match[str], order: str, words: Vocabulary) -> datetime | None:
    hour = words.hour(int(found["hour"]), found["before"] or found["after"])
    parts = (found["a"], found["b"], found["c"])
    try:
        return dated(parts, order, hour, int(found["minute"]), int(found["second"] or 0))
    except ValueError:
        return None


def _split(rest: str, words: Vocabulary) -> tuple[str | None, str]:
    """The speaker and what was said; no speaker for a notice."""
    found = _NAME.fullmatch(rest)
    if found is None or len(found["name"]) > _LONGEST_NAME or words.is_notice(found["name"]):
        return None, rest
    text = found["text"]
    if text.lstrip().startswith(_OWN_MARK) and (words.is_notice(text) or _BARE.fullmatch(text)):
        return None, text
    return name_of(found["name"]) or None, text
