"""The times of a message as the Chinese rules need them: found once, looked up by place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from graphmem.protocols import TimeGrammar, TimeSpan
from graphmem.when import When

_WORDS = re.compile(
    r"(?:今天|明天|后天|大后天|昨天|前天|今晚|明晚|昨晚|明早|今早|今儿|明儿|后儿|今年|明年|去年|前年|上周|下周|这周|本周|上个月|下个月|这个月|下月|上月|周[一二三四五六日天末]|星期[一二三四五六日天]|礼拜[一二三四五六日天]|早上|上午|中午|下午|晚上|傍晚|凌晨|半夜|[0-9一二三四五六七八九十两]+(?:年|月|号|日|点半?|分)|每[天周月年晚早][一二三四五六日天]?)+"
)


class Times:
    """The time spans of one message, and words for times of day that name no time."""

    def __init__(self, text: str, said_at: datetime, grammar: TimeGrammar) -> None:
        self.said_at = said_at
        self.spans: Sequence[TimeSpan] = grammar.find(text, said_at=said_at, language="zh")
        self._text = text

    def skip(self, at: int) -> int:
        """The end of a time expression that begins at `at`, or `at`."""
        ends = [span.end for span in self.spans if span.start <= at < span.end]
        match = _WORDS.match(self._text, at)
        return max([at, *ends, *([match.end()] if match else [])])

    def within(self, start: int, end: int) -> list[TimeSpan]:
        """The spans that begin in [start, end)."""
        return [span for span in self.spans if start <= span.start < end]

    def is_future(self, span: TimeSpan) -> bool:
        """Whether the span lies, at least in part, after the moment of saying."""
        if span.when is None:
            return False
        end = (span.until or span.when).end
        return end > self.said_at

    def has_begun(self, span: TimeSpan) -> bool:
        """Whether the span began before the moment of saying (today, this week)."""
        return span.when is not None and span.when.start <= self.said_at

    def only_repeats(self, start: int, end: int) -> bool:
        """Whether the times in [start, end) are repeats alone (每天, 每周四)."""
        spans = self.within(start, end)
        return bool(spans) and all(span.kind in {"repeat", "routine"} for span in spans)

    def is_ahead(self, span: TimeSpan) -> bool:
        """Whether the span begins after the moment of saying and is no mere limit or repeat."""
        if span.when is None or span.kind not in {"instant", "date", "interval"}:
            return False
        return span.anchor == "at" and span.when.start > self.said_at

    def day_of(self, span: TimeSpan) -> When | None:
        """The last day of the span, on which what happens then has passed."""
        when = span.until or span.when
        if when is None:
            return None
        if when.precision in {"year", "month"}:
            return when
        last = when.end - timedelta(seconds=1) if when.precision == "day" else when.start
        return When.day(last)
