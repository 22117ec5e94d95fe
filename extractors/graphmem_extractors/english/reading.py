"""One sentence being read: its parse, its times, who is who, and the facts found so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from graphmem.model import Message
from graphmem.protocols import AliasCandidate, Candidate, TimeSpan, Trace
from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.surface import Sentence
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named, Namer
from graphmem_extractors.frame import Maker, timed
from graphmem_extractors.guards import Verdict
from graphmem_extractors.numbers import ValueSpan

_LISTED = frozenset({"likes", "dislikes", "allergic_to", "speaks"})
_TURNED = {"likes": "dislikes", "prefers": "dislikes"}  # what sarcasm makes of it
_LEAST = 0.5  # a claim less sure than this is not made; the statement is still kept


@dataclass
class Reading:
    """Working state for one sentence; readers call `add`."""

    message: Message
    sentence: Sentence
    doc: Any
    verdict: Verdict
    namer: Namer
    vocabulary: Vocabulary
    maker: Maker
    spans: tuple[TimeSpan, ...] = ()
    clocks: tuple[TimeSpan, ...] = ()  # told apart from their day: no part of any object
    values: tuple[ValueSpan, ...] = ()
    said: str = ""
    clauses: list[Clause] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    aliases: list[AliasCandidate] = field(default_factory=list)
    trace: list[Trace] = field(default_factory=list)
    time_tokens: dict[int, TimeSpan] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.namer.start = self.sentence.start
        for token in self.doc:
            place = self.sentence.place(token.idx)
            end = self.sentence.place(token.idx + len(token.text))
            for span in (*self.spans, *self.clocks):
                if _told_from(span) <= place and end <= span.end and end > place:
                    self.time_tokens[token.i] = span

    @property
    def speaker(self) -> Named:
        """Who says it."""
        return Named(self.message.speaker, "person", speaker=True)

    @property
    def text(self) -> str:
        """The sentence as it was said."""
        return self.message.text[self.sentence.start : self.sentence.end].strip()

    def times_of(self, clause: Clause) -> list[TimeSpan]:
        """The times that belong to a clause."""
        found = []
        for span in dict.fromkeys(self.time_tokens.values()):
            if span in self.clocks:
                continue
            verb = self._verb_of(span)
            if (
                verb is None
                or verb == clause.verb.i
                or len(self.clauses) == 1
                or (span.anchor == "since" and _since(clause.verb) and verb == clause.verb.head.i)
            ):
                found.append(span)
        return found

    def in_value(self, token: Any) -> bool:
        """Whether a token is part of an address, number or other value."""
        place = self.sentence.place(token.idx)
        return any(value.start <= place < value.end for value in self.values)

    def _verb_of(self, span: TimeSpan) -> int | None:
        tokens = [self.doc[i] for i, s in self.time_tokens.items() if s is span]
        verbs = {clause.verb.i for clause in self.clauses}
        root = next((t for t in tokens if t.head.i not in {x.i for x in tokens}), tokens[0])
        for _ in range(12):
            if root.i in verbs:
                return int(root.i)
            if root.head.i == root.i:
                return None
            root = root.head
        return None

    def add(
        self,
        subject: Named,
        predicate: str,
        text: str,
        *,
        rule: str,
        confidence: float,
        kind: str = "thing",
        polarity: Literal["+", "-"] = "+",
        tense: Literal["present", "past", "future"] = "present",
        times: Iterable[TimeSpan] = (),
        sensitive: bool = False,
        important: bool = False,
    ) -> None:
        """Add a candidate fact about `subject`, if it says anything."""
        text = text.strip(' \t\n,.;:!?"()')
        if predicate in _LISTED and " and " in text and "&" not in text:
            for part in text.split(" and "):
                self.add(subject, predicate, part, rule=rule, confidence=confidence, kind=kind, polarity=polarity, tense=tense, times=times, important=important)  # fmt: skip
            return
        if not text or (text.lower() == subject.name.lower() and predicate != "name_is"):
            return
        if self.verdict.sarcastic and predicate in _TURNED:
            predicate, confidence = _TURNED[predicate], confidence * 0.85
        candidate = Candidate(
            entity=subject.name if subject.kind == "person" else self._as_said(subject.name), predicate=predicate, object=text, polarity=polarity, tense=tense,
            text=self.text, span=(self.sentence.start, self.sentence.end), rule=rule,
            confidence=confidence * self.verdict.weight, entity_kind=subject.kind, object_kind=kind,
            sensitive=sensitive, importance=5 if important else 3,
        )  # fmt: skip
        candidate = timed(candidate, times, now=self.message.said_at)
        if candidate.confidence < _LEAST:
            self.left(rule, f"too unsure: {candidate.entity} {predicate} {text}")
            return
        candidate = self.maker.complete(candidate, speaker=self.message.speaker)
        for index, other in enumerate(self.candidates):
            if _same(other, candidate):
                if candidate.confidence > other.confidence:
                    self.candidates[index] = replace(candidate)
                return
        self.candidates.append(candidate)
        self.trace.append(Trace(rule=rule, span=candidate.span, reason=f"{candidate.entity} {predicate} {candidate.object}"))  # fmt: skip

    def _as_said(self, words: str) -> str:
        """`words` without the capital that was put at the start of the sentence for the parser."""
        parsed = self.sentence.parsed
        first = self.message.text[self.sentence.place(0)]
        if (
            not self.sentence.elided
            and first.islower()
            and parsed[:1].isupper()
            and parsed.startswith(words)
        ):
            return words[:1].lower() + words[1:]
        return words

    def left(self, rule: str, reason: str) -> None:
        """Note why something was not read."""
        self.trace.append(Trace(rule=rule, span=(self.sentence.start, self.sentence.end), reason=reason))  # fmt: skip


def _told_from(span: TimeSpan) -> int:
    """Where the words of the time begin: "for three years" in "been vegan for three years"."""
    return (
        span.start + max(0, span.text.find(" for ") + 1) if span.kind == "duration" else span.start
    )


def _since(verb: Any) -> bool:
    """The time of the clause above is this one's: "it is a month since we moved"."""
    return any(c.dep_ in {"mark", "prep"} and c.lower_ == "since" for c in verb.children)


def _same(one: Candidate, two: Candidate) -> bool:
    return (
        one.entity == two.entity
        and one.predicate == two.predicate
        and one.object.casefold() == two.object.casefold()
    )
