"""English reminders: orders ("remind me to ..."), notes to oneself, and cues with an order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphmem.protocols import ReminderCandidate, TimeSpan
from graphmem_extractors.reminders_base import STRIP, Cue, Frame, candidate, sentences
from graphmem_extractors.reminders_english_cues import EnglishCues
from graphmem_extractors.reminders_english_words import EnglishWords

_I = re.IGNORECASE
_HOUR = re.compile(r"\b(?:at|noon|midnight|morning|evening|night)\b|\d ?[ap]\.?m\b|\d:\d\d", _I)
_SENTENCE = re.compile(r"(?<![ap]\.m)[.!?](?=\s|$)|\n|;\s", _I)
_CLAUSE = re.compile(r"[.!?;:,\n()—–]\s*|\s-+\s", _I)
_QUOTED = re.compile(r"[\"“][^\"”\n]{0,2000}[\"”]|(?<!\w)'[^'\n]{12,2000}'(?!\w)")
_OPENING = re.compile(
    r"[\s\W]*(?:(?:hey|ok|okay|so|and|oh|also|please|pls|right|then|hi)\b[\s,:]*)*", _I
)
_BETWEEN = re.compile(r"\s*[,:–—-]*\s*(?:to\s+)?", _I)
_THING = re.compile(r"\s*(?::|-+|–|—)\s*(?P<thing>[^.!?\n]{2,60})")
_NEED = re.compile(r"\s*,?\s*i(?:'ll| will)? need (?!to\b)(?P<thing>[^.!?\n]{2,60})", _I)
_NEXT = re.compile(r"next time", _I)
_HEAD = re.compile(r"^(?:to|about|so that|so|that|of|please|pls|then|just|also|i (?:have|need) to|i (?:must|should))\s+", _I)  # fmt: skip
_NOTE = re.compile(r"(?:i\s+)?(?:(?:must|have to|need to|should)\s+)?(?:remember to|don'?t forget to|do not forget to)\s+", _I)  # fmt: skip
_TAIL = re.compile(r"[\s,.;:!?–—-]+(?:and|so|please|pls|then|can you|could you)*\s*$", _I)
_JOINT = re.compile(r"[\s,]+(?:so|and|then|but)$", _I)
_ASIDE = re.compile(r",\s*(?:the|its?|that|my)\s+[^,]*$", _I)


class EnglishReminders:
    """Reads reminders in English messages; the words come from the lexicon."""

    def __init__(self, table: Mapping[str, Any], times: Mapping[str, Any]) -> None:
        self._words = EnglishWords.of(table, times["past_verbs"])
        self._cues = EnglishCues(self._words, times["parts"])

    def may_ask(self, text: str) -> bool:
        """A cheap test before the times are looked for."""
        return self._words.may.search(text) is not None and not self._words.fiction.search(text)

    def find(self, frame: Frame) -> tuple[ReminderCandidate, ...]:
        """All reminders of the message."""
        quoted = [found.span() for found in _QUOTED.finditer(frame.text)]
        out: list[ReminderCandidate] = []
        for start, end in sentences(frame.text, _SENTENCE):
            if any(low <= start and end <= high + 1 for low, high in quoted):
                continue
            made = self._ordered(frame, start, end, quoted)
            if made is None and frame.text[end : end + 1] != "?":
                made = self._own(frame, start, end)
            if made is not None:
                out.append(made)
        return tuple(out)

    # --- orders -------------------------------------------------------------------------------------

    def _ordered(
        self, frame: Frame, start: int, end: int, quoted: list[tuple[int, int]]
    ) -> ReminderCandidate | None:
        for order in self._words.order.finditer(frame.text, start, end):
            if any(low < order.start() < high for low, high in quoted):
                continue
            if self._is_order(frame, order.start(), start):
                made = self._from_order(frame, order, start, end)
                if made is not None:
                    return made
        return None

    def _is_order(self, frame: Frame, at: int, start: int) -> bool:
        """True where nothing but a cue or a polite word stands before it in its clause."""
        marks = [
            found.end()
            for found in _CLAUSE.finditer(frame.text, start, at)
            if not any(span.start < found.start() < span.end for span in frame.spans)  # "21:00"
        ]
        low = marks[-1] if marks else start
        clause = frame.text[low:at]
        for span in frame.spans:  # "tomorrow remind me"
            if low <= span.start and span.end <= at:
                blank = " " * (span.end - span.start)
                clause = clause[: span.start - low] + blank + clause[span.end - low :]
        clause = self._words.offset.sub(" ", clause).strip()
        known = self._words.condition.search(clause + " ") or _NEXT.match(clause)
        return not clause or known is not None or self._words.before.search(clause) is not None

    def _from_order(
        self, frame: Frame, order: re.Match[str], start: int, end: int
    ) -> ReminderCandidate | None:
        text, words = frame.text, self._words
        cue, low, high = self._cues.after(frame, order.end(), end)
        cue = cue or self._cues.before(frame, order.start(), start)
        if cue is None and (
            words.with_cue.match(order[0]) or words.question.match(text, order.end(), end)
        ):
            return None
        action = self._clean(text[low:high])
        if words.wake.match(order[0]):
            action = f"{order[0]} {action}".strip()
        action = action or (order[0] if words.alarm.match(order[0]) else "")
        action = action or self._previous(frame, order.start(), cue)
        if len(action) < 2:
            return None
        return candidate(frame, cue, action, span=(start, end), name="en.order", confidence=0.95)

    def _previous(self, frame: Frame, at: int, cue: Cue | None) -> str:
        """The action that stands before a bare "remind me": the clause before it, times taken off."""
        left = _TAIL.sub("", frame.text[:at])
        low = max((found.end() for found in re.finditer(r"[.!?;\n]\s+", left)), default=0)
        clause = self._untimed(frame, low, left[low:])
        aside = _ASIDE.search(clause)
        if aside is not None and aside.start() > 0:
            clause = self._untimed(frame, low, clause[: aside.start()])
        said = frame.text[cue.start : cue.end] if cue is not None else ""
        clause = _JOINT.sub("", clause.strip(STRIP).removeprefix(said)).strip(STRIP)
        if not clause and low > 0:
            return self._previous(frame, low, cue)
        return self._led(clause)

    @staticmethod
    def _untimed(frame: Frame, low: int, clause: str) -> str:
        high = low + len(clause)
        for span in reversed([s for s in frame.spans if low <= s.start and s.end <= high]):
            if not frame.text[span.end : high].strip(STRIP):
                high = span.start
        return clause[: high - low]

    # --- one's own notes ----------------------------------------------------------------------------

    def _own(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        if self._words.habit.search(frame.text, start, end):
            return None
        return (
            self._cue_first(frame, start, end)
            or self._noted(frame, start, end)
            or self._cue_last(frame, start, end)
        )

    def _cue_first(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        """ "After work, pick up the dry cleaning": a cue opens the clause, an order follows."""
        text = frame.text
        marks = [found.end() for found in _CLAUSE.finditer(text, start, min(end, start + 300))]
        for mark in (start, *marks):
            low = _opening(text, mark)
            cue = self._opening_cue(frame, low, end)
            if cue is None or cue.end >= end:
                continue
            between = _BETWEEN.match(text, cue.end, end)
            at = between.end() if between else cue.end
            action = self._words.action.match(text, at, end)
            if action is not None:
                said = self._clean(self._noteless(text[at:end]))
                if self._sure(cue, text[cue.end : at], text[action.end() : end]):
                    return candidate(frame, cue, said, span=(start, end), name="en.cue", confidence=0.85)  # fmt: skip
                continue
            thing = _THING.match(text, cue.end, end) or _NEED.match(text, cue.end, end)
            if thing is not None and _NEXT.search(text, low, cue.end):
                said = self._clean(thing["thing"])
                return candidate(frame, cue, said, span=(start, end), name="en.cue", confidence=0.8)
        return None

    def _opening_cue(self, frame: Frame, low: int, end: int) -> Cue | None:
        condition = self._words.condition.match(frame.text, low, end)
        if condition is not None and self._words.over.match(frame.text, low, end) is None:
            return self._cues.conditional(frame, condition, end)
        for span in frame.within(low, end):
            if span.start == low and (span.routine or span.kind in {"instant", "repeat"}):
                return self._cues.timed(span, frame)
        return None

    def _sure(self, cue: Cue, between: str, following: str) -> bool:
        """A verb right behind a plain time, or behind a cue without a mark, may be a noun."""
        timed = not (cue.keywords or cue.timing.routine or cue.timing.rule)
        joined = re.search(r"[,:–—-]", between) is None
        return not (timed or joined) or self._words.definite.match(following) is not None

    def _noted(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        """ "Don't forget to call Mum on Sunday": an order to oneself, with a cue."""
        note = self._words.note.search(frame.text, start, end)
        if note is None:
            return None
        cue, low, high = self._cues.after(frame, note.end(), end)
        cue = cue or self._cues.before(frame, note.start(), start)
        if cue is None:
            return None
        action = self._clean(frame.text[low:high])
        return candidate(frame, cue, action, span=(start, end), name="en.note", confidence=0.8)

    def _cue_last(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        """ "Get milk when I get off work", "call Mum after lunch"."""
        text, low = frame.text, _opening(frame.text, start)
        action = self._words.action.match(text, low, end)
        if action is None:
            return None
        condition = self._words.condition.search(text, action.end(), end)
        if condition is not None and self._words.over.match(text, condition.start(), end):
            return None
        span = next((s for s in frame.within(action.end(), end) if _rings(s)), None)
        if condition is not None and not condition[0].lower().startswith(("every", "each")):
            cue = self._cues.conditional(frame, condition, end)
        elif span is not None and not text[span.end : end].strip(STRIP):
            cue = self._cues.timed(span, frame)
        else:
            return None
        said = self._clean(self._noteless(text[low : cue.start]))
        return candidate(frame, cue, said, span=(start, end), name="en.cue", confidence=0.75)

    # --- the words of an action ---------------------------------------------------------------------

    def _led(self, words: str) -> str:
        while (found := self._words.lead.match(words)) is not None and found.end():
            words = words[found.end() :]
        return words

    def _noteless(self, words: str) -> str:
        words = self._led(words)
        note = _NOTE.match(words)
        return words[note.end() :] if note else words

    def _clean(self, words: str) -> str:
        return _HEAD.sub("", self._words.after.sub("", words).strip(STRIP)).strip(STRIP)


def _opening(text: str, start: int) -> int:
    skip = _OPENING.match(text, start)
    return skip.end() if skip else start


def _rings(span: TimeSpan) -> bool:
    """True for a routine moment, and for a repeat at an hour ("every day at 8am")."""
    return bool(span.routine) or (span.kind == "repeat" and _HOUR.search(span.text) is not None)
