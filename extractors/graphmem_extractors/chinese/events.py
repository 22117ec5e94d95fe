"""Scheduled things and plans: a clause with a time to come and something that happens then."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.protocols import Candidate, TimeSpan
from graphmem.when import When
from graphmem_extractors.chinese.clauses import Spot
from graphmem_extractors.chinese.objects import Span
from graphmem_extractors.chinese.subjects import Head, Subject
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work

_EDGES = re.compile(r"^[\s，,的了有要得去还就才]+|[\s，,。了吧啊呢哈的~]+$")
_LONGEST = 16


class Events:
    """Reads events and plans with a vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words

    def read(self, work: Work, spot: Spot, head: Head) -> None:
        """Add what the clause schedules or plans, if anything."""
        spans = [
            span
            for span in work.times.within(spot.clause.start, spot.clause.end)
            if span.kind == "repeat" or work.times.is_future(span)
        ]
        subject = head.subject or self._carried(work)
        if subject.kind not in {"self", "person"}:
            return
        if spans:
            self._scheduled(work, spot, subject, spans)

    def _carried(self, work: Work) -> Subject:
        known = work.thread.subject
        if known is not None and known.kind == "person":
            return known
        return Subject(work.thread.speaker, "self", explicit=False)

    def _scheduled(
        self, work: Work, spot: Spot, subject: Subject, spans: Sequence[TimeSpan]
    ) -> None:
        named = self._words.events.search(work.text, spot.clause.start, spot.clause.end)
        if named is None:
            return
        event = self._phrase(work, spot, spans, named)
        if event is None:
            return
        self._add(work, spot, subject, event, spans)

    def _phrase(
        self, work: Work, spot: Spot, spans: Sequence[TimeSpan], named: re.Match[str]
    ) -> Span | None:
        """The words around the event's noun, without times and subject."""
        start, end = spot.clause.start, spot.clause.end
        for span in spans:
            if span.end <= named.start():
                start = max(start, span.end)
            elif span.start >= named.end():
                end = min(end, span.start)
        text = work.text[start:end]
        trimmed = (
            re.sub(rf"^.*?(?:我们?|他|她|{self._words.kin_pattern})(?=.)", "", text)
            if len(text) > len(named.group())
            else text
        )
        if named.group() not in trimmed:
            trimmed = text
        clean = _EDGES.sub("", trimmed)
        clean = _EDGES.sub("", clean)
        if not clean or len(clean) > _LONGEST:
            clean = named.group()
        at = work.text.find(clean, start)
        return Span(clean, at, at + len(clean))

    def _add(
        self,
        work: Work,
        spot: Spot,
        subject: Subject,
        event: Span,
        spans: Sequence[TimeSpan],
    ) -> None:
        timed = [span for span in spans if span.kind != "repeat" and span.when is not None]
        best = next((span for span in timed if span.kind == "instant"), timed[0] if timed else None)
        happens: When | None = best.when if best else None
        work.add(
            Candidate(
                entity=subject.name,
                predicate="scheduled_at",
                object=event.text,
                tense="future",
                text=spot.sentence.text.strip(),
                span=(spot.clause.start, spot.clause.end),
                rule="event.scheduled",
                confidence=0.85 * spot.weight,
                object_kind="event",
                importance=5 if re.search(r"手术|化疗|住院", event.text) else 3,
                happens_at=happens,
                expires_at=work.times.day_of(best) if best else None,
            )
        )
        work.thread.event = Subject(event.text, "event")
