"""The parts out of which time expressions are put together, and the atoms that read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from graphmem_extractors.times.calendar import DAY_CODES, Day, Said

Tense = Literal["past", "future"]
Anchor = Literal["at", "since", "until", "by"]


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. `sure` where morning or afternoon was said, or the form is of 24 hours."""

    hour: int
    minute: int = 0
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the day, hours [from_hour, to_hour); `told` is when one is told of something in it."""

    name: str
    from_hour: int
    to_hour: int
    told: int
    reads: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """How something recurs: the parts of an RRULE without the time of day."""

    freq: str
    interval: int = 1
    by: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The RRULE."""
        interval = (f"INTERVAL={self.interval}",) if self.interval > 1 else ()
        return ";".join((f"FREQ={self.freq}", *interval, *self.by))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a time expression at text[start:end]; pieces that stand together are merged.

    `clocks` may be several times of one day, `clock_end` closes a range of times. `lone` is False
    for what is a time only beside another piece ("morning"). `anchor` is set where the words
    themselves tell it. `counted` is the amount of an anniversary ("two years since"), which runs back
    from a date named before it; `stay` the days that follow one ("2 May, five nights").
    """

    start: int
    end: int
    day: Day | None = None
    clocks: tuple[Clock, ...] = ()
    clock_end: Clock | None = None
    part: Part | None = None
    repeat: Repeat | None = None
    routine: str | None = None
    instant: datetime | None = None
    instant_end: datetime | None = None
    duration: bool = False
    counted: tuple[float, str] | None = None
    stay: int = 0
    anchor: Anchor | None = None
    lone: bool = True

    def fits(self, other: Piece) -> bool:
        """True where the two say different things about one time."""
        if self.instant or other.instant or self.duration or other.duration:
            return False
        if other.stay:
            return (
                self.day is not None
                and self.day.precision == "day"
                and not self.day.last
                and not self.repeat
            )
        both = (
            (self.day or self.repeat)
            and (other.day or other.repeat)
            and not self.names(other)
            and self.dated(other) is None,
            (self.clocks or self.routine) and (other.clocks or other.routine),
            self.part and other.part,
            (self.part and other.routine) or (self.routine and other.part),
        )
        return not any(both)

    def names(self, other: Piece) -> bool:
        """True for a weekday beside its own date ("Sat 14 June"), in either order."""
        if not (self.day and other.day) or self.repeat or other.repeat:
            return False
        weekly = (self.day.cycle == "week") != (other.day.cycle == "week")
        return weekly and {self.day.precision, other.day.precision} == {"day"}

    def dated(self, other: Piece) -> Repeat | None:
        """The repeat on its day: "every week" beside "on Friday", "yearly" beside "on 5 May"."""
        if not (self.repeat and other.day) or self.repeat.by or other.day.last:
            return None
        first, cycle = other.day.first, other.day.cycle
        monthly = other.day.precision == "month"
        by = {
            ("WEEKLY", "week"): (f"BYDAY={DAY_CODES[first.weekday()]}",),
            ("MONTHLY", "month"): (f"BYMONTHDAY={first.day}",),
            ("YEARLY", "year"): (
                f"BYMONTH={first.month}",
                *(() if monthly else (f"BYMONTHDAY={first.day}",)),
            ),
        }.get((self.repeat.freq, cycle or ""))
        return None if by is None else replace(self.repeat, by=by)

    def merged(self, other: Piece) -> Piece:
        """Both as one; `self` stands first in the text."""
        if other.stay and self.day:
            last = self.day.first + timedelta(days=other.stay)
            return replace(self, end=other.end, day=replace(self.day, last=last), lone=True)
        return replace(
            self,
            end=other.end,
            day=other.day
            if self.names(other) and other.day and other.day.cycle != "week"
            else self.day or other.day,
            clocks=self.clocks or other.clocks,
            clock_end=self.clock_end or other.clock_end,
            part=self.part or other.part,
            repeat=self.dated(other) or self.repeat or other.repeat,
            routine=self.routine or other.routine,
            anchor=self.anchor or other.anchor,
            lone=True,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """A text being read: when it was said, and what the words near a place say of tense."""

    text: str
    said: Said
    tense: Callable[[int, int], Tense | None] = field(repr=False)


Reader = Callable[[re.Match[str], Reading], Piece | None]


@dataclass(frozen=True, slots=True)
class Atom:
    """A pattern (verbose-free regular expression) and what it means."""

    name: str
    pattern: str
    read: Reader


class Scanner:
    """All atoms as one pass over the text: the first that matches at a place and can be read wins.

    `start` finds the places at which an atom may begin; where it matches a word, the word must be
    among `openers` (a cheap test: most words of a text open no time).
    """

    def __init__(
        self,
        atoms: Iterable[Atom],
        *,
        start: str,
        openers: frozenset[str] = frozenset(),
        flags: re.RegexFlag,
    ) -> None:
        self._atoms = {atom.name: (re.compile(atom.pattern, flags), atom.read) for atom in atoms}
        bare = {name: _NAMED.sub("(?:", found.pattern) for name, (found, _) in self._atoms.items()}
        self._any = re.compile(
            "|".join(f"(?P<{name}>{text})" for name, text in bare.items()), flags
        )
        self._start = re.compile(start, flags)
        self._openers = openers
        self._names = tuple(self._atoms)

    def pieces(self, reading: Reading) -> list[Piece]:
        """The pieces of the text, left to right, without overlaps."""
        text, at, out = reading.text, 0, []
        for start in self._start.finditer(text):
            word = start[0]
            if start.start() < at or (
                word.isalpha() and self._openers and word.lower() not in self._openers
            ):
                continue
            found = self._any.match(text, start.start())
            piece = self._read(found, reading) if found is not None else None
            if piece is not None:
                out.append(piece)
                at = max(piece.end, start.end())
        return out

    def _read(self, found: re.Match[str], reading: Reading) -> Piece | None:
        first = self._names.index(found.lastgroup or self._names[0])
        for name in self._names[first:]:
            pattern, read = self._atoms[name]
            match = pattern.match(reading.text, found.start())
            if match is None:
                continue
            try:
                piece = read(match, reading)
            except (OverflowError, ValueError):  # a date beyond the calendar's years
                continue
            if piece is not None:
                return piece
        return None


_NAMED = re.compile(r"\(\?P<\w+>")


def habitual(
    found: re.Match[str], text: str, before: tuple[str, ...], after: tuple[str, ...]
) -> bool:
    """True where the words around a stretch of time tell of a habit."""
    lead = text[max(0, found.start() - 4) : found.start()]
    return lead.endswith(before) or text.startswith(after, found.end())


def dated(found: re.Match[str], day: Day) -> Piece:
    """The whole match as a piece that names a day."""
    return Piece(start=found.start(), end=found.end(), day=day)


def alternatives(words: Iterable[str]) -> str:
    """A group that matches any of the words, longest first."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")"


def parts_of(table: Mapping[str, Mapping[str, object]]) -> dict[str, Part]:
    """Words for stretches of the day, from the lexicon."""
    out: dict[str, Part] = {}
    for name, row in table.items():
        hours = {key: int(str(row[key])) for key in ("from", "to", "told")}
        part = Part(name, hours["from"], hours["to"], hours["told"], str(row["reads"]))
        words = row["words"]
        if isinstance(words, list):
            out.update({str(word): part for word in words})
    return out
