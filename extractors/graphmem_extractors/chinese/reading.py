"""Reads one clause: subject, adverbs, then the frames of the lexicon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphmem_extractors.chinese.objects import Objects, Span
from graphmem_extractors.chinese.segment import Word
from graphmem_extractors.chinese.subjects import Head, Subject, Thread
from graphmem_extractors.chinese.times_in import Times
from graphmem_extractors.chinese.vocabulary import Frame, Vocabulary

_LIST = re.compile(r"、|和|跟|与|以及|还有|,|，")
_PAST_END = re.compile(r"(?:过|来着)$")


@dataclass(frozen=True, slots=True)
class Lead:
    """A way to read the adverbs of a clause: where the frame may begin and what they mean."""

    at: int
    negated: bool = False
    past: bool = False
    strict: bool = False  # 不能, 别, 禁: must not


@dataclass(frozen=True, slots=True)
class Read:
    """A frame that fits: who, what, and where its object stands in the message."""

    frame: Frame
    subject: Subject
    predicate: str
    object: Span
    negated: bool
    past: bool
    strict: bool
    omitted: bool
    match: re.Match[str]


class ClauseReader:
    """Fits frames to clauses."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._objects = Objects(words)

    def read(
        self, text: str, offset: int, head: Head, tagged: list[Word], thread: Thread, times: Times
    ) -> list[Read]:
        """The frames that fit `text` (at `offset` in the message) after its head, none overlapping."""
        found: list[Read] = []
        leads = list(self._leads(text, head, offset, times))
        for frame in self._words.frames:
            read = self._fit(frame, text, offset, head, leads, tagged, thread)
            if read is None:
                continue
            if any(_overlap(read.object, other.object) for other in found):
                continue
            found.append(read)
        return found

    def _leads(self, text: str, head: Head, offset: int, times: Times) -> Iterator[Lead]:
        """The readings of the adverbs, the shortest first."""
        words = self._words
        lead = Lead(head.rest)
        for _ in range(12):
            yield lead
            at = lead.at
            if at >= len(text):
                return
            end = times.skip(offset + at) - offset
            past = words.past.match(text, at)
            negation = words.negations.match(text, at)
            adverb = words.adverbs.match(text, at)
            if past and past.end() >= end:
                lead = Lead(past.end(), lead.negated, True, lead.strict)
            elif negation and not (adverb and adverb.end() > negation.end()):
                strict = bool(re.search(r"能|别|可以|准|许|敢|要", negation.group()))
                lead = Lead(negation.end(), not lead.negated, lead.past, lead.strict or strict)
            elif adverb and adverb.end() >= end:
                lead = Lead(adverb.end(), lead.negated, lead.past, lead.strict)
            elif end > at:
                lead = Lead(min(end, len(text)), lead.negated, lead.past, lead.strict)
            elif text[at] in " ，,的是":
                lead = Lead(at + 1, lead.negated, lead.past, lead.strict)
            else:
                return

    def _fit(
        self,
        frame: Frame,
        text: str,
        offset: int,
        head: Head,
        leads: list[Lead],
        tagged: list[Word],
        thread: Thread,
    ) -> Read | None:
        subject = self._subject(frame, head, thread)
        if subject is None:
            return None
        for lead in leads:
            if frame.needs_negation and not lead.negated:
                continue
            for pattern in frame.patterns:
                match = pattern.match(self._bare(text), lead.at)
                if match is None:
                    continue
                span = self._caught(frame, match, offset, tagged, head)
                if span is None:
                    continue
                predicate, negated = frame.predicate, lead.negated
                if negated and frame.negated:
                    predicate, negated = frame.negated, False
                past = lead.past or frame.tense == "past"
                return Read(
                    frame,
                    subject,
                    predicate,
                    span,
                    negated,
                    past,
                    lead.strict,
                    head.subject is None,
                    match,
                )
        return None

    def _bare(self, text: str) -> str:
        """The clause without the particles at its end."""
        bare = self._words.particles.sub("", text)
        return bare or text

    def _caught(
        self, frame: Frame, match: re.Match[str], offset: int, tagged: list[Word], head: Head
    ) -> Span | None:
        if frame.object == "fixed":
            return Span(frame.value, offset + match.start(), offset + match.end())
        groups = match.groupdict()
        if groups.get("o") is None:
            return None
        start, end = match.span("o")
        caught = Span(match.group("o"), offset + start, offset + end)
        return self._objects.clean(frame.object, caught, tagged)

    def _subject(self, frame: Frame, head: Head, thread: Thread) -> Subject | None:
        """Who the frame is about: the named subject, the topic carried on, or the speaker."""
        if head.subject is not None:
            subject = head.subject
            return subject if _fits(frame.about, subject.kind) else None
        speaker = Subject(thread.speaker, "self", explicit=False)
        for known in (
            thread.subject,
            thread.thing if frame.about in {"thing", "venue", "any", "living"} else None,
        ):
            if known is not None and _fits(frame.about, known.kind):
                return known
        return speaker if _fits(frame.about, "self") else None


def _fits(about: str, kind: str) -> bool:
    allowed = {
        "person": {"self", "person"},
        "living": {"self", "person", "animal"},
        "animal": {"animal"},
        "thing": {"thing"},
        "venue": {"thing", "event"},
        "any": {"self", "person", "animal", "thing"},
    }
    return kind in allowed[about]


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def split_list(span: Span) -> list[Span]:
    """The members of a list of objects (花生和芒果)."""
    parts: list[Span] = []
    at = 0
    for match in [*_LIST.finditer(span.text), None]:
        end = match.start() if match else len(span.text)
        piece = span.text[at:end].strip()
        if piece:
            start = span.start + at
            parts.append(Span(piece, start, start + len(piece)))
        at = match.end() if match else end
    return parts if parts and all(len(part.text) >= 1 for part in parts) else [span]
