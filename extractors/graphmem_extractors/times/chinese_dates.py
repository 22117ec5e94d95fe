"""Chinese dates: weekdays, months, days, years, relative days, holidays, stretches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import partial
from typing import Any

from graphmem_extractors.numbers_han import han_number
from graphmem_extractors.times.calendar import (
    WEEK,
    Day,
    month_end,
    real_date,
    shift_months,
    week_start,
    weekday_after,
    weekday_before,
)
from graphmem_extractors.times.holidays import Holidays
from graphmem_extractors.times.nearest import near_day, near_day_of_month, near_month
from graphmem_extractors.times.pieces import Atom, Piece, Reading, alternatives, dated, habitual
from graphmem_extractors.times.shifts import ago, lasting

DAY = r"(?:[12]\d|3[01]|0?[1-9]|三十一?|二十[一二三四五六七八九]?|十[一二三四五六七八九]?|[一二三四五六七八九])"
MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
NUMBER = r"(?:\d{1,3}(?:\.5)?|[一二两三四五六七八九十百]{1,4}|半)"
WEEKDAY = r"(?:周|星期|礼拜)"
_SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "这个": 0, "上个": -1, "下个": 1, "下": 1, "下下": 2, "下下个": 2, "上上个": -2, "当": 0}  # fmt: skip
_SHIFT = r"(?:上上个?|下下个?|上个?|下个?|这个?|本)"


class ChineseDates:
    """Atoms for dates, built from the words of the lexicon."""

    def __init__(self, table: Mapping[str, Any], holidays: Holidays) -> None:
        self._weekdays: dict[str, int] = dict(table["weekdays"])
        self._days: dict[str, int] = dict(table["days"])
        self._years: dict[str, int] = dict(table["years"])
        self._units: dict[str, str] = dict(table["units"])
        self._holidays = holidays
        self._habit = (tuple(table["habit_before"]), tuple(table["habit_after"]))
        self._holiday_words: dict[str, list[str]] = dict(table["holidays"])
        self._not_year_after = "|".join(table["not_year_after"])
        self._not_year_before = tuple(table["not_year_before"])

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms, the longest and surest forms first."""
        short = alternatives(word for word in self._days if len(word) > 1)
        year4 = r"(?:(?:19|20)\d\d|[一二][九〇零][〇零一二三四五六七八九]{2})"
        wday = r"(?P<wd>[一二三四五六日天]|[1-7](?!\d))(?![个点年次顿趟遍])"
        of_year = rf"(?P<year>{year4}年|{alternatives(self._years)}|\d\d年(?=[\d一二三四五六七八九十]{{1,2}}月))"
        return (
            Atom("iso", r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?![\d/.])", self._numeric),
            Atom("dayrange", rf"(?:{of_year}的?)?(?P<month>{MONTH})月(?P<d1>{DAY})[号日]?\s*(?:到|至|-|–|~|～)\s*(?P<d2>{DAY})[号日]", self._day_range),
            Atom("years", rf"(?P<y1>{year4})年?\s*(?:到|至|-|–|~|～)\s*(?P<y2>{year4})年?(?!\d)", self._year_range),
            Atom("yearmonthday", rf"(?:{of_year}的?)(?P<month>{MONTH})月(?:份)?(?:(?P<d1>{DAY})[号日]?)?", self._year_month_day),
            Atom("yearpart", rf"{of_year}(?P<pos>年?初|年?底|年?末|年中|上半年|下半年|春节前|夏天|秋天|冬天)", self._part_of_year),
            Atom("stay", rf"(?:住|待|玩)(?P<n>{NUMBER})(?:个?晚上?|夜)", self._stay),
            Atom("ago", rf"(?P<n>{NUMBER})(?:多)?个?(?P<half>半)?(?P<unit>分钟|刻钟|小时|钟头|天|周|星期|礼拜|(?<=[个半])月|年)(?P<half2>半)?(?P<dir>之?前|以前|后|之后|以后)", self._shift),
            Atom("coming", rf"(?<![经度])过(?P<n>{NUMBER})个?(?P<unit>天|周|星期|礼拜|(?<=个)月)(?:之?后|以后|再)?", self._ahead),
            Atom("lately", rf"(?:最近|近|过去|这)(?P<n>{NUMBER})个?(?P<unit>天|周|星期|礼拜|(?<=个)月|年)(?:里|来|以来|内|间)?", self._lately),
            Atom("lasted", rf"(?<=[\u4e00-\u9fff])(?:了|整|整整|满)(?:快|近|将近|差不多|整整)?(?P<n>{NUMBER})(?:多)?个?(?P<unit>天|周|星期|礼拜|(?<=个)月|年)(?:多|整)?(?P<on>了)?", self._lasted),
            Atom("lastednow", rf"(?<=[\u4e00-\u9fff])(?<![第再过])(?:快|近|将近|差不多|整整|已经|有|都)?(?P<n>{NUMBER})多?个?(?P<unit>(?<=个)月|年)多?(?P<on>了)(?![^，。！？]{{0,2}}才)", self._lasted),
            Atom("relativeday", rf"(?P<word>{short})(?!然|津)", self._relative),
            Atom("shiftday", rf"(?P<shift>{_SHIFT})(?:一)?{WEEKDAY}{wday}", self._week_day),
            Atom("shiftweekend", rf"(?P<shift>{_SHIFT})?(?:个)?(?:周末|星期末|礼拜末|双休日)", self._weekend),
            Atom("shiftweek", rf"(?P<shift>{_SHIFT})(?:一)?{WEEKDAY}(?![一二三四五六日天末\d年岁刊报边])", self._week),
            Atom("shiftmonth", rf"(?P<shift>上上个?|下下个?|上个?|下个?|这个?|本|当)月(?P<pos>初|中旬|中|底|末|上旬|下旬)?(?:的?(?P<d1>{DAY})[号日])?(?!饼|亮|台|球|光)", self._shift_month),
            Atom("quarter", r"(?P<shift>上个?|下个?|这个?|本)季度", self._quarter),
            Atom("weekday", rf"{WEEKDAY}{wday}", self._weekday),
            Atom("monthday", rf"(?P<month>{MONTH})月(?:份)?(?P<d1>{DAY})[号日]", self._month_day),
            Atom("monthpart", rf"(?P<month>{MONTH})月(?:份)?(?P<pos>初|中旬|中|底|末|上旬|下旬)", self._month_part),
            Atom("month", rf"(?P<month>{MONTH})月(?:份)?(?![\d饼亮子球嫂瓜])", self._month),
            Atom("slash", r"(?P<month>1[0-2]|0?[1-9])/(?P<d1>[12]\d|3[01]|0?[1-9])(?![\d/])(?=号|日|\s*(?:上午|下午|晚|早|中午|周|开|去|前|之前|到期|交|截止))", self._month_day),
            Atom("positioned", r"(?P<pos>月初|月底|月末|月中|上旬|中旬|下旬|年初|年底|年末|年中|岁末|上半年|下半年)", self._positioned),
            Atom("dayofmonth", rf"(?P<d1>{DAY})[号](?![楼线院库室门机馆店桌床厅店位球车杆柜\d-]|单元|公路|仓|选手|字|码|电池|弄|铺|站|航站|地铁|出口|口|院|小区|牌|技师|教室|文件|房|宿舍|病床|窗)", self._day_of_month),
            *(
                Atom(f"holiday_{name}", rf"(?P<of>{alternatives(self._years)})?(?:{'|'.join(words)})", partial(self._holiday, name))
                for name, words in self._holiday_words.items()
            ),
            Atom("year4", rf"(?P<y>{year4})年(?![后间级])(?:的时候|那会儿?|那年)?", self._year4),
            Atom("year2", rf"(?P<y>\d\d|[〇零一二九八七][〇零一二三四五六七八九])年(?!{self._not_year_after})(?=[\u4e00-\u9fff])(?:那会儿?|那年|的时候)?", self._year2),
            Atom("relyear", rf"(?P<year>{alternatives(self._years)})(?!级)", self._relative_year),
        )  # fmt: skip

    # --- years --------------------------------------------------------------------------------------

    def _year_of(self, text: str, at: Reading) -> int:
        if text in self._years:
            return at.said.day.year + self._years[text]
        number = han_number(text.removesuffix("年")) or 0
        if len(text) > 3:
            return number
        century = at.said.day.year // 100 * 100
        return century + number - 100 * (century + number > at.said.day.year + 5)

    def _numeric(self, found: re.Match[str], _: Reading) -> Piece | None:
        return _dated(found, real_date(int(found["y"]), int(found["m"]), int(found["d"])))

    def _year_month_day(self, found: re.Match[str], at: Reading) -> Piece | None:
        year, month = self._year_of(found["year"], at), han_number(found["month"]) or 0
        if found["d1"]:
            return _dated(found, real_date(year, month, han_number(found["d1"]) or 0))
        first = real_date(year, month, 1)
        return dated(found, Day(first, "month")) if first else None

    def _year_range(self, found: re.Match[str], _: Reading) -> Piece | None:
        first, last = han_number(found["y1"]) or 0, han_number(found["y2"]) or 0
        if not 0 < first < last:
            return None
        return dated(found, Day(date(first, 1, 1), "year", last=date(last, 1, 1)))

    def _part_of_year(self, found: re.Match[str], at: Reading) -> Piece | None:
        year = self._year_of(found["year"], at)
        return dated(found, year_part(year, found["pos"]))

    def _year4(self, found: re.Match[str], _: Reading) -> Piece | None:
        return dated(found, Day(date(han_number(found["y"]) or 0, 1, 1), "year"))

    def _year2(self, found: re.Match[str], at: Reading) -> Piece | None:
        before = at.text[max(0, found.start() - 3) : found.start()]
        number = han_number(found["y"])
        if number is None or before.endswith(self._not_year_before):
            return None
        today = at.said.day.year
        year = today // 100 * 100 + number
        if year > today + 5:
            year -= 100
        return dated(found, Day(date(year, 1, 1), "year")) if today - year < 70 else None

    def _relative_year(self, found: re.Match[str], at: Reading) -> Piece:
        return dated(found, Day(date(self._year_of(found["year"], at), 1, 1), "year"))

    def _holiday(self, name: str, found: re.Match[str], at: Reading) -> Piece | None:
        if found["of"]:
            return _dated(found, self._holidays.on(name, self._year_of(found["of"], at)))
        past = at.tense(*found.span()) == "past"
        day = self._holidays.near(name, at.said.day, past=past)
        return dated(found, Day(day, cycle="year")) if day else None

    # --- months -------------------------------------------------------------------------------------

    def _month_day(self, found: re.Match[str], at: Reading) -> Piece | None:
        if _lunar(found, at):
            return None
        past = at.tense(*found.span()) == "past"
        month, number = han_number(found["month"]) or 0, han_number(found["d1"]) or 0
        day = near_day(at.said.day, month, number, past=past)
        return dated(found, Day(day, cycle="year")) if day else None

    def _day_range(self, found: re.Match[str], at: Reading) -> Piece | None:
        month, number = han_number(found["month"]) or 0, han_number(found["d1"]) or 0
        if found["year"]:
            first = real_date(self._year_of(found["year"], at), month, number)
        else:
            first = near_day(at.said.day, month, number, past=at.tense(*found.span()) == "past")
        last = first and real_date(first.year, month, han_number(found["d2"]) or 0)
        return dated(found, Day(first, last=last)) if first and last and first < last else None

    def _month(self, found: re.Match[str], at: Reading) -> Piece | None:
        before = at.text[max(0, found.start() - 2) : found.start()]
        if before.endswith(("正", "个", "第", "腊")) or _lunar(found, at):
            return None
        since = before.endswith(("从", "自", "打")) or at.text.startswith("起", found.end())
        past = at.tense(*found.span()) == "past"
        month = han_number(found["month"]) or 0
        day = near_month(at.said.day, month, past=past)
        if since and not past and at.tense(*found.span()) != "future":  # the nearer one
            behind = near_month(at.said.day, month, past=True)
            day = behind if at.said.day - behind < day - at.said.day else day
        return dated(found, Day(day, "month", cycle="year"))

    def _month_part(self, found: re.Match[str], at: Reading) -> Piece:
        month, past = han_number(found["month"]) or 0, at.tense(*found.span()) == "past"
        return dated(found, month_part(near_month(at.said.day, month, past=past), found["pos"]))

    def _shift_month(self, found: re.Match[str], at: Reading) -> Piece | None:
        first = shift_months(at.said.day.replace(day=1), _SHIFTS[found["shift"]])
        if found["d1"]:
            return _dated(found, real_date(first.year, first.month, han_number(found["d1"]) or 0))
        return dated(
            found, month_part(first, found["pos"]) if found["pos"] else Day(first, "month")
        )

    def _quarter(self, found: re.Match[str], at: Reading) -> Piece:
        today = at.said.day
        first = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
        first = shift_months(first, 3 * _SHIFTS[found["shift"]])
        return dated(found, Day(first, "month", last=shift_months(first, 2)))

    def _positioned(self, found: re.Match[str], at: Reading) -> Piece | None:
        today, word = at.said.day, found["pos"]
        if at.text[max(0, found.start() - 1) : found.start()] in {"正", "腊", "冬"}:
            return None
        if "年" in word or word == "岁末":
            return dated(found, year_part(today.year, word))
        day = month_part(today.replace(day=1), word.removeprefix("月"))
        if day.closing < today and at.tense(*found.span()) == "future":
            day = month_part(shift_months(today.replace(day=1), 1), word.removeprefix("月"))
        return dated(found, day)

    def _day_of_month(self, found: re.Match[str], at: Reading) -> Piece | None:
        before = at.text[max(0, found.start() - 1) : found.start()]
        if before and (before in "-#第里路街巷道弄村栋幢座楼层" or (before.isascii() and before.isalnum())):  # fmt: skip
            return None
        past = at.tense(*found.span()) == "past"
        day = near_day_of_month(at.said.day, han_number(found["d1"]) or 0, past=past)
        return dated(found, Day(day, cycle="month")) if day else None

    # --- weeks and days -----------------------------------------------------------------------------

    def _relative(self, found: re.Match[str], at: Reading) -> Piece:
        return dated(found, Day(at.said.day + timedelta(days=self._days[found["word"]])))

    def _monday(self, found: re.Match[str], at: Reading) -> date:
        return week_start(at.said.day) + WEEK * _SHIFTS[found["shift"] or "这"]

    def _week_day(self, found: re.Match[str], at: Reading) -> Piece:
        return dated(
            found, Day(self._monday(found, at) + timedelta(days=self._weekdays[found["wd"]]))
        )

    def _weekday(self, found: re.Match[str], at: Reading) -> Piece:
        past = at.tense(*found.span()) == "past"
        day = (weekday_before if past else weekday_after)(at.said.day, self._weekdays[found["wd"]])
        return dated(found, Day(day, cycle="week"))

    def _week(self, found: re.Match[str], at: Reading) -> Piece:
        monday = self._monday(found, at)
        return dated(found, Day(monday, last=monday + timedelta(days=6)))

    def _weekend(self, found: re.Match[str], at: Reading) -> Piece | None:
        if not found["shift"] and habitual(found, at.text, *self._habit):
            return None
        monday = self._monday(found, at)
        weekend = at.said.day.weekday() >= 5
        if not found["shift"] and at.tense(*found.span()) == "past" and not weekend:
            monday -= WEEK
        return dated(found, Day(monday + timedelta(days=5), last=monday + timedelta(days=6)))

    # --- counting -----------------------------------------------------------------------------------

    def _amount(self, found: re.Match[str]) -> tuple[float, str]:
        text, groups = found["n"], found.groupdict()
        number = (
            0.5 if text == "半" else float(text) if "." in text else float(han_number(text) or 0)
        )
        number += 0.5 if groups.get("half") or groups.get("half2") else 0
        return number, self._units[found["unit"]]

    def _stay(self, found: re.Match[str], _: Reading) -> Piece | None:
        nights = han_number(found["n"])
        return (
            Piece(start=found.start(), end=found.end(), stay=nights, lone=False) if nights else None
        )

    def _shift(self, found: re.Match[str], at: Reading) -> Piece | None:
        number, unit = self._amount(found)
        return ago(found.span(), at, number, unit, sign=-1 if "前" in found["dir"] else 1) if number else None  # fmt: skip

    def _ahead(self, found: re.Match[str], at: Reading) -> Piece | None:
        number, unit = self._amount(found)
        return ago(found.span(), at, number, unit, sign=1) if number else None

    def _lately(self, found: re.Match[str], at: Reading) -> Piece | None:
        number, unit = self._amount(found)
        return lasting(found.span(), at, number, unit, closed=True) if number else None

    def _lasted(self, found: re.Match[str], at: Reading) -> Piece | None:
        number, unit = self._amount(found)
        whole = found[0].startswith("整") or "整" in found[0]
        after = at.text[found.end() : found.end() + 30]
        before = at.text[max(0, found.start() - 20) : found.start()]
        if not number or _OVER_AFTER.search(after) or _OVER_BEFORE.search(before):
            return None
        if unit not in {"month", "year"} and not (found["on"] or whole):
            return None
        return lasting(found.span(), at, number, unit, anniversary=whole)


_OVER_AFTER = re.compile(r"^[^。！？\n]{0,8}(?:后来|才|终于|就[走搬换离辞]|[，,]?(?:后|之后|以后))")
_OVER_BEFORE = re.compile(r"以前|之前|曾|当年|那时|那会|原来|小时候|[上大]学时|过去")


def _lunar(found: re.Match[str], at: Reading) -> bool:
    """八月十六 without 号 and whatever follows 农历 is of the lunar calendar: kept as said."""
    if re.match(r"初|[十廿]|[一二三]?十", at.text[found.end() : found.end() + 2]) is not None:
        return True
    return (
        re.search(r"农历|阴历|旧历", at.text[max(0, found.start() - 12) : found.start()])
        is not None
    )


def _dated(found: re.Match[str], day: date | None) -> Piece | None:
    return dated(found, Day(day)) if day else None


def month_part(first: date, position: str) -> Day:
    """月初 and 上旬 are the 1st to 10th, 月中 and 中旬 the 11th to 20th, 下旬 the 21st on, 月底 the last day."""
    end = month_end(first)
    if position in {"底", "末"}:
        return Day(end)
    low, high = {"初": (1, 10), "上旬": (1, 10), "中": (11, 20), "中旬": (11, 20)}.get(
        position, (21, end.day)
    )
    return Day(first.replace(day=low), last=first.replace(day=high))


def year_part(year: int, position: str) -> Day:
    """年初 is January, 年中 June, 年底 December; the halves are six months each."""
    if "半年" in position:
        low = 1 if "上" in position else 7
        return Day(date(year, low, 1), "month", last=date(year, low + 5, 1))
    if "天" in position:
        low = {"夏天": 6, "秋天": 9, "冬天": 12}[position]
        return Day(date(year, low, 1), "month", last=shift_months(date(year, low, 1), 2))
    month = 1 if "初" in position or "前" in position else 6 if "中" in position else 12
    return Day(date(year, month, 1), "month")
