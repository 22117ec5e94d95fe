"""What both languages share: the message being read, and the times of a cue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.protocols import ReminderCandidate, TimeSpan
from graphmem.when import When, offset_minutes
from graphmem_extractors.times.calendar import Said
from graphmem_extractors.times.shifts import shifted

Pattern = re.Pattern[str]
_CLOCK = re.compile(r"\d|点|noon|midnight|past|quarter")
STRIP = " \t\r\n,.;:!?-–—~～…)(\"'*，。；：！？、）（“”"


@dataclass(frozen=True, slots=True)
class Frame:
    """A message and the times found in it."""

    text: str
    said_at: datetime
    spans: Sequence[TimeSpan]

    def within(self, start: int, end: int) -> list[TimeSpan]:
        """The times inside text[start:end] that can be a cue: ahead, or recurring."""
        inside = (span for span in self.spans if start <= span.start and span.end <= end)
        return [span for span in inside if self.is_cue(span)]

    def is_cue(self, span: TimeSpan) -> bool:
        """False for what lies behind, and for since and until."""
        if span.anchor in {"since", "until"} or span.kind == "duration":
            return False
        if span.rule or span.routine:
            return True
        last = span.until or span.when
        return last is not None and last.end > self.said_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The fields of a candidate that say when."""

    at: When | None = None
    rule: str | None = None
    routine: str | None = None


@dataclass(frozen=True, slots=True)
class Cue:
    """Where a cue stands in the text, and what it says."""

    start: int
    end: int
    timing: Timing = Timing()
    keywords: tuple[str, ...] = ()


def better(old: Cue | None, new: Cue) -> Cue:
    """The cue that says more: a time of day or a repeat before a date alone, else the older."""
    if old is None:
        return new
    when, other = old.timing, new.timing
    if when.rule or when.routine or (when.at and when.at.precision == "instant"):
        return old
    return new if other.rule or (other.at and other.at.precision == "instant") else old


def candidate(
    frame: Frame,
    cue: Cue | None,
    action: str,
    *,
    span: tuple[int, int],
    name: str,
    confidence: float,
) -> ReminderCandidate | None:
    """The candidate, None without an action. An order without a cue is less sure by 0.2."""
    if not action:
        return None
    said = frame.text[cue.start : cue.end].strip(STRIP) if cue else ""
    when = cue.timing if cue else Timing()
    return ReminderCandidate(
        cue=said,
        action=action,
        text=frame.text[span[0] : span[1]].strip(),
        span=span,
        rule_name=f"reminder.{name}",
        confidence=confidence if cue else round(confidence - 0.2, 2),
        at=when.at,
        rule=when.rule,
        routine=when.routine,
        keywords=cue.keywords if cue else (),
    )


def sentences(text: str, mark: Pattern) -> list[tuple[int, int]]:
    """The stretches of a text between marks."""
    out, low = [], 0
    for found in mark.finditer(text):
        if found.start() > low:
            out.append((low, found.start()))
        low = found.end()
    if text[low:].strip():
        out.append((low, len(text)))
    return out


def timing(span: TimeSpan, frame: Frame, parts: Mapping[str, Any]) -> Timing:
    """The fields that a time gives; a stretch of the day gives the hour at which one is told."""
    if span.rule:
        return Timing(at=span.when, rule=_limited(span, frame))
    if span.kind == "routine":
        return Timing(routine=span.routine)
    return Timing(at=_told(span, frame, parts))


def _limited(span: TimeSpan, frame: Frame) -> str:
    """The rule, ending where the message says until when (RFC 5545: UNTIL in UTC)."""
    rule = span.rule or ""
    for other in frame.spans:
        if other.anchor == "until" and other.when is not None and other.when.end > frame.said_at:
            last = other.when.end - timedelta(seconds=1)
            return f"{rule};UNTIL={last.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    return rule


def _told(span: TimeSpan, frame: Frame, parts: Mapping[str, Any]) -> When | None:
    when, until = span.when, span.until
    if when is None or until is None or when.precision != "instant":
        return when
    for row in parts.values():
        if when.start.hour == row["from"] and until.start.hour == row["to"] % 24:
            start = when.start.replace(hour=row["told"])
            return When.of(max(start, frame.said_at))
    return when


def before_event(frame: Frame, number: float, unit: str, *, until: int) -> When | None:
    """A time `number` units before the last dated event named before text position `until`, or else
    before the first one named behind it.
    """
    near = [span for span in reversed(frame.spans) if span.start < until]
    for span in (*near, *(span for span in frame.spans if span.start >= until)):
        when = span.when
        if when is None or span.rule or span.routine:
            continue
        if when.end <= frame.said_at or when.precision == "year":
            continue
        if unit in {"minute", "hour"}:
            if not _CLOCK.search(span.text):  # "this afternoon" has no minute to count from
                continue
            minutes = number * (60 if unit == "hour" else 1)
            return When.of(when.start - timedelta(minutes=minutes))
        day = shifted(when.start.date(), -number, unit)
        noon = datetime(day.year, day.month, day.day, 12, tzinfo=Said(frame.said_at).zone)
        return When(day.isoformat(), offset_minutes(noon))
    return None


def any_of(patterns: Iterable[str]) -> str:
    """A group that matches any of the regular expressions."""
    return "(?:" + "|".join(patterns) + ")"
