"""Events told in scattered words: a time alone in one clause, its event in another (骨科 下周三两点半)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from graphmem.protocols import Candidate, TimeSpan
from graphmem.when import When
from graphmem_extractors.chinese.clauses import Clause, Sentence
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work


class Scattered:
    """Brings a bare time and the nearest event noun of its sentence together."""

    def __init__(self, words: Vocabulary) -> None:
        self._events = words.patterns["events"]

    def read(self, work: Work, sentence: Sentence, cut: list[Clause]) -> None:
        """Add the event of a sentence whose time stands alone, if it has none yet."""
        timed = [
            c
            for c in work.candidates
            if c.happens_at is not None and sentence.start <= c.span[0] < sentence.end
        ]
        bare = [clause for clause in cut if self._is_time(work, clause)]
        if timed or not bare:
            return
        when = self._when(work, bare)
        named = self._named(bare[0], [clause for clause in cut if clause not in bare])
        if when is None or named is None:
            return
        known = work.thread.subject
        person = known is not None and known.kind == "person" and known.is_family
        work.add(
            Candidate(
                entity=known.name if known is not None and person else work.thread.speaker,
                predicate="scheduled_at",
                object=named.text,
                tense="future",
                text=sentence.text.strip(),
                span=(sentence.start, sentence.end),
                rule="event.scattered",
                confidence=0.72,
                object_kind="event",
                happens_at=when,
                expires_at=When(when.iso[:10], when.offset),
            )
        )

    def _is_time(self, work: Work, clause: Clause) -> bool:
        """Whether the clause is nothing but a time to come, perhaps after 是, 在 or 改到."""
        text = clause.text.lstrip("是在改到约定")
        start = clause.start + len(clause.text) - len(text)
        end = start
        for span in work.times.within(start, clause.end):
            if span.start > end + 1:
                return False
            if span.kind != "repeat" and not work.times.is_future(span):
                return False
            end = span.end
        return end > start and end >= clause.end - 1

    def _when(self, work: Work, bare: list[Clause]) -> When | None:
        """The date of one bare clause with the clock time of another."""
        spans: list[TimeSpan] = []
        for clause in bare:
            spans += work.times.within(clause.start, clause.end)
        whens = [span.when for span in spans if span.when is not None and span.kind != "repeat"]
        days = [when for when in whens if when.precision == "day"]
        clocks = [when for when in whens if when.precision == "instant"]
        if not clocks:
            return days[-1] if days else None
        if not days:
            return clocks[-1]
        return When.of(datetime.combine(days[-1].start.date(), clocks[-1].start.timetz()))

    def _named(self, time: Clause, others: list[Clause]) -> Clause | None:
        """The short clause with an event noun nearest to the time."""
        found: list[tuple[int, Clause]] = []
        for clause in others:
            match = self._events.search(clause.text)
            if match is None:
                continue
            noun = replace(clause, text=match.group(), start=clause.start + match.start())
            found.append((abs(clause.start - time.start), noun))
        return min(found, key=lambda pair: pair[0])[1] if found else None
