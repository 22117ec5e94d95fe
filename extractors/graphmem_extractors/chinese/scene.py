"""One clause as the readers of events see it: its head, who it is about, and the times ahead."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from graphmem.protocols import Candidate, TimeSpan
from graphmem_extractors.chinese.clauses import Piece, Spot
from graphmem_extractors.chinese.subjects import Head, Subject
from graphmem_extractors.chinese.work import Work

_DONE = re.compile(r"(?:了|啦|过)[\W_]*$")
_MOVED = re.compile(r"[改挪调推换提]|推迟|延")


@dataclass(frozen=True, slots=True)
class Coming:
    """The times of a clause that lie ahead; `carried` where an earlier clause of the sentence gave them."""

    spans: tuple[TimeSpan, ...]
    carried: bool = False

    @property
    def best(self) -> TimeSpan | None:
        """The span that tells when: the last that was moved to (改到), else the most exact."""
        timed = [span for span in self.spans if span.kind != "repeat" and span.when is not None]
        moved = [span for span in timed if _MOVED.match(span.text)]
        if moved:
            return moved[-1]
        return next((s for s in timed if s.kind == "instant"), timed[0] if timed else None)


@dataclass(frozen=True, slots=True)
class Scene:
    """What is needed to read an event in a clause."""

    work: Work
    spot: Spot
    piece: Piece
    head: Head
    subject: Subject
    coming: Coming

    @property
    def speaker(self) -> Subject:
        """The speaker, understood."""
        return Subject(self.work.thread.speaker, "self", explicit=False)

    def candidate(self, rule: str, confidence: float) -> Candidate:
        """A candidate about the scene's subject whose predicate and object are still to be set."""
        clause = self.spot.clause
        kind = self.subject.kind
        return Candidate(
            entity=self.subject.name,
            predicate="",
            object="",
            text=self.spot.sentence.text.strip(),
            span=(clause.start, clause.end),
            rule=rule,
            confidence=round(confidence * self.spot.weight, 3),
            entity_kind="person" if kind == "self" else kind,
        )


def scene_of(work: Work, spot: Spot, piece: Piece, head: Head) -> Scene:
    """The scene of a clause."""
    coming = _coming(work, spot)
    return Scene(work, spot, piece, head, _who(work, head), coming)


def with_subject(scene: Scene, subject: Subject) -> Scene:
    """The scene with another subject."""
    return replace(scene, subject=subject)


def _coming(work: Work, spot: Spot) -> Coming:
    spans = tuple(
        span
        for span in work.times.within(spot.clause.start, spot.clause.end)
        if span.kind in {"instant", "date", "interval", "repeat"}
        and (span.kind == "repeat" or work.times.is_future(span))
        and not (_DONE.search(spot.clause.text) and work.times.has_begun(span))
    )
    if spans:
        work.thread.coming = spans
        return Coming(spans)
    inside = [span for span in work.thread.coming if span.start >= spot.sentence.start]
    return Coming(tuple(inside), carried=True)


def _who(work: Work, head: Head) -> Subject:
    """Whose event it is: family stays the topic of the clauses after, others do not."""
    if head.subject is not None:
        return head.subject
    known = work.thread.subject
    if known is not None and known.kind == "person" and (known.kin is None or known.kin.family):
        return known
    return Subject(work.thread.speaker, "self", explicit=False)
