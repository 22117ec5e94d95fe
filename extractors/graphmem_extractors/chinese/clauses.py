"""Cuts a message into sentences and clauses: at punctuation, at line ends, at blanks between Chinese words, at emoji."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from graphmem_extractors.chinese.segment import Word

_SENTENCE = re.compile(r"(?:[^。！？!?；;\n…]|[!?](?=[A-Za-z0-9]))*[。！？!?；;\n…]*")
_EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3\U000e0020-\U000e007f"
_BREAK = re.compile(
    rf"[，,。！？；;\n…：:~～—]|[!?](?![A-Za-z0-9])|\[[\u4e00-\u9fff]{{1,4}}\]|[{_EMOJI}]+"
    r"|(?<![A-Za-z0-9 ])[ \t\u3000]+(?![A-Za-z0-9 ])"
    r"|(?<=[A-Za-z0-9])[ \t\u3000]+(?=我|他|她|居然|还|现在|今天|明天|昨天|但|不过|已经|就|也|都|旧|新|以后)"
    r"|(?=然后(?!的)|而且|不过(?!敏)|但是|所以(?!然)|还有(?=我|他|她))"
    r"|(?<=[卖出坏丢扔辞换]了)(?=换|买|又|就|改|开|去|自己|回)"
    r"|(?<=不[抽喝吃碰沾][\u4e00-\u9fff])(?=也?不[抽喝吃碰沾赌熬])|(?<=在[\u4e00-\u9fff]{2})(?=[我他她]在)"
    r"|(?<=[\u4e00-\u9fff]{3})(?<![定算要想备是])(?=改[喝吃抽骑坐穿])"
    r"|(?<=[\u4e00-\u9fff]{3})(?=也(?:会|喜欢|爱|对|怕|养|不吃|不喝))"
)
_DIGITS_AROUND = re.compile(r"\d[:：.,]\d")


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of the message [start, end) with the sentence it stands in, and what closes it."""

    start: int
    end: int
    text: str
    sentence: int
    closer: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's place in the message, its text with its closing mark."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a clause that is read: its text, its place in the message, its tagged words.

    `start` is where its clause begins, with opening words and times; `beyond` is the text from
    `offset` to the end of the sentence. `places_ahead` maps where 在 + a place begins to its end.
    """

    text: str
    offset: int
    tagged: list[Word]
    start: int = 0
    beyond: str = ""
    places_ahead: Mapping[int, int] = field(default_factory=dict)

    def words_at(self, at: int) -> Iterator[Word]:
        """The words that begin at `at` (counted in the piece)."""
        return (word for word in self.tagged if word.start - self.offset == at)

    def begins_word(self, at: int) -> bool:
        """Whether a word begins at `at`."""
        return not self.tagged or any(True for _ in self.words_at(at))

    def ends_word(self, at: int) -> bool:
        """Whether a word ends at `at`."""
        return not self.tagged or any(word.end - self.offset == at for word in self.tagged)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something is read: its sentence, its clause, and how much it is to be trusted."""

    sentence: Sentence
    clause: Clause
    weight: float = 1.0
    sarcastic: bool = False


def sentences(text: str) -> list[Sentence]:
    """The sentences of `text`, blank ones left out."""
    found = (
        Sentence(match.start(), match.end(), match.group()) for match in _SENTENCE.finditer(text)
    )
    return [sentence for sentence in found if sentence.text.strip()]


def clauses(text: str, parts: list[Sentence]) -> list[Clause]:
    """The clauses of all sentences, in order."""
    return [
        clause for number, sentence in enumerate(parts) for clause in _of(text, sentence, number)
    ]


def split_at(cut: list[Clause], places: list[int]) -> list[Clause]:
    """The clauses, cut further at the given places of the message."""
    for place in places:
        parts: list[Clause] = []
        for clause in cut:
            if not clause.start < place < clause.end:
                parts.append(clause)
                continue
            left = clause.text[: place - clause.start].rstrip()
            right = clause.text[place - clause.start :].lstrip()
            start = clause.end - len(right)
            parts.append(Clause(clause.start, clause.start + len(left), left, clause.sentence, ""))
            parts.append(Clause(start, clause.end, right, clause.sentence, clause.closer))
        cut = [clause for clause in parts if clause.text]
    return cut


def _of(text: str, sentence: Sentence, number: int) -> Iterator[Clause]:
    start = sentence.start
    for match in _BREAK.finditer(text, sentence.start, sentence.end):
        if _DIGITS_AROUND.match(text, max(0, match.start() - 1)):
            continue
        yield from _clause(text, start, match.start(), number, match.group())
        start = match.end()
    yield from _clause(text, start, sentence.end, number, "")


def _clause(text: str, start: int, end: int, number: int, closer: str) -> Iterator[Clause]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if piece:
        yield Clause(start + left, start + left + len(piece), piece, number, closer)
