"""The Chinese extractor: message in, claims, reminders, aliases, worth and a trace out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from graphmem.lexicon import Lexicon
from graphmem.model import Worth
from graphmem.protocols import (
    AliasCandidate,
    Extraction,
    ReminderCandidate,
    TimeGrammar,
    Trace,
    Turn,
)
from graphmem.words import clean
from graphmem_extractors.chinese import guards
from graphmem_extractors.chinese.clauses import (
    Clause,
    Piece,
    Sentence,
    Spot,
    clauses,
    sentences,
    split_at,
)
from graphmem_extractors.chinese.events import Events
from graphmem_extractors.chinese.facts import FactMaker
from graphmem_extractors.chinese.pipeline import Pipeline, Tagged
from graphmem_extractors.chinese.reading import ClauseReader
from graphmem_extractors.chinese.scattered import Scattered
from graphmem_extractors.chinese.segment import Segmenter, segmenter
from graphmem_extractors.chinese.subjects import Subject, Subjects, Thread
from graphmem_extractors.chinese.times_in import Times
from graphmem_extractors.chinese.values import Value, Values, owner_start
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work
from graphmem_extractors.chinese.worth import Judge
from graphmem_extractors.guards import Guards
from graphmem_extractors.reminders import find_reminders
from graphmem_extractors.times import Grammar

LONGEST = 4000  # characters read by rules; what stands behind is kept in the snapshot and searched
MOST_CLAUSES = 300
LONGEST_BEFORE = 400
_PRONOUN = re.compile(r"[他她它]")
# What was recommended and not taken up is nothing that holds.
_NOT_TAKEN_UP = re.compile(
    r"没(?:去)?试|没(?:去)?买|没听他|没理|没兴趣|没感觉|不感兴趣|算了|懒得|不想试|不打算试|拒绝了"
)
_BORN = re.compile(r"(?:的|生的?|出生的?|生人)$")
_AGE = re.compile(r"今年[0-9一二三四五六七八九十]+(?:岁|了)?$")


class ChineseExtractor:
    """Rules for Chinese. Loads its model at the first message; pure after that."""

    name = "chinese"
    languages = ("zh",)

    def __init__(
        self,
        lexicon: Lexicon | None = None,
        *,
        times: TimeGrammar | None = None,
        segmenter: Segmenter | None = None,
    ) -> None:
        self._lexicon = lexicon or Lexicon.load()
        self._words = Vocabulary(self._lexicon)
        self._times: TimeGrammar = times or Grammar(self._lexicon)
        self._segmenter = segmenter
        self._pipeline: Pipeline | None = None
        self._guards = Guards(self._lexicon, "zh")
        self._subjects = Subjects(self._words)
        self._reader = ClauseReader(self._words)
        self._values = Values(self._words)
        self._facts = FactMaker(self._words)
        self._events = Events(self._words, self._reader)
        self._scattered = Scattered(self._words)
        self._judge = Judge(self._words)

    def extract(self, turns: Sequence[Turn]) -> list[Extraction]:
        """One Extraction per turn, in order. Never raises for any text."""
        return [self._one(turn) for turn in turns]

    def _one(self, turn: Turn) -> Extraction:
        whole = clean(turn.message.text)
        text = whole[:LONGEST]
        left = self._left_whole(turn, text)
        if left is not None:
            return left
        text = self._guards.masked(guards.masked(text))
        times = Times(text, turn.message.said_at, self._times)
        thread = self._thread(turn, text)
        work = Work(turn, text, self._tag(text), times, thread)
        work.reminders.extend(self._asked_for(work))
        parts = sentences(text)
        cut = clauses(text, parts)
        read = cut[MOST_CLAUSES - 1].end if len(cut) > MOST_CLAUSES else len(text)
        if read < len(whole):
            reason = f"only the first {LONGEST} characters and {MOST_CLAUSES} clauses are read"
            work.trace.append(Trace(rule="limit.length", span=(read, len(whole)), reason=reason))
        by_sentence: dict[int, list[Clause]] = {}
        for clause in cut[:MOST_CLAUSES]:
            by_sentence.setdefault(clause.sentence, []).append(clause)
        for number, sentence in enumerate(parts):
            self._sentence(work, sentence, by_sentence.get(number, []))
        if _NOT_TAKEN_UP.search(text):
            work.candidates = [c for c in work.candidates if c.predicate != "recommended"]
        return _finished(work, self._judge.worth(work))

    def _thread(self, turn: Turn, text: str) -> Thread:
        """A fresh thread; where a pronoun may point back, with whom the message before was about."""
        thread = Thread(turn.message.speaker)
        before = turn.previous
        if before is None or before.speaker != turn.message.speaker or not _PRONOUN.search(text):
            return thread
        earlier = guards.masked(clean(before.text)[:LONGEST_BEFORE])
        tagged = self._tag(earlier).words
        for clause in clauses(earlier, sentences(earlier)):
            inside = [
                word for word in tagged if word.start < clause.end and word.end > clause.start
            ]
            head = self._subjects.read(Piece(clause.text, clause.start, inside), thread)
            if head.subject is not None and head.subject.kind not in {"unknown", "self"}:
                thread.note(head.subject)
        return Thread(thread.speaker, person=thread.person, thing=thread.thing)

    def _tag(self, text: str) -> Tagged:
        if self._pipeline is None:
            self._pipeline = Pipeline(self._segmenter or segmenter())
        return self._pipeline.tag(text)

    def _asked_for(self, work: Work) -> list[ReminderCandidate]:
        """The reminders of the message, those in questions and suppositions left out."""
        found = find_reminders(
            work.text,
            said_at=work.times.said_at,
            language="zh",
            times=self._times,
            lexicon=self._lexicon,
        )
        work.trace.extend(Trace(rule=r.rule_name, span=r.span) for r in found)
        return list(found)

    def _left_whole(self, turn: Turn, text: str) -> Extraction | None:
        """The Extraction of a message of which nothing may be learnt, else None."""
        span = (0, len(text))
        other = self._guards.whole(turn)
        if other is not None:
            return Extraction(worth=Worth.OTHER_ROLE, trace=(other,))
        verdict = guards.of_message(text, self._words)
        if verdict is None:
            return None
        trace = Trace(rule=verdict.rule, span=span, reason=verdict.reason)
        return Extraction(worth=verdict.worth, trace=(trace,))

    def _sentence(self, work: Work, sentence: Sentence, cut: list[Clause]) -> None:
        verdict = guards.of_sentence(sentence, self._words)
        if verdict.worth is not Worth.STATEMENT or not cut:
            _leave(work, verdict, sentence.start, sentence.end)
            return
        work.thread.enter(cut[0].sentence)
        asked = guards.is_asked(sentence, self._words)
        values = [] if asked else self._values.find(sentence.text)
        taken = [(sentence.start + value.start, sentence.start + value.end) for value in values]
        cut = split_at(cut, self._value_edges(work, sentence, values))
        supposed = False
        sarcastic = guards.is_sarcastic(work.text, self._words)
        for place, clause in enumerate(cut):
            verdict = guards.of_clause(
                clause, last=place == len(cut) - 1, asked=asked, words=self._words
            )
            if supposed and verdict.worth is Worth.STATEMENT:
                verdict = guards.SUPPOSED
            supposed = supposed or verdict.rule == "guard.hypothetical"
            if verdict.worth is not Worth.STATEMENT:
                _leave(work, verdict, clause.start, clause.end)
                continue
            if any(_is_of(r, clause) for r in work.reminders):
                continue
            work.worths.add(Worth.STATEMENT)
            work.statements.append(clause)
            spot = Spot(sentence, clause, verdict.weight, sarcastic)
            for value, (start, _) in zip(values, taken, strict=True):
                if clause.start <= start < clause.end:
                    self._facts.add_value(work, spot, value, self._subjects)
            self._clause(work, spot, taken)
        if not asked and not supposed:
            self._scattered.read(work, sentence, cut)

    def _value_edges(self, work: Work, sentence: Sentence, values: Sequence[Value]) -> list[int]:
        """Where a value with its owner begins and ends, for talk without punctuation."""
        edges: list[int] = []
        for value in values:
            start = owner_start(value, sentence.text, sentence.start, work.tagged.words)
            edges += [sentence.start + start, sentence.start + value.end]
        return edges

    def _clause(self, work: Work, spot: Spot, taken: list[tuple[int, int]]) -> None:
        piece = self._piece(work, spot, taken)
        if piece is None:
            return
        head = self._subjects.read(piece, work.thread)
        known = work.thread.subject
        lost = head.subject is None and known is not None and known.kind == "unknown"
        if lost or (head.subject is not None and head.subject.kind == "unknown"):
            work.thread.subject = Subject("", "unknown")  # until somebody is named again
            _leave(work, guards.UNKNOWN, spot.clause.start, spot.clause.end)
            return
        if head.subject is not None:
            work.thread.note(head.subject)
            self._facts.introduce(work, spot.clause, head.subject)
        self._facts.named_inside(work, spot.clause)
        found = len(work.candidates)
        moved = self._words.patterns["move_words"].search(spot.clause.text)
        habit = work.times.only_repeats(spot.clause.start, spot.clause.end) and not moved
        if not habit:
            self._events.read(work, spot, piece, head)
        told = len(work.candidates) > found
        for read in self._reader.read(piece, head, work.thread, work.times, ahead=told):
            self._facts.add_read(work, spot, read)
            for other in head.others if read.subject == head.subject else ():
                self._facts.add_read(work, spot, replace(read, subject=other))
        if habit and len(work.candidates) == found:
            self._events.read(work, spot, piece, head)
        self._facts.bring_up(work, spot.clause)
        if head.topic and head.subject is None:
            work.thread.thing = Subject(head.topic, "thing")
        if len(work.candidates) == found:
            span = (spot.clause.start, spot.clause.end)
            work.trace.append(Trace(rule="none", span=span, reason="no frame fits"))

    def _piece(self, work: Work, spot: Spot, taken: list[tuple[int, int]]) -> Piece | None:
        """The clause without opening words, leading times and values that were read already."""
        clause, stop_at = spot.clause, spot.sentence.end
        start, end = clause.start, clause.end
        while True:
            opener = self._words.openers.match(work.text, start, end)
            if not opener or opener.end() >= end:
                break
            start = opener.end()
        after = work.times.skip(start)
        told = _AGE.match(work.text, start, end) or _BORN.match(work.text, after, end)
        if start < after < end and not told:
            start = after
        while start < end and work.text[start] in "，, 的":
            start += 1
        adverb = self._words.adverbs.match(work.text, start, end)
        if adverb and not self._words.past.match(work.text, start, end):
            spoken = adverb.end() < end and work.text[adverb.end()] in "我俺咱他她"
            start = adverb.end() if spoken and len(adverb.group()) > 1 else start
        for begin, stop in taken:
            if begin < end and stop > start:
                end = begin
        if start >= end:
            return None
        tagged = [word for word in work.tagged.words if word.start < end and word.end > start]
        beyond = work.text[start:stop_at] if end == clause.end else ""
        ahead = work.tagged.places_ahead
        return Piece(work.text[start:end], start, tagged, clause.start, beyond, ahead)


def _is_of(reminder: ReminderCandidate, clause: Clause) -> bool:
    """Whether the clause is the order or the action of a reminder, not a fact beside it."""
    if reminder.span[0] >= clause.end or clause.start >= reminder.span[1]:
        return False
    return reminder.action in clause.text or clause.text in reminder.action


def _leave(work: Work, verdict: guards.Verdict, start: int, end: int) -> None:
    work.worths.add(verdict.worth)
    work.trace.append(Trace(rule=verdict.rule, span=(start, end), reason=verdict.reason))


def _finished(work: Work, worth: Worth) -> Extraction:
    names = {(c.entity, c.entity_kind): None for c in work.candidates}
    names |= dict.fromkeys(work.tagged.names)
    return Extraction(
        candidates=tuple(work.candidates),
        reminders=tuple(work.reminders),
        aliases=tuple(AliasCandidate(name, alias) for name, alias in work.aliases if name != alias),
        mentions=tuple(names),
        worth=worth,
        importance=max([3, *(c.importance for c in work.candidates)]),
        sensitive=any(c.sensitive for c in work.candidates),
        command=work.command,
        trace=tuple(work.trace),
    )
