"""Signal's text export: "[2019-12-24, 12:23] Jane Doe: Hello"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.chatlogs.decode import Line, lines
from graphmem.chatlogs.gather import Gathered, gather
from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.source import Head, Source
from graphmem.chatlogs.vocabulary import name_of, visible

_HEADER = re.compile(
    r"\[(?P<date>\d{4}-\d{2}-\d{2}), (?P<clock>\d{2}:\d{2}(?::\d{2})?)\] "
    r"(?P<name>[^:：\n]{1,80}?)\s?: ?"
)


class Signal:
    """Reads the bracketed lines with the lines that follow them."""

    name = "signal"
    looks_for = 'Signal\'s "[YYYY-MM-DD, HH:MM] Name: text"'

    def sniff(self, head: Head) -> float:
        """Sure where the first line has the form, likely where another has."""
        met = [bool(_HEADER.match(visible(line))) for line in head.lines[:100]]
        return 0.9 if met[:1] == [True] else 0.7 * (any(met))

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """One draft per bracketed line."""

        def start(line: Line, text: str) -> Gathered | None:
            text = visible(text)
            found = _HEADER.match(text)
            if found is None:
                return None
            time = options.times.read(f"{found['date']}T{found['clock']}")
            return Gathered(line, text[found.end() :], name_of(found["name"]) or None, time)

        with source.open() as stream:
            yield from gather(lines(stream), start, source.name, source.stem, options.words)
