"""Chinese reminders: orders (提醒我...), notes to oneself, and cues with something to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphmem.protocols import ReminderCandidate, TimeSpan
from graphmem_extractors.numbers_han import han_number
from graphmem_extractors.reminders_base import (
    STRIP,
    Cue,
    Frame,
    Timing,
    any_of,
    before_event,
    candidate,
    sentences,
    timing,
)

_SENTENCE = re.compile(r"[。！？!?\n;；]|\.(?=\s|$)")
_COMMA = re.compile(r"[，,、：:\s]")
_OFFSET = re.compile(
    r"提前(?:(?P<n>[\d一二两三四五六七八九十半]{1,3})个?(?P<unit>分钟|小时|钟头|天|周|星期|礼拜|月)(?P<half>半)?)?|"
    r"(?:前|头)(?:一|1)?(?P<near>晚上?|天晚上|天夜里|天|夜|周|日)(?![两三])"
)
_UNITS = {"分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month"}  # fmt: skip
_QUOTED = re.compile(r"[“「『\"][^”」』\"\n]{0,2000}[”」』\"]")


class ChineseReminders:
    """Reads reminders in Chinese messages; the words come from the lexicon."""

    def __init__(self, table: Mapping[str, Any], times: Mapping[str, Any]) -> None:
        self._parts = times["parts"]
        orders, calls = any_of(table["orders"]), any_of(table["with_cue"])
        self._order = re.compile(rf"(?P<order>{orders})|(?P<call>{calls})")
        self._naming = re.compile("|".join(table["naming"]))
        self._called = re.compile(rf"[{table['verbs_after_call']}]|一下|再")
        self._reporter = re.compile(rf"{any_of(table['reporters'])}(?:[^，。\s]{{0,3}})?$")
        self._notes = re.compile(any_of(table["notes"]))
        soft = rf"(?:{'|'.join(table['softeners'])})*"
        verb = rf"(?!{'|'.join(table['not_actions'])})[{table['actions']}]"
        closing = rf"(?:{'|'.join(table['closing'])})?"
        passing, meeting = any_of(table["passing"]), any_of(table["meeting"])
        arriving, following = any_of(table["arriving"]), any_of(table["next_time"])
        waiting = rf"(?:{'|'.join(table['waiting'])})?"
        thing = r"(?P<it>(?![的了着过那这])[^，,。！!？?\s]{1,10}?)"
        mark = rf"(?:{any_of(table['softeners'])}|(?=把))"
        self._conditions = tuple(
            re.compile(pattern)
            for pattern in (
                rf"{waiting}(?:下班|放学|回家)?(?:的?路上)?{passing}{thing}{closing}[，, ]?{soft}(?P<do>{verb}.*)",
                rf"{following}(?:我|咱)?(?:再)?(?:要是|如果)?{meeting}{thing}{closing}[，, ]?{soft}(?P<do>{verb}.*|说.*)",
                rf"{following}(?:我|咱)?(?:再)?(?:去|到|来|回|路过|经过|用|打|买|做){thing}{closing}[，, ]?{mark}{soft}(?P<do>{verb}.*)",
                rf"(?:要是|如果)?{meeting}{thing}(?:的话|的时候|时|了)?[，, ]?(?:记得|别忘了?|顺便){soft}(?P<do>{verb}.*|说.*)",
                rf"{waiting}{arriving}{thing}{closing}[，, ]?{mark}{soft}(?P<do>{verb}.*)",
            )
        )
        self._head = re.compile(
            rf"(?:{waiting}(?:{passing}|{arriving})|{following}(?:我|咱)?(?:再)?(?:{meeting}|{passing}|{arriving}|去|用|打|做|买)?|(?:要是|如果)?(?:{meeting}|{passing}))(?P<it>[^，,。\s]{{1,12}}?){closing}$"
        )
        self._do = re.compile(rf"[，, ]?{soft}(?P<do>{verb}.*)")
        self._soft_end = re.compile(rf"(?:{'|'.join(table['softeners'])})+$")
        self._soft = re.compile(rf"^(?:{'|'.join(table['softeners'])})+")
        self._not = re.compile("|".join(table["not_orders"]))
        self._done = re.compile("|".join(table["done"]))
        self._after = re.compile(
            rf"[，,。 ]\s*(?:{'|'.join(table['afterthoughts'])}).*$", re.DOTALL
        )
        self._closing = re.compile(rf"(?:{'|'.join(table['closing'])})$")
        self._may = re.compile(
            rf"{orders}|{calls}|{passing}|{meeting}|{any_of(table['notes'])}|下班|放学|睡前|上班|出门|起床|饭|到|回|去|下了"
        )

    def may_ask(self, text: str) -> bool:
        """A cheap test before the times are looked for."""
        return self._may.search(text) is not None and self._not.search(text) is None

    def find(self, frame: Frame) -> tuple[ReminderCandidate, ...]:
        """All reminders of the message."""
        quoted = [found.span() for found in _QUOTED.finditer(frame.text)]
        out: list[ReminderCandidate] = []
        for start, end in sentences(frame.text, _SENTENCE):
            if any(low <= start and end <= high + 1 for low, high in quoted):
                continue
            made = self._ordered(frame, start, end, quoted)
            if made is None and not self._is_question(frame.text, start, end):
                made = self._own(frame, start, end)
            if made is not None:
                out.append(made)
        return tuple(out)

    @staticmethod
    def _is_question(text: str, start: int, end: int) -> bool:
        return text[end : end + 1] in {"？", "?"} or text[start:end].rstrip().endswith(
            ("吗", "么", "呢", "没")
        )

    # --- orders -------------------------------------------------------------------------------------

    def _ordered(
        self, frame: Frame, start: int, end: int, quoted: list[tuple[int, int]]
    ) -> ReminderCandidate | None:
        for order in self._order.finditer(frame.text, start, end):
            if any(low < order.start() < high for low, high in quoted):
                continue
            made = self._from_order(frame, order, start, end)
            if made is not None:
                return made
        return None

    def _from_order(
        self, frame: Frame, order: re.Match[str], start: int, end: int
    ) -> ReminderCandidate | None:
        text, at = frame.text, order.start()
        low = max([found.end() for found in _COMMA.finditer(text, start, at)], default=start)
        lead = self._masked(frame, low, at)
        if self._reporter.search(lead.strip()) or text[order.end() : order.end() + 1] in {
            "过",
            "了",
        }:
            return None
        cue = self._order_cue(frame, order, start, low, end)
        rest = text[order.end() : end]
        words = self._action(frame, order.end(), end)
        if order["call"] and (
            cue is None or self._naming.search(rest) or not (self._called.match(words) or not words)
        ):
            return None
        if not words:
            words = self._previous(frame, low)
        if order["call"] and words == "起床":
            words = order["call"] + words
        if not words:
            return None
        return candidate(frame, cue, words, span=(start, end), name="zh.order", confidence=0.95)

    def _masked(self, frame: Frame, low: int, high: int) -> str:
        text = frame.text[low:high]
        for span in frame.spans:
            if low <= span.start and span.end <= high:
                text = (
                    text[: span.start - low]
                    + " " * (span.end - span.start)
                    + text[span.end - low :]
                )
        return text

    def _order_cue(
        self, frame: Frame, order: re.Match[str], start: int, low: int, end: int
    ) -> Cue | None:
        text, at, after = frame.text, order.start(), order.end()
        offset = _OFFSET.search(text, low, end)
        if offset is not None and (offset.end() <= at or offset.start() >= after):
            return self._offset_cue(frame, offset, offset.start())
        inside = frame.within(low, at)
        if inside:
            return self._best(inside, frame)
        lead = text[low:at].strip(STRIP)
        lead = re.sub(r"(?:记得|请|麻烦你?|你|帮我|到时候?|一定|要|就)+$", "", lead)
        if lead:
            head = self._head.search(lead)
            if head is not None:
                found = text.index(lead, low) + head.start()
                return self._named(frame, found, found + len(head[0]), head["it"])
        behind = frame.within(after, end)
        if behind:
            return self._best(behind, frame)
        earlier = frame.within(start, low)
        if earlier:
            return self._best(earlier[-1:], frame)
        previous = [span for span in frame.within(0, start) if not span.routine]
        return (
            self._best(previous[-1:], frame) if previous and start - previous[-1].end < 30 else None
        )

    def _best(self, spans: list[TimeSpan], frame: Frame) -> Cue:
        ranked = sorted(spans, key=lambda s: (s.rule is None, s.kind != "instant"))
        span = ranked[0]
        return Cue(span.start, span.end, timing(span, frame, self._parts))

    def _offset_cue(self, frame: Frame, offset: re.Match[str], until: int) -> Cue:
        if offset["near"]:
            number, unit = (7.0, "day") if offset["near"] == "周" else (1.0, "day")
        elif offset["n"]:
            number = 0.5 if offset["n"] == "半" else float(han_number(offset["n"]) or 1)
            number, unit = number + (0.5 if offset["half"] else 0), _UNITS[offset["unit"]]
        else:
            number, unit = 1.0, "day"
        made = before_event(frame, number, unit, until=until)
        return Cue(offset.start(), offset.end(), Timing(at=made))

    def _named(self, frame: Frame, start: int, end: int, thing: str) -> Cue:
        thing = self._closing.sub("", thing).strip(STRIP)
        routine = next(
            (s for s in frame.spans if s.routine and start <= s.end and s.start < end), None
        )
        when = timing(routine, frame, self._parts) if routine is not None else Timing()
        if routine is not None and thing in routine.text:
            return Cue(start, end, when)
        parts = re.split(r"下(?=[高动地飞火]|车|船)|的|那儿|这儿|那边", thing)
        return Cue(start, end, when, tuple(part for part in parts if part)[:2])

    def _action(self, frame: Frame, low: int, end: int) -> str:
        words = self._after.sub("", frame.text[low:end])
        words = words.strip(STRIP)
        for span in frame.spans:
            if words.startswith(span.text) and low <= span.start and not span.routine:
                words = words[len(span.text) :]
        words = re.sub(r"^(?:一下|一声|说|要|该|得|记得|别忘了?|[，,：: ])+", "", words)
        pieces = re.split(r"[，,]", words)
        keep = pieces[0]
        for piece in pieces[1:]:
            if re.match(r"(?:还有|再|顺便|然后|以及|并|和)", piece.strip()):
                keep += "，" + piece
            else:
                break
        return keep.strip(STRIP)

    def _previous(self, frame: Frame, low: int) -> str:
        """The action before a bare 提醒我: the clause or sentence before it, times taken off."""
        left = frame.text[:low].rstrip(STRIP)
        cut = max([found.end() for found in re.finditer(r"[。！？!?\n，,；;]", left)], default=0)
        words = self._masked(frame, cut, len(left)).strip(STRIP)
        return re.sub(r"^(?:我)?(?:还)?(?:得|要|需要|必须|应该)", "", words.strip()).strip(STRIP)

    # --- one's own notes ----------------------------------------------------------------------------

    def _own(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        text = frame.text
        lows = [
            start,
            *(
                found.end()
                for found in _COMMA.finditer(text, start, end)
                if found.end() - start < 200
            ),
        ]
        for low in lows[:12]:
            clause_end = end
            if self._done.search(text, start, min(end, low + 40)):
                continue
            for pattern in self._conditions:
                found = pattern.match(text, low, clause_end)
                if found is None or not self._is_plan(found["do"]):
                    continue
                cue = self._named(frame, found.start(), self._stop(found), found["it"])
                return self._cued(frame, cue, found["do"], (start, end))
            made = self._timed_note(frame, low, end, start)
            if made is not None:
                return made
        return None

    def _stop(self, found: re.Match[str]) -> int:
        """Where the cue ends: before 记得, 先 and the like."""
        lead = found[0][: found.start("do") - found.start()].rstrip("，, ")
        soft = self._soft_end.search(lead)
        return found.start() + (soft.start() if soft and soft.start() else len(lead))

    def _timed_note(self, frame: Frame, low: int, end: int, start: int) -> ReminderCandidate | None:
        """下班买牛奶: a routine moment, then something to do; 明天记得交表: a time, then 记得."""
        text = frame.text
        span = next((s for s in frame.within(low, end) if s.start == low), None)
        if span is None:
            note = self._notes.match(text, low, end)
            inside = frame.within(low, end) if note else []
            if note is None or not inside:
                return None
            cue = self._best(inside, frame)
            return self._cued(frame, cue, text[note.end() : end], (start, end))
        rest = re.compile(r"[，, ]*").match(text, span.end, end)
        at = rest.end() if rest else span.end
        note = self._notes.match(text, at, end)
        cue = Cue(span.start, span.end, timing(span, frame, self._parts))
        if note is not None:
            return self._cued(frame, cue, text[note.end() : end], (start, end))
        found = self._do.match(text, span.end, end) if span.routine else None
        if found is None or not self._is_plan(found["do"]):
            return None
        return self._cued(frame, cue, found["do"], (start, end))

    @staticmethod
    def _is_plan(words: str) -> bool:
        """False where the doing is over (买了牛奶) and not ordered (把卡还了)."""
        clause = re.split(r"[，,]", words)[0]
        if re.search(r"[着过]", clause[1:3]):
            return False
        inner = re.search(r"了(?=[^，。]*[\u4e00-\u9fff])", clause)
        return inner is None and len(clause.strip(STRIP)) >= 2

    def _cued(
        self, frame: Frame, cue: Cue, words: str, span: tuple[int, int]
    ) -> ReminderCandidate | None:
        words = self._after.sub("", words).strip(STRIP)
        words = words.removeprefix(frame.text[cue.start : cue.end])
        words = self._soft.sub("", re.split(r"[，,]", words)[0]).strip(STRIP)
        return (
            candidate(frame, cue, words, span=span, name="zh.cue", confidence=0.85)
            if len(words) >= 2
            else None
        )
