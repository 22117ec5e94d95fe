"""What is gathered while one message is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from graphmem.model import Worth
from graphmem.protocols import Candidate, ReminderCandidate, Trace, Turn
from graphmem_extractors.chinese.clauses import Clause
from graphmem_extractors.chinese.pipeline import Tagged
from graphmem_extractors.chinese.subjects import Thread
from graphmem_extractors.chinese.times_in import Times


@dataclass(slots=True)
class Work:
    """One message on its way from text to Extraction. `text` has its quotations blanked out."""

    turn: Turn
    text: str
    tagged: Tagged
    times: Times
    thread: Thread
    candidates: list[Candidate] = field(default_factory=list)
    reminders: list[ReminderCandidate] = field(default_factory=list)
    aliases: dict[tuple[str, str], None] = field(default_factory=dict)
    trace: list[Trace] = field(default_factory=list)
    statements: list[Clause] = field(default_factory=list)
    worths: set[Worth] = field(default_factory=set)
    command: str | None = None

    def add(self, candidate: Candidate) -> None:
        """Keep a candidate once."""
        same = (candidate.entity, candidate.predicate, candidate.object, candidate.polarity)
        if any((c.entity, c.predicate, c.object, c.polarity) == same for c in self.candidates):
            return
        self.candidates.append(candidate)
        self.thread.predicate = candidate.predicate
        self.trace.append(
            Trace(rule=candidate.rule, span=candidate.span, reason=candidate.predicate)
        )
