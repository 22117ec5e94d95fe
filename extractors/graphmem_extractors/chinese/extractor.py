"""The Chinese extractor: message in, claims, aliases, worth and a trace out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graphmem.lexicon import Lexicon
from graphmem.model import Worth
from graphmem.protocols import (
    Candidate,
    Extraction,
    ReminderCandidate,
    TimeGrammar,
    Trace,
    Turn,
)
from graphmem.words import clean
from graphmem_extractors.chinese import guards
from graphmem_extractors.chinese.clauses import Clause, Sentence, clauses, sentences
from graphmem_extractors.chinese.facts import FactMaker
from graphmem_extractors.chinese.reading import ClauseReader
from graphmem_extractors.chinese.segment import Segmenter, Word, segmenter
from graphmem_extractors.chinese.subjects import Subjects, Thread
from graphmem_extractors.chinese.times_in import Times
from graphmem_extractors.chinese.values import Values
from graphmem_extractors.chinese.vocabulary import Vocabulary

LONGEST = 4000  # characters read by rules; what stands behind is kept in the snapshot and searched
_RANK = (
    Worth.STATEMENT,
    Worth.HYPOTHETICAL,
    Worth.QUESTION,
    Worth.REQUEST,
    Worth.CHATTER,
)


@dataclass(slots=True)
class Work:
    """What is gathered while one message is read."""

    turn: Turn
    text: str
    tagged: list[Word]
    times: Times
    thread: Thread
    candidates: list[Candidate] = field(default_factory=list)
    reminders: list[ReminderCandidate] = field(default_factory=list)
    aliases: dict[tuple[str, str], None] = field(default_factory=dict)
    trace: list[Trace] = field(default_factory=list)
    worths: set[Worth] = field(default_factory=set)


class ChineseExtractor:
    """Rules for Chinese. Loads its models at the first message; pure after that."""

    name = "chinese"
    languages = ("zh",)

    def __init__(
        self,
        lexicon: Lexicon | None = None,
        *,
        times: TimeGrammar | None = None,
        segmenter: Segmenter | None = None,
    ) -> None:
        self._words = Vocabulary(lexicon or Lexicon.load())
        self._times = times
        self._segmenter = segmenter
        self._subjects = Subjects(self._words)
        self._reader = ClauseReader(self._words)
        self._values = Values(self._words)
        self._facts = FactMaker(self._words)

    def extract(self, turns: Sequence[Turn]) -> list[Extraction]:
        """One Extraction per turn, in order. Never raises for any text."""
        return [self._one(turn) for turn in turns]

    def _one(self, turn: Turn) -> Extraction:
        text = clean(turn.message.text)[:LONGEST]
        whole = self._whole(turn, text)
        if whole is not None:
            return whole
        if self._segmenter is None:
            self._segmenter = segmenter()
        quoted_out = guards.masked(text)
        work = Work(
            turn,
            quoted_out,
            self._segmenter.cut(quoted_out),
            Times(quoted_out, turn.message.said_at, self._times),
            Thread(turn.message.speaker),
        )
        parts = sentences(quoted_out)
        cut = clauses(quoted_out, parts)
        for number, sentence in enumerate(parts):
            self._sentence(work, sentence, [clause for clause in cut if clause.sentence == number])
        return self._facts.finish(work)

    def _whole(self, turn: Turn, text: str) -> Extraction | None:
        span = (0, len(text))
        if turn.message.role != "user":
            trace = Trace(
                rule="guard.other_role", span=span, reason=f"said by the {turn.message.role}"
            )
            return Extraction(worth=Worth.OTHER_ROLE, trace=(trace,))
        verdict = guards.of_message(text, self._words)
        if verdict is None:
            return None
        trace = Trace(rule=verdict.rule, span=span, reason=verdict.reason)
        return Extraction(worth=verdict.worth, trace=(trace,))

    def _sentence(self, work: Work, sentence: Sentence, cut: list[Clause]) -> None:
        verdict = guards.of_sentence(sentence, self._words)
        if verdict.worth is not Worth.STATEMENT:
            self._leave(work, verdict, sentence.start, sentence.end)
            return
        asked = guards.is_asked(sentence, self._words)
        values = [] if asked else self._values.find(sentence.text)
        for value in values:
            self._facts.add_value(work, sentence, value, self._subjects)
        taken = [(sentence.start + value.start, sentence.start + value.end) for value in values]
        supposed = False
        for place, clause in enumerate(cut):
            verdict = guards.of_clause(
                clause, last=place == len(cut) - 1, asked=asked, words=self._words
            )
            supposed = supposed or (
                verdict.worth is Worth.HYPOTHETICAL and verdict.rule == "guard.hypothetical"
            )
            if supposed and verdict.worth is Worth.STATEMENT:
                verdict = replace(
                    verdict,
                    worth=Worth.HYPOTHETICAL,
                    rule="guard.hypothetical",
                    reason="a supposition before",
                )
            if verdict.worth is not Worth.STATEMENT:
                self._leave(work, verdict, clause.start, clause.end)
                continue
            work.worths.add(Worth.STATEMENT)
            self._clause(work, sentence, clause, verdict.weight, taken)

    def _leave(self, work: Work, verdict: guards.Verdict, start: int, end: int) -> None:
        work.worths.add(verdict.worth)
        work.trace.append(Trace(rule=verdict.rule, span=(start, end), reason=verdict.reason))

    def _clause(
        self,
        work: Work,
        sentence: Sentence,
        clause: Clause,
        weight: float,
        taken: list[tuple[int, int]],
    ) -> None:
        work.thread.enter(clause.sentence)
        text, offset = clause.text, clause.start
        while True:
            opener = self._words.openers.match(text)
            if not opener or opener.end() >= len(text):
                break
            text, offset = text[opener.end() :], offset + opener.end()
        lead = work.times.skip(offset) - offset
        if 0 < lead < len(text):
            head_text, head_offset = text[lead:].lstrip("，, "), 0
            head_offset = offset + len(text) - len(head_text)
        else:
            head_text, head_offset = text, offset
        tagged = [
            word for word in work.tagged if word.start < clause.end and word.end > head_offset
        ]
        head = self._subjects.read(head_text, tagged, head_offset, work.thread)
        if head.subject is not None and head.subject.kind == "unknown":
            return
        if head.subject is not None:
            work.thread.note(head.subject)
            self._facts.introduce(work, sentence, clause, head.subject)
        end = clause.end
        for begin, stop in taken:
            if begin < end and stop > head_offset:
                if begin <= head_offset:
                    return
                end = begin
                head_text = head_text[: begin - head_offset]
        reads = self._reader.read(head_text, head_offset, head, tagged, work.thread, work.times)
        for read in reads:
            self._facts.add_read(work, sentence, clause, read, weight)
        if not reads:
            work.trace.append(
                Trace(rule="none", span=(clause.start, clause.end), reason="no frame fits")
            )
