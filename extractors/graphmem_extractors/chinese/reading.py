"""Reads one clause: subject, adverbs, then the frames of the lexicon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from graphmem_extractors.chinese.clauses import Piece
from graphmem_extractors.chinese.objects import Objects, Span
from graphmem_extractors.chinese.subjects import Head, Subject, Thread
from graphmem_extractors.chinese.times_in import Times
from graphmem_extractors.chinese.vocabulary import Frame, Vocabulary

_LIST = re.compile(r"、|和|跟|与|以及|还有")
_STRICT = re.compile(r"能|别|可以|准|许|敢|要|得")
_ADVERBS_AT_MOST = 12
_ASIDE = re.compile(
    r"(?:跟|和|与|陪|同)[^，]{1,6}?(?:一起|一块儿?|合伙)|从[^，]{1,10}?(?=跳槽|跳到|跳去|转到|转去|转行|调到|调去|调回|换到|搬到|搬去|搬回|搬来|辞职去)|在?[^，]{1,6}(?:上|里|那儿)(?=淘|买|抢|拼|入手|下单|订)|被(?:公司|单位|领导|学校|上面|总部|老板|组织)?(?=调|派|外派|借调|选|评|聘|提|升)|(?:跟|和|与)[^，]{1,8}?(?=合租|同住|住在|租在)|(?:带着?|陪着?)[^，]{1,8}?(?=住在?|搬|去|回)|(?:跟|和)(?:我们?|爸妈|父母|家人|朋友)(?=在|住)|(?:给|帮|替)[^，]{1,5}?(?=买|订|换|入手|报|装|配|办|抢)|(?:让|叫|要求|催)我(?=[\u4e00-\u9fff])|医生说我?|大夫说我?|体检说我?"
)
_ABOUT = {
    "person": frozenset({"self", "person"}),
    "living": frozenset({"self", "person", "animal"}),
    "animal": frozenset({"animal"}),
    "child": frozenset({"person"}),
    "other": frozenset({"person"}),
    "thing": frozenset({"thing"}),
    "any": frozenset({"self", "person", "animal", "thing"}),
}


@dataclass(frozen=True, slots=True)
class Lead:
    """A way to read the adverbs of a clause: where the frame may begin and what they mean.

    `strict`: what is negated is forbidden (不能, 别), not merely not done.
    """

    at: int
    negated: bool = False
    past: bool = False
    strict: bool = False
    degree: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A frame that fits: who, what, and where its object stands in the message."""

    frame: Frame
    subject: Subject
    predicate: str
    object: Span
    lead: Lead
    omitted: bool
    match: re.Match[str]

    @property
    def negated(self) -> bool:
        """Whether the claim is denied; a frame may have a contrary predicate instead."""
        if self.frame.denies:
            return True
        return self.lead.negated and self.predicate == self.frame.predicate

    @property
    def past(self) -> bool:
        """Whether it was so once and is no more."""
        return self.lead.past or self.frame.tense == "past"


@dataclass(frozen=True, slots=True)
class Trial:
    """A frame tried on a clause for a subject; `only_topic` where the topic must be its object."""

    frame: Frame
    subject: Subject
    piece: Piece
    head: Head
    speaker: Subject
    only_topic: bool = False

    def read(self, span: Span, lead: Lead, match: re.Match[str]) -> Read:
        """The reading that a match gives."""
        frame = self.frame
        predicate = frame.negated if lead.negated and frame.negated else frame.predicate
        omitted = self.head.subject is None or self.only_topic
        thing = match.groupdict().get(
            "thing"
        )  # 把驾照落抽屉里了: what is told about is in the frame
        subject = Subject(thing, "thing") if thing else self.subject
        if match.groupdict().get("me"):  # 朋友都喊我大圣
            subject = self.speaker
        return Read(frame, subject, predicate, span, lead, omitted, match)


class ClauseReader:
    """Fits frames to clauses."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._objects = Objects(words)

    def read(
        self, piece: Piece, head: Head, thread: Thread, times: Times, *, ahead: bool = False
    ) -> list[Read]:
        """The frames that fit `piece` after its head; their objects do not overlap.

        `ahead`: the clause told of a time to come, so that it says nothing of the present.
        """
        found: list[Read] = []
        leads = list(self.leads(piece, head, times))
        bare = self._words.particles.sub("", piece.text) or piece.text
        texts = (bare, piece.text) if bare != piece.text else (bare,)
        end = piece.offset + len(piece.text)
        to_come = ahead or (
            any(times.is_ahead(span) for span in times.within(piece.start, end))
            and not self._settled(piece)
        )
        for frame in self._words.frames:
            if (to_come and not frame.timed) or frame.after not in {"", thread.predicate}:
                continue
            trial = _trial(frame, piece, head, thread)
            read = self._fit(trial, leads, texts) if trial is not None else None
            if read and read.lead.past and read.lead.negated:
                continue  # 那时候还没结婚 tells of neither then nor now
            if read and not any(_overlap(read.object, other.object) for other in found):
                found.append(read)
        return found

    def leads(
        self, piece: Piece, head: Head, times: Times, *, plain: bool = False
    ) -> Iterator[Lead]:
        """The readings of the adverbs, the shortest first. `plain`: a negation that is a plan is left."""
        words, text = self._words, piece.text
        if head.topic and head.subject is None and not plain:
            yield Lead(0)
        lead = Lead(head.rest)
        for _ in range(_ADVERBS_AT_MOST):
            yield lead
            at = lead.at
            if at >= len(text):
                return
            end = times.skip(piece.offset + at) - piece.offset
            past = words.past.match(text, at)
            negation = words.negations.match(text, at)
            adverb = words.adverbs.match(text, at)
            if past and past.end() >= end:
                lead = replace(lead, at=past.end(), past=True)
            elif negation and not (adverb and adverb.end() > negation.end()):
                strict = lead.strict or bool(_STRICT.search(negation.group()))
                lead = replace(lead, at=negation.end(), negated=not lead.negated, strict=strict)
            elif adverb and adverb.end() >= end:
                lead = replace(lead, at=adverb.end())
            elif end > at:
                lead = replace(lead, at=min(end, len(text)))
            elif skipped := _adverb_ahead(piece, at):
                lead = replace(lead, at=skipped)
            elif text[at] in " ，,的是嘛":
                lead = replace(lead, at=at + 1)
            elif aside := _ASIDE.match(text, at):
                lead = replace(lead, at=aside.end())
            elif place := _place_ahead(piece, at):
                lead = replace(lead, at=place)
            else:
                return

    def _settled(self, piece: Piece) -> bool:
        """Whether a time to come in the clause does not make it a matter of the future."""
        kinds = self._words.patterns
        return bool(kinds["finished"].search(piece.text) or kinds["habitual"].search(piece.text))

    def _fit(self, trial: Trial, leads: list[Lead], texts: tuple[str, ...]) -> Read | None:
        piece, frame = trial.piece, trial.frame
        for lead in leads:
            if (frame.needs_negation and not lead.negated) or (frame.affirmed and lead.negated):
                continue
            for text in (piece.beyond,) if frame.across else texts:
                read = self._match(trial, text, lead)
                if read is not None:
                    return read
        return None

    def _match(self, trial: Trial, text: str, lead: Lead) -> Read | None:
        frame, piece, head = trial.frame, trial.piece, trial.head
        for pattern in () if trial.only_topic else frame.patterns:
            match = pattern.match(text, lead.at)
            span = self._caught(frame, match, piece) if match else None
            if match and span:
                return trial.read(span, lead, match)
        if not head.topic or lead.at < head.rest:
            return None
        for pattern in frame.topic_patterns:
            match = pattern.match(text, lead.at)
            at = piece.offset + max(0, piece.text.find(head.topic))
            topic = Span(head.topic, at, at + len(head.topic))
            span = self._objects.clean(frame.object, topic, piece.tagged) if match else None
            if match and span:
                return trial.read(span, lead, match)
        return None

    def _caught(self, frame: Frame, match: re.Match[str], piece: Piece) -> Span | None:
        """The object: a fixed value, or what the pattern caught."""
        if frame.value:
            if match.groupdict().get("kin"):
                at = piece.offset + match.start("kin")
                return Span(match.group("kin"), at, at + len(match.group("kin")))
            return Span(frame.value, piece.offset + match.start(), piece.offset + match.end())
        if match.groupdict().get("o") is None:
            return None
        start, end = match.span("o")
        caught = Span(match.group("o"), piece.offset + start, piece.offset + end)
        return self._objects.clean(frame.object, caught, piece.tagged)


def _adverb_ahead(piece: Piece, at: int) -> int | None:
    """The end of a word at `at` that the tagger takes for an adverb or a time."""
    for word in piece.words_at(at):
        if word.tag in {"d", "ad", "TIME", "t", "c"} and word.end - piece.offset < len(piece.text):
            return word.end - piece.offset
    return None


def _place_ahead(piece: Piece, at: int) -> int | None:
    """The end of 在 + a place at `at`."""
    end = piece.places_ahead.get(piece.offset + at)
    return None if end is None or end >= piece.offset + len(piece.text) else end - piece.offset


def _trial(frame: Frame, piece: Piece, head: Head, thread: Thread) -> Trial | None:
    """The frame with the subject it would be about, or None where it cannot be about any."""
    speaker = Subject(thread.speaker, "self", explicit=False)
    owned = head.subject is not None and head.subject.kind == "thing"
    if frame.topic_patterns and owned and "self" in _ABOUT[frame.about]:
        return Trial(frame, speaker, piece, head, speaker, only_topic=True)
    subject = subject_for(frame.about, head, thread)
    stranger = subject is not None and subject.kind == "person" and not subject.is_family
    if frame.own and head.subject is None and stranger:
        subject = speaker
    child = subject is not None and subject.kin and subject.kin.predicate == "parent_of"
    if frame.about == "child" and not child:
        return None
    loose = frame.close and head.topic != "" and head.subject is None
    said = head.subject is not None or (frame.about == "thing" and head.topic != "")
    if subject is None or loose or (frame.named and not said):
        return None
    return Trial(frame, subject, piece, head, speaker)


def subject_for(about: str, head: Head, thread: Thread) -> Subject | None:
    """Who a frame is about: the named subject, the topic carried on, or the speaker."""
    allowed = _ABOUT[about]
    if head.subject is not None:
        return head.subject if head.subject.kind in allowed else None
    if head.topic and "thing" in allowed:
        return Subject(head.topic, "thing")
    carried = [thread.subject]
    if about in {"thing", "any", "animal", "living"}:
        carried = [thread.subject, thread.thing] if about != "thing" else [thread.thing]
    for known in carried:
        if known is not None and known.kind in allowed:
            return known
    return Subject(thread.speaker, "self", explicit=False) if "self" in allowed else None


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def split_list(span: Span) -> list[Span]:
    """The members of a list of objects (花生和芒果)."""
    parts: list[Span] = []
    at = 0
    for match in [*_LIST.finditer(span.text), None]:
        end = match.start() if match else len(span.text)
        piece = span.text[at:end].strip()
        if piece:
            start = span.start + at
            parts.append(Span(piece, start, start + len(piece)))
        at = match.end() if match else end
    return parts or [span]
