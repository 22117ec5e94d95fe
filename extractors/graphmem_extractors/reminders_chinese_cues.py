"""The cues of Chinese reminders: times, 路过..., 见到..., 提前两天."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphmem.protocols import TimeSpan
from graphmem_extractors.numbers_han import han_number
from graphmem_extractors.reminders_base import STRIP, Cue, Frame, Timing, before_event, timing
from graphmem_extractors.reminders_chinese_words import ChineseWords

_AMOUNT = r"(?P<{n}>[\d一二两三四五六七八九十半]{{1,3}})个?(?P<{unit}>分钟|小时|钟头|天|周|星期|礼拜|月|年)"
OFFSET = re.compile(
    rf"提前(?:{_AMOUNT.format(n='n', unit='unit')}(?P<half>半)?)?|"
    rf"(?<!提)前{_AMOUNT.format(n='n2', unit='unit2')}|"
    r"(?<!提)(?:前|头)(?:一|1)?(?P<near>晚上?|天晚上|天夜里|天|夜|周|日)(?![两三])"
)
_UNITS = {"分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}  # fmt: skip
_POLITE = re.compile(r"(?:记得|请|麻烦你?|你|帮我|一定|要|就)+$")
_PLACES = re.compile(r"下(?=[高动地飞火]|车|船)|的|那儿|这儿|那边")


class ChineseCues:
    """Reads cues around an order."""

    def __init__(self, words: ChineseWords, parts: Mapping[str, Any]) -> None:
        self._words = words
        self._parts = parts

    def around(
        self, frame: Frame, order: re.Match[str], start: int, low: int, end: int
    ) -> Cue | None:
        """The cue of an order whose clause begins at `low`, in the sentence from `start` to `end`."""
        at, after = order.start(), order.end()
        offset = OFFSET.search(frame.text, low, end)
        if offset is not None and (offset.end() <= at or offset.start() >= after):
            return self.offset(frame, offset)
        inside = frame.within(low, at)
        if inside:
            return self.best(inside, frame)
        head = self._head(frame, low, at)
        behind = frame.within(after, end)
        if head is not None and not (behind and self._words.vague.match(frame.text, head.start)):
            return head
        if behind:
            return self.best(behind, frame)
        earlier = frame.within(start, low) or [
            span for span in frame.within(max(0, start - 40), start) if not span.routine
        ]
        return self.best(earlier[-1:], frame) if earlier else None

    def _head(self, frame: Frame, low: int, at: int) -> Cue | None:
        """A cue that is no time: 等我到了机场, 到时候."""
        lead = _POLITE.sub("", frame.text[low:at].strip(STRIP))
        vague = self._words.vague.search(lead)
        if vague is not None:
            found = frame.text.index(lead, low)
            return Cue(found + vague.start(), found + vague.end())
        head = self._words.head.search(lead) if lead else None
        if head is None:
            return None
        found = frame.text.index(lead, low) + head.start()
        return self.named(
            frame, found, found + len(head[0]), next(filter(None, head.groupdict().values()))
        )

    def best(self, spans: Sequence[TimeSpan], frame: Frame) -> Cue:
        """The time that says most: a repeat before an instant before a date."""
        span = min(spans, key=lambda s: (s.rule is None, s.kind != "instant"))
        return Cue(span.start, span.end, timing(span, frame, self._parts))

    def offset(self, frame: Frame, found: re.Match[str]) -> Cue:
        """提前两天, 前一晚: counted back from the event named before it, else behind it."""
        said, half = found["n"] or found["n2"], bool(found["half"])
        if said:
            number = 0.5 if said == "半" else float(han_number(said) or 1)
            number, unit = number + 0.5 * half, _UNITS[found["unit"] or found["unit2"]]
        else:
            number, unit = 7.0 if found["near"] == "周" else 1.0, "day"
        made = before_event(frame, number, unit, until=found.start())
        return Cue(found.start(), found.end(), Timing(at=made))

    def named(self, frame: Frame, start: int, end: int, thing: str) -> Cue:
        """A cue at text[start:end] which the coming up of `thing` fires, a routine moment too."""
        thing = self._words.closing.sub("", thing).strip(STRIP)
        routine = next(
            (s for s in frame.spans if s.routine and start <= s.end and s.start < end), None
        )
        when = timing(routine, frame, self._parts) if routine is not None else Timing()
        if routine is not None and thing in routine.text:
            return Cue(start, end, when)
        parts = [part for part in _PLACES.split(thing) if part]
        return Cue(start, end, when, tuple(parts[:2]))
