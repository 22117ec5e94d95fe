"""What a question asks: its language, time, tense, slot, kind of answer and the names in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from graphmem import words
from graphmem.lexicon import Lexicon
from graphmem.model import Entity, Tense
from graphmem.protocols import TimeGrammar, TimeSpan
from graphmem.when import Interval, When

AnswerKind = Literal["who", "when", "where", "amount", "code", "whether"]
LANGUAGES = ("en", "zh")

_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*")
_WORD = re.compile(r"[\w'’-]+")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_SHORTENED = re.compile(
    r"\b(who|what|when|where|how|that|there|it)'(?:s|re|d|ll)\b"
)  # who's, what're
_SOME_WORDS = r"[^?!.,;，。？！；\n]{1,40}?"
_TALK = 2  # lines
_LONGEST_NAME = 4  # characters of a Chinese name
_MOST_NAMES = 24  # look-ups of names in one question


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question read. `window` is the stretch of time it names (half-open), where it names one;
    `previous` says that it contrasts with the present ("before", 以前), `present` that it insists on it
    ("still", 现在). `focus` is its last line or sentence, where it has several: the end of a talk says best
    what is wanted now. `talk` says that it is several lines of talk, rather than a question. `limited`: nothing outside the window
    will do ("only this year"). `kinds` are the kinds of answer that would fit. `of_self` is true for the first person.
    """

    text: str
    language: str
    terms: tuple[str, ...]
    tense: Tense
    previous: bool = False
    present: bool = False
    focus: str = ""
    talk: bool = False
    window: Interval | None = None
    limited: bool = False
    slot: str | None = None
    kinds: frozenset[AnswerKind] = frozenset()
    entities: tuple[Entity, ...] = ()
    of_self: bool = False

    @property
    def agenda(self) -> bool:
        """True where it asks what is on in a stretch of time ahead, whatever that is."""
        return self.window is not None and self.tense == "future" and self.kinds <= {"whether"}

    @property
    def of_the_past(self) -> bool:
        """True where historical facts may be shown (R4.4)."""
        return self.previous or self.tense == "past"


@dataclass(frozen=True, slots=True)
class _Cues:
    """Phrases of one language, compiled to one pattern per list."""

    tense: Mapping[str, re.Pattern[str]]
    kinds: Mapping[str, re.Pattern[str]]
    slots: Mapping[str, re.Pattern[str]]
    self_words: re.Pattern[str]
    only: re.Pattern[str]
    auxiliaries: frozenset[str]
    stop: frozenset[str] = field(default_factory=frozenset)


class QuestionReader:
    """Reads questions by the lexicon's cue words and the time grammar; knows nothing of the memory
    but `entities_named`, the look-up of a name.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        times: TimeGrammar | None,
        entities_named: Callable[[str], Sequence[Entity]],
    ) -> None:
        self._cues = {language: _cues(lexicon, language) for language in LANGUAGES}
        self._times = times
        self._entities_named = entities_named

    def read(self, text: str, *, at: datetime) -> Question:
        """The question as it stands at `at` (aware)."""
        text = words.clean(text)
        language = words.language_of(text)
        cues = self._cues[language]
        folded = _spelt_out(text)
        spans = self._times.find(text, said_at=at, language=language) if self._times else ()
        window = _window(spans)
        found = {name for name, pattern in cues.tense.items() if pattern.search(folded)}
        return Question(
            text=text,
            language=language,
            terms=tuple(term for term in dict.fromkeys(words.terms(text)) if term not in cues.stop),
            tense=_tense(found, window, at),
            previous="previous" in found,
            focus=_focus(text),
            talk=len(_lines(text)) >= _TALK,
            present="present" in found,
            window=window,
            limited=window is not None
            and len(_lines(text)) < _TALK
            and cues.only.search(folded) is not None,
            slot=_longest(cues.slots, folded),
            kinds=_kinds(cues, folded),
            entities=self._entities(text, language, cues.stop),
            of_self=cues.self_words.search(folded) is not None,
        )

    def _entities(self, text: str, language: str, stop: frozenset[str]) -> tuple[Entity, ...]:
        found: dict[str, Entity] = {}
        for name in list(_names(text, language, stop))[:_MOST_NAMES]:
            for entity in self._entities_named(name):
                found.setdefault(entity.id, entity)
        return tuple(found.values())


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _focus(text: str) -> str:
    lines = _lines(text)
    if len(lines) > 1:
        return lines[-1]
    spans = words.sentences(text)
    return text[slice(*spans[-1])] if len(spans) > 1 else ""


def _kinds(cues: _Cues, folded: str) -> frozenset[AnswerKind]:
    kinds = {kind for kind, pattern in cues.kinds.items() if pattern.search(folded)}
    if folded.partition(" ")[0] in cues.auxiliaries:
        kinds.add("whether")
    return frozenset(kinds)  # type: ignore[arg-type]  # the lexicon's keys are the kinds


def pattern_of(phrases: Sequence[str], language: str) -> re.Pattern[str]:
    """One pattern for all phrases: whole words in English, substrings in Chinese, longest first; "*" in a
    phrase is some words.
    """
    if not phrases:
        return re.compile(r"(?!)")
    escaped = (re.escape(_spelt_out(p)) for p in sorted(phrases, key=len, reverse=True))
    joined = "|".join(phrase.replace(r"\*", _SOME_WORDS) for phrase in escaped)
    return re.compile(joined if language == "zh" else rf"(?<![\w'])(?:{joined})(?![\w'])")


def _spelt_out(text: str) -> str:
    return _SHORTENED.sub(r"\1 is", words.key(text))


def _cues(lexicon: Lexicon, language: str) -> _Cues:
    past = lexicon.table("past", language)
    question = lexicon.table("question", language)
    listed = question["words"]
    return _Cues(
        tense={name: pattern_of(past[name], language) for name in past},
        kinds={name: pattern_of(list_, language) for name, list_ in question["kinds"].items()},
        slots={name: pattern_of(list_, language) for name, list_ in question["slots"].items()},
        self_words=pattern_of(listed["self"], language),
        only=pattern_of(listed["only"], language),
        auxiliaries=frozenset(listed["auxiliaries"]),
        stop=frozenset(listed["stop"]),
    )


def _tense(found: set[str], window: Interval | None, at: datetime) -> Tense:
    if window is not None and window.end is not None and window.end <= at:
        return "past"
    if window is not None and window.start is not None and window.start >= at:
        return "future"
    if "previous" in found or ("past" in found and not found & {"present", "future"}):
        return "past"
    return "future" if "future" in found else "present"


def _window(spans: Sequence[TimeSpan]) -> Interval | None:
    """The widest stretch that the question names: from its first time to the end of its last."""
    timed = [span for span in spans if span.when is not None and span.kind != "duration"]
    if not timed:
        return None
    starts = [_start(span) for span in timed]
    ends = [_end(span) for span in timed]
    known_starts = [start for start in starts if start is not None]
    known_ends = [end for end in ends if end is not None]
    return Interval(
        min(known_starts) if len(known_starts) == len(starts) else None,
        max(known_ends) if len(known_ends) == len(ends) else None,
    )


def _start(span: TimeSpan) -> datetime | None:
    return None if span.when is None or span.anchor in {"until", "by"} else span.when.start


def _end(span: TimeSpan) -> datetime | None:
    if span.when is None or span.anchor == "since":
        return None
    last: When = span.until or span.when
    if last.precision == "instant" and span.until is None:
        return last.start + timedelta(days=1)  # "at 3 pm": whatever else happens that day fits too
    return last.end


def _longest(slots: Mapping[str, re.Pattern[str]], folded: str) -> str | None:
    """The slot whose longest phrase occurs, so that "home address" beats "address"."""
    best: tuple[int, str] | None = None
    for slot, pattern in slots.items():
        for match in pattern.finditer(folded):
            if best is None or len(match.group()) > best[0]:
                best = (len(match.group()), slot)
    return best[1] if best else None


def _names(text: str, language: str, stop: frozenset[str]) -> dict[str, None]:
    """Stretches that may be a name, likely ones first."""
    names: dict[str, None] = {}
    for match in _CAPITALISED.finditer(text):
        names[match.group()] = None
        for part in match.group().split():
            names[part.removesuffix("'s").removesuffix("’s")] = None
    if language == "zh":
        for run in _HAN_RUN.findall(text):
            for size in range(_LONGEST_NAME, 1, -1):
                for start in range(len(run) - size + 1):
                    names[run[start : start + size]] = None
        return names
    for word in _WORD.findall(text):
        bare = word.removesuffix("'s").removesuffix("’s")
        if bare.casefold() not in stop:
            names[bare] = None
    return {name: None for name in names if name.casefold() not in stop}
