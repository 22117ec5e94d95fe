"""Events with a time: "exam on 8 June at 9", "choir moves to 7", "it arrives on Monday"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from graphmem.protocols import TimeSpan
from graphmem.when import When
from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.phrases import noun_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named

_CLOCK = re.compile(
    r"^(?:at |from |by |around )?\d{1,2}(?:[:.h]\d\d)? ?(?:[ap]\.?m\.?|o'clock|sharp)?$",
    re.IGNORECASE,
)
_EACH_DAY = re.compile(
    r"\b(?:i|we|he|she|they|[a-z]+) (?:usually |normally |always |mostly |now |often |only )?"
    r"(?:gets? up|wakes? up|rises?|goe?s? to (?:bed|sleep)|(?:eats?|ha(?:ve|s)) (?:breakfast|lunch|dinner|supper))(?: every day| now)?\s*$"
    r"|\b(?:usually|normally|always|mostly) [a-z ]{2,30}$",
    re.IGNORECASE,
)
_OTHER_CLAUSE = re.compile(
    r"\b(?:i|we|he|she|they|is|was|are|wake|usually)\b|[.?\n] ", re.IGNORECASE
)
_LEAD = re.compile(r"^(?:on|at|in|by|from|for|to|starting|this coming)(?: the)? ", re.IGNORECASE)
_PREPOSITIONS = ("of", "for", "with", "at", "in")
_SCHEDULING = frozenset(
    [
        "be",
        "have",
        "get",
        "start",
        "begin",
        "open",
        "close",
        "leave",
        "depart",
        "arrive",
        "come",
        "land",
        "happen",
        "meet",
        "deliver",
        "run",
        "go",
        "move",
        "postpone",
        "push",
        "reschedule",
        "shift",
        "schedule",
        "plan",
        "book",
        "set",
        "bump",
        "change",
        "delay",
        "fall",
        "take",
        "bring",
        "attend",
        "need",
        "got",
        "see",
        "do",
        "make",
        "fly",
        "travel",
        "visit",
        "finish",
        "end",
        "play",
        "host",
        "throw",
    ]
)
_CHANGING = frozenset({"move", "postpone", "push", "reschedule", "shift", "bump", "change", "delay", "set", "schedule", "book", "plan", "bring"})  # fmt: skip
_MEALS = frozenset(
    {
        "coffee",
        "drinks",
        "breakfast",
        "lunch",
        "dinner",
        "bus",
        "train",
        "run",
        "swim",
        "shower",
        "tea",
    }
)
_SMALL = "with|at|on|in|for|to|from|by|the|my|our|a|an|and|this|next|before|after|after|is|was|are|no|not|i|we|have|has|got|go|going"
_BOOKED = frozenset(
    {"tickets", "ticket", "seats", "signed", "sign", "registered", "register", "enrolled", "up"}
)
_MOVING = frozenset({"move", "shift", "push", "reschedule", "postpone", "change", "bring", "put", "delay", "bump", "swap"})  # fmt: skip
_PEOPLE = frozenset({"meet", "come", "arrive", "visit", "land"})


class EventReader:
    """Reads events and what takes place at a time."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        words = sorted({re.escape(w) for w in vocabulary.words("events")}, key=len, reverse=True)
        one = rf"(?P<event>(?:(?!(?:{_SMALL})\b)[\w']+ )?(?:{'|'.join(words)})(?: with (?:my |the )?\w+)?)"
        self._before = re.compile(rf"(?<![\w-]){one}(?:'s| is| are|:|,| -| at| on| from| this| already| now| got| gets| has been| moved| moves| pushed| bumped| shifted| postponed| to)*\s*$", re.IGNORECASE)  # fmt: skip
        self._after = re.compile(rf"(?::|,| -| is)?\s*(?:my |the |our |a |an )?{one}(?=$|[,.!;]| with | at | in )", re.IGNORECASE)  # fmt: skip
        self._verbs = {
            lemma: frame
            for frame in vocabulary.table("frames")
            if frame["object"] == "time"
            for lemma in frame["verbs"]
        }

    def read(self, reading: Reading) -> None:
        """Add the scheduled things of the sentence."""
        spans = [span for span in reading.spans if not _daily(reading, span)]
        _mention_moved(reading)
        if not spans:
            return
        found = self._by_noun(reading, spans)
        if not found and not any(c.happens_at for c in reading.candidates):
            found = self._by_words(reading, spans)
        if not found:
            self._by_verb(reading, spans)
        names = {c.entity for c in reading.candidates if c.predicate == "scheduled_at"}
        reading.candidates = [
            c for c in reading.candidates if c.predicate != "attends" or c.object not in names
        ]

    def _by_noun(self, reading: Reading, spans: list[TimeSpan]) -> bool:
        any_found = False
        for token in reading.doc:
            if token.i in reading.time_tokens or token.pos_ not in {
                "NOUN",
                "PROPN",
                "VERB",
                "X",
                "ADJ",
                "INTJ",
                "ADV",
            }:
                continue
            if (
                token.dep_ in {"compound", "poss"}
                and token.head.pos_ in {"NOUN", "PROPN"}
                and token.head.i not in reading.time_tokens
            ):
                continue
            if not self._is_event(token):
                continue
            if any(c.dep_ in {"det", "neg"} and c.lower_ == "no" for c in token.children):
                continue
            clause = clause_of(token, reading)
            span = self._span_for(reading, token, clause, spans)
            if span is None or not self._scheduled(clause, span, reading):
                continue
            if span.kind == "repeat" and token.lower_ in _MEALS:
                continue
            name = self._name(reading, token)
            if name is None:
                continue
            self._add(reading, name, span, rule="event.noun", confidence=0.88)
            any_found = True
        return any_found

    def _is_event(self, token: Any) -> bool:
        low = token.lower_
        events = self._vocabulary.words("events")
        if token.pos_ == "VERB" and (token.dep_ != "ROOT" or token.tag_ != "VB"):
            return False
        if (
            token.dep_ == "pobj"
            and token.head.head.lower_ in _BOOKED
            and token.head.lower_ in {"for", "to"}
        ):
            return True
        pair = f"{token.nbor(-1).lower_} {low}" if token.i else low
        return low in events or pair in events or token.lemma_.lower() in events

    def _span_for(
        self, reading: Reading, token: Any, clause: Clause | None, spans: list[TimeSpan]
    ) -> TimeSpan | None:
        own = list(reading.times_of(clause)) if clause is not None else []
        fitting = [
            s for s in spans if any(s.start <= o.start < s.end or o.start == s.start for o in own)
        ] or (spans if clause is None or len(reading.clauses) == 1 else [])
        fitting = [
            s
            for s in fitting
            if s.when is not None and s.kind in {"instant", "date", "interval", "repeat"}
        ]
        if not fitting:
            return None
        place = reading.sentence.place(token.idx)
        if clause is not None and clause.lemma in _CHANGING:
            return _target(reading, fitting)
        return min(fitting, key=lambda s: abs(s.start - place))

    def _scheduled(self, clause: Clause | None, span: TimeSpan, reading: Reading) -> bool:
        if (
            span.anchor == "until"
            or span.text.lower().startswith(("before ", "by the end"))
            or (span.when and span.when.precision in {"year", "month"})
        ):
            return False
        future = span.kind == "repeat" or (
            span.when is not None and span.when.end >= reading.message.said_at
        )
        if not future:
            return False
        if clause is None:
            return True
        if clause.mode == "not_fact" or clause.negated:
            return False
        if clause.tense == "past" and clause.lemma not in _CHANGING | {"get"}:
            return False
        return clause.lemma in _SCHEDULING

    def _name(self, reading: Reading, token: Any) -> Named | None:
        phrase = noun_phrase(token, reading.time_tokens, prepositions=_PREPOSITIONS, owned=False)
        phrase = re.sub(r"^(?:also|then|next|new|another|last|first|only) ", "", phrase)
        phrase = re.sub(r"^(?:\w+day)'s ", "", phrase)
        if (
            not phrase
            or len(phrase.split()) > 7
            or phrase.lower().startswith(("in ", "at ", "on ", "to "))
        ):
            return None
        if token.i == 0 and token.tag_ == "NN":
            phrase = phrase[0].lower() + phrase[1:]
        owner = reading.namer.owner(token)
        if owner is not None and not owner.speaker:
            return Named(f"{owner.name}'s {phrase}", "event")
        return Named(phrase, "event")

    def _by_words(self, reading: Reading, spans: list[TimeSpan]) -> bool:
        """Events that the parser could not place: the words before or after the time."""
        if any(clause.mode == "not_fact" or clause.negated for clause in reading.clauses):
            return False
        found = False
        start = reading.sentence.start
        last = 0
        for span in spans:
            before = reading.said[last : span.start - start]
            after = reading.said[span.end - start :]
            last = span.end - start
            hit = self._before.search(before) or self._after.match(after)
            if hit is None or not self._scheduled(None, span, reading):
                continue
            if span.kind == "repeat" and hit.group("event").split()[-1].lower() in _MEALS:
                continue
            if any(c.tense == "past" and c.lemma not in _CHANGING for c in reading.clauses):
                continue
            self._add(
                reading,
                Named(hit.group("event"), "event"),
                span,
                rule="event.words",
                confidence=0.8,
            )
            found = True
        return found

    def _by_verb(self, reading: Reading, spans: list[TimeSpan]) -> None:
        for clause in reading.clauses:
            frame = self._verbs.get(clause.lemma)
            if (
                frame is None
                or clause.mode == "not_fact"
                or clause.negated
                or clause.subject in {"speaker", None}
            ):
                continue
            own = reading.times_of(clause)
            fitting = [
                s
                for s in spans
                if s.when is not None and any(s.start <= o.start < s.end for o in own)
            ]
            fitting = [
                s
                for s in fitting
                if s.kind in {"instant", "date", "interval", "repeat"}
                and s.when
                and s.when.precision in {"day", "instant"}
            ]
            if not fitting or clause.subject.lower_ in {"i", "we", "it's"}:
                continue
            span = _target(reading, fitting)
            if not self._scheduled(clause, span, reading):
                continue
            subject = self._subject(reading, clause)
            if subject is not None:
                self._add(reading, subject, span, rule="event.verb", confidence=0.82)

    def _subject(self, reading: Reading, clause: Clause) -> Named | None:
        token = clause.subject
        low = token.lower_
        if low in {"it", "they", "that", "this"}:
            found = reading.namer.context.thing()
            return Named(*found) if found else None
        if token.tag_ == "PRP" or token.lower_ in {"who", "what", "which"}:
            return None
        named = reading.namer.name(token)
        if named is None:
            return None
        if re.search(r"birthday|b-?day", named.name, re.IGNORECASE):
            return None
        if clause.lemma == "be" and any(
            c.dep_ in {"attr", "acomp"} and c.i not in reading.time_tokens
            for c in clause.verb.children
        ):
            return None
        if named.kind == "person" and any(s.kind == "repeat" for s in reading.spans):
            return None
        if named.kind == "person" and clause.lemma not in _PEOPLE:
            return None
        return named

    def _add(
        self, reading: Reading, subject: Named, span: TimeSpan, *, rule: str, confidence: float
    ) -> None:
        told = _LEAD.sub("", span.text.strip())
        reading.add(subject, "scheduled_at", told, rule=rule, confidence=confidence, kind="time", times=[replace(span, anchor="at")])  # fmt: skip
        reading.namer.context.mention(subject.name, "event")


def _daily(reading: Reading, span: TimeSpan) -> bool:
    """True for the hour of what one does day by day ("I get up at 7:30"): no event of one day."""
    before = reading.message.text[reading.sentence.start : span.start]
    return span.kind == "instant" and bool(_CLOCK.match(span.text) and _EACH_DAY.search(before))


def _mention_moved(reading: Reading) -> None:
    """Let "it" mean what was moved: "they moved the class again, it's on Fridays now"."""
    for token in reading.doc:
        moved = token.dep_ in {"dobj", "nsubjpass"} and token.head.lemma_ in _MOVING
        if moved and token.pos_ in {"NOUN", "PROPN"} and token.i not in reading.time_tokens:
            named = reading.namer.name(token)
            if named is not None and named.kind != "person":
                place = reading.namer.start + token.idx
                reading.namer.context.mention(named.name, "event", place=place)


def _target(reading: Reading, spans: list[TimeSpan]) -> TimeSpan:
    """The new time of something moved: the one behind "to", else the last."""
    for span in spans:
        before = reading.said[: span.start - reading.sentence.start].rstrip().lower()
        if before.endswith(" to") or span.text.lower().startswith("to "):
            return span
    return spans[-1]


def clause_of(token: Any, reading: Reading) -> Clause | None:
    """The clause a token stands in; None in a sentence without a verb."""
    known = {clause.verb.i: clause for clause in reading.clauses}
    if token.dep_ in {"npadvmod", "dep", "appos", "parataxis"}:
        return None
    for _ in range(20):
        if token.i in known:
            return known[token.i]
        if token.head.i == token.i:
            return None
        token = token.head
    return None


def joined(
    text: str, spans: Sequence[TimeSpan]
) -> tuple[tuple[TimeSpan, ...], tuple[TimeSpan, ...]]:
    """The times of a message, a day and a clock time told apart put together ("the 9th, from 20:00").

    The second value holds the clock times that were joined to a day.
    """
    found: list[TimeSpan] = []
    clocks: list[TimeSpan] = []
    for span in spans:
        last = found[-1] if found else None
        if last is not None and _apart(last, span, text):
            moment, day = span.when.start, last.when.start  # type: ignore[union-attr]
            shifted = moment + timedelta(days=(day.date() - moment.date()).days)
            told = f"{last.text.strip()} {span.text.strip()}"
            found[-1] = replace(last, kind="instant", when=When.of(shifted), text=told)
            clocks.append(span)
            continue
        found.append(span)
    return tuple(found), tuple(clocks)


def _apart(day: TimeSpan, clock: TimeSpan, text: str) -> bool:
    """Whether a clock time belongs to the day told shortly before it."""
    if day.when is None or clock.when is None or day.kind != "date" or clock.kind != "instant":
        return False
    between = text[day.end : clock.start]
    return (
        day.when.precision == "day"
        and day.anchor == "at"
        and _CLOCK.match(clock.text.strip()) is not None
        and len(between) < 40
        and _OTHER_CLAUSE.search(between) is None
    )
