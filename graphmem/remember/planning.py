"""Decides what one message changes: reads the memory, writes nothing (R2.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from graphmem.config import Settings
from graphmem.errors import InvalidTime
from graphmem.forget.tiers import resting_tier
from graphmem.identity import snapshot_id
from graphmem.lexicon import Lexicon
from graphmem.lifecycle.merge import same_claim
from graphmem.lifecycle.nominate import says_change, topics_of
from graphmem.model import (
    Conflict,
    Fact,
    Kind,
    Message,
    Receipt,
    Refusal,
    Snapshot,
    State,
    Trigger,
    Worth,
)
from graphmem.plan import (
    AddAlias,
    AddEvidence,
    AddFact,
    AddSnapshot,
    AddTrigger,
    Mention,
    Op,
    Plan,
    SetFact,
)
from graphmem.protocols import Extraction, GraphStore
from graphmem.readers.allowed import covers, join
from graphmem.remember.doubting import Doubter, Doubts
from graphmem.remember.facts import claim, distinct, note
from graphmem.remember.linking import Linker
from graphmem.remember.modelling import remarks
from graphmem.remember.older import Gatherer, Older
from graphmem.remember.orders import Orders
from graphmem.remember.roles import Roles
from graphmem.remind.making import made
from graphmem.remind.owner_time import OwnerTime
from graphmem.words import key, language_of, terms

_MAY_ORDER = frozenset({Worth.REQUEST, Worth.CHATTER})  # "cancel the dentist" asserts nothing


@dataclass(slots=True)
class _Draft:
    """What a message's plan and receipt are put together from."""

    learnt: list[Fact] = field(default_factory=list)
    merged: list[Fact] = field(default_factory=list)
    replaced: list[tuple[Fact, Fact]] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    reminders: list[Trigger] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    told_apart: set[str] = field(default_factory=set)  # ids of facts said again to more readers


class Planner:
    """Plans for messages. Pure but for its reads: the same memory, message and instant give the same plan."""

    def __init__(
        self,
        store: GraphStore,
        gatherer: Gatherer,
        orders: Orders,
        doubter: Doubter,
        *,
        lexicon: Lexicon,
        settings: Settings,
        whole: GraphStore | None = None,
    ) -> None:
        self._whole = whole or store  # names are linked in the whole memory, whoever speaks
        self._doubter = doubter
        self._store = store
        self._gatherer = gatherer
        self._orders = orders
        self._lexicon = lexicon
        self._settings = settings
        self._roles = Roles(lexicon)
        self._times = OwnerTime.of(settings, lexicon)

    def known(self, message: Message) -> Snapshot | None:
        """The snapshot that the memory has of this very message, or None."""
        return self._store.snapshot(snapshot_id(message))

    def plan(
        self, message: Message, extraction: Extraction, *, now: datetime, id_: str | None = None
    ) -> tuple[Plan, Receipt]:
        """The plan for a message that is not known yet (to be known by `id_`), and the receipt for when
        it is carried out.
        """
        snapshot = taken(message, extraction, now=now)
        snapshot = replace(snapshot, id=id_ or snapshot.id)
        if extraction.worth in _MAY_ORDER and self._orders.read(
            snapshot, partial(self._gatherer.upcoming, snapshot)
        ):
            extraction = replace(extraction, worth=Worth.STATEMENT)
            snapshot = replace(snapshot, worth=Worth.STATEMENT)
        elif extraction.worth is Worth.CHATTER and self._settings.review:
            whole = note(extraction, snapshot, Linker(self._whole, self._roles), now=now)
            if self._as_a_whole(
                whole, snapshot, now
            ).conflicts:  # it ends something: it tells something
                extraction = replace(extraction, worth=Worth.STATEMENT)
                snapshot = replace(snapshot, worth=Worth.STATEMENT)
        linker = Linker(self._whole, self._roles)
        draft = _Draft()
        if extraction.worth is Worth.STATEMENT:
            linker.learn(extraction.aliases, kinds(extraction))
            self._learn(draft, snapshot, extraction, linker, now)
        self._remind(draft, snapshot, extraction, now)
        draft.learnt = [replace(fact, tier=resting_tier(fact, now=now)) for fact in draft.learnt]
        mentions = self._mentions(snapshot, extraction, linker, draft.learnt)
        ops: list[Op] = [AddSnapshot(snapshot), *linker.ops]
        ops += [AddFact(fact) for fact in draft.learnt]
        ops += mentions
        ops += [AddTrigger(trigger) for trigger in draft.reminders]
        ops += draft.ops
        receipt = Receipt(
            snapshot=snapshot,
            facts=tuple(fact for fact in draft.learnt if fact.kind is Kind.CLAIM),
            notes=tuple(fact for fact in draft.learnt if fact.kind is Kind.NOTE),
            merged=tuple(draft.merged),
            replaced=tuple(draft.replaced),
            conflicts=tuple(draft.conflicts),
            reminders=tuple(draft.reminders),
            refused=tuple(draft.refused) or _why_nothing(extraction, draft),
            remarks=(*_kept_silent(draft.reminders), *remarks(extraction), *draft.remarks),
        )
        return Plan(kind="add", at=now, ops=tuple(ops)), receipt

    def _remind(
        self, draft: _Draft, snapshot: Snapshot, extraction: Extraction, now: datetime
    ) -> None:
        zone = self._times.zone_at(now)
        for read in extraction.reminders:
            try:
                draft.reminders.append(
                    made(read, snapshot, now=now, zone=zone, hours=self._times.hours)
                )
            except InvalidTime as broken:
                draft.refused.append(Refusal(text=read.text, reason=str(broken)))

    def _learn(
        self,
        draft: _Draft,
        snapshot: Snapshot,
        extraction: Extraction,
        linker: Linker,
        now: datetime,
    ) -> None:
        facts = self._facts(draft, snapshot, extraction, linker, now)
        around = self._gatherer.around(snapshot, now=now)
        order = self._orders.read(
            snapshot, lambda: [*around.facts.values(), *self._gatherer.upcoming(snapshot)]
        )
        if order is not None:
            kept = note(extraction, snapshot, linker, now=now)
            obeyed = self._orders.obey(order, facts, kept, now=now)
            draft.learnt += obeyed.facts
            draft.replaced += obeyed.pairs
            draft.ops += obeyed.ops
            return
        olds = {
            fact.id: {**around.facts, **{old.id: old for old in self._gatherer.of(fact)}}
            for fact in facts
        }
        for fact in facts:
            self._place(draft, fact, olds[fact.id].values(), now)
        if not self._settings.review:
            return
        confirmed = {fact.id for fact in draft.merged} | draft.told_apart
        doubts = self._doubter.doubts(
            draft.learnt, olds, around.similar, sparing=confirmed, now=now
        )
        draft.learnt = doubts.learnt
        _take(draft, doubts)
        if not doubts.conflicts and not doubts.replaced and facts[0].kind is Kind.CLAIM:
            aside = Linker(
                self._whole, self._roles
            )  # leaves nobody behind where it comes to nothing
            kept = note(extraction, snapshot, aside, now=now)
            doubts = self._as_a_whole(
                kept, snapshot, now, around=around, sparing=draft.told_apart, sides=True
            )
            if doubts.conflicts or doubts.replaced:
                linker.link(snapshot.speaker, "person")
                draft.learnt += doubts.learnt
                _take(draft, doubts)

    def _as_a_whole(
        self,
        kept: Fact,
        snapshot: Snapshot,
        now: datetime,
        *,
        around: Older | None = None,
        sparing: Collection[str] = (),
        sides: bool = False,
    ) -> Doubts:
        """What a statement as a whole puts in doubt, where its claims do not: "handed in my badge"."""
        if not says_change(kept, self._lexicon, sides=sides):
            return Doubts([kept])
        around = around or self._gatherer.around(snapshot, now=now)
        topics = topics_of(kept, self._lexicon)
        olds = {**around.facts, **{old.id: old for old in self._gatherer.about(kept, topics)}}
        return self._doubter.doubts(
            [kept], {kept.id: olds}, around.similar, sparing=sparing, now=now, clear_only=True
        )

    def _facts(
        self,
        draft: _Draft,
        snapshot: Snapshot,
        extraction: Extraction,
        linker: Linker,
        now: datetime,
    ) -> list[Fact]:
        """The claims that are sure enough, or else a note."""
        facts: list[Fact] = []
        for one in distinct(extraction.candidates):
            if one.confidence < self._settings.min_confidence:
                draft.refused.append(
                    Refusal(text=one.text, reason=f"{one.rule}: confidence {one.confidence:.2f}")
                )
                continue
            facts.append(
                claim(
                    one,
                    snapshot,
                    linker,
                    self._lexicon,
                    importance=extraction.importance,
                    now=now,
                )
            )
        return facts or [note(extraction, snapshot, linker, now=now)]

    def _place(self, draft: _Draft, fact: Fact, olds: Iterable[Fact], now: datetime) -> None:
        """Learn a fact, or count it as one more piece of evidence for the same one.

        What was said to few and is now said to more stays apart where its sentence holds more than has
        now been said: opening it would tell that too.
        """
        faded = self._gatherer.faded(fact)
        twins = [old for old in (*olds, *faded) if same_claim(fact, old, self._lexicon)]
        twin = next((old for old in twins if may_be_one(old, fact)), None)
        if twin is None:
            draft.told_apart |= {old.id for old in twins}
            draft.learnt.append(fact)
            return
        draft.merged.append(twin)
        draft.ops.append(AddEvidence(twin.id, fact.sources[0]))
        readers = join(twin.readers, fact.readers)
        if readers != twin.readers:
            draft.ops.append(SetFact(twin.id, {"readers": twin.readers}, {"readers": readers}))
        if twin.confirmed_at is None or twin.confirmed_at < now:
            after: dict[str, Any] = {"confirmed_at": now}
            if twin.state is State.ARCHIVED:
                after["state"] = State.CURRENT
                after["tier"] = resting_tier(replace(twin, **after), now=now)
            draft.ops.append(SetFact(twin.id, {name: getattr(twin, name) for name in after}, after))

    def _mentions(
        self,
        snapshot: Snapshot,
        extraction: Extraction,
        linker: Linker,
        learnt: Sequence[Fact],
    ) -> list[Op]:
        ids = [fact.entity_id for fact in learnt]
        ids += [fact.object_id for fact in learnt if fact.object_id]
        ids += [op.entity_id for op in linker.ops if isinstance(op, AddAlias)]
        if extraction.worth is Worth.STATEMENT:
            for name, kind in extraction.mentions:
                known = linker.find(name, kind)
                if known is not None:
                    ids.append(known.id)
        return [Mention(snapshot.id, one) for one in dict.fromkeys(ids)]


def _take(draft: _Draft, doubts: Doubts) -> None:
    draft.conflicts += doubts.conflicts
    draft.replaced += doubts.replaced
    draft.ops += doubts.ops
    draft.remarks += doubts.remarks


def kinds(extraction: Extraction) -> dict[str, str]:
    """The kind of each entity that the claims of a message name, by words.key."""
    found: dict[str, str] = {}
    for one in extraction.candidates:
        found.setdefault(key(one.entity), one.entity_kind)
        found.setdefault(key(one.object), one.object_kind)
    return found


def may_be_one(old: Fact, new: Fact) -> bool:
    """Whether the old fact may take the new one in without telling anybody more than was said to him."""
    if covers(old.readers, new.readers):
        return True
    said = set(terms(new.text, new.language))
    return old.valid_from == new.valid_from and said.issuperset(terms(old.text, old.language))


def taken(message: Message, extraction: Extraction, *, now: datetime) -> Snapshot:
    """The snapshot of a message."""
    return Snapshot(
        id=snapshot_id(message),
        text=message.text,
        speaker=message.speaker,
        role=message.role,
        said_at=message.said_at,
        recorded_at=now,
        source=message.source,
        conversation=message.conversation,
        language=language_of(message.text),
        worth=extraction.worth,
        sensitive=extraction.sensitive or any(one.sensitive for one in extraction.candidates),
        readers=message.readers,
    )


def _kept_silent(reminders: Iterable[Trigger]) -> tuple[str, ...]:
    return tuple(
        f"the time of {one.action!r} passed long before it was recorded: kept as done, not told"
        for one in reminders
        if one.state == "done"
    )


def _why_nothing(extraction: Extraction, draft: _Draft) -> tuple[Refusal, ...]:
    if draft.learnt or draft.merged or draft.reminders:
        return ()
    reasons: Iterable[str] = (
        f"{trace.rule}: {trace.reason}" if trace.reason else trace.rule
        for trace in extraction.trace
    )
    why = "; ".join(dict.fromkeys(reasons)) or f"taken for {extraction.worth.replace('_', ' ')}"
    return (Refusal(text="", reason=why),)
