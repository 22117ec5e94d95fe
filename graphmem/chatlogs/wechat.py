"""WeChat-style text: a line with name and time, the text below it; QQ's order of the two as well."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import datetime

from graphmem.chatlogs.decode import Line, lines
from graphmem.chatlogs.gather import Gathered, gather
from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.source import Head, Source
from graphmem.chatlogs.vocabulary import Vocabulary, name_of, visible

_DATE = r"(?P<y>\d{4})\s?[-/.年]\s?(?P<m>\d{1,2})\s?[-/.月]\s?(?P<d>\d{1,2})日?"
_WEEKDAY = r"(?:[(（]?(?:星期|周)[一二三四五六日天][)）]?)"
_NAME = r"(?P<name>[^\s:：。，！？,!?\[][^:：。，！？!?\n]{0,39}?)"
# The line between two days: dashes around the date, or a weekday behind it.
_DAY = re.compile(
    rf"\s*(?P<dashes>[-—–─=*]{{2,}})?\s*{_DATE}\s*(?P<weekday>{_WEEKDAY}?)\s*[-—–─=*]*\s*"
)
# QQ rules off one chat from the next.
_RULE = re.compile(r"={20,}\s*")
_ACCOUNT = re.compile(r"\s*(?:[(（]\w{4,30}[)）]|<[^<>\s]+@[^<>\s]+>)$")


class WeChat:
    """Reads "NAME DATE TIME", "DATE TIME NAME" and, below a line with the day, "NAME TIME"."""

    name = "wechat"
    looks_for = "WeChat-style text: a line with name, date and time, then the text"

    def sniff(self, head: Head) -> float:
        """Likely where name lines are met and are not the whole of the file."""
        headers = _Headers(head.words)
        met = [headers.read(line) is not None for line in head.lines[:100]]
        followed = any(one and not two for one, two in itertools.pairwise(met))
        if not followed:
            return 0.0
        return 0.85 if sum(met) * 6 >= len(met) else 0.4

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """One draft per name line, with the lines below it.

        Where most name lines stand below an empty line, one that does not is a message's own words
        ("dentist 2024-05-20 15:00").
        """
        spaced = _spaced(source, options.words)
        headers = _Headers(options.words)
        after_blank = True

        def start(line: Line, text: str) -> Gathered | None:
            nonlocal after_blank
            allowed, after_blank = after_blank or not spaced, not visible(text).strip()
            found = headers.read(text) if allowed else None
            if found is not None:
                name, wall = found
                return Gathered(line, "", name, options.times.local(wall))
            if headers.is_day(text) or _RULE.fullmatch(text):
                after_blank = True
                return Gathered(line, "", None)  # it closes the message above it
            return None

        with source.open() as stream:
            yield from gather(lines(stream), start, source.name, source.stem, options.words)


def _spaced(source: Source, words: Vocabulary) -> bool:
    """Whether most name lines of a file stand below an empty line."""
    headers = _Headers(words)
    below = total = 0
    after_blank = True
    with source.open() as stream:
        for line in lines(stream):
            text = visible(line.text or "")
            if headers.is_day(text):
                after_blank = True
                continue
            if headers.read(text) is not None:
                total += 1
                below += after_blank
            after_blank = not text.strip()
    return below * 2 > total


class _Headers:
    """Reads name lines, and keeps the day that stands above them."""

    def __init__(self, words: Vocabulary) -> None:
        half = words.half_days()
        clock = (
            rf"(?:(?P<half>{half})\s?)?(?P<hour>\d{{1,2}})[:：](?P<minute>\d{{2}})"
            rf"(?:[:：](?P<second>\d{{2}}))?(?:\s?(?P<after>{half}))?"
        )
        time = rf"[(（\[]?{_DATE}(?:\s?{_WEEKDAY})?[\sT,，]+{clock}[)）\]]?"
        self._forms = (
            re.compile(rf"\s*{_NAME}\s+{time}[:：]?\s*", re.IGNORECASE),
            re.compile(rf"\s*{time}\s+{_NAME}\s*", re.IGNORECASE),
        )
        self._short = re.compile(rf"\s*{_NAME}\s+{clock}\s*", re.IGNORECASE)
        self._words = words
        self._day: tuple[int, int, int] | None = None

    def is_day(self, text: str) -> bool:
        """Whether a line holds nothing but a day; it is kept for the name lines below."""
        found = _DAY.fullmatch(visible(text)) if len(text) < 80 else None
        if found is None or not (found["dashes"] or found["weekday"]):
            return False
        self._day = int(found["y"]), int(found["m"]), int(found["d"])
        return True

    def read(self, text: str) -> tuple[str, datetime] | None:
        """The name and the wall clock of a name line."""
        if len(text) > 120:
            return None
        text = visible(text)
        for form in self._forms:
            if found := form.fullmatch(text):
                return self._spoken(found, (int(found["y"]), int(found["m"]), int(found["d"])))
        if self.is_day(text) or self._day is None:
            return None
        found = self._short.fullmatch(text)
        return self._spoken(found, self._day) if found else None

    def _spoken(
        self, found: re.Match[str], day: tuple[int, int, int]
    ) -> tuple[str, datetime] | None:
        hour = self._words.hour(int(found["hour"]), found["half"] or found["after"])
        try:
            wall = datetime(*day, hour, int(found["minute"]), int(found["second"] or 0))  # noqa: DTZ001 - a wall clock
        except ValueError:
            return None
        name = name_of(found["name"])
        return _ACCOUNT.sub("", name) or name, wall
