"""English reminders: orders ("remind me to ..."), notes to oneself, and cues with an order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.protocols import ReminderCandidate, TimeSpan
from graphmem_extractors.reminders_base import Frame, Timing, any_of, before_event, timing

_I = re.IGNORECASE
_SENTENCE = re.compile(r"(?<![ap]\.m)[.!?](?=\s|$)|\n|;\s", _I)
_CLAUSE = re.compile(r"[.!?;:,\n()—–]\s*|\s-+\s", _I)
_AMOUNT = r"(?:(?P<n>\d{1,3}|an?|one|two|three|four|five|six|ten|half an?|a couple of|a few)\s+(?P<unit>minute|min|hour|day|week|month|year)s?|the\s+(?P<near>night|day|evening|morning|week))\s+"
_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "half a": 0.5, "half an": 0.5, "a couple of": 2, "a few": 3}  # fmt: skip
_QUOTED = re.compile(r"[\"“][^\"”\n]{0,2000}[\"”]|(?<!\w)'[^'\n]{12,2000}'(?!\w)")
_STRIP = " \t\r\n,.;:!?-–—…)(\"'*"


@dataclass(frozen=True, slots=True)
class _Cue:
    start: int
    end: int
    timing: Timing
    keywords: tuple[str, ...] = ()


class EnglishReminders:
    """Reads reminders in English messages; the words come from the lexicon."""

    def __init__(self, table: Mapping[str, Any], parts: Mapping[str, Any]) -> None:
        self._parts = parts
        before = any_of(table["before_order"])
        orders = any_of([*table["orders"], *table["with_cue"]])
        needs, notes, actions = any_of(table["needs"]), any_of(table["notes"]), any_of(table["actions"])  # fmt: skip
        soft = r"(?:(?:please|pls|then|just|also|quickly)\s+)*"
        self._order = re.compile(rf"(?<![\w']){orders}(?!\w)", _I)
        self._with_cue = re.compile(any_of(table["with_cue"]), _I)
        self._wake = re.compile(any_of(table["wake"]), _I)
        self._before = re.compile(rf"(?:^|\s){before}$", _I)
        condition = any_of([w for w in table["conditions"] if w != "if"])
        subject = any_of(table["subjects"])
        if_clause = rf"if\s+{any_of(table['if_bodies'])}"
        self._condition = re.compile(
            rf"(?<!\w)(?:{condition}\s+{subject}(?=\s)|{if_clause}(?=\s))", _I
        )
        self._bare_next = re.compile(r"next time", _I)
        self._body = re.compile(
            rf"[^,:;.!?\n–—]{{1,70}}?(?=\s*[,:;.!?\n–—]|\s+-+\s|\s+to\s+{actions}\b|(?<!\bthe)(?<!\bmy)(?<!\ba)(?<!\bour)(?<!\ban)\s+{soft}{actions}\s|\s+{orders}|\s+{notes}\b|\s+{needs}\b|\s*$)",
            _I,
        )
        self._action = re.compile(
            rf"{soft}(?:(?:{needs}|{notes})\s+)?(?P<verb>{actions})\s+(?!me\b)(?=\S)", _I
        )
        self._thing = re.compile(r"\s*(?::|-+|–|—)\s*(?P<thing>[^.!?\n]{2,60})")
        self._note = re.compile(
            rf"(?:^|[.!?;,\n]\s*|\b(?:and|but|so)\s+|please\s+|pls\s+){notes}\s+(?=\S)", _I
        )
        self._offset = re.compile(_AMOUNT + any_of(table["offset_words"]) + r"\b", _I)
        self._then = re.compile(r"\bbefore (?:then|that)\b", _I)
        self._after = re.compile(rf"\s*(?:[,;(]|\s[-–—]+\s|\.\.+)\s*(?:and\s+|but\s+)?{any_of(table['afterthoughts'])}(?!\w).*$|\s+(?:because|otherwise|or else|or i'll|please|pls|thanks|thx|lol|haha)\b.*$", _I | re.DOTALL)  # fmt: skip
        self._not = re.compile("|".join(table["not_orders"]), _I)
        self._habit = re.compile(rf"\b{any_of(table['habits'])}\b", _I)
        self._lead = re.compile(
            rf"^(?:i\s+(?:still\s+)?)?{needs}\s+|^(?:so|and|ok|hey|oh|but|also)[, ]+", _I
        )
        self._keyword = re.compile(
            rf"\b{any_of(table['keyword_verbs'])}\s+(?:the|my|our|a|an|your|his|her|some|that|this)?\s*(?P<it>\w[\w'’&-]*(?:\s+\w[\w'’&-]*){{0,2}})$",
            _I,
        )
        self._may = re.compile(
            rf"{orders}|{condition}|{if_clause}|{notes}|after|before|lunch|work|home|bed|when|tomorrow|tonight",
            _I,
        )

    def may_ask(self, text: str) -> bool:
        """A cheap test before the times are looked for."""
        return self._may.search(text) is not None and self._not.search(text) is None

    def find(self, frame: Frame) -> tuple[ReminderCandidate, ...]:
        """All reminders of the message."""
        quoted = [found.span() for found in _QUOTED.finditer(frame.text)]
        out: list[ReminderCandidate] = []
        for start, end in _sentences(frame.text):
            if any(low <= start and end <= high + 1 for low, high in quoted):
                continue
            found = self._ordered(frame, start, end, quoted)
            if not found and frame.text[end : end + 1] != "?":
                found = self._own(frame, start, end)
            out.extend(found)
        return tuple(out)

    # --- orders -------------------------------------------------------------------------------------

    def _ordered(
        self, frame: Frame, start: int, end: int, quoted: list[tuple[int, int]]
    ) -> list[ReminderCandidate]:
        out = []
        for order in self._order.finditer(frame.text, start, end):
            if any(low < order.start() < high for low, high in quoted):
                continue
            if self._is_order(frame, order.start(), start):
                made = self._from_order(frame, order, start, end)
                if made is not None:
                    out.append(made)
                    break
        return out

    def _is_order(self, frame: Frame, at: int, start: int) -> bool:
        left = frame.text[start:at]
        cut = [found.end() for found in _CLAUSE.finditer(left)]
        clause = left[cut[-1] if cut else 0 :]
        for span in frame.spans:  # "tomorrow remind me"
            if span.start >= start and span.end <= at:
                low, high = (
                    span.start - start - (len(left) - len(clause)),
                    span.end - start - (len(left) - len(clause)),
                )
                if low >= 0:
                    clause = clause[:low] + " " * (high - low) + clause[high:]
        clause = self._offset.sub(" ", clause).strip()
        condition = self._condition.search(clause)
        if condition is not None:
            return True
        bare_next = self._bare_next.match(clause)
        return not clause or bare_next is not None or self._before.search(" " + clause) is not None

    def _from_order(
        self, frame: Frame, order: re.Match[str], start: int, end: int
    ) -> ReminderCandidate | None:
        text = frame.text
        needs_cue = self._with_cue.match(order[0]) is not None
        cue, low, high = self._cue_after(frame, order.end(), end)
        cue = cue or self._cue_before(frame, order.start(), start)
        cue = cue or self._event_cue(frame, order, end)
        if cue is None and needs_cue:
            return None
        action = self._clean(text[low:high])
        if self._wake.match(order[0]):
            action = f"{order[0]} {action}".strip()
        if not action:
            action = self._previous(frame, order.start(), cue)
        if cue is None and self._offset.search(text, order.end(), end):
            cue = self._event_cue(frame, order, end)
        if not action or len(action) < 2:
            return None
        return self._candidate(frame, cue, action, span=(start, end), name="order", confidence=0.95)

    def _cue_after(self, frame: Frame, at: int, end: int) -> tuple[_Cue | None, int, int]:
        """The cue among the words after an order, and where the action stands."""
        text, low, high, cue = frame.text, at, end, None
        for _ in range(4):
            link = re.compile(r"\s*(?:,|:|-+|–|—|again|please|pls|to|about|that|of|i have to|i need to|i must|i should)(?![\w'])\s*|\s+", _I).match(text, low, end)  # fmt: skip
            if link is not None and link.end() > low:
                low = link.end()
            span = next((s for s in frame.within(low, end) if s.start <= low + 1), None)
            condition = self._condition.match(text, low, end)
            offset = self._offset.match(text, low, end)
            if span is not None:
                cue, low = self._better(cue, self._timed(span, frame)), span.end
            elif condition is not None:
                found = self._conditional(frame, condition, end)
                cue, low = cue or found, found.end
            elif offset is not None:
                made = self._offset_cue(frame, offset, at)
                cue, low = cue or made, offset.end()
            elif link is None:
                break
        trailing = self._condition.search(text, low, end)
        if trailing is not None and trailing.start() > low:
            cue, high = cue or self._conditional(frame, trailing, end), trailing.start()
        offset = self._offset.search(text, low, high)
        if offset is not None:
            made = self._offset_cue(frame, offset, offset.start())
            cue, high = cue or made, offset.start()
        for span in reversed(frame.within(low, high)):
            after = text[span.end : high]
            cue = self._better(cue, self._timed(span, frame))
            if not after.strip(_STRIP) or self._after.match(after):
                high = span.start
        return cue, low, high

    def _better(self, old: _Cue | None, new: _Cue) -> _Cue:
        """A time of day says more than a date alone, a repeat more than a date."""
        if old is None:
            return new
        if (
            old.timing.rule
            or old.timing.routine
            or (old.timing.at and old.timing.at.precision == "instant")
        ):
            return old
        precise = new.timing.rule or (new.timing.at and new.timing.at.precision == "instant")
        return new if precise else old

    def _cue_before(self, frame: Frame, at: int, start: int) -> _Cue | None:
        condition = None
        for found in self._condition.finditer(frame.text, start, at):
            condition = found
        if condition is not None:
            return self._conditional(frame, condition, at)
        spans = [
            span
            for span in frame.within(start, at)
            if span.kind != "date" or span.anchor != "since"
        ]
        then = self._then.search(frame.text, start, at)
        if then is not None:
            made = before_event(frame, 1, "day", until=then.start())
            return _Cue(then.start(), then.end(), Timing(at=made[0] if made else None))
        offset = self._offset.search(frame.text, start, at)
        if offset is not None:
            return self._offset_cue(frame, offset, offset.start())
        best: _Cue | None = None
        for span in reversed(spans):
            best = self._better(best, self._timed(span, frame))
        return best

    def _event_cue(self, frame: Frame, order: re.Match[str], end: int) -> _Cue | None:
        offset = self._offset.search(frame.text, order.end(), end)
        if offset is not None:
            return self._offset_cue(frame, offset, order.start())
        return None

    def _offset_cue(self, frame: Frame, offset: re.Match[str], until: int) -> _Cue | None:
        if offset["near"]:
            number, unit = 7.0 if offset["near"].lower() == "week" else 1.0, "day"
        else:
            word = " ".join(offset["n"].lower().split())
            number = float(word) if word.isdigit() else _COUNT[word]
            unit = offset["unit"].lower().replace("min", "minute").replace("minuteute", "minute")
        made = before_event(frame, number, unit, until=until)
        return _Cue(offset.start(), offset.end(), Timing(at=made[0] if made else None))

    def _timed(self, span: TimeSpan, frame: Frame) -> _Cue:
        return _Cue(span.start, span.end, timing(span, frame, self._parts))

    def _conditional(self, frame: Frame, found: re.Match[str], end: int) -> _Cue:
        """A clause like "when I get off work", up to the action or the next mark."""
        body = self._body.match(frame.text, found.end(), end)
        stop = body.end() if body is not None else end
        for span in frame.spans:
            if span.routine and span.start <= found.start() + 1 and span.end > found.end():
                stop = max(stop, span.end) if span.end <= end else stop
                return _Cue(found.start(), stop, timing(span, frame, self._parts))
        words = frame.text[found.start() : stop]
        times = [span for span in frame.within(found.start(), stop) if span.kind != "date"]
        when = timing(times[0], frame, self._parts) if times else Timing()
        keyword = self._keyword.search(words)
        keywords = (
            (keyword["it"].strip(),) if keyword is not None else (words.split()[-1].strip(_STRIP),)
        )
        return _Cue(found.start(), stop, when, keywords)

    def _previous(self, frame: Frame, at: int, cue: _Cue | None) -> str:
        """The action that stands before a bare "remind me": the clause before it, times taken off."""
        left = re.sub(
            r"[\s,.;:!?–—-]+(?:and|so|please|pls|then|can you|could you)*\s*$",
            "",
            frame.text[:at],
            flags=_I,
        )
        cut = max((found.end() for found in re.finditer(r"[.!?;\n]\s+", left)), default=0)
        low, high = cut, len(left)
        for span in reversed([s for s in frame.spans if low <= s.start and s.end <= high]):
            rest = left[span.end : high].strip(_STRIP)
            if not rest:
                high = span.start
        clause = left[low:high]
        comma = re.search(r",\s*(?:the|its?|that|my)\s+[^,]*$", clause)
        if comma is not None and comma.start() > 0:
            clause = clause[: comma.start()]
            spans = [s for s in frame.spans if low <= s.start and s.end <= low + len(clause)]
            if spans and not clause[spans[-1].end - low :].strip(_STRIP):
                clause = clause[: spans[-1].start - low]
        clause = clause.strip(_STRIP)
        while (found := self._lead.match(clause)) is not None and found.end():
            clause = clause[found.end() :]
        if cue is not None and clause == frame.text[cue.start : cue.end]:
            return ""
        return clause

    # --- one's own notes ----------------------------------------------------------------------------

    def _own(self, frame: Frame, start: int, end: int) -> list[ReminderCandidate]:
        if self._habit.search(frame.text, start, end):
            return []
        made = self._cue_first(frame, start, end) or self._noted(frame, start, end) or self._cue_last(frame, start, end)  # fmt: skip
        return [made] if made is not None else []

    def _start(self, frame: Frame, start: int) -> int:
        skip = re.compile(
            r"[\s\W]*(?:(?:hey|ok|okay|so|and|oh|also|please|pls|right|then|hi)\b[\s,:]*)*", _I
        ).match(frame.text, start)
        return skip.end() if skip else start

    def _cue_first(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        """ "After work, pick up the dry cleaning": a cue opens the clause, an order follows."""
        text = frame.text
        openings = {self._start(frame, start)} | {
            self._start(frame, found.end())
            for found in _CLAUSE.finditer(text, start, end)
            if found.end() - start < 300
        }
        for low in sorted(openings):
            condition = self._condition.match(text, low, end)
            cue: _Cue | None = None
            if condition is not None:
                cue = self._conditional(frame, condition, end)
            else:
                span = next(
                    (
                        s
                        for s in frame.within(low, end)
                        if s.start == low and (s.routine or s.kind == "instant")
                    ),
                    None,
                )
                cue = self._timed(span, frame) if span is not None else None
            if cue is None or cue.end >= end:
                continue
            nothing = re.compile(r"\s*[,:–—-]*\s*(?:to\s+)?").match(text, cue.end, end)
            at = nothing.end() if nothing else cue.end
            action = self._action.match(text, at, end)
            if action is not None:
                if not (cue.keywords or cue.timing.routine) and not _definite(
                    text[action.end() : end]
                ):
                    continue
                return self._candidate(
                    frame,
                    cue,
                    self._clean(self._stripped(text[at:end])),
                    span=(start, end),
                    name="cue",
                    confidence=0.85,
                )
            thing = self._thing.match(text, cue.end, end)
            if thing is not None and self._bare_next.search(text, low, cue.end):
                return self._candidate(
                    frame,
                    cue,
                    self._clean(thing["thing"]),
                    span=(start, end),
                    name="cue",
                    confidence=0.8,
                )
        return None

    def _noted(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        """ "Don't forget to call Mum on Sunday": an order to oneself, with a cue."""
        note = self._note.search(frame.text, start, end)
        if note is None:
            return None
        cue, low, high = self._cue_after(frame, note.end(), end)
        cue = cue or self._cue_before(frame, note.start(), start)
        action = self._clean(frame.text[low:high])
        if cue is None or not action:
            return None
        return self._candidate(frame, cue, action, span=(start, end), name="note", confidence=0.8)

    def _cue_last(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        """ "Get milk when I get off work", "call Mum after lunch"."""
        text, low = frame.text, self._start(frame, start)
        action = self._action.match(text, low, end)
        if action is None:
            return None
        condition = self._condition.search(text, action.end(), end)
        span = next((s for s in frame.within(action.end(), end) if s.routine), None)
        if condition is not None and re.match(
            r"(?:the )?next|when|once|as soon|the mo|if", condition[0], _I
        ):
            cue = self._conditional(frame, condition, end)
        elif span is not None and not text[span.end : end].strip(_STRIP):
            cue = self._timed(span, frame)
        else:
            return None
        words = self._clean(self._stripped(text[low : cue.start]))
        return (
            self._candidate(frame, cue, words, span=(start, end), name="cue", confidence=0.75)
            if words
            else None
        )

    def _stripped(self, words: str) -> str:
        while (found := self._lead.match(words)) is not None and found.end():
            words = words[found.end() :]
        note = re.match(
            r"(?:i\s+)?(?:(?:must|have to|need to|should)\s+)?(?:remember to|don'?t forget to|do not forget to)\s+",
            words,
            _I,
        )
        return words[note.end() :] if note else words

    # --- making -------------------------------------------------------------------------------------

    def _clean(self, words: str) -> str:
        words = self._after.sub("", words).strip(_STRIP)
        words = re.sub(
            r"^(?:to|about|that|of|please|pls|then|just|also|i (?:have|need) to|i (?:must|should))\s+",
            "",
            words,
            flags=_I,
        )
        return words.strip(_STRIP)

    def _candidate(
        self,
        frame: Frame,
        cue: _Cue | None,
        action: str,
        *,
        span: tuple[int, int],
        name: str,
        confidence: float,
    ) -> ReminderCandidate | None:
        if not action:
            return None
        said = frame.text[cue.start : cue.end].strip(_STRIP) if cue else ""
        when = cue.timing if cue else Timing()
        keywords = cue.keywords if cue else ()
        if cue is None:
            keywords = (action.rsplit(maxsplit=1)[-1].strip(_STRIP),)
            confidence -= 0.2
        return ReminderCandidate(
            cue=said, action=action, text=frame.text[span[0] : span[1]].strip(), span=span,
            rule_name=f"reminder.en.{name}", confidence=confidence,
            at=when.at, rule=when.rule, routine=when.routine, keywords=keywords,
        )  # fmt: skip


def _definite(words: str) -> bool:
    return (
        re.match(
            r"(?:the|my|a|an|our|some|mum|mom|dad|up|back|out|off|in|for|to|[A-Z]\w+)\b", words
        )
        is not None
    )


def _sentences(text: str) -> list[tuple[int, int]]:
    out, low = [], 0
    for mark in _SENTENCE.finditer(text):
        if mark.start() > low:
            out.append((low, mark.start()))
        low = mark.end()
    if text[low:].strip():
        out.append((low, len(text)))
    return out
