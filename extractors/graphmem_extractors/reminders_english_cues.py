"""The cues of English reminders: times, "when I ...", "a week before"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphmem.protocols import TimeSpan
from graphmem_extractors.reminders_base import (
    STRIP,
    Cue,
    Frame,
    Timing,
    before_event,
    better,
    timing,
)
from graphmem_extractors.reminders_english_words import EnglishWords

_LINK = re.compile(
    r"\s*(?:,|:|-+|–|—|again|please|pls|to|about|that|of|2(?= [a-z])|i have to|i need to|i must|i should)(?![\w'])\s*|\s+",
    re.IGNORECASE,
)
_THEN = re.compile(r"\bbefore (?:then|that)\b", re.IGNORECASE)
_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10,
          "half a": 0.5, "half an": 0.5, "a couple of": 2, "a few": 3}  # fmt: skip


_SUBJECT = re.compile(r"\S+(?: as| time| moment)?(?: as)? (?P<it>(?!I\b)[A-Z][\w'’-]+) ")


def _past_until(frame: Frame, low: int) -> int:
    """Behind "until Friday", which says for how long and not when."""
    for span in frame.spans:
        if span.anchor == "until" and low <= span.start <= low + 1:
            return span.end
    return low


class EnglishCues:
    """Reads cues around an order."""

    def __init__(self, words: EnglishWords, parts: Mapping[str, Any]) -> None:
        self._words = words
        self._parts = parts

    def timed(self, span: TimeSpan, frame: Frame) -> Cue:
        """The cue that a time is."""
        return Cue(span.start, span.end, timing(span, frame, self._parts))

    def conditional(self, frame: Frame, found: re.Match[str], end: int) -> Cue:
        """A clause like "when I get off work", up to the action or the next mark."""
        body = self._words.body.match(frame.text, found.end(), end)
        stop = body.end() if body is not None else end
        for span in frame.spans:
            if span.routine and span.start <= found.start() + 1 and span.end > found.end():
                stop = max(stop, span.end) if span.end <= end else stop
                return Cue(found.start(), stop, timing(span, frame, self._parts))
        times = frame.within(found.start(), stop)
        words = frame.text[found.start() : stop]
        for span in times:
            words = words.replace(span.text, "").rstrip()
        when = timing(times[0], frame, self._parts) if times else Timing()
        keyword = self._words.keyword.search(words)
        subject = _SUBJECT.match(words)
        it = subject["it"] if subject else keyword["it"] if keyword else words.split()[-1]
        return Cue(found.start(), stop, when, (it.strip(STRIP),))

    def before(self, frame: Frame, at: int, start: int) -> Cue | None:
        """The cue that stands before an order."""
        heads = list(self._words.condition.finditer(frame.text, start, at))
        if heads:
            return self.conditional(frame, heads[-1], at)
        then = _THEN.search(frame.text, start, at)
        if then is not None:
            made = before_event(frame, 1, "day", until=then.start())
            return Cue(then.start(), then.end(), Timing(at=made))
        offset = self._words.offset.search(frame.text, start, at)
        if offset is not None:
            return self.offset(frame, offset, offset.start())
        best: Cue | None = None
        for span in reversed(frame.within(start, at)):
            best = better(best, self.timed(span, frame))
        return best

    def after(self, frame: Frame, at: int, end: int) -> tuple[Cue | None, int, int]:
        """The cue among the words after an order, and where the action between them stands."""
        cue, low = self._leading(frame, at, end)
        return self._trailing(frame, cue, low, end)

    def _leading(self, frame: Frame, at: int, end: int) -> tuple[Cue | None, int]:
        text, low, cue = frame.text, at, None
        for _ in range(4):
            link = _LINK.match(text, low, end)
            if link is not None and link.end() > low:
                low = link.end()
            low = _past_until(frame, low)
            span = next((s for s in frame.within(low, end) if s.start <= low + 1), None)
            condition = self._words.condition.match(text, low, end)
            offset = self._words.offset.match(text, low, end)
            if span is not None:
                cue, low = better(cue, self.timed(span, frame)), span.end
            elif condition is not None:
                found = self.conditional(frame, condition, end)
                cue, low = cue or found, found.end
            elif offset is not None:
                cue, low = cue or self.offset(frame, offset, at), offset.end()
            elif link is None:
                break
        return cue, low

    def _trailing(
        self, frame: Frame, cue: Cue | None, low: int, end: int
    ) -> tuple[Cue | None, int, int]:
        text, high = frame.text, end
        condition = self._words.condition.search(text, low, end)
        if condition is not None and condition.start() > low:
            cue, high = cue or self.conditional(frame, condition, end), condition.start()
        offset = self._words.offset.search(text, low, high)
        if offset is not None:
            cue, high = cue or self.offset(frame, offset, offset.start()), offset.start()
        for span in reversed(frame.within(low, high)):
            rest = text[span.end : high]
            cue = better(cue, self.timed(span, frame))
            if not rest.strip(STRIP) or self._words.after.match(rest):
                high = span.start
        return cue, low, high

    def offset(self, frame: Frame, found: re.Match[str], until: int) -> Cue:
        """ "A week before": counted back from the last date named before the place `until`."""
        if found["near"]:
            number, unit = 7.0 if found["near"].lower() == "week" else 1.0, "day"
        else:
            word = " ".join(found["n"].lower().split())
            number = float(word) if word.isdigit() else _COUNT[word]
            unit = {"min": "minute"}.get(found["unit"].lower(), found["unit"].lower())
        made = before_event(frame, number, unit, until=until)
        return Cue(found.start(), found.end(), Timing(at=made))
