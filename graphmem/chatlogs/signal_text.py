"""Signal's text exports: "[2019-12-24, 12:23] Jane Doe: Hello", and the Markdown of signal-export."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from graphmem.chatlogs.decode import Line, lines
from graphmem.chatlogs.gather import Gathered, gather
from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.parts import attachment
from graphmem.chatlogs.source import Head, Source
from graphmem.chatlogs.vocabulary import name_of, visible

_HEADER = re.compile(
    r"\[(?P<date>\d{4}-\d{2}-\d{2})(?:, (?P<clock>\d{2}:\d{2}(?::\d{2})?)| (?P<plain>\d{2}:\d{2}))\] "
    r"(?P<name>[^:：\n]{1,80}?)\s?:(?: |$)"
)
# In Markdown: a quoted message above the answer, a file, reactions at the end.
_QUOTE = re.compile(r"^\s*>.*\n?", re.MULTILINE)
_FILE = re.compile(r"!?\[([^\]\n]*)\]\((?:\./)?media/([^)\n]+)\)")
_REACTIONS = re.compile(r"\s*\(-(?: [^()\n]+:[^()\n]+,?)+ -\)\s*$")


class Signal:
    """Reads the bracketed lines with the lines that follow them."""

    name = "signal"
    looks_for = 'Signal\'s "[YYYY-MM-DD, HH:MM] Name: text"'

    def sniff(self, head: Head) -> float:
        """Sure where the first line has the form, likely where another has."""
        met = [_HEADER.match(visible(line)) for line in head.lines[:100]]
        if met and met[0]:
            return 0.9
        return 0.7 * any(found is not None and found["clock"] is not None for found in met)

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """One draft per bracketed line."""

        def start(line: Line, text: str) -> Gathered | None:
            text = visible(text)
            found = _HEADER.match(text)
            if found is None:
                return None
            time = options.times.read(f"{found['date']}T{found['clock'] or found['plain']}")
            return Gathered(line, text[found.end() :], name_of(found["name"]) or None, time)

        with source.open() as stream:
            for one in gather(lines(stream), start, source.name, source.stem, options.words):
                yield one if isinstance(one, Problem) else replace(one, text=_own_words(one.text))


def _own_words(text: str) -> str:
    """What the speaker said: without the quoted message, reactions of others, with files by name."""
    own = _REACTIONS.sub("", _QUOTE.sub("", text)).strip()
    return _FILE.sub(lambda found: attachment("file", found[1] or found[2]), own)
