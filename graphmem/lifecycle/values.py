"""Numbers, dates and codes in a statement, by kind, so that two statements can be compared place by place.

Kinds: "clock" (minutes or hours of the day as said), "weekday", "month", "day" (of a month), "year",
"code" (letters with digits, or six digits and more), and one kind per unit of a count
("n:mg", "n:room"; "n" where no unit follows). Values are normal forms: "two" and "2" are one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType

_WEEKDAYS_EN = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS_EN = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
_WEEKDAY_EN = re.compile(
    r"\b(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?\b(?!\w)", re.IGNORECASE
)
_MONTH_EN = re.compile(
    r"\b(january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
)
_SHORT_MONTH = re.compile(r"\b(?:may|mar|march)\b", re.IGNORECASE)
_DAY_EN = re.compile(r"\b(?:the )?(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_NAMED = r"((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})"
_MONTH_DAY = re.compile(r"\b" + _NAMED + r"\.? (\d{1,2})\b(?!:)")
_DAY_MONTH = re.compile(r"\b(\d{1,2}) " + _NAMED + r"\b")
_CLOCK_EN = re.compile(
    r"\b(\d{1,2})[:.h](\d{2})\b ?(?:([ap])\.?m\b)?|\b(\d{1,2}) ?([ap])\.?m\b\.?"
    r"|\b(half past|quarter past|quarter to) (\w+)|\bat (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?![:.%\d]| (?:percent|euros|dollars|pounds|kilos|miles))"
    r"|\b(noon|midnight)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_CODE = re.compile(
    r"(?<![A-Za-z0-9$€£])(?=[A-Za-z/-]*\d)(?=[\d/-]*[A-Za-z])(?!\d+(?:st|nd|rd|th|mg|kg|km|cm|ml|gb|tb|g|m|l|h|k|p|am|pm|mph|lbs?)(?![A-Za-z0-9]))"
    r"(?!\d+-[a-zA-Z]+(?![A-Za-z0-9]))[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_NO_UNIT = frozenset(
    ["a", "an", "the", "in", "on", "at", "to", "of", "for", "and", "or", "is", "was", "per", "by", "with", "from", "not", "no", "i", "we", "it", "but", "so", "as", "if", "than", "then", "every", "each", "one"]
)  # fmt: skip
_LONG = re.compile(r"\+?\d(?:[\s().-]?\d){5,}")
_NUMBER_EN = re.compile(
    r"(?<![\w.])([$€£¥]?\d+(?:[.,]\d+)*)(k\b)?(?:[ -]?([a-zA-Z%°]+))?|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|"
    r"fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred|once|twice)(?:[- ](one|two|three|four|five|six|seven|eight|nine))?\b[ -]?([a-zA-Z]+)?",
    re.IGNORECASE,
)
_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: n for n, word in enumerate(_UNITS)}
_SMALL |= {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SMALL |= {"hundred": 100, "once": 1, "twice": 2}
_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
)
_ORDINAL_EN = re.compile(
    rf"\b({'|'.join(_ORDINALS)}) (floor|year|grade|row|gate|class|level)\b", re.IGNORECASE
)
_UNIT_EN = {
    "milligram": "mg", "milligrams": "mg", "kilo": "kg", "kilos": "kg", "kilogram": "kg", "kilograms": "kg", "kilometre": "km",
    "kilometres": "km", "kilometers": "km", "kilometer": "km", "minutes": "minute", "mins": "minute", "min": "minute", "hours": "hour", "hrs": "hour",
    "pounds": "pound", "dollars": "money", "bucks": "money", "euros": "money", "euro": "money", "quid": "money", "percent": "%",
    "year": "year", "years": "year", "yr": "year", "yrs": "year", "times": "time", "people": "person", "kids": "kid", "children": "kid",
}  # fmt: skip
_HAN_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "〇": 0,
    "俩": 2,
    "仨": 3,
}
_NUM = r"(\d+(?:\.\d+)?|[零一二三四五六七八九十百千万两〇俩仨]+)"
_CLOCK_ZH = re.compile(
    _NUM + r"(?:点钟|点|时(?!间|候))(半|一刻|三刻|" + _NUM + r"分?)?|(\d{1,2})[:：](\d{2})"
)
_WEEKDAY_ZH = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天末])")
_MONTH_ZH = re.compile(_NUM + r"月份?")
_DAY_ZH = re.compile(_NUM + r"[号日](?!线|楼|院|公寓|柜|门|床|室|馆)")
_YEAR_ZH = re.compile(r"((?:19|20)\d{2}|\d{2})年")
_NUMBER_ZH = re.compile(
    _NUM + r"\s*(毫克|微克|毫升|公斤|千克|公里|厘米|平方米|平米|平|分钟|小时|个小时|个月|个人|天|年|岁|斤|克|米|楼|层|室|号线|号楼|号|栋|单元|元|块|万|倍|次|杯|片|粒|颗|只|条|口人|口|个|位|名|人|台|辆|套|间|门|本|班|年级|页|度|折|成|%|％)?"
)  # fmt: skip
_PLACES_ZH = frozenset(
    {"楼", "层", "号", "栋", "单元", "班", "年级", "号线", "号楼"}
)  # where 一 is a number
_OFTEN_EN = re.compile(
    r"\b(once|twice|thrice|(?:one|two|three|four|1|2|3|4) times) (?:a|per|each|every) (day|week|month|year)\b"
    r"|\b(morning and (?:night|evening))\b",
    re.IGNORECASE,
)
_OFTEN_ZH = re.compile(
    r"(每?[一天日周月年])(?:吃|喝|用|打|服|要|得|来|去|跑)?" + _NUM + r"(?:回|次|顿|遍|趟)"
    r"|(早中晚|早晚)(?:各|饭后|饭前|一)"
)
_TIMES = {
    "once": "1",
    "one": "1",
    "twice": "2",
    "two": "2",
    "thrice": "3",
    "three": "3",
    "four": "4",
}
_ZODIAC = re.compile(
    r"属([鼠牛虎兔龙蛇马羊猴鸡狗猪])|(?<=本命年)\D{0,4}?([鼠牛虎兔龙蛇马羊猴鸡狗猪])年"
)
_EMPTY: Mapping[str, frozenset[str]] = MappingProxyType({})


def values_in(text: str, language: str) -> Mapping[str, frozenset[str]]:
    """All values of a text by kind; empty sets are left out."""
    found: dict[str, set[str]] = defaultdict(set)
    (_chinese if language == "zh" else _english)(text, found)
    return {kind: frozenset(values) for kind, values in found.items()} if found else _EMPTY


class _Rest:
    """The text with what has been read blanked out, so that no digit is read twice."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        matches = list(pattern.finditer(self.text))
        for match in matches:
            self.text = (
                self.text[: match.start()] + " " * len(match.group()) + self.text[match.end() :]
            )
        return matches


def _english(text: str, found: dict[str, set[str]]) -> None:
    rest = _Rest(text)
    for match in _WEEKDAY_EN.finditer(text):
        if match.group().lower() not in {"sun", "sat", "wed", "mon"}:
            found["weekday"].add(match.group(1)[:3].lower())
    has_digit = any(char.isdigit() for char in text)
    if has_digit:
        for match in rest.take(_LONG):
            found["code"].add(re.sub(r"\D", "", match.group()))
        for match in rest.take(_MONTH_DAY) + rest.take(_DAY_MONTH):
            first, second = match.groups()
            name, day = (first, second) if second.isdigit() else (second, first)
            found["month"].add(name[:3].lower())
            found["day"].add(str(int(day)))
        for match in rest.take(_DAY_EN):
            found["day"].add(match.group(1))
    for match in _OFTEN_EN.finditer(text):
        how_often = match.group(1)
        count = _TIMES.get(how_often.lower().split()[0], how_often.split()[0]) if how_often else "2"
        found["often:" + (match.group(2) or "day").lower()].add(count)
    for match in rest.take(_ORDINAL_EN):
        found["n:" + match.group(2).lower()].add(str(_ORDINALS.index(match.group(1).lower()) + 1))
    for match in rest.take(_CLOCK_EN):
        found["clock"].add(_clock_en(match))
    for match in rest.take(_CODE) if has_digit else ():
        found["code"].add(match.group().lower())
    for match in _MONTH_EN.finditer(text.lower()):
        word = match.group(1)
        if not _SHORT_MONTH.fullmatch(word) or text[match.start()].isupper():
            found["month"].add(word[:3])
    if has_digit:
        for match in rest.take(_YEAR):
            found["year"].add(match.group())
    for match in rest.take(_NUMBER_EN):
        digits, thousand, unit, word, ones, unit_after = match.groups()
        if digits:
            kind = "n:money" if digits[0] in "$€£¥" else _unit_en(unit)
            value = digits.lstrip("$€£¥").replace(",", "") + ("000" if thousand else "")
        else:
            kind = _unit_en(unit_after)
            value = str(_SMALL[word.lower()] + (_SMALL[ones.lower()] if ones else 0))
            if word.lower() == "one":  # mostly a pronoun
                continue
        found[kind].add(value)


def _unit_en(unit: str | None) -> str:
    if not unit:
        return "n"
    unit = unit.lower()
    return "n" if unit in _NO_UNIT else "n:" + _UNIT_EN.get(unit, unit.removesuffix("s"))


def _clock_en(match: re.Match[str]) -> str:
    hour, minute, _half, lone, _lone_half, past, past_hour, at_hour, noon = match.groups()
    if noon:
        return "0"
    if past:
        return f"{past.lower()} {past_hour.lower()}"
    if at_hour:
        return str(int(_SMALL.get(at_hour.lower(), at_hour)) % 12)
    value = hour or lone
    number = int(value) % 12  # "3 pm", "15:00" and a bare "3" are one hour
    return f"{number}:{minute}" if minute and minute != "00" else str(number)


def _chinese(text: str, found: dict[str, set[str]]) -> None:
    rest = _Rest(text)
    for match in _WEEKDAY_ZH.finditer(text):
        found["weekday"].add(match.group(1).replace("天", "日"))
    for match in rest.take(_LONG):
        found["code"].add(re.sub(r"\D", "", match.group()))
    for match in rest.take(_CODE):
        found["code"].add(match.group().lower())
    for match in rest.take(_OFTEN_ZH):
        every, count, doses = match.groups()
        per = "day" if doses or every[-1] in "天日一" else every[-1]
        found["often:" + per].add(han_number(count) if count else str(len(doses)))
    for match in _ZODIAC.finditer(text):
        found["zodiac"].add(match.group(1) or match.group(2))
    for match in rest.take(_CLOCK_ZH):
        hour, tail, minute, other_hour, other_minute = match.groups()
        if hour is None:
            hour, minute = other_hour, other_minute
        part = {"半": "30", "一刻": "15", "三刻": "45"}.get(tail or "", "") or (
            han_number(minute) if minute else ""
        )
        value = str(int(han_number(hour)) % 12)
        found["clock"].add(f"{value}:{part}" if part not in {"", "00", "0"} else value)
    for kind, pattern in (("year", _YEAR_ZH), ("month", _MONTH_ZH), ("day", _DAY_ZH)):
        for match in rest.take(pattern):
            found[kind].add(han_number(match.group(1)))
    for match in rest.take(_NUMBER_ZH):
        number, unit = match.groups()
        if (number == "一" and unit not in _PLACES_ZH) or (
            unit is None and not number.isdigit() and len(number) < 2
        ):
            continue
        found[_unit_zh(unit)].add(han_number(number))


def _unit_zh(unit: str | None) -> str:
    if not unit:
        return "n"
    return "n:元" if unit in {"块", "元"} else f"n:{unit}"


def han_number(text: str) -> str:
    """Digits of a number written in Han or Arabic digits ("二十三" and "23" give "23")."""
    if text[0].isdigit():
        return text.lstrip("0") or "0"
    if not any(char in "十百千万" for char in text):
        return "".join(str(_HAN_DIGIT.get(char, char)) for char in text)
    total = section = digit = 0
    for char in text:
        scale = {"十": 10, "百": 100, "千": 1000, "万": 10_000}.get(char)
        if scale is None:
            digit = _HAN_DIGIT.get(char, 0)
        elif scale == 10_000:
            total, section, digit = (total + section + digit) * scale, 0, 0
        else:
            section, digit = section + (digit or 1) * scale, 0
    return str(total + section + digit)
