"""The English extractor: guards, parse, readers, one Extraction per turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from graphmem import plugins
from graphmem.errors import ExtensionMissing
from graphmem.lexicon import Lexicon
from graphmem.model import Worth
from graphmem.protocols import (
    Candidate,
    Extraction,
    Extractor,
    ReminderCandidate,
    TimeGrammar,
    TimeSpan,
    Trace,
    Turn,
)
from graphmem.words import clean
from graphmem_extractors.english import kin, pipeline, surface
from graphmem_extractors.english.chatter import Chatter
from graphmem_extractors.english.clauses import Clauses
from graphmem_extractors.english.copulas import CopulaReader
from graphmem_extractors.english.ellipsis import EllipsisReader
from graphmem_extractors.english.events import EventReader, joined
from graphmem_extractors.english.lists import ListReader
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.repair import Mender
from graphmem_extractors.english.surface import Restorer, Sentence
from graphmem_extractors.english.values import ValueReader
from graphmem_extractors.english.verbs import VerbReader
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Context, Namer
from graphmem_extractors.frame import Maker
from graphmem_extractors.guards import Guards, Verdict, worth_of
from graphmem_extractors.numbers import ValueSpan, find_values
from graphmem_extractors.reminders import find_reminders

_BATCH = 64
_DIET = frozenset({"follows_diet", "eats"})
_PRONOUN = re.compile(r"\b(?:he|she|his|her|him|they|their|them)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|instead of|rather than|was)(?: on| at| the)*\s*$", re.IGNORECASE)
_NO_REMINDER = frozenset({Worth.FICTION, Worth.QUOTED, Worth.ECHO, Worth.OTHER_ROLE})
_ALSO_REMINDED = frozenset(
    {
        "plans_to",
        "scheduled_at",
        "attends",
        "wants",
        "located_in",
        "bought",
        "ordered",
        "prefers",
        "eats",
    }
)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A turn before parsing: its plain text, sentences with their verdicts, and its times."""

    turn: Turn
    text: str
    sentences: tuple[tuple[Sentence, Verdict], ...]
    verdicts: tuple[Verdict, ...]
    times: tuple[TimeSpan, ...]
    clocks: tuple[TimeSpan, ...]
    values: tuple[ValueSpan, ...]
    trace: tuple[Trace, ...]
    before: str = ""  # what was said just before, where a pronoun may mean somebody named there


class EnglishExtractor(Extractor):
    """Reads English messages. Makes its pipeline at the first message; safe for any text.

    `lexicon` may hold the owner's additions, `times` another grammar of time expressions.
    """

    name = "english"
    languages = ("en",)

    def __init__(
        self, lexicon: Lexicon | None = None, times: TimeGrammar | None = None, nlp: Any = None
    ) -> None:
        self._lexicon = lexicon or Lexicon.load()
        self._times = times
        self._given_nlp = nlp

    def extract(self, turns: Sequence[Turn]) -> list[Extraction]:
        """One Extraction per turn, in order. Pure; never raises for any text."""
        prepared = [self._prepare(turn) for turn in turns]
        to_parse = [text for item in prepared for text in self._to_parse(item)]
        docs = iter(self._nlp.pipe(to_parse, batch_size=_BATCH) if to_parse else ())
        return [self._read(item, docs) for item in prepared]

    def _to_parse(self, item: _Prepared) -> list[str]:
        before = [item.before] if item.before else []
        return before + [s.parsed for s, v in item.sentences if v.weight > 0]

    @cached_property
    def _nlp(self) -> Any:
        return self._given_nlp or pipeline.load()

    @cached_property
    def _grammar(self) -> TimeGrammar | None:
        """The given grammar, or the one that is plugged in; None where none is."""
        if self._times is None and plugins.names(plugins.TIMES):
            try:
                self._times = plugins.factory(plugins.TIMES, "grammar")()
            except ExtensionMissing:
                return None
        return self._times

    @cached_property
    def _tools(self) -> _Tools:
        return _Tools(self._lexicon)

    def _prepare(self, turn: Turn) -> _Prepared:
        tools = self._tools
        whole = tools.guards.whole(turn)
        if whole is not None:
            verdict = Verdict(Worth.OTHER_ROLE, 0.0)
            return _Prepared(turn, "", (), (verdict,), (), (), (), (whole,))
        said = clean(turn.message.text[: surface.MAX_CHARACTERS])
        text = surface.plain(said)
        spans = surface.spans(text)
        verdicts = tools.guards.judge(said, spans)
        masked = tools.guards.masked(text)
        sentences = []
        trace = []
        for (start, end), verdict in zip(spans, verdicts, strict=True):
            for a, b in surface.parts(masked, start, end):
                sentences.append((tools.restorer.sentence(masked, a, b), verdict))
            if verdict.rule:
                trace.append(Trace(rule=verdict.rule, span=(start, end), reason=verdict.reason))
        times: tuple[TimeSpan, ...] = ()
        clocks: tuple[TimeSpan, ...] = ()
        values: tuple[ValueSpan, ...] = ()
        if any(verdict.weight for verdict in verdicts):
            found = self._find_times(masked, turn)
            times, clocks = joined(
                masked, [t for t in found if not _DENIED.search(masked[: t.start])]
            )
            values = find_values(masked[: surface.MAX_CHARACTERS], "en")
        return _Prepared(
            turn, masked, tuple(sentences), tuple(verdicts), times, clocks, values, tuple(trace),
            _said_before(turn, masked),
        )  # fmt: skip

    def _find_times(self, text: str, turn: Turn) -> tuple[TimeSpan, ...]:
        grammar = self._grammar
        if grammar is None:
            return ()
        return grammar.find(
            text[: surface.MAX_CHARACTERS], said_at=turn.message.said_at, language="en"
        )

    def _reminders(self, item: _Prepared) -> tuple[ReminderCandidate, ...]:
        """The reminders asked for outside fiction, pastes and echoes."""
        if self._grammar is None or not item.sentences:
            return ()
        closed = [s for s, v in item.sentences if v.worth in _NO_REMINDER]
        return tuple(
            found
            for found in find_reminders(
                item.text[: surface.MAX_CHARACTERS],
                said_at=item.turn.message.said_at,
                language="en",
                times=self._grammar,
            )
            if not any(s.start <= found.span[0] < s.end for s in closed)
        )

    def _read(self, item: _Prepared, docs: Any) -> Extraction:
        tools = self._tools
        message = item.turn.message
        context = Context()
        namer = Namer(tools.vocabulary, message.speaker, context)
        if item.before and item.turn.previous is not None:
            _mention_before(
                tools.vocabulary, item.turn.previous.speaker, context, tools.mender.mend(next(docs))
            )
        candidates: list[Any] = []
        aliases: list[Any] = []
        trace = list(item.trace)
        told = tools.vital(item)
        for sentence, verdict in item.sentences:
            if verdict.weight <= 0:
                continue
            reading = Reading(
                message, sentence, tools.mender.mend(next(docs)), verdict, namer, tools.vocabulary, tools.maker,
                tuple(s for s in item.times if sentence.start <= s.start and s.end <= sentence.end + 1),
                item.clocks,
                tuple(v for v in item.values if sentence.start <= v.start and v.end <= sentence.end),
                item.text[sentence.start : sentence.end],
            )  # fmt: skip
            tools.read(reading)
            told = told or verdict.asked or tools.chatter.tells(reading)
            candidates += reading.candidates
            aliases += reading.aliases
            trace += reading.trace
        reminders = self._reminders(item)
        candidates = _weighed(_once(_beside_reminders(candidates, reminders)))
        if tools.vital(item):
            candidates = [replace(c, importance=5) for c in candidates]
        worth = worth_of(item.verdicts) if told else _else_worth(item.verdicts)
        if reminders:
            worth = Worth.STATEMENT
        return Extraction(
            command=tools.command(item) if worth is Worth.STATEMENT else None,
            candidates=tuple(candidates),
            reminders=reminders,
            aliases=tuple(dict.fromkeys(aliases)),
            mentions=tuple((name, kind) for name, kind, _ in context.mentioned),
            worth=worth,
            importance=5
            if tools.vital(item)
            else max((c.importance for c in candidates), default=3),
            sensitive=any(c.sensitive for c in candidates),
            trace=tuple(trace),
        )


class _Tools:
    """Everything made from the lexicon, once."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.vocabulary = Vocabulary(lexicon)
        self.guards = Guards(lexicon, "en")
        self.restorer = Restorer(self.vocabulary)
        self.mender = Mender(self.vocabulary)
        self.maker = Maker(lexicon)
        self.clauses = Clauses(self.vocabulary)
        self.verbs = VerbReader(self.vocabulary)
        self.copulas = CopulaReader(self.vocabulary)
        self.values = ValueReader(self.vocabulary)
        self.events = EventReader(self.vocabulary)
        self.ellipsis = EllipsisReader(self.vocabulary)
        self.lists = ListReader(self.vocabulary)
        self.chatter = Chatter(lexicon)

    def vital(self, item: _Prepared) -> bool:
        """Whether the message says never to forget it."""
        return self.vocabulary.pattern("vital").search(item.text) is not None

    def command(self, item: _Prepared) -> str | None:
        """The order to change the memory that the message gives, if any."""
        said = " ".join(item.text[s.start : s.end] for s, v in item.sentences if v.weight > 0)
        for name in ("cancel", "correct", "reschedule"):
            if self.vocabulary.pattern(f"command_{name}").search(said):
                return name
        return None

    def read(self, reading: Reading) -> None:
        """All readers over one sentence."""
        reading.clauses = self.clauses.of(reading.doc)
        kin.introduce(reading, reading.doc)
        kin.aged(reading)
        kin.employer(reading, reading.doc)
        self.copulas.read(reading)
        self.verbs.read(reading)
        self.events.read(reading)
        self.values.read(reading)
        self.ellipsis.read(reading)
        self.lists.read(reading)


def _else_worth(verdicts: Sequence[Verdict]) -> Worth:
    """What a message is worth whose statements tell nothing."""
    return worth_of([v for v in verdicts if v.worth is not Worth.STATEMENT])


def _beside_reminders(
    candidates: list[Candidate], reminders: Sequence[ReminderCandidate]
) -> list[Candidate]:
    """Without what only repeats a reminder as a plan or an event."""
    return [
        c
        for c in candidates
        if c.predicate not in _ALSO_REMINDED
        or not any(r.span[0] < c.span[1] and c.span[0] < r.span[1] for r in reminders)
    ]


def _said_before(turn: Turn, text: str) -> str:
    """The user's message before this one, where a pronoun of this one may need it."""
    previous = turn.previous
    if previous is None or previous.role != "user" or not _PRONOUN.search(text):
        return ""
    return surface.plain(clean(previous.text[: surface.MAX_SENTENCE])).replace("\n", " ").strip()


def _mention_before(vocabulary: Vocabulary, speaker: str, context: Context, doc: Any) -> None:
    """Put those whom the message before names into the context, ahead of everything in this one."""
    namer = Namer(vocabulary, speaker, context)
    namer.start = -surface.MAX_SENTENCE * 4
    for token in doc:
        if token.pos_ in {"NOUN", "PROPN"} and token.dep_ not in {"compound", "poss"}:
            namer.name(token)


def _once(candidates: list[Candidate]) -> list[Candidate]:
    """Each claim once, the surest one."""
    best: dict[tuple[str, str, str, str], Candidate] = {}
    for c in candidates:
        claim = (c.entity.casefold(), c.predicate, c.object.casefold(), c.polarity)
        if claim not in best or best[claim].confidence < c.confidence:
            best[claim] = c
    return list(best.values())


def _weighed(candidates: list[Candidate]) -> list[Candidate]:
    """A diet that a condition or allergy told beside it calls for is as important as that."""
    ill = {c.entity for c in candidates if c.predicate in {"has_condition", "allergic_to"}}
    return [
        replace(c, importance=5) if c.predicate in _DIET and c.entity in ill else c
        for c in candidates
    ]
