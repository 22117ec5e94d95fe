"""Makes candidates out of what was read: names, slots, importance, confidence, times, aliases."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from graphmem.protocols import Candidate
from graphmem.when import When
from graphmem_extractors.chinese.clauses import Clause, Piece, Spot
from graphmem_extractors.chinese.objects import Span
from graphmem_extractors.chinese.reading import Read, split_list
from graphmem_extractors.chinese.subjects import Subject, Subjects
from graphmem_extractors.chinese.values import Value, owner_start
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work

_NAMED = frozenset({"name_is", "alias_is", "birthday_on", "born_on"})
_PERSONS_ONLY = frozenset(
    {
        "drives", "owns", "bought", "works_at", "works_as", "studies_at", "takes_medicine", "has_pet", "eats", "drinks",
        "likes", "dislikes", "follows_diet", "allergic_to", "speaks",
    }
)  # fmt: skip
_DISPOSED = r"(?:我|也|都|就|已经|上个?月|去年|刚|终于|给){0,3}(?:卖|转让|转手|过户|报废|置换|出掉|退租?|扔|换掉|处理掉|拆|停|丢|淘汰)了?"
_HAPPENS = frozenset({"drives", "owns", "bought", "sold", "repaired", "visited", "ordered"})
_OBJECT_KINDS = {"place", "organisation", "person", "animal", "topic", "event"}
_PERSONAL = frozenset({"phone", "email", "account", "address"})
_OWN_NUMBERS = frozenset(
    {"工号", "学号", "身份证号", "身份证", "护照号", "护照号码", "准考证号", "考号"}
)
_CONTRARY = {"likes": "dislikes", "favorite_is": "dislikes", "prefers": "dislikes"}
_SARCASM = 0.7
_LONGEST_NAME = 4
_BEFORE_KIN = r"(?:(?:带着?|跟着?|和|与|给|把|被|找|陪着?|让|叫|请|替|帮|托|问|送|看|有|接|约)(?:了)?(?:我们?|俺|咱们?)?(?:家|的)?|(?<=[\u4e00-\u9fff])(?:我们?|俺|咱们?)(?:家|的)?)"
_BRINGS_UP = r"(?:有|找|交|谈|处|认识|介绍|请|雇|招|收|来|换|遇到|碰到|加)(?:了|过)?(?:一|俩|两)?(?:个|位|名)(?:新来的|新|小|女|男)?"
_MARRIED = "已婚"
_OMITTED = 0.93  # a subject that is understood is a little less sure than one that is said


def attribute_is_personal(value: Value) -> bool:
    """Whether everybody has one: the topic of the sentence may be meant, not the speaker."""
    return value.attribute.value in {"phone", "email", "address"}


@dataclass(frozen=True, slots=True)
class Stated:
    """The times that belong to a claim."""

    valid_from: When | None = None
    valid_to: When | None = None
    happens_at: When | None = None
    expires_at: When | None = None


class FactMaker:
    """Turns readings into candidates of a Work."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        kin = f"(?P<kin>{words.kin_pattern})"
        self._inside = re.compile(_BEFORE_KIN + kin)
        self._brought = re.compile(_BRINGS_UP + kin + "$")

    def introduce(self, work: Work, clause: Clause, subject: Subject) -> None:
        """A relative or friend is named: remember the alias and, where a name is given, the relation."""
        kin = subject.kin
        if subject.kind == "animal" and subject.given:
            self._pet_named(work, clause, subject)
        if kin is None:
            return
        called = subject.role_name or subject.name
        plain = self._words.same.get(kin.word, kin.word)
        if kin.word != plain and called.endswith(kin.word):
            work.aliases[(called, called[: -len(kin.word)] + plain)] = None
        if subject.given and subject.role_name == f"{work.thread.speaker}的{kin.word}":
            work.aliases[(subject.role_name, subject.given)] = None
            self._relate(work, clause, subject, subject.given)

    def _pet_named(self, work: Work, clause: Clause, pet: Subject) -> None:
        """A pet with its name (奶牛猫阿福): the speaker has it."""
        work.aliases[(pet.role_name, pet.given)] = None
        work.add(
            Candidate(
                entity=work.thread.speaker,
                predicate="has_pet",
                object=pet.given,
                text=clause.text,
                span=(clause.start, clause.end),
                rule="pet.named",
                confidence=0.8,
                object_kind="animal",
            )
        )

    def named_inside(self, work: Work, clause: Clause) -> None:
        """A relative or friend with a name in the midst of a clause (带着我们儿子小川, 跟室友阿洁)."""
        for match in self._inside.finditer(clause.text):
            at = clause.start + match.end()
            name = next((w for w in work.tagged.words if w.start == at and w.tag == "PER"), None)
            kin = self._words.kin[match.group("kin")]
            role = f"{work.thread.speaker}的{kin.word}"
            if name is None or not 1 < len(name.text) <= _LONGEST_NAME:
                if work.thread.person is None:  # 我跟对象异地，他在广州
                    work.thread.person = Subject(role, "person", kin)
                continue
            person = Subject(name.text, "person", kin, name.text, role)
            work.thread.person = person
            self.introduce(work, clause, person)

    def bring_up(self, work: Work, clause: Clause) -> None:
        """Somebody new at the end of a clause is who the next is about (给我介绍了个对象，姓韩)."""
        match = self._brought.search(clause.text)
        if match is not None:
            kin = self._words.kin[match.group("kin")]
            work.thread.note(Subject(f"{work.thread.speaker}的{kin.word}", "person", kin))

    def _relate(self, work: Work, clause: Clause, subject: Subject, given: str) -> None:
        kin = subject.kin
        if kin is None or kin.predicate not in self._words.predicates:
            return
        work.add(
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
            )
        )

    def add_value(self, work: Work, spot: Spot, value: Value, subjects: Subjects) -> None:
        """A phone number, password, code or address with its owner; `value` counts in the sentence."""
        base, text = spot.sentence.start, spot.sentence.text
        start = owner_start(value, text, base, work.tagged.words)
        opener = self._words.openers.match(text[start : value.start])
        if opener:
            start += opener.end()
        before = text[start : value.start]
        words = [
            w for w in work.tagged.words if w.end > base + start and w.start < base + value.end
        ]
        head = subjects.read(Piece(text[start : value.end], base + start, words), work.thread)
        if head.subject is not None and head.subject.kind in {"self", "person"}:
            work.thread.note(head.subject)
            self.introduce(work, spot.clause, head.subject)
        attribute = value.attribute
        owner = self._owner(work, value, before, head.subject)
        if value.noun == "尾号" and re.search(r"卡|账户|存折", before):
            attribute = self._words.attributes["卡号"]
        if owner != work.thread.speaker and not attribute.slot:
            work.thread.thing = Subject(owner, "thing")
        urgent = re.search(r"紧急|急救|救命|报警|120", text) is not None
        work.add(
            Candidate(
                entity=owner,
                predicate=attribute.predicate,
                object=value.text,
                text=text.strip(),
                span=(base + value.start, base + value.end),
                rule=f"value.{value.noun}",
                confidence=0.9,
                entity_kind="person" if attribute.slot else "thing",
                object_kind="value",
                slot=attribute.slot,
                importance=5 if urgent or self._never_forget(text) else 3,
                sensitive=attribute.sensitive,
            )
        )

    def _owner(self, work: Work, value: Value, before: str, subject: Subject | None) -> str:
        """A person owns a phone; a door, a card or a network owns its password or number."""
        card = value.noun == "尾号" and re.search(r"卡|账户|存折", before)
        thing = re.sub(
            r"^(?:快递|包裹|外卖)?(?:都|全|就|统一)+|^(?:我们家?的?|我家?的?(?=.)|咱们?家?的?|这个|那个|新的?(?!.{3})|旧的?|家里的)|(?:的|新|现在|最新|临时|默认|初始|备用|统一)+$",
            "",
            before,
        ).strip()
        if card:
            return thing
        if value.attribute.value in _PERSONAL or value.noun in _OWN_NUMBERS:
            if subject is not None and subject.kind in {"self", "person", "animal"}:
                return subject.name
            if (
                subject is not None
                and value.attribute.value == "address"
                and not subject.name.endswith(value.noun)
            ):
                return subject.name
            plain = re.fullmatch(r"[\u4e00-\u9fffA-Za-z]{2,8}", thing)
            if plain and self._owns_number(thing):
                return thing
            return self._last(work) if attribute_is_personal(value) else work.thread.speaker
        if value.attribute.value == "money":
            return value.noun
        if value.noun.endswith("卡号") and len(value.noun) > 2:
            thing += value.noun[:-1]
        if subject is not None and subject.kind == "person" and not thing:
            return subject.name
        if not thing and value.noun in {"卡号", "密码", "单号", "口令"} and work.thread.thing:
            return work.thread.thing.name
        return thing if 1 < len(thing) <= 10 else work.thread.speaker

    def _owns_number(self, thing: str) -> bool:
        return not re.search(
            r"[换改是有了说打发找我你]|新|这|那|以后|私|工作|个人|常用|备用|办公$", thing
        )

    def _last(self, work: Work) -> str:
        """The topic of this sentence, else the speaker."""
        known = work.thread.subject
        return known.name if known is not None and known.kind == "person" else work.thread.speaker

    def add_read(self, work: Work, spot: Spot, read: Read) -> None:
        """A frame that fitted: one candidate for each member of its object."""
        spans = split_list(read.object) if read.frame.split else [read.object]
        if read.frame.name == "name" and self._nameless(work, spot, read):
            return
        if read.frame.value == "@kin":
            self._related(work, spot, read)
            return
        if read.frame.name == "together":
            self._together(work, spot, read)
            return
        if read.frame.value == "@haskin":
            self._has_kin(work, spot, read)
            return
        if read.frame.value in {"@pet", "@thing"}:
            known = _pet_kept(work, read) if read.frame.value == "@pet" else _thing_known(work)
            if known is None:
                return
            read = replace(read, subject=Subject(work.thread.speaker, "self", explicit=False))
            spans = [Span(known, read.object.start, read.object.end)]
        if read.frame.value == "@person":
            spouse = self._spouse(work)
            if spouse is None:
                read = replace(read, predicate="relationship_status")
            name = spouse.name if spouse else _MARRIED
            spans = [Span(name, read.object.start, read.object.end)]
        if read.predicate in _PERSONS_ONLY and _is_thing(work, read.subject):
            # 瑞风卖了，换了辆传祺: what was sold is no driver
            read = replace(read, subject=Subject(work.thread.speaker, "self", explicit=False))
        for span in spans:
            work.add(self._candidate(work, spot, read, span))
        if read.predicate in {"bought", "recommended", "repaired", "owns", "ordered", "drives"}:
            work.thread.thing = Subject(read.object.text, "thing")
        if read.predicate in {"knows", "married_to"} and spans:
            work.thread.person = Subject(spans[0].text, "person")
        if read.frame.object == "pet":
            self._pet(work, read)
        if read.predicate in {"name_is", "alias_is"}:
            self._named(work, spot.clause, read)

    def _nameless(self, work: Work, spot: Spot, read: Read) -> bool:
        """叫X in the midst of other things is hardly the speaker's own name."""
        own = read.subject.kind == "self" and read.omitted
        return own and bool(work.candidates) and spot.clause.text.startswith("叫")

    def _spouse(self, work: Work) -> Subject | None:
        known = work.thread.person
        return known if known is not None and known.kin is None else None

    def _together(self, work: Work, spot: Spot, read: Read) -> None:
        """我和小陈是同事: a relation between the speaker and somebody named."""
        kin = self._words.kin[read.match.group("kin")]
        if read.subject.kind == "self" and not read.negated:
            name = read.object.text
            work.thread.person = Subject(name, "person", kin, name, "")
            self._relate(work, spot.clause, work.thread.person, name)

    def _has_kin(self, work: Work, spot: Spot, read: Read) -> None:
        """我有个弟弟: the relation to someone without a name."""
        kin = self._words.kin[read.object.text]
        if not kin.family or read.negated or read.subject.kind != "self":
            return
        called = Subject(f"{work.thread.speaker}的{kin.word}", "person", kin)
        work.thread.note(called)
        self._relate(work, spot.clause, called, kin.word)

    def _related(self, work: Work, spot: Spot, read: Read) -> None:
        """阿凯是我室友: an alias and the relation to the speaker."""
        kin = self._words.kin[read.object.text]
        if read.subject.kin is None and not read.negated and not read.past:
            role = f"{work.thread.speaker}的{kin.word}"
            named = Subject(read.subject.name, "person", kin, read.subject.name, role)
            work.thread.person = work.thread.subject = named
            self.introduce(work, spot.clause, named)

    def _candidate(self, work: Work, spot: Spot, read: Read, span: Span) -> Candidate:
        predicate, weight = read.predicate, spot.weight
        if spot.sarcastic and predicate in _CONTRARY:
            predicate, weight = _CONTRARY[predicate], weight * _SARCASM
        kind = str(self._words.predicates.get(predicate, {}).get("object", "thing"))
        confidence = read.frame.confidence * weight * (_OMITTED if read.omitted else 1.0)
        stated = self._stated(work, spot.clause, read)
        slot = None if read.negated else self._words.maker.slot_of(predicate)
        return Candidate(
            entity=read.subject.name,
            predicate=predicate,
            object=span.text,
            polarity="-" if read.negated else "+",
            tense="past" if read.past else "present",
            text=spot.sentence.text.strip(),
            span=(spot.clause.start, spot.clause.end),
            rule=f"frame.{read.frame.name}",
            confidence=round(min(confidence, 0.99), 3),
            entity_kind="person" if read.subject.kind == "self" else read.subject.kind,
            object_kind=kind if kind in _OBJECT_KINDS else "value" if kind != "thing" else "thing",
            slot=slot,
            importance=self._importance(work, spot, read),
            valid_from=stated.valid_from,
            valid_to=stated.valid_to,
            happens_at=stated.happens_at,
            expires_at=stated.expires_at,
        )

    def _never_forget(self, text: str) -> bool:
        return self._words.guards["never_forget"].search(text) is not None

    def _importance(self, work: Work, spot: Spot, read: Read) -> int:
        kin = read.subject.kin
        important = self._words.maker.is_important(read.predicate) and not read.negated
        family_name = read.predicate in _NAMED and kin is not None and kin.family
        health = self._words.guards["health"]
        avoided = read.predicate in {"eats", "drinks"} and read.negated
        for_health = avoided and bool(
            health.search(spot.sentence.text) or (read.lead.strict and health.search(work.text))
        )
        never = self._never_forget(spot.sentence.text)
        return 5 if important or family_name or for_health or never else 3

    def _stated(self, work: Work, clause: Clause, read: Read) -> Stated:
        """The times of the clause as this claim takes them."""
        found = Stated()
        for span in work.times.within(clause.start, clause.end):
            if read.object.start <= span.start < read.object.end and not read.frame.value:
                continue
            future = work.times.is_future(span)
            if span.anchor == "since" and span.when:
                found = Stated(valid_from=span.when, valid_to=found.valid_to)
            elif span.anchor == "until" and span.when:
                end = span.until or span.when
                found = Stated(found.valid_from, end, None, end if future else None)
            elif span.kind in {"instant", "date", "interval"} and span.when:
                if read.predicate == "located_in" and read.subject.kind != "thing":
                    found = Stated(expires_at=work.times.day_of(span)) if future else found
                elif read.predicate in _HAPPENS:
                    found = Stated(happens_at=span.when)
                elif read.frame.since and (read.frame.denies or not read.negated):
                    exact = span.when.precision in {"day", "instant"}
                    found = (
                        Stated(happens_at=span.when)
                        if exact
                        else Stated(valid_from=span.when, valid_to=found.valid_to)
                    )
        return found

    def _pet(self, work: Work, read: Read) -> None:
        """A pet that was brought up: the clauses after it may be about it."""
        name = read.match.groupdict().get("name") or ""
        animal = re.search(self._words.pet_pattern, read.object.text)
        called = f"{work.thread.speaker}的{animal.group()}" if animal else read.object.text
        pet = Subject(name or called, "animal")
        work.thread.thing = pet
        if not read.omitted or name:
            work.thread.subject = pet
        if name and animal:
            work.aliases[(called, name)] = None

    def _named(self, work: Work, clause: Clause, read: Read) -> None:
        """A name was told: an alias, the relation to the speaker, and a pet that is theirs."""
        subject, name = read.subject, read.object.text
        if subject.kind in {"person", "animal"} and read.frame.name != "surname":
            work.aliases[(subject.name, name)] = None
        kin = subject.kin
        if (
            kin is not None
            and not subject.given
            and subject.name == f"{work.thread.speaker}的{kin.word}"
            and read.frame.name == "name"
        ):
            self._relate(work, clause, subject, name)
        if subject.kind == "animal":
            work.thread.thing = Subject(name, "animal")
            work.thread.subject = work.thread.thing


def _is_thing(work: Work, subject: Subject) -> bool:
    """Whether a subject is a thing, or is told to have been sold, scrapped or swapped."""
    if subject.kind == "thing":
        return True
    if subject.kind != "person" or subject.kin is not None or not subject.name:
        return False
    return re.search(re.escape(subject.name) + _DISPOSED, work.text) is not None


def _pet_kept(work: Work, read: Read) -> str | None:
    """The animal that the clause is about, where it is the speaker's (家里的乌龟养了十二年)."""
    owner, _, animal = read.subject.name.rpartition("的")
    return animal if owner in {"", work.thread.speaker} else None


def _thing_known(work: Work) -> str | None:
    """The thing told before: it is what was sold (那辆捷达..., 上个月处理掉了)."""
    known = work.thread.thing
    if known is None or known.kind != "thing":
        return None
    owner, _, thing = known.name.rpartition("的")
    return thing if owner in {"", work.thread.speaker} else known.name
