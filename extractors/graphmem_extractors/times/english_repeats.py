"""English repeats: every other Friday, weekdays, on the 1st of every month."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphmem_extractors.times.calendar import DAY_CODES
from graphmem_extractors.times.pieces import Atom, Piece, Reading, Repeat, alternatives, parts_of


class EnglishRepeats:
    """Atoms for repeats, built from the words of the lexicon."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._numbers: dict[str, float] = dict(table["numbers"])
        self._parts = parts_of(table["parts"])
        self._weekdays: dict[str, int] = {**table["weekdays"], **table["short_weekdays"]}
        self._long_days: dict[str, int] = dict(table["weekdays"])
        self._ordinals: dict[str, int] = dict(table["ordinals"])
        self._months: dict[str, int] = dict(table["months"])

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms, the longest forms first."""
        days = alternatives(self._weekdays) + r"\b\.?"
        many = rf"{days}(?:(?:\s*,\s*|\s+and\s+|\s*&\s*|\s*,\s*and\s+)(?:every\s+|on\s+)?{days})*"
        ordinal = alternatives(w for w, n in self._ordinals.items() if n <= 5)
        late = alternatives(w for w, n in self._ordinals.items() if n <= 5 and n != 2)
        freq = r"(?P<unit>day|week|month|year|morning|afternoon|evening|night|weekend|weekday|fortnight|quarter|hour)"
        return (
            Atom("everynth", rf"(?:on\s+)?(?:the|every)\s+(?P<which>{ordinal}|last)\s+(?P<wd>{alternatives(self._long_days)})\s+(?:of|in)\s+(?:every|each|the)\s+month|every\s+(?P<which2>{late}|last)\s+(?P<wd2>{alternatives(self._long_days)})\b", self._nth),
            Atom("everylast", r"(?:on\s+)?the\s+(?P<end>last)\s+day\s+of\s+(?:every|each|the)\s+month(?<!the month)", self._month_day),
            Atom("everydom", rf"(?:on\s+)?the\s+(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)|(?P<dw>{ordinal}))\s+of\s+(?:every|each)\s+month|(?:every|each)\s+(?:(?P<d2>\d{{1,2}})(?:st|nd|rd|th)|(?P<dw2>{ordinal}))\s+(?:day\s+)?of\s+the\s+month", self._month_day),
            Atom("everyyear", rf"(?:every\s+(?:year\s+on\s+(?:the\s+)?)?|(?:annually|yearly)\s+on\s+(?:the\s+)?)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{alternatives(self._months)})\b|every\s+(?P<month2>{alternatives(self._months)})\b(?:\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?)?", self._yearly),
            Atom("everydays", rf"(?:on\s+)?(?:every|each)\s+(?P<other>other\s+|second\s+|2nd\s+|single\s+)?(?P<days>{many})", self._days),
            Atom("daylist", rf"(?:on\s+)?(?P<days>{days}(?:\s*,\s*{days})+(?:\s*,)?\s*(?:and|&)\s*{days})", self._days),
            Atom("dayspan", rf"(?P<d1>{days})\s*[-–]\s*(?P<d2>{days})", self._day_span),
            Atom("plural", rf"(?:on\s+)?(?P<days>{alternatives(self._long_days)}s(?:(?:\s*,\s*|\s+and\s+|\s*&\s*|\s*,\s*and\s+)(?:on\s+)?{alternatives(self._long_days)}s)*)\b", self._days),
            Atom("weekdays", r"(?:on\s+|every\s+)?weekdays\b|(?:every|each)\s+(?:weekday|workday|working day)\b", self._work_days),
            Atom("weekends", r"(?:on\s+|at\s+)?weekends\b", self._week_ends),
            Atom("every", rf"(?:every|each)\s+(?:(?P<other>other|second|single)\s+)?{freq}\b(?!\s+(?:i|we|you|he|she|they)\b\s+\w+ed)", self._every),
            Atom("everyth", r"every\s+(?P<n>third|3rd|fourth|4th|fifth|5th|sixth|6th)\s+(?P<unit>hour|day|week|month|year)\b", self._every_nth),
            Atom("everyn", rf"every\s+(?P<n>\d{{1,3}}|{alternatives(self._numbers)})\s+(?P<unit>hours|days|weeks|months|years)\b", self._every_n),
            Atom("adverb", r"(?P<unit>daily|weekly|monthly|yearly|annually|fortnightly|biweekly)\b(?=\s*(?:at|on|until|till|$|[.,;!?)]|-|for))", self._adverb),
            Atom("oncea", r"once\s+(?:a|every)\s+(?P<unit>day|week|month|year)\b|(?P<nightly>nightly)\b", self._once),
        )  # fmt: skip

    def _day_codes(self, text: str) -> str:
        words = re.findall(r"[a-z]+", text.lower())
        names = (word if word in self._weekdays else word.removesuffix("s") for word in words)
        days = sorted({self._weekdays[name] for name in names if name in self._weekdays})
        return ",".join(DAY_CODES[day] for day in days)

    def _days(self, found: re.Match[str], _: Reading) -> Piece:
        other = (found.groupdict().get("other") or "").strip().lower()
        interval = 2 if other in {"other", "second", "2nd"} else 1
        return _repeat(found, Repeat("WEEKLY", interval, (f"BYDAY={self._day_codes(found['days'])}",)))  # fmt: skip

    def _day_span(self, found: re.Match[str], at: Reading) -> Piece | None:
        """Mon-Fri: every week on these days; behind "from" it is a stretch of one week."""
        if at.text[max(0, found.start() - 5) : found.start()].lower() == "from ":
            return None
        first, last = (self._weekdays[found[name].lower().rstrip(".")] for name in ("d1", "d2"))
        codes = [DAY_CODES[(first + step) % 7] for step in range((last - first) % 7 + 1)]
        return _repeat(found, Repeat("WEEKLY", by=("BYDAY=" + ",".join(codes),)))

    def _work_days(self, found: re.Match[str], _: Reading) -> Piece:
        return _repeat(found, Repeat("WEEKLY", by=("BYDAY=MO,TU,WE,TH,FR",)))

    def _week_ends(self, found: re.Match[str], _: Reading) -> Piece:
        return _repeat(found, Repeat("WEEKLY", by=("BYDAY=SA,SU",)))

    def _every(self, found: re.Match[str], _: Reading) -> Piece:
        unit = found["unit"].lower()
        interval = 2 if (found["other"] or "").lower() in {"other", "second"} else 1
        if unit in self._parts:
            return replace(_repeat(found, Repeat("DAILY", interval)), part=self._parts[unit])
        if unit == "weekend":
            return _repeat(found, Repeat("WEEKLY", interval, ("BYDAY=SA,SU",)))
        if unit == "weekday":
            return self._work_days(found, _)
        freq, step = _FREQ[unit]
        return _repeat(found, Repeat(freq, interval * step))

    def _every_n(self, found: re.Match[str], _: Reading) -> Piece | None:
        text = found["n"].lower()
        number = float(text) if text.isdigit() else self._numbers[text]
        freq, step = _FREQ[found["unit"].lower().removesuffix("s")]
        return None if number < 1 else _repeat(found, Repeat(freq, int(number) * step))

    def _every_nth(self, found: re.Match[str], _: Reading) -> Piece:
        word = found["n"].lower()
        number = int(word[0]) if word[0].isdigit() else self._ordinals[word]
        freq, step = _FREQ[found["unit"].lower()]
        return _repeat(found, Repeat(freq, number * step))

    def _adverb(self, found: re.Match[str], _: Reading) -> Piece:
        return _repeat(found, Repeat(*_ADVERB[found["unit"].lower()]))

    def _once(self, found: re.Match[str], _: Reading) -> Piece:
        if found["nightly"]:
            return replace(_repeat(found, Repeat("DAILY")), part=self._parts["night"])
        return _repeat(found, Repeat(_FREQ[found["unit"].lower()][0]))

    def _nth(self, found: re.Match[str], _: Reading) -> Piece:
        which = (found["which"] or found["which2"]).lower()
        number = -1 if which == "last" else self._ordinals[which]
        day = self._weekdays[(found["wd"] or found["wd2"]).lower()]
        return _repeat(found, Repeat("MONTHLY", by=(f"BYDAY={number}{DAY_CODES[day]}",)))

    def _month_day(self, found: re.Match[str], _: Reading) -> Piece | None:
        if "end" in found.groupdict():
            day = -1
        else:
            word = found["dw"] or found["dw2"]
            day = self._ordinals[word.lower()] if word else int(found["d"] or found["d2"])
        return (
            _repeat(found, Repeat("MONTHLY", by=(f"BYMONTHDAY={day}",)))
            if -1 <= day <= 31 and day
            else None
        )

    def _yearly(self, found: re.Match[str], _: Reading) -> Piece | None:
        month, day = found["month"] or found["month2"], found["d"] or found["d2"]
        if month == "may":
            return None
        by = (f"BYMONTH={self._months[month.lower()]}",)
        return _repeat(found, Repeat("YEARLY", by=(*by, f"BYMONTHDAY={int(day)}") if day else by))


def _repeat(found: re.Match[str], repeat: Repeat) -> Piece:
    return Piece(start=found.start(), end=found.end(), repeat=repeat)


_FREQ = {
    "hour": ("HOURLY", 1),
    "day": ("DAILY", 1),
    "week": ("WEEKLY", 1),
    "fortnight": ("WEEKLY", 2),
    "month": ("MONTHLY", 1),
    "quarter": ("MONTHLY", 3),
    "year": ("YEARLY", 1),
}
_ADVERB = {
    "daily": ("DAILY", 1),
    "weekly": ("WEEKLY", 1),
    "monthly": ("MONTHLY", 1),
    "yearly": ("YEARLY", 1),
    "annually": ("YEARLY", 1),
    "fortnightly": ("WEEKLY", 2),
    "biweekly": ("WEEKLY", 2),
}
