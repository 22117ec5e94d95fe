"""English times of day, durations, repeats and routine moments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from graphmem_extractors.times.calendar import Day
from graphmem_extractors.times.pieces import (
    Atom,
    Clock,
    Piece,
    Reading,
    alternatives,
    parts_of,
)
from graphmem_extractors.times.shifts import ago, lasting

_HALF = (
    r"(?P<half{n}>am|pm|a\.m\.?|p\.m\.?|in the morning|in the afternoon|in the evening|at night)?"
)


class EnglishClocks:
    """Atoms for times of day, stretches, repeats and routine moments."""

    def __init__(self, table: Mapping[str, Any], routines: Mapping[str, list[str]]) -> None:
        self._numbers: dict[str, float] = dict(table["numbers"])
        self._units: dict[str, str] = dict(table["units"])
        self._parts = parts_of(table["parts"])
        self._routines = routines
        self._not_clock = "|".join(table["not_clock"])
        self._part = alternatives(word for word in self._parts if "." not in word and word != "am")

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms: durations before clocks, since both begin with numbers."""
        return (*self._routine_atoms(), *self._duration_atoms(), *self._clock_atoms())  # fmt: skip

    def _routine_atoms(self) -> tuple[Atom, ...]:
        return tuple(
            Atom(f"routine_{name}", rf"(?:{'|'.join(phrases)})(?!\w)", partial(_routine, name))
            for name, phrases in self._routines.items()
        )

    def _duration_atoms(self) -> tuple[Atom, ...]:
        number = rf"(?:\d{{1,3}}(?:\.5)?|{alternatives(self._numbers)}\b)"
        amount = rf"(?P<n>{number})\s*-?\s*(?P<unit>{alternatives(self._units)})\b(?P<half>\s+and\s+a\s+half)?"
        return (
            Atom("ago", rf"(?:about |around |over |nearly |almost )?{amount}\s+(?:ago|back)\b(?! (?:pain|ache|to|in|home))", self._ago),
            Atom("within", rf"(?:in|within)\s+(?:about |around )?{amount}(?!\s*(?:of|or|'|ago|old|per)\b)(?:'?\s+time\b)?", self._ahead),
            Atom("fromnow", rf"{amount}\s+(?:from now|from today|hence)", self._ahead),
            Atom("lately", rf"(?:for|over|in|during|within)\s+the\s+(?:past|last)\s+{amount}", self._lately),
            Atom("lastunits", rf"(?:the\s+)?(?:past|last)\s+(?P<n>\d{{1,3}}|{alternatives(w for w in self._numbers if w not in {'a', 'an', 'one'})})\s+(?P<unit>{alternatives(self._units)})\b", self._lately),
            Atom("nextunits", rf"(?:for |over |in |during |within )?the\s+next\s+{amount}", self._coming),
            Atom("stay", rf"(?:for\s+)?(?P<n>{number})\s+nights\b", self._stay),
            Atom("lasting", rf"for\s+(?:about |around |over |almost |nearly |more than )?{amount}(?P<now>\s+(?:now|already|straight|running))?", self._for),
            Atom("been", rf"been\s+(?:back\s+)?(?:together|married|engaged|here|there|friends|sober|clean|single|vegan|vegetarian|divorced)\s+(?:for\s+)?{amount}(?!\s+(?:ago|back))", self._for_now),
            Atom("nowlasting", rf"{amount}\s+(?:now|already|running)\b", self._for_now),
            Atom("sinceevent", rf"(?:(?:it's|it is|it will be|it'll be|that's)\s+)?(?:exactly |already |almost |now |been )*{amount}\s+(?=since\b)(?!since\s+(?:\d|last|monday|tuesday|wednesday|thursday|friday|saturday|sunday))", self._since_event),
        )  # fmt: skip

    def _clock_atoms(self) -> tuple[Atom, ...]:
        hour = r"(?:\d{1,2}|" + alternatives(_HOURS) + r"\b)"
        one = rf"(?P<h1>{hour})(?:[:.](?P<m1>[0-5]\d))?\s*" + _HALF.format(n=1)
        two = rf"(?P<h2>{hour})(?:[:.](?P<m2>[0-5]\d))?\s*" + _HALF.format(n=2)
        end = r"(?![\w%€$£]|[:.]\d)"
        return (
            Atom("noon", r"(?:at\s+)?(?P<word>noon|midday|midnight)\b(?! snack| sun\b)", self._noon),
            Atom("past", rf"(?:at\s+)?(?P<before>half|quarter|(?:a\s+quarter)|\d{{1,2}}|five|ten|twenty(?:-five)?)(?:\s+min(?:ute)?s?)?\s*(?P<to>past|to|after|before)\s+(?P<h1>{hour})\s*{_HALF.format(n=1)}{end}(?!\s+(?:{self._not_clock})\b)", self._past),
            Atom("halfh", rf"(?:at\s+)half\s+(?P<h1>{alternatives(_HOURS)})\b", self._half_hour),
            Atom("sharp", rf"(?:at\s+)?{one}\s*(?:o'?clock|sharp|on the dot)(?:\s+{_HALF.format(n=2)})?", self._clock),
            Atom("between", rf"(?:between|from)\s+{one}\s*(?:and|to|until|till|-|–)\s*{two}{end}(?!\s*(?:{self._not_clock})\b|\s*/)", self._between),
            Atom("span", r"(?:from\s+|at\s+)?(?P<h1>\d{1,2})(?::(?P<m1>[0-5]\d))?\s*(?P<half1>am|pm)?\s*(?:-|–|—|to|until|till)\s*(?P<h2>\d{1,2})(?::(?P<m2>[0-5]\d))?\s*(?P<half2>am|pm)" + end, self._between),
            Atom("span24", r"(?:from\s+)?(?P<h1>\d{1,2}):(?P<m1>[0-5]\d)\s*(?:-|–|—|to|until|till)\s*(?P<h2>\d{1,2}):(?P<m2>[0-5]\d)" + end, self._between),
            Atom("list", rf"(?:at\s+)?{one}\s*(?:and|&)\s*(?:at\s+)?(?P<h2>\d{{1,2}})(?::(?P<m2>[0-5]\d))?\s*(?P<half2>am|pm){end}", self._list),
            Atom("ampm", r"(?:at\s+|@\s*)?(?P<h1>\d{1,2})(?:[:.](?P<m1>[0-5]\d))?\s*(?P<half1>am|pm|a\.m\.?|p\.m\.?)(?![\w])", self._clock),
            Atom("clock", r"(?:at\s+|@\s*)?(?P<h1>\d{1,2}):(?P<m1>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?!\s*(?:min|hrs?|hours|km|lead|win|loss)\b)" + r"(?:\s*" + _HALF.format(n=1) + ")", self._clock),
            Atom("hclock", r"at\s+(?P<h1>[01]?\d|2[0-4])h(?P<m1>[0-5]\d)?(?!\w)", self._clock),
            Atom("athour", rf"(?:at|@|around|about|by|until|till|before|after|from|since)\s*(?P<h1>{hour})(?:ish\b)?(?:\.(?P<m1>[0-5]\d))?(?:\s*{_HALF.format(n=1)}){end}(?!\s*(?:{self._not_clock})(?:\b|$))(?!\s*/|-|\s+\w+\s+(?:street|st|road|rd|avenue|ave|lane|drive)\b)(?!,\d)", self._at_hour),
            Atom("inpart", rf"(?:(?:early|late|first thing|later)\s+)?(?:in\s+the\s+|this\s+|at\s+)?(?:(?:early|late)\s+)?(?P<part>{self._part})\b(?!'s| (?:person|owl|shift|school|club|bus|train|sickness|ones?|bird))", self._part_of_day),
        )  # fmt: skip

    # --- durations ----------------------------------------------------------------------------------

    def _amount(self, found: re.Match[str]) -> tuple[float, str]:
        text = found["n"].lower()
        number = float(text) if text[0].isdigit() else self._numbers[text]
        if found.groupdict().get("half"):
            number += 0.5
        return number, self._units[found["unit"].lower()]

    def _stay(self, found: re.Match[str], _: Reading) -> Piece | None:
        text = found["n"].lower()
        nights = int(float(text) if text[0].isdigit() else self._numbers[text])
        return (
            Piece(start=found.start(), end=found.end(), stay=nights, lone=False) if nights else None
        )

    def _ago(self, found: re.Match[str], at: Reading) -> Piece | None:
        return ago(found.span(), at, *self._amount(found), sign=-1)

    def _ahead(self, found: re.Match[str], at: Reading) -> Piece | None:
        return ago(found.span(), at, *self._amount(found), sign=1)

    def _lately(self, found: re.Match[str], at: Reading) -> Piece | None:
        return lasting(found.span(), at, *self._amount(found), closed=True)

    def _coming(self, found: re.Match[str], at: Reading) -> Piece | None:
        number, unit = self._amount(found)
        piece = ago(found.span(), at, number, unit, sign=1)
        if piece is None or piece.day is None:
            return piece
        return replace(piece, day=Day(at.said.day, last=piece.day.closing))

    def _for(self, found: re.Match[str], at: Reading) -> Piece | None:
        clause = at.text[max(0, found.start() - 60) : found.start()].lower()
        running = _PERFECT.search(re.split(r"[.;!?\n]", clause)[-1]) is not None
        if not (found["now"] or running):
            return None
        return lasting(found.span(), at, *self._amount(found))

    def _for_now(self, found: re.Match[str], at: Reading) -> Piece | None:
        return lasting(found.span(), at, *self._amount(found))

    def _since_event(self, found: re.Match[str], at: Reading) -> Piece | None:
        return lasting(found.span(), at, *self._amount(found), anniversary=True)

    # --- times of day -------------------------------------------------------------------------------

    def _time(self, hour: str, minute: str | None, half: str | None) -> Clock | None:
        number = int(hour) if hour.isdigit() else _HOURS[hour.lower()]
        minutes = int(minute or 0)
        if number > 24 or (number == 24 and minutes):
            return None
        mark = (half or "").replace(".", "").lower()
        if not mark:
            sure = number == 0 or number > 12 or hour.startswith("0")
            return Clock(number, minutes, sure)
        if number > 12:
            return Clock(number, minutes, sure=True)
        late = mark in {"pm", "in the afternoon", "in the evening"} or (mark == "at night" and number > 4)  # fmt: skip
        return Clock(number % 12 + (12 if late else 0), minutes, sure=True)

    def _noon(self, found: re.Match[str], _: Reading) -> Piece:
        hour = 24 if found["word"].lower() == "midnight" else 12
        return _clocks(found, Clock(hour, sure=True))

    def _past(self, found: re.Match[str], _: Reading) -> Piece | None:
        before, to = found["before"].lower(), found["to"].lower()
        spoken = not (before.isdigit() and found["h1"].isdigit())
        if before == "half" and to not in {"past", "after"}:
            return None
        if not spoken and to not in {"past", "to"}:
            return None
        minutes = {"half": 30, "quarter": 15, "a quarter": 15}.get(" ".join(before.split())) or int(
            before if before.isdigit() else self._numbers[before]
        )
        clock = self._time(found["h1"], None, found["half1"])
        if clock is None or minutes >= 60 or (not spoken and minutes % 5):
            return None
        return _clocks(found, _moved(clock, minutes if to in {"past", "after"} else -minutes))

    def _half_hour(self, found: re.Match[str], _: Reading) -> Piece:
        return _clocks(found, Clock(_HOURS[found["h1"].lower()], 30))

    def _clock(self, found: re.Match[str], _: Reading) -> Piece | None:
        groups = found.groupdict()
        half = groups.get("half1") or groups.get("half2")
        clock = self._time(found["h1"], groups.get("m1"), half)
        return None if clock is None else _clocks(found, clock)

    def _at_hour(self, found: re.Match[str], at: Reading) -> Piece | None:
        hour = found["h1"]
        number = int(hour) if hour.isdigit() else _HOURS[hour.lower()]
        word = found[0].split()[0].lower()
        exact = found["m1"] or found["half1"]
        if not exact and (number > 12 or number == 0 or (word not in {"at", "@", "around", "by", "until", "till"})):  # fmt: skip
            return None
        if not exact and not hour.isdigit() and (hour.lower() == "one" or word in {"about", "after", "before", "from", "since", "by"}):  # fmt: skip
            return None
        return self._clock(found, at)

    def _between(self, found: re.Match[str], at: Reading) -> Piece | None:
        if _MOVED.search(at.text, max(0, found.start() - 30), found.start()):
            return None  # "moved from 3pm to 4pm" names two times, no stretch
        groups = found.groupdict()
        half1, half2 = groups.get("half1"), groups.get("half2")
        first = self._time(found["h1"], found["m1"], half1)
        last = self._time(found["h2"], found["m2"], half2)
        if first is None or last is None:
            return None
        spoken = found[0].lower().startswith(("between", "from"))
        if not (half1 or half2 or found["h1"].isdigit() or found["h2"].isdigit()):
            return None
        if not spoken and not (half2 or found["m1"]):
            return None
        if last.sure and not first.sure and first.hour <= 12:
            late = Clock(first.hour % 12 + 12, first.minute, sure=True)
            first = late if last.hour >= 12 and late.hour * 60 + late.minute < last.hour * 60 + last.minute else replace(first, sure=True)  # fmt: skip
        return replace(_clocks(found, first), clock_end=last)

    def _list(self, found: re.Match[str], _: Reading) -> Piece | None:
        first = self._time(found["h1"], found["m1"], found["half1"] or found["half2"])
        last = self._time(found["h2"], found["m2"], found["half2"])
        if first is None or last is None:
            return None
        return replace(_clocks(found, first), clocks=(first, last))

    def _part_of_day(self, found: re.Match[str], _: Reading) -> Piece | None:
        words, part = found[0].lower(), self._parts[found["part"].lower()]
        if found["part"].istitle() and found.start("part") > 0:  # "Jazz Night"
            return None
        piece = Piece(start=found.start(), end=found.end(), part=part)
        if words.startswith("this "):
            return replace(piece, day=Day(_.said.day))
        alone = re.match(r"(?:first thing )?in the |tonight|tonite", words) is not None
        return replace(piece, lone=alone and not words.endswith("s"))


def _moved(clock: Clock, minutes: int) -> Clock:
    hour, minute = divmod(clock.hour * 60 + clock.minute + minutes, 60)
    if clock.sure:
        return Clock(hour % 25, minute, sure=True)
    return Clock(hour or 12, minute)


def _clocks(found: re.Match[str], clock: Clock) -> Piece:
    return Piece(start=found.start(), end=found.end(), clocks=(clock,))


def _routine(name: str, found: re.Match[str], _: Reading) -> Piece:
    return Piece(start=found.start(), end=found.end(), routine=name)


_HOURS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
}  # fmt: skip
_MOVED = re.compile(
    r"\b(?:mov|chang|shift|push|postpon|reschedul|switch)\w*\s+(?:it\s+)?\Z", re.IGNORECASE
)
_PERFECT = re.compile(
    r"\b(?:have|has|'ve|i've|we've|he's|she's|they've|been)\b(?!.*\b(?:was|were|(?<!ve )(?<!as )had)\b)"
)
