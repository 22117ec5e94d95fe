"""Scheduled things, plans, wishes and expiries: what a clause says about the time to come."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.protocols import Candidate, TimeSpan
from graphmem.when import When
from graphmem_extractors.chinese.clauses import Piece, Spot
from graphmem_extractors.chinese.objects import Span
from graphmem_extractors.chinese.reading import ClauseReader
from graphmem_extractors.chinese.subjects import Head, Subject
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work

_LONGEST = 16
_SERIOUS = re.compile(r"手术|化疗|住院|透析|穿刺")


@dataclass(frozen=True, slots=True)
class Coming:
    """The times of a clause that lie ahead; `carried` where an earlier clause of the sentence gave them."""

    spans: tuple[TimeSpan, ...]
    carried: bool = False

    @property
    def best(self) -> TimeSpan | None:
        """The span that tells when: the last that was moved to (改到), else the most exact."""
        timed = [span for span in self.spans if span.kind != "repeat" and span.when is not None]
        moved = [
            span for span in timed if re.search(r"[改挪调推换]?到|提前|推迟|改", span.text[:3])
        ]
        if moved:
            return moved[-1]
        return next((s for s in timed if s.kind == "instant"), timed[0] if timed else None)


class Events:
    """Reads events and plans with a vocabulary."""

    def __init__(self, words: Vocabulary, reader: ClauseReader) -> None:
        self._words = words
        self._reader = reader
        kinds = words.patterns
        self._impersonal = kinds["impersonal_events"]
        self._event = kinds["events"]
        self._act = kinds["acts"]
        self._plan = kinds["plan_words"]
        self._wish = kinds["wish_words"]
        self._passing = kinds["passing_wishes"]
        self._trifles = kinds["trifles"]
        self._expiry = kinds["expiry_words"]
        self._duty = kinds["duty_words"]
        self._goal = kinds["goal_openers"]
        self._trim = kinds["event_edges"]
        self._cancel = kinds["cancel_words"]
        self._move = kinds["move_words"]
        self._hour = kinds["hour_words"]
        self._finished = kinds["finished"]
        self._place = re.compile(r"(?:就|是)?在(?P<place>[^，。]{2,18}?)(?:那边|这边)?$")
        self._address = re.compile(
            r"[\u4e00-\u9fff]{2,}[路街巷弄里][0-9一二三四五六七八九十]+[号弄幢栋].*|.{2,12}(?:大厦|广场|体育馆|会议室|酒店|餐厅)[^，。]{0,8}$"
        )

    def read(self, work: Work, spot: Spot, piece: Piece, head: Head) -> None:
        """Add what the clause schedules, plans, wishes or lets expire, if anything."""
        clause = spot.clause
        coming = self._coming(work, spot)
        if coming.spans and not coming.carried and self._expires(work, spot, piece, head, coming):
            return
        subject = self._who(work, head)
        if subject is None or spot.clause.closer in {"：", ":"}:
            return
        if self._placed(work, spot, piece, head):
            return
        if self._goal_named(work, spot, piece, subject):
            return
        if self._planned(work, spot, piece, head, subject, coming):
            return
        if not coming.spans or self._finished.search(piece.text):
            return
        self._command(work, clause.text)
        if coming.carried:
            self._duty_read(work, spot, piece, head, subject, coming)
        elif not self._scheduled(work, spot, piece, head, subject, coming):
            self._only_time(work, coming)

    def _coming(self, work: Work, spot: Spot) -> Coming:
        spans = tuple(
            span
            for span in work.times.within(spot.clause.start, spot.clause.end)
            if span.kind in {"instant", "date", "interval", "repeat"}
            and (span.kind == "repeat" or work.times.is_future(span))
        )
        if spans:
            work.thread.coming = spans
            return Coming(spans)
        inside = [s for s in work.thread.coming if s.start >= spot.sentence.start]
        return Coming(tuple(inside), carried=True)

    def _who(self, work: Work, head: Head) -> Subject | None:
        """Whose event it is: family stays the topic of the clauses after, others do not."""
        if head.subject is not None:
            return head.subject if head.subject.kind in {"self", "person", "thing"} else None
        known = work.thread.subject
        if known is not None and known.kind == "person" and (known.kin is None or known.kin.family):
            return known
        return Subject(work.thread.speaker, "self", explicit=False)

    def _scheduled(
        self, work: Work, spot: Spot, piece: Piece, head: Head, subject: Subject, coming: Coming
    ) -> bool:
        """An event noun, or something to do at a time to come."""
        act = self._phrase(work, spot, piece, head, coming)
        if act is None or self._present(work, coming, act.text):
            return False
        if self._hour.match(act.text) and self._only_time(work, coming):
            return True
        negated = act.text[0] in "不没别"
        if negated:
            text = re.split("了", act.text[1:])[0]
            act = Span(text, act.start + 1, act.start + 1 + len(text))
        subject = self._served(work, head, subject, act.text)
        named = self._event.search(act.text)
        only_repeats = coming.best is None
        if named is None and (only_repeats or self._act.match(act.text) is None):
            return False
        if self._trifles.search(act.text) or (named is None and len(act.text) < 2):
            return False
        exact = coming.best is not None and coming.best.kind == "instant"
        predicate = "scheduled_at" if named or exact else "plans_to"
        if (
            named
            and self._impersonal.search(act.text)
            and not (head.subject and subject.kind != "thing")
        ):
            entity = Subject(named.group(), "event")
            when = coming.spans[0]
            self._add(work, spot, entity, predicate, Span(when.text, when.start, when.end), coming)
            return True
        if subject.kind == "thing":
            subject = Subject(work.thread.speaker, "self", explicit=False)
        self._add(work, spot, subject, predicate, act, coming, negated=negated)
        return True

    def _present(self, work: Work, coming: Coming, act: str) -> bool:
        """Where somebody is now and until when is no event (这周都在长沙出差)."""
        spans = [s for s in coming.spans if s.when is not None and s.kind != "repeat"]
        now = work.times.said_at
        inside = [s for s in spans if s.when is not None and s.when.start <= now]
        return bool(inside) and len(inside) == len(spans) and act.startswith(("在", "都在", "人在"))

    def _served(self, work: Work, head: Head, subject: Subject, act: str) -> Subject:
        """Who comes to serve the speaker is not whose appointment it is (中介带看房)."""
        kin = head.subject.kin if head.subject else None
        if kin is not None and not kin.family and re.match(r"带|来|约|上门|叫|让|给", act):
            return Subject(work.thread.speaker, "self", explicit=False)
        return subject

    def _placed(self, work: Work, spot: Spot, piece: Piece, head: Head) -> bool:
        """The place of the event that was told just before (在康明眼科; 梧桐里9号)."""
        event = work.thread.event
        if event is None or head.subject is not None or work.candidates[-1:] == []:
            return False
        last = work.candidates[-1]
        match = self._place.match(piece.text) or self._address.match(piece.text)
        if last.object != event.name or match is None:
            return False
        text = match.groupdict().get("place") or match.group()
        work.add(
            Candidate(
                entity=event.name,
                predicate="located_in",
                object=self._words.particles.sub("", text),
                text=spot.sentence.text.strip(),
                span=(spot.clause.start, spot.clause.end),
                rule="event.place",
                confidence=0.8 * spot.weight,
                entity_kind="event",
                object_kind="place",
            )
        )
        return True

    def _phrase(
        self, work: Work, spot: Spot, piece: Piece, head: Head, coming: Coming
    ) -> Span | None:
        """The longest stretch of the clause beside its times, without subject and adverbs."""
        start, end = spot.clause.start, spot.clause.end
        if head.subject is not None and head.subject.kind != "thing":
            start = piece.offset + head.rest
        elif piece.offset > start:
            start = piece.offset
        stretches: list[tuple[int, int]] = []
        at = start
        for span in coming.spans:
            if span.end <= start or span.start >= end:
                continue
            stretches.append((at, max(at, span.start)))
            at = max(at, span.end)
        stretches.append((at, end))
        clean = [self._trimmed(work.text[a:b], a) for a, b in stretches]
        good = [span for span in clean if span is not None and len(span.text) <= _LONGEST]
        named = [span for span in good if self._event.search(span.text)]
        return max(named or good, key=lambda span: len(span.text), default=None)

    def _trimmed(self, text: str, at: int) -> Span | None:
        before = None
        while before != text:
            before = text
            lead = self._trim.match(text)
            if lead:
                at, text = at + lead.end(), text[lead.end() :]
            text = self._words.particles.sub("", text).rstrip(" ，,的在到从")
            kin = re.match(
                rf"(?:我们?|咱们?|他|她)(?:的|家)?(?:{self._words.kin_pattern})?(?=.)", text
            )
            if kin:
                at, text = at + kin.end(), text[kin.end() :]
        return Span(text, at, at + len(text)) if text else None

    def _planned(
        self, work: Work, spot: Spot, piece: Piece, head: Head, subject: Subject, coming: Coming
    ) -> bool:
        """打算, 准备, 想 with what is planned or wished."""
        if subject.kind == "thing":
            return False
        for lead in self._reader.leads(piece, head, work.times, plain=True):
            for pattern, predicate in ((self._plan, "plans_to"), (self._wish, "wants")):
                match = pattern.match(piece.text, lead.at)
                if match is None or lead.past:
                    continue
                rest = work.times.skip(piece.offset + match.end()) - piece.offset
                act = self._trimmed(piece.text[rest:], piece.offset + rest)
                if act is None or not 2 <= len(act.text) <= _LONGEST + 4:
                    return False
                if self._passing.match(act.text) or self._trifles.search(act.text):
                    return True
                negated = lead.negated or "不" in match.group()
                own = coming if not coming.carried else Coming(())
                self._add(work, spot, subject, predicate, act, own, negated=negated)
                return True
        return False

    def _duty_read(
        self, work: Work, spot: Spot, piece: Piece, head: Head, subject: Subject, coming: Coming
    ) -> None:
        """Who brings or does what at a time told before (我带烤架)."""
        match = self._duty.match(piece.text, head.rest)
        if match and head.subject is not None and subject.kind != "thing":
            act = self._trimmed(piece.text[match.start() :], piece.offset + match.start())
            if act is not None and len(act.text) <= _LONGEST:
                self._add(work, spot, subject, "plans_to", act, coming)

    def _goal_named(self, work: Work, spot: Spot, piece: Piece, subject: Subject) -> bool:
        """A list of goals (今年的目标：...)."""
        opened = self._goal.search(work.text, spot.sentence.start, spot.sentence.end)
        if opened is None or opened.end() > piece.offset:
            return False
        act = self._trimmed(piece.text, piece.offset)
        if act is None or len(act.text) > _LONGEST or len(act.text) < 2:
            return False
        self._add(work, spot, subject, "wants", act, Coming(()))
        return True

    def _expires(self, work: Work, spot: Spot, piece: Piece, head: Head, coming: Coming) -> bool:
        """到期, 过期, 有效: the thing before it lapses then."""
        clause = spot.clause
        if (
            self._expiry.search(clause.text) is None
            or coming.best is None
            or coming.best.when is None
        ):
            return False
        span = coming.best
        last = work.candidates[-1] if work.candidates else None
        if last is not None and last.predicate in {"code_is", "password_is"} and head.topic == "":
            work.candidates[-1] = replace(last, expires_at=work.times.day_of(span))
            return True
        thing = head.topic or (
            head.subject.name if head.subject and head.subject.kind == "thing" else ""
        )
        before = re.sub(
            r"(?:放到|还有|要|将|于|在|就)+$", "", work.text[clause.start : span.start]
        ).strip()
        if not thing and 1 < len(before) <= 8:
            thing = before
        if not thing and work.thread.thing is not None:
            thing = work.thread.thing.name
        if not thing and last is not None and last.predicate == "number_is":
            thing = last.entity
        if not thing:
            return False
        work.add(
            Candidate(
                entity=thing,
                predicate="expires_on",
                object=span.text,
                text=spot.sentence.text.strip(),
                span=(clause.start, clause.end),
                rule="event.expiry",
                confidence=0.85 * spot.weight,
                entity_kind="thing",
                object_kind="value",
                expires_at=work.times.day_of(span),
            )
        )
        return True

    def _only_time(self, work: Work, coming: Coming) -> bool:
        """A bare clock time gives an event of the sentence before its hour (下午两点入场)."""
        span, last = coming.best, work.candidates[-1] if work.candidates else None
        if span is None or span.when is None or span.when.precision != "instant" or last is None:
            return False
        day = last.happens_at
        if (
            last.predicate not in {"scheduled_at", "plans_to"}
            or day is None
            or day.precision != "day"
        ):
            return False
        moment = datetime.combine(day.start.date(), span.when.start.timetz())
        work.candidates[-1] = replace(last, happens_at=When.of(moment))
        return True

    def _command(self, work: Work, text: str) -> None:
        if self._cancel.search(text):
            work.command = "cancel"
        elif self._move.search(text):
            work.command = "reschedule"

    def _add(
        self,
        work: Work,
        spot: Spot,
        subject: Subject,
        predicate: str,
        act: Span,
        coming: Coming,
        *,
        negated: bool = False,
    ) -> None:
        best: TimeSpan | None = coming.best
        work.add(
            Candidate(
                entity=subject.name,
                predicate=predicate,
                object=act.text,
                polarity="-" if negated else "+",
                tense="future",
                text=spot.sentence.text.strip(),
                span=(spot.clause.start, spot.clause.end),
                rule=f"event.{predicate}",
                confidence=round(0.84 * spot.weight, 3),
                entity_kind="person" if subject.kind == "self" else subject.kind,
                object_kind="event" if predicate == "scheduled_at" else "topic",
                importance=5 if _SERIOUS.search(act.text) else 3,
                happens_at=best.when if best else None,
                expires_at=work.times.day_of(best) if best else None,
            )
        )
        work.thread.event = Subject(act.text, "event")
        work.thread.thing = Subject(act.text, "thing")
