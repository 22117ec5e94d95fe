"""Plain text and Markdown: "Name: text", "**Name:** text", "名字：话", with or without a time before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from graphmem.chatlogs.decode import Line, lines
from graphmem.chatlogs.gather import Gathered, gather
from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.source import Head, Source
from graphmem.chatlogs.vocabulary import Vocabulary, name_of, visible
from graphmem.model import Role

_MOST_NAMES = 10_000
_LONGEST_LEAD = 300  # a time and a name
_TIME = (
    r"(?P<date>\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?)"
    r"(?:[T ,，]{1,2}(?P<clock>\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?)(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
)
_PREFIX = re.compile(rf"\s*[\[(（【]?{_TIME}[\])）】]?\s*(?:[-–—|]\s*)?")
# Up to four words, each beginning with a letter; "Dr. O'Neil-Smith 2" and "小王(同事)" are names too.
_NAME = r"[^\W\d_][\w.'’\-]{0,30}(?:[ ·•][\w.'’\-]{1,30}){0,3}(?:\s?[(（][\w .]{1,30}[)）])?"
_LINE = re.compile(
    rf"\s*(?:[-*+>]\s+|\#{{1,6}}\s+)?"
    rf"(?:(?P<mark>\*\*|__)(?P<bold>{_NAME})(?:[:：]\s*(?P=mark)|(?P=mark)\s*[:：])"
    rf"|(?P<plain>{_NAME})\s?[:：](?!//|\d))"
    r"\s*",
)
# A heading that is nothing but the name of a role, as Markdown exports of assistants have it.
_HEADING = re.compile(rf"\s{{0,3}}\#{{1,6}}\s+(?P<name>{_NAME})\s*")


@dataclass(slots=True)
class _Names:
    """Who speaks in a file: names that come twice, names of roles, or all where most lines have one."""

    words: Vocabulary
    counted: Counter[str] = field(default_factory=Counter)
    led: int = 0
    others: int = 0

    def take(self, text: str) -> None:
        found = _read(text, self.words)
        if found is None:
            self.others += bool(text.strip())
            return
        self.led += 1
        name = found[0]
        if name in self.counted or len(self.counted) < _MOST_NAMES:
            self.counted[name] += 1

    def role_of(self, name: str) -> Role | None:
        """The role a name stands for; "Claude" is an assistant's only where somebody is called "Human"."""
        if name.casefold() in self.words.shared_names and any(
            self.words.role_of(other) == "user" for other in self.counted
        ):
            return "assistant"
        return self.words.role_of(name)

    def speak(self, name: str) -> bool:
        """Whether a line that begins with this name begins a message."""
        if self.words.role_of(name) is not None or self.counted[name] > 1:
            return True
        return self.led > self.others


class PlainText:
    """Reads lines that begin with a speaker's name; lines without one go on with the message before."""

    name = "text"
    looks_for = '"Name: text" lines'

    def sniff(self, head: Head) -> float:
        """Low, so that every other format goes first; 0 where few lines have a name."""
        if head.first in {"{", "["} and head.paths:
            return 0.0
        names = _Names(head.words)
        for line in head.lines[:300]:
            names.take(line)
        spoken = sum(count for name, count in names.counted.items() if names.speak(name))
        if not spoken:
            return 0.0
        share = spoken / (names.led + names.others)
        return 0.2 + 0.3 * share if share >= 0.1 else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """One draft per named line with the lines that follow it."""
        names = _Names(options.words)
        with source.open() as stream:
            for line in lines(stream):
                if line.text:
                    names.take(line.text)

        def start(line: Line, text: str) -> Gathered | None:
            found = _read(text, options.words)
            if found is None or not names.speak(found[0]):
                return None
            name, said, written = found
            role = names.role_of(name)
            time = options.times.read(written) if written else None
            own = role in {None, "user"}
            speaker = name if own else None
            return Gathered(line, said, speaker, time, role or "user", unnamed=not own)

        with source.open() as stream:
            yield from gather(lines(stream), start, source.name, source.stem, options.words)


def _read(text: str, words: Vocabulary) -> tuple[str, str, str] | None:
    """The name, what was said, and the time as ISO text (empty for none) of a line that names a speaker."""
    lead = visible(text[:_LONGEST_LEAD])
    heading = _HEADING.fullmatch(lead)
    if heading and words.role_of(heading["name"]) is not None:
        return heading["name"], "", ""
    prefix = _PREFIX.match(lead)
    found = _LINE.match(lead, prefix.end() if prefix else 0)
    if found is None:
        return None
    name = name_of(found["bold"] or found["plain"])
    if name.casefold() in words.not_names:
        return None
    said = lead[found.end() :] + text[_LONGEST_LEAD:]
    return name, said, _iso(prefix) if prefix else ""


def _iso(prefix: re.Match[str]) -> str:
    year, month, day = re.findall(r"\d+", prefix["date"])
    clock = prefix["clock"] or "00:00"
    if clock.index(":") == 1:
        clock = "0" + clock
    return f"{year}-{month:0>2}-{day:0>2}T{clock}{prefix['zone'] or ''}"
