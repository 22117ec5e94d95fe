"""Chinese times of day, repeats and routine moments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from graphmem_extractors.numbers_han import han_number
from graphmem_extractors.times.calendar import DAY_CODES, Day
from graphmem_extractors.times.chinese_dates import DAY, MONTH, NUMBER, WEEKDAY
from graphmem_extractors.times.pieces import (
    Atom,
    Clock,
    Piece,
    Reading,
    Repeat,
    alternatives,
    habitual,
    parts_of,
)

_HOUR = r"(?:二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九]|2[0-4]|1\d|0?\d)"
_MINUTE = r"(?:半|一刻|三刻|整|[零〇][一二三四五六七八九]分?|[二三四五]?十[一二三四五六七八九]?分?|[0-5]\d分?|[一二三四五六七八九]分)"


class ChineseClocks:
    """Atoms for times of day, repeats and routine moments."""

    def __init__(self, table: Mapping[str, Any], routines: Mapping[str, list[str]]) -> None:
        self._parts = parts_of(table["parts"])
        self._weekdays: dict[str, int] = dict(table["weekdays"])
        self._days: dict[str, int] = dict(table["days"])
        self._routines = routines
        self._habit = (tuple(table["habit_before"]), tuple(table["habit_after"]))
        self._not_after = "|".join(table["not_clock_after"])
        self._not_before = tuple(table["not_clock_before"])
        self._long_part = alternatives(word for word in self._parts if len(word) > 1)

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms, repeats before the days and hours they hold."""
        day_short = alternatives(word for word in self._days if len(word) == 1)
        many = r"(?P<days>[一二三四五六日天](?:[、和,，]?(?:周|星期|礼拜)?[一二三四五六日天])*)(?![个点月年])"
        return (
            *self._routine_atoms(),
            Atom("everydays", rf"(?:每个?|逢|每逢)(?P<gap>隔[一1]?个?|两个?)?{WEEKDAY}{many}", self._every_days),
            Atom("daylist", rf"{WEEKDAY}(?P<days>[一二三四五六日天](?:[、和]?[一二三四五六日天]){{1,6}})(?![点个次月年号周])", self._day_list),
            Atom("workdays", r"(?:每个?|逢)?工作日|每逢?周一到周五|周一至周五每天", self._work_days),
            Atom("everyweekend", r"每个?(?:周末|双休日)", self._weekends),
            Atom("everynth", rf"每个?月的?(?:第(?P<nth>[一二三四1-4])个?|(?P<last>最后一?个?)){WEEKDAY}(?P<wd>[一二三四五六日天])", self._nth),
            Atom("everymonth", rf"每个?月(?:的)?(?P<d>{DAY})[号日]|每个?月(?P<end>底|最后一天)", self._month_day),
            Atom("everyyear", rf"每年(?:的)?(?P<month>{MONTH})月(?:(?P<d>{DAY})[号日])?", self._yearly),
            Atom("gap", rf"每隔?(?P<n>{NUMBER})(?:个)?(?P<unit>小时|天|周|星期|礼拜|月|年)|隔(?P<one>天|周|星期|月)", self._every_n),
            Atom("every", r"每(?:一|个)?(?P<unit>天|日|周|星期|礼拜|月|年|晚|早|季度)(?!一样|度)(?:都)?", self._every),
            Atom("dayspart", rf"(?P<word>{day_short}(?=[早晚]))(?P<part>早上|晚上|早|晚)(?!餐|饭(?!后|前)|点|会|报)", self._short_day),
            Atom("both", rf"早晚(?:各)?(?:(?P<h>{_HOUR})点(?P<m>半)?)?(?!高峰|温差)", self._both),
            Atom("eachhalf", rf"早上?(?P<h>{_HOUR})点(?P<m>半)?[、和,，]?晚上?(?P<h2>{_HOUR})点(?P<m2>半)?", self._each_half),
            Atom("clock24", r"(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d:：])", self._digital),
            Atom("quarterto", rf"差(?P<m>一刻|十分|五分|10分|5分|15分)钟?(?P<h>{_HOUR})点", self._quarter_to),
            Atom("clock", rf"(?P<about>[一两二三四五六七八九])?(?P<h>{_HOUR})(?:点钟?|时(?=整|许|[0-5]?\d分|[前后之开到至]))(?P<m>{_MINUTE})?(?:左右|许|多)?", self._clock),
            Atom("noonword", r"正午|半夜十二点|零点|午夜", self._noon),
            Atom("longpart", rf"(?P<part>{self._long_part})(?!好(?![吃玩喝看])|安)", self._part),
            Atom("shortpart", r"(?P<part>[早晚])(?=[上]?\s*\d|" + _HOUR + r"点)", self._part),
        )  # fmt: skip

    def _routine_atoms(self) -> tuple[Atom, ...]:
        return tuple(
            Atom(f"routine_{name}", "|".join(phrases), partial(_routine, name))
            for name, phrases in self._routines.items()
        )

    # --- repeats ------------------------------------------------------------------------------------

    def _every_days(self, found: re.Match[str], _: Reading) -> Piece:
        days = sorted({self._weekdays[char] for char in found["days"] if char in self._weekdays})
        codes = ",".join(DAY_CODES[day] for day in days)
        return _repeat(found, Repeat("WEEKLY", 2 if found["gap"] else 1, (f"BYDAY={codes}",)))

    def _day_list(self, found: re.Match[str], _: Reading) -> Piece | None:
        """周一三五 without 每: every week; 周六日 is one weekend."""
        days = sorted({self._weekdays[char] for char in found["days"] if char in self._weekdays})
        if len(days) < 2 or days == [5, 6]:
            return None
        codes = ",".join(DAY_CODES[day] for day in days)
        return _repeat(found, Repeat("WEEKLY", by=(f"BYDAY={codes}",)))

    def _work_days(self, found: re.Match[str], _: Reading) -> Piece:
        return _repeat(found, Repeat("WEEKLY", by=("BYDAY=MO,TU,WE,TH,FR",)))

    def _weekends(self, found: re.Match[str], _: Reading) -> Piece:
        return _repeat(found, Repeat("WEEKLY", by=("BYDAY=SA,SU",)))

    def _month_day(self, found: re.Match[str], _: Reading) -> Piece:
        day = -1 if found["end"] else han_number(found["d"])
        return _repeat(found, Repeat("MONTHLY", by=(f"BYMONTHDAY={day}",)))

    def _nth(self, found: re.Match[str], _: Reading) -> Piece:
        which = -1 if found["last"] else han_number(found["nth"])
        code = DAY_CODES[self._weekdays[found["wd"]]]
        return _repeat(found, Repeat("MONTHLY", by=(f"BYDAY={which}{code}",)))

    def _yearly(self, found: re.Match[str], _: Reading) -> Piece:
        by = (f"BYMONTH={han_number(found['month'])}",)
        day = found["d"] and han_number(found["d"])
        return _repeat(found, Repeat("YEARLY", by=(*by, f"BYMONTHDAY={day}") if day else by))

    def _every_n(self, found: re.Match[str], _: Reading) -> Piece | None:
        if found["one"]:
            return _repeat(found, Repeat(_FREQ[found["one"]], 2))
        number = han_number(found["n"]) or 0
        skipped = found[0].startswith("每隔") and (found["unit"] == "天" or number == 1)
        return _repeat(found, Repeat(_FREQ[found["unit"]], number + skipped)) if number else None

    def _every(self, found: re.Match[str], _: Reading) -> Piece:
        unit = found["unit"]
        if unit in self._parts:
            return replace(_repeat(found, Repeat("DAILY")), part=self._parts[unit])
        return _repeat(found, Repeat(_FREQ[unit], 3 if unit == "季度" else 1))

    # --- times of day -------------------------------------------------------------------------------

    def _short_day(self, found: re.Match[str], at: Reading) -> Piece:
        day = at.said.day + timedelta(days=self._days[found["word"]])
        piece = Piece(start=found.start(), end=found.end(), day=Day(day))
        return replace(piece, part=self._parts[found["part"]])

    def _both(self, found: re.Match[str], _: Reading) -> Piece:
        """早晚八点: at eight in the morning and at eight in the evening."""
        piece = Piece(start=found.start(), end=found.end(), lone=bool(found["h"]))
        minute = 30 if found["m"] else 0
        hour = han_number(found["h"]) if found["h"] else 8
        hours = (hour or 0, (hour or 0) + 12) if hour and hour <= 12 else (8, 20)
        return replace(piece, clocks=tuple(Clock(h, minute, sure=True) for h in hours))

    def _each_half(self, found: re.Match[str], _: Reading) -> Piece | None:
        """早八点晚九点: twice a day."""
        early, late = han_number(found["h"]) or 0, han_number(found["h2"]) or 0
        if not (0 < early < 13 and 0 < late <= 12):
            return None
        first = Clock(early, 30 if found["m"] else 0, sure=True)
        second = Clock(late % 12 + 12, 30 if found["m2"] else 0, sure=True)
        return replace(_clocked(found, first), clocks=(first, second))

    def _digital(self, found: re.Match[str], _: Reading) -> Piece | None:
        hour, minute = int(found["h"]), int(found["m"])
        if hour == 24 and minute:
            return None
        sure = hour == 0 or hour > 12 or found["h"].startswith("0")
        return _clocked(found, Clock(hour, minute, sure))

    def _quarter_to(self, found: re.Match[str], _: Reading) -> Piece | None:
        minutes = {"一刻": 15, "15分": 15, "十分": 10, "10分": 10}.get(found["m"], 5)
        hour = han_number(found["h"])
        return None if not hour else _clocked(found, Clock(hour - 1 or 12, 60 - minutes, hour > 12))

    def _clock(self, found: re.Match[str], at: Reading) -> Piece | None:
        hour, word = han_number(found["h"]), found["m"] or ""
        if found["about"]:  # 两三点 begins at two
            about = han_number(found["about"])
            if hour is None or about != hour - 1:
                return None
            hour = about
        if hour is None or hour > 24 or not self._is_clock(found, at.text):
            return None
        minute = _minutes(word)
        if minute is None or (hour == 24 and minute):
            return None
        return _clocked(found, Clock(hour, minute, hour > 12 or hour == 0))

    def _is_clock(self, found: re.Match[str], text: str) -> bool:
        start, end = found.span()
        before, after = text[max(0, start - 4) : start], text[end : end + 4]
        placed = before.endswith((*self._parts, "午", "晨", "周末"))
        if re.match(r"%|个百分点|[倍万亿元折级]", after):
            return False
        decimal = r"\d" if found["h"].isdigit() else "[一二三四五六七八九]"
        if not found["m"] and re.match(decimal + r"+(?![\d号楼个月日层单人位家间台件开on])", after):
            return False
        if placed or (found["m"] and found["m"] != "整") or "点钟" in found[0]:
            return True
        if before.endswith(self._not_before) or re.match(self._not_after, after):
            return False
        if found["about"]:
            return True
        return found["h"] not in {"一", "零"} or before.endswith(tuple("天儿号日一二三四五六到"))

    def _noon(self, found: re.Match[str], _: Reading) -> Piece:
        return _clocked(found, Clock(12 if found[0] == "正午" else 24, sure=True))

    def _part(self, found: re.Match[str], at: Reading) -> Piece:
        word = found["part"]
        alone = len(word) > 1 and not habitual(found, at.text, *self._habit)
        return Piece(start=found.start(), end=found.end(), part=self._parts[word], lone=alone)


_FREQ = {
    "小时": "HOURLY",
    "天": "DAILY",
    "日": "DAILY",
    "周": "WEEKLY",
    "星期": "WEEKLY",
    "礼拜": "WEEKLY",
    "月": "MONTHLY",
    "季度": "MONTHLY",
    "年": "YEARLY",
}


def _minutes(word: str) -> int | None:
    named = {"": 0, "整": 0, "半": 30, "一刻": 15, "三刻": 45}
    if word in named:
        return named[word]
    number = han_number(word.removesuffix("分").lstrip("零〇") or "零")
    return number if number is not None and number < 60 else None


def _clocked(found: re.Match[str], clock: Clock) -> Piece:
    return Piece(start=found.start(), end=found.end(), clocks=(clock,))


def _repeat(found: re.Match[str], repeat: Repeat) -> Piece:
    return Piece(start=found.start(), end=found.end(), repeat=repeat)


def _routine(name: str, found: re.Match[str], _: Reading) -> Piece:
    return Piece(start=found.start(), end=found.end(), routine=name)
