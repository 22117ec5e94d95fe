"""Makes candidates out of what was read: names, slots, importance, confidence, times, aliases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmem.model import Worth
from graphmem.protocols import AliasCandidate, Candidate, Extraction, Trace
from graphmem.when import When
from graphmem_extractors.chinese.clauses import Clause, Sentence
from graphmem_extractors.chinese.objects import Span
from graphmem_extractors.chinese.reading import Read, split_list
from graphmem_extractors.chinese.subjects import Subject, Subjects
from graphmem_extractors.chinese.values import Value
from graphmem_extractors.chinese.vocabulary import Vocabulary

if TYPE_CHECKING:
    from graphmem_extractors.chinese.extractor import Work

_HEALTH = re.compile(
    r"过敏|医生|大夫|痛风|血压|血糖|糖尿病|甲亢|甲减|忌口|复查|确诊|查出|术后|孕|胃|病|炎|尿酸"
)
_NAMED = {"name_is", "alias_is", "birthday_on", "born_on"}
_OBJECT_KINDS = {
    "place": "place",
    "organisation": "organisation",
    "person": "person",
    "animal": "animal",
    "name": "value",
    "date": "value",
    "number": "value",
    "value": "value",
    "time": "value",
    "topic": "topic",
    "event": "event",
}
_RANK = (Worth.STATEMENT, Worth.HYPOTHETICAL, Worth.QUESTION, Worth.REQUEST, Worth.CHATTER)


class FactMaker:
    """Turns readings into candidates of a Work."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words

    def introduce(self, work: Work, sentence: Sentence, clause: Clause, subject: Subject) -> None:
        """A relative or friend is named: remember the alias and, where a name is given, the relation."""
        kin = subject.kin
        if kin is None:
            return
        owner_name = subject.role_name or subject.name
        if kin.word != kin.canonical and owner_name.endswith(kin.word):
            plain = owner_name[: -len(kin.word)] + kin.canonical
            work.aliases[(owner_name, plain)] = None
        if subject.given and subject.role_name.startswith(f"{work.thread.speaker}的{kin.word}"):
            work.aliases[(subject.role_name, subject.given)] = None
            self._relate(work, clause, subject, subject.given)

    def _relate(self, work: Work, clause: Clause, subject: Subject, given: str) -> None:
        kin = subject.kin
        if kin is None or kin.predicate not in self._words.predicates:
            return
        self._add(
            work,
            Candidate(
                entity=work.thread.speaker,
                predicate=kin.predicate,
                object=given,
                text=clause.text,
                span=(clause.start, clause.end),
                rule="kin.named",
                confidence=0.85,
                object_kind="person",
                slot=kin.slot,
                importance=5 if kin.family else 3,
            ),
        )

    def add_value(self, work: Work, sentence: Sentence, value: Value, subjects: Subjects) -> None:
        """A phone number, password, code or address with its owner."""
        start = (
            max(
                [sentence.text.rfind(mark, 0, value.start) for mark in "，,：:。；; 、"], default=-1
            )
            + 1
        )
        before = sentence.text[start : value.start]
        opener = self._words.openers.match(before)
        if opener:
            start, before = start + opener.end(), before[opener.end() :]
        begin = sentence.start + start
        tagged = [w for w in work.tagged if w.end > begin and w.start < sentence.start + value.end]
        head = subjects.read(sentence.text[start : value.end], tagged, begin, work.thread)
        owner = self._owner(work, value, before, head.subject)
        if head.subject is not None and head.subject.kind in {"self", "person"}:
            work.thread.enter(0)
            work.thread.note(head.subject)
            self.introduce(
                work, sentence, Clause(begin, sentence.start + value.end, "", 0, ""), head.subject
            )
        family = (
            head.subject is not None and head.subject.kin is not None and head.subject.kin.family
        )
        urgent = bool(re.search(r"紧急|急救|救命", sentence.text))
        self._add(
            work,
            Candidate(
                entity=owner,
                predicate=value.attribute.predicate,
                object=value.text,
                text=sentence.text.strip(),
                span=(sentence.start + value.start, sentence.start + value.end),
                rule=f"value.{value.noun}",
                confidence=0.9,
                entity_kind="person" if value.attribute.slot else "thing",
                object_kind="value",
                slot=value.attribute.slot,
                importance=5 if urgent else 3,
                sensitive=value.attribute.sensitive,
            ),
        )
        del family

    def _owner(self, work: Work, value: Value, before: str, subject: Subject | None) -> str:
        """A person owns a phone; a door, a card or a network owns its password or number."""
        personal = value.attribute.value in {
            "phone",
            "email",
            "account",
            "address",
        } or value.noun in {"工号", "学号", "身份证号", "身份证", "护照号", "护照号码"}
        if personal:
            if subject is not None and subject.kind in {"self", "person", "animal"}:
                return subject.name
            if (
                subject is not None
                and subject.kind == "thing"
                and value.attribute.value == "address"
            ):
                return subject.name
            thing = re.sub(r"^(?:我的?|新的?|旧的?)|(?:的|新|现在)+$", "", before)
            if (
                2 <= len(thing) <= 8
                and re.fullmatch(r"[\u4e00-\u9fffA-Za-z]+", thing)
                and value.attribute.slot is None
            ):
                return thing
            return work.thread.speaker
        thing = re.sub(
            r"^(?:我的?(?=.)|我们|这个|那个|新的|家里的)|(?:的|新|现在)+$", "", before
        ).strip()
        if value.noun.endswith("卡号") and len(value.noun) > 2:
            thing = thing + value.noun[:-1]
        if subject is not None and subject.kind == "person" and not thing:
            return subject.name
        if not thing and value.noun in {"卡号", "密码"}:
            known = work.thread.thing
            return known.name if known else work.thread.speaker
        return thing if 1 < len(thing) <= 10 else work.thread.speaker

    def add_read(
        self, work: Work, sentence: Sentence, clause: Clause, read: Read, weight: float
    ) -> None:
        """A frame that fitted."""
        frame, subject = read.frame, read.subject
        spans = split_list(read.object) if frame.split else [read.object]
        for span in spans:
            self._add_one(work, sentence, clause, read, span, weight)
        if frame.object == "pet":
            self._pet(work, clause, read)
        if (
            frame.predicate == "name_is"
            and subject.kind == "person"
            and subject.kin is not None
            and not subject.given
        ):
            name = read.object.text
            work.aliases[(subject.name, name)] = None
            if subject.name == f"{work.thread.speaker}的{subject.kin.word}":
                self._relate(work, clause, subject, name)
        elif frame.predicate in {"name_is", "alias_is"} and subject.kind in {"person", "animal"}:
            work.aliases[(subject.name, read.object.text)] = None

    def _add_one(
        self, work: Work, sentence: Sentence, clause: Clause, read: Read, span: Span, weight: float
    ) -> None:
        frame, subject = read.frame, read.subject
        predicate = read.predicate
        entry = self._words.predicates.get(predicate, {})
        confidence = frame.confidence * weight * (0.93 if read.omitted else 1.0)
        times = self._times(work, clause, read)
        self._add(
            work,
            Candidate(
                entity=subject.name,
                predicate=predicate,
                object=span.text,
                polarity="-" if read.negated else "+",
                tense="past" if read.past else "present",
                text=sentence.text.strip(),
                span=(clause.start, clause.end),
                rule=f"frame.{frame.name}",
                confidence=round(min(confidence, 0.99), 3),
                entity_kind={"self": "person"}.get(subject.kind, subject.kind),
                object_kind=_OBJECT_KINDS.get(entry.get("object", ""), "thing"),
                slot=None
                if read.negated and predicate not in {"eats"}
                else self._words.slot_of.get(predicate),
                importance=self._importance(work, sentence, read),
                happens_at=times.get("happens_at"),
                expires_at=times.get("expires_at"),
                valid_from=times.get("valid_from"),
                valid_to=times.get("valid_to"),
            ),
        )

    def _importance(self, work: Work, sentence: Sentence, read: Read) -> int:
        subject = read.subject
        if self._words.important(read.predicate) and not read.negated:
            return 5
        if read.predicate in _NAMED and subject.kin is not None and subject.kin.family:
            return 5
        if (
            read.predicate in {"eats", "drinks"}
            and read.negated
            and ((read.strict and _HEALTH.search(work.text)) or _HEALTH.search(sentence.text))
        ):
            return 5
        if self._words.guards["never_forget"].search(sentence.text):
            return 5
        return 3

    def _times(self, work: Work, clause: Clause, read: Read) -> dict[str, When | None]:
        return {}

    def _pet(self, work: Work, clause: Clause, read: Read) -> None:
        name = read.match.groupdict().get("name") or ""
        pet = read.object.text
        animal = re.search(self._words.pet_pattern, pet)
        if animal is None:
            work.thread.thing = Subject(pet, "animal")
            return
        entity = f"{work.thread.speaker}的{animal.group()}"
        work.thread.thing = Subject(name or entity, "animal")
        work.thread.subject = work.thread.thing

    def _add(self, work: Work, candidate: Candidate) -> None:
        same = (candidate.entity, candidate.predicate, candidate.object, candidate.polarity)
        if any((c.entity, c.predicate, c.object, c.polarity) == same for c in work.candidates):
            return
        if candidate.sensitive and not candidate.object:
            return
        work.candidates.append(candidate)
        work.trace.append(
            Trace(rule=candidate.rule, span=candidate.span, reason=candidate.predicate)
        )

    def finish(self, work: Work) -> Extraction:
        """The Extraction of all that was gathered."""
        told = bool(work.candidates or work.reminders)
        worth = (
            Worth.STATEMENT if told else next((w for w in _RANK if w in work.worths), Worth.CHATTER)
        )
        names = {(c.entity, c.entity_kind): None for c in work.candidates}
        names |= {
            (w.text, {"PER": "person", "LOC": "place", "ORG": "organisation"}[w.tag]): None
            for w in work.tagged
            if w.tag in {"PER", "LOC", "ORG"} and len(w.text) > 1
        }
        return Extraction(
            candidates=tuple(work.candidates),
            reminders=tuple(work.reminders),
            aliases=tuple(
                AliasCandidate(name, alias) for name, alias in work.aliases if name != alias
            ),
            mentions=tuple(names),
            worth=worth,
            importance=max([3, *(c.importance for c in work.candidates)]),
            sensitive=any(c.sensitive for c in work.candidates),
            trace=tuple(work.trace),
        )
