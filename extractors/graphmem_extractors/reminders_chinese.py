"""Chinese reminders: orders (提醒我...), notes to oneself, and cues with something to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphmem.protocols import ReminderCandidate, TimeSpan
from graphmem_extractors.reminders_base import STRIP, Cue, Frame, candidate, sentences
from graphmem_extractors.reminders_chinese_cues import OFFSET, ChineseCues
from graphmem_extractors.reminders_chinese_words import ChineseWords

_SENTENCE = re.compile(r"[。！？!?\n;；]|\.(?=\s|$)")
_COMMA = re.compile(r"[，,、：:\s]")
_GAP = re.compile(r"[，, ]*")
_QUOTED = re.compile(r"[“「『\"][^”」』\"\n]{0,2000}[”」』\"]")
_THEREAFTER = re.compile(r"^(?:之后|以后|后)[，, ]?")
_SET = re.compile(r"[0-9一二三四五六日天末]+(?:[号日点时]|$)|[周期拜][一二三四五六日天]|点")
_HEAD = re.compile(r"^(?:一下|一声|说|要|该|得|记得|别忘了?|[，,：: ])+")
_MORE = re.compile(r"\s*(?:还有|再|顺便|然后|以及|并|和)")
_DUTY = re.compile(r"^(?:我)?(?:还)?(?:得|要|需要|必须|应该)")
_CALLED = re.compile(r"(?:叫|喊|提醒|催)(?:醒)?我(?:一声|一下)?")


class ChineseReminders:
    """Reads reminders in Chinese messages; the words come from the lexicon."""

    def __init__(self, table: Mapping[str, Any], times: Mapping[str, Any]) -> None:
        self._words = ChineseWords.of(table)
        self._cues = ChineseCues(self._words, times["parts"])

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
            if made is None and not _is_question(frame.text, start, end):
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
            made = self._from_order(frame, order, start, end)
            if made is not None:
                return made
        return None

    def _from_order(
        self, frame: Frame, order: re.Match[str], start: int, end: int
    ) -> ReminderCandidate | None:
        text, at = frame.text, order.start()
        low = max([found.end() for found in _COMMA.finditer(text, start, at)], default=start)
        lead = self._words.note.sub("", _masked(frame, low, at)).strip()
        if self._words.reporter.search(lead) or text[order.end() : order.end() + 1] in {"过", "了"}:
            return None
        cue = self._cues.around(frame, order, start, low, end)
        words = self._action(frame, order.end(), end)
        if order["call"] and not self._is_call(text[order.end() : end], words, cue):
            return None
        if self._words.alarm.search(order[0]) and not words:
            words = order[0]
        words = words or self._event(frame, low, at) or self._previous(frame, low)
        if order["call"] and words in {"起床", ""}:
            words = order["call"] + words
        return candidate(frame, cue, words, span=(start, end), name="zh.order", confidence=0.95)

    def _is_call(self, rest: str, words: str, cue: Cue | None) -> bool:
        """叫我 asks for a reminder beside a cue, unless a name follows."""
        named = self._words.naming.search(rest) is not None
        return (
            cue is not None and not named and (not words or bool(self._words.called.match(words)))
        )

    def _action(self, frame: Frame, low: int, end: int) -> str:
        words = self._words.after.sub("", frame.text[low:end]).strip(STRIP)
        for span in frame.spans:
            if words.startswith(span.text) and low <= span.start and not span.routine:
                words = words[len(span.text) :]
        first, *others = re.split(r"[，,]", _HEAD.sub("", words))
        for piece in others:
            if not _MORE.match(piece):
                break
            first += "，" + piece
        for span in frame.spans:  # 提醒我下班后去取快递: the moment is the cue, not the action
            if (
                span.routine
                and first.startswith(span.text)
                and first[len(span.text) :].strip(STRIP)
            ):
                first = first[len(span.text) :]
        first = _THEREAFTER.sub("", first)
        return "" if _only_times(frame, first) else first.strip(STRIP)

    def _event(self, frame: Frame, low: int, at: int) -> str:
        """The event before which one is told: 下午开会前十分钟叫我."""
        offset = OFFSET.search(frame.text, low, at)
        return _masked(frame, low, offset.start()).strip(STRIP) if offset is not None else ""

    def _previous(self, frame: Frame, low: int) -> str:
        """The action before a bare 提醒我: the clause or sentence before it, times taken off."""
        left = frame.text[:low].rstrip(STRIP)
        cut = max([found.end() for found in re.finditer(r"[。！？!?\n，,；;]", left)], default=0)
        words = re.sub(r"\s+", "", _masked(frame, cut, len(left)))
        return _DUTY.sub("", words.strip(STRIP)).strip(STRIP)

    # --- one's own notes ----------------------------------------------------------------------------

    def _own(self, frame: Frame, start: int, end: int) -> ReminderCandidate | None:
        marks = [found.end() for found in _COMMA.finditer(frame.text, start, min(end, start + 200))]
        for low in (start, *marks[:11]):
            if self._words.done.search(frame.text, start, min(end, low + 40)):
                return None
            made = self._conditional(frame, low, start, end) or self._noted(frame, low, start, end)
            if made is not None:
                return made
        return None

    def _conditional(
        self, frame: Frame, low: int, start: int, end: int
    ) -> ReminderCandidate | None:
        for pattern in self._words.conditions:
            found = pattern.match(frame.text, low, end)
            if found is not None and _is_plan(found["do"]) and not _is_habit(found):
                cue = self._cues.named(frame, found.start(), self._stop(found), found["it"])
                return self._cued(frame, cue, found["do"], (start, end))
        return None

    def _stop(self, found: re.Match[str]) -> int:
        """Where the cue ends: before 记得, 先 and the like."""
        lead = found[0][: found.start("do") - found.start()].rstrip("，, ")
        soft = self._words.soft_end.search(lead)
        return found.start() + (soft.start() if soft and soft.start() else len(lead))

    def _noted(self, frame: Frame, low: int, start: int, end: int) -> ReminderCandidate | None:
        """下班买牛奶: a routine moment, then something to do; 明天记得交表: a time, then 记得."""
        text = frame.text
        span = next((s for s in frame.within(low, end) if s.start == low), None)
        at = low if span is None else _skip(text, span.end, end)
        note = self._words.note.match(text, at, end)
        if note is not None:
            spans = [span] if span else frame.within(low, end) or frame.within(start, low)
            if not spans:
                return None
            return self._cued(
                frame, self._cues.best(spans, frame), text[note.end() : end], (start, end)
            )
        found = None
        if span is not None and span.routine:
            found = self._words.doing.match(text, at, end)
        elif span is not None and _ringing(span):
            found = self._words.chore.match(text, at, end)
        if span is None or found is None or not _is_plan(found["do"]):
            return None
        return self._cued(frame, self._cues.best([span], frame), found["do"], (start, end))

    def _cued(
        self, frame: Frame, cue: Cue, words: str, span: tuple[int, int]
    ) -> ReminderCandidate | None:
        words = self._words.after.sub("", words).strip(STRIP)
        words = words.removeprefix(frame.text[cue.start : cue.end])
        words = self._words.soft.sub("", re.split(r"[，,]", words)[0]).strip(STRIP)
        if len(words) < 2 or _CALLED.fullmatch(words):
            return None
        return candidate(frame, cue, words, span=span, name="zh.cue", confidence=0.85)


def _ringing(span: TimeSpan) -> bool:
    """A repeat that names its day or hour (每月1号, 每周一早上8点), not just 每天."""
    return span.kind == "repeat" and _SET.search(span.text) is not None


def _skip(text: str, at: int, end: int) -> int:
    gap = _GAP.match(text, at, end)
    return gap.end() if gap else at


def _masked(frame: Frame, low: int, high: int) -> str:
    """The stretch with its times blanked."""
    text = frame.text[low:high]
    for span in frame.spans:
        if low <= span.start and span.end <= high:
            blank = " " * (span.end - span.start)
            text = text[: span.start - low] + blank + text[span.end - low :]
    return text


def _only_times(frame: Frame, words: str) -> bool:
    """True where a stretch holds nothing but times (到点叫我，早八点晚八点)."""
    for span in frame.spans:
        words = words.replace(span.text, "")
    return not words.strip(STRIP)


def _is_question(text: str, start: int, end: int) -> bool:
    asked = text[start:end].rstrip().endswith(("吗", "么", "呢", "没"))
    return asked or text[end : end + 1] in {"？", "?"}


def _is_habit(found: re.Match[str]) -> bool:
    """我到家就看电视 tells what one does; 到家就把门锁了 orders it."""
    lead = found[0][: found.start("do") - found.start()]
    return lead.startswith("我") and lead.endswith("就") and not found["do"].startswith("把")


def _is_plan(words: str) -> bool:
    """False where the doing is over (买了牛奶) and not ordered (把卡还了)."""
    clause = re.split(r"[，,]", words)[0]
    if re.search(r"[着过]", clause[1:3]):
        return False
    inner = re.search(r"了(?=[^，。]*[\u4e00-\u9fff])", clause)
    return inner is None and len(clause.strip(STRIP)) >= 2
