"""What the owner decides by hand (R3.6, R3.7, R7.7): looks up, lets lifecycle decide, writes one event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from graphmem.errors import InvalidMessage, NothingToUndo, TransitionRefused, UnknownId
from graphmem.forget.tiers import resting_tier
from graphmem.lexicon import Lexicon
from graphmem.lifecycle import by_hand, review
from graphmem.lifecycle.undo import is_open, why_not
from graphmem.model import (
    Conflict,
    Decision,
    Entity,
    Event,
    Fact,
    Kind,
    Message,
    Receipt,
    Snapshot,
    State,
)
from graphmem.plan import (
    AddFact,
    AddSnapshot,
    Op,
    RemoveEvidence,
    RemoveSnapshot,
    RemoveTrigger,
    SetFact,
)
from graphmem.protocols import Candidate, Clock, GraphStore
from graphmem.readers.receipts import told as told_to
from graphmem.readers.view import Seen, owner_only
from graphmem.remember.commander import Commander
from graphmem.remember.facts import claim, note
from graphmem.remember.linking import Linker, merge
from graphmem.remember.planning import taken
from graphmem.remember.roles import Roles
from graphmem.remember.splitting import split_up
from graphmem.remember.traces import cleared
from graphmem.secrecy.masking import without_secrets
from graphmem.words import clean, key

BY_HAND = "by hand"
SURE = 1.0
PAGE = 200


class Owner:
    """The owner's own changes. Each is one event, and each but a deletion can be undone.

    A named reader changes what it may see, one thing at a time; it is told of nothing else that changed.
    """

    def __init__(
        self,
        store: GraphStore,
        commander: Commander,
        *,
        clock: Clock,
        lexicon: Lexicon,
        reader: str | None = None,
    ) -> None:
        self._store = store
        self._reader = reader
        self._seen = store if reader is None else Seen(store, reader)
        self._commander = commander
        self._clock = clock
        self._lexicon = lexicon
        self._roles = Roles(lexicon)

    def resolve(self, conflict_id: str, decision: Decision) -> Receipt:
        """Carry out a decision about a conflict.

        Raises UnknownId, and TransitionRefused where it was decided otherwise already.
        """
        shown = self._seen.conflict(conflict_id)
        conflict = self._store.conflict(conflict_id) if shown is not None else None
        if conflict is None:
            if self._reader is None and self._deleted_by_decision(conflict_id):
                remark = "it was decided already, by a deletion, which is for good"
                return self._write("resolve", (), remarks=(remark,))
            raise UnknownId(
                f"no conflict {conflict_id!r}",
                expected="a conflict's id",
                next_step="see: graphmem conflicts",
            )
        others = self._conflicts_of(conflict.old.id) + self._conflicts_of(conflict.new.id)
        ops = list(
            review.decide(
                conflict,
                decision,
                now=self._clock.now(),
                others=others,
                predecessors=[
                    *self._store.predecessors(conflict.old.id),
                    *self._store.predecessors(conflict.new.id),
                ],
                beyond=[fact.id for fact in self._store.successors(conflict.new.id)],
            )
        )
        gone = _deleted(conflict, decision)
        if gone:
            ops = [op for one in gone for op in self._cut_out(one)] + ops
            ops += cleared(self._store, gone, ops)
        replaced = (
            ((replace(conflict.old, state=State.HISTORICAL), conflict.new),)
            if ops and decision is Decision.MARK_OLDER_AS_PAST
            else ()
        )
        return self._write("resolve", ops, replaced=replaced)

    def _deleted_by_decision(self, conflict_id: str) -> bool:
        """True where a decision deleted the conflict together with one of its sides."""
        return any(
            event.kind == "resolve" and conflict_id in event.touched.get("conflicts", ())
            for event in self._events_backwards()
        )

    def update(self, fact_id: str, text: str) -> Receipt:
        """A new version of a fact, said by the owner now; the old one becomes history.

        Raises TransitionRefused for a fact that was replaced already.
        """
        old = self._fact(fact_id)
        if old.replaced_by is not None:
            shown = self._seen.fact(old.id)
            heir = shown.replaced_by if shown is not None else None
            raise TransitionRefused(
                f"fact {old.id} was replaced already" + (f", by {heir}" if heir else ""),
                expected="the fact that stands now",
                next_step=(f"update {heir}, or " if heir else "") + f"restore {old.id} first",
            )
        now = self._clock.now()
        snapshot, new, ops = self._version(old, text)
        ops += by_hand.update(old, new, now=now, conflicts=self._conflicts_of(old.id))
        gone = replace(old, state=State.HISTORICAL, replaced_by=new.id)
        return self._write("update", ops, snapshot=snapshot, facts=(new,), replaced=((gone, new),))

    def edit(self, fact_id: str, text: str) -> Receipt:
        """The fact with its text mended, in the old one's place; no history is made."""
        old = self._fact(fact_id)
        snapshot, new, ops = self._version(old, text)
        mended = replace(
            new,
            state=old.state,
            said_at=old.said_at,
            importance=old.importance,
            pinned=old.pinned,
            confirmed_at=old.confirmed_at,
        )
        ops = [replace(op, fact=mended) if isinstance(op, AddFact) else op for op in ops]
        ops += self._cut_out(old)
        ops += by_hand.edit(
            old,
            mended,
            conflicts=self._conflicts_of(old.id),
            predecessors=self._store.predecessors(old.id),
        )
        ops += cleared(self._store, (old,), ops)
        return self._write("edit", ops, snapshot=snapshot, facts=(mended,))

    def confirm(self, fact_id: str) -> Receipt:
        """The fact still holds: its score starts anew, and an open doubt about it is settled."""
        fact = self._fact(fact_id)
        ops = by_hand.confirm(fact, now=self._clock.now(), conflicts=self._conflicts_of(fact.id))
        return self._write("confirm", self._with_tier(fact, ops))

    def retire(self, fact_id: str) -> Receipt:
        """The fact is past."""
        fact = self._fact(fact_id)
        ops = by_hand.retire(fact, now=self._clock.now(), conflicts=self._conflicts_of(fact.id))
        return self._write("retire", ops)

    def restore(self, fact_id: str) -> Receipt:
        """The fact is current again."""
        fact = self._fact(fact_id)
        fillers = self._store.slot_current(fact.entity_id, fact.slot) if fact.slot else ()
        ops = by_hand.restore(
            fact, now=self._clock.now(), fillers=fillers, conflicts=self._conflicts_of(fact.id)
        )
        return self._write("restore", self._with_tier(fact, ops))

    def pin(self, fact_id: str, *, pinned: bool) -> Receipt:
        """The fact never fades, or fades again."""
        fact = self._fact(fact_id)
        return self._write("pin", self._with_tier(fact, by_hand.pin(fact, pinned=pinned)))

    def limit(self, fact_id: str, readers: tuple[str, ...]) -> Receipt:
        """Limit a fact, and the sentences that state it, to these readers; none: open it to everybody."""
        owner_only(self._reader, "say who may see what")
        fact = self._fact(fact_id)
        op = SetFact(fact.id, {"readers": fact.readers}, {"readers": readers})
        return self._write("limit", [] if readers == fact.readers else [op])

    def forget(self, ids: Sequence[str]) -> Receipt:
        """Delete facts for good, each with its sentence where nothing else stands on it, or whole messages
        with what only they state and the reminders they made; all of them or none.
        """
        receipt = Receipt(stored=False)
        with self._commander.together():
            for one in ids:
                receipt = self._forget(one)
        return replace(receipt, open_conflicts=self._commander.open_conflicts())

    def _forget(self, fact_id: str) -> Receipt:
        message = self._seen.snapshot(clean(fact_id))
        if message is not None:
            return self._forget_message(message)
        fact = self._fact(fact_id)
        ops = by_hand.forget(
            fact,
            now=self._clock.now(),
            conflicts=self._conflicts_of(fact.id),
            predecessors=self._store.predecessors(fact.id),
        )
        ops = (*self._cut_out(fact), *ops)
        return self._write("forget", [*ops, *cleared(self._store, (fact,), ops)])

    def _forget_message(self, message: Snapshot) -> Receipt:
        for fact in self._store.facts_stated_by(message.id):
            said = [one for one in self._store.evidence(fact.id) if one.id != message.id]
            if any(fact.text.strip() in one.text for one in said):
                self._write("forget", [RemoveEvidence(fact.id, message.id)])
            else:
                self._forget(fact.id)
        made = [
            one for one in self._store.triggers(active_only=False) if one.snapshot_id == message.id
        ]
        ops: list[Op] = [RemoveTrigger(one.id) for one in made]
        if self._store.snapshot(message.id) is not None:
            ops.append(RemoveSnapshot(message.id))
        return self._write("forget", [*ops, *cleared(self._store, (), ops)])

    def undo(self, event_n: int | None = None) -> Receipt:
        """Take back the last event, or the one with this number. Raises NothingToUndo where that cannot
        be: it was a deletion, or something builds on it. The error names the next one that can.
        """
        owner_only(self._reader, "take back events, which count everything")
        later: list[Event] = []
        obstacle = ""
        for event in self._events_backwards():
            if event_n is not None and event.n < event_n and not obstacle:
                break
            if is_open(event, later) and (event_n is None or event.n <= event_n):
                why = why_not(event, later)
                ops = None if why else self._store.undo_ops(event.n)
                if ops is not None and obstacle:
                    way = f"the next one that can be taken back is event {event.n} ({event.kind})"
                    raise NothingToUndo(obstacle, next_step=f"{way}: undo it by its number")
                if ops is not None:
                    written = self._commander.carry_out("undo", ops, undoes=event.n)
                    done = f"took back: {event.kind}"
                    return Receipt(event=written.n if written else None, remarks=(done,))
                obstacle = obstacle or why or f"event {event.n} ({event.kind}) names what has gone"
            later.append(event)
        if obstacle:
            raise NothingToUndo(obstacle, next_step="a backup may still have what was deleted")
        met = "nothing is left" if event_n is None else f"event {event_n} is not one"
        raise NothingToUndo(f"{met} that could be undone")

    def merge(self, kept: Entity, gone: Entity) -> Receipt:
        """Make two entities one."""
        owner_only(self._reader, "make two entities one")
        return self._write("merge", merge(self._store, kept, gone) if kept.id != gone.id else [])

    def split(self, entity: Entity, alias: str) -> Receipt:
        """Give one of an entity's names, with the facts that were said under it, an entity of its own.

        Where the name came by a merge, everything that the merge moved goes back to where it was.
        """
        owner_only(self._reader, "part an entity")
        if key(alias) not in map(key, entity.aliases) or key(alias) == key(entity.name):
            raise UnknownId(
                f"{without_secrets(alias)!r} is not a further name of {entity.name!r}",
                expected="one of: " + (", ".join(entity.aliases) or "it has none"),
            )
        ops = split_up(self._store, entity, alias, events=self._events_backwards())
        return self._write("split", ops)

    def _version(self, old: Fact, text: str) -> tuple[Snapshot, Fact, list[Op]]:
        """The snapshot and fact of a text that the owner puts in the place of `old`."""
        if not text.strip():
            raise InvalidMessage("text", "empty", expected="what is true now")
        now = self._clock.now()
        message = Message(
            text=clean(text),
            speaker=self._speaker_of(old),
            said_at=now,
            source=BY_HAND,
            readers=old.readers,
        )
        extraction = self._commander.read(message)
        snapshot = taken(message, extraction, now=now)
        linker = Linker(self._store, self._roles)
        fitting = _fitting(extraction.candidates, old)
        if old.kind is Kind.NOTE and fitting is None:
            new = note(extraction, snapshot, linker, now=now)
        else:
            new = claim(
                fitting or _like(old, message.text),
                snapshot,
                linker,
                self._lexicon,
                importance=old.importance,
                now=now,
            )
        new = replace(
            new,
            readers=old.readers,
            sensitive=old.sensitive or new.sensitive or extraction.sensitive,
        )
        return snapshot, new, [AddSnapshot(snapshot), *linker.ops, AddFact(new)]

    def _speaker_of(self, fact: Fact) -> str:
        sources = self._store.evidence(fact.id)
        return sources[0].speaker if sources else fact.entity

    def _cut_out(self, fact: Fact) -> Sequence[Op]:
        """Cut a deleted fact's sentence out of its snapshots, where no other fact stands on it."""
        ops: list[Op] = []
        for snapshot in self._store.evidence(fact.id):
            others = [one for one in self._store.facts_stated_by(snapshot.id) if one.id != fact.id]
            ops += by_hand.redact(fact, snapshot, others)
        return ops

    def _fact(self, fact_id: str) -> Fact:
        fact = self._store.fact(fact_id)
        if fact is None or self._seen.fact(fact_id) is None:
            raise UnknownId(
                f"no fact {fact_id!r}",
                expected="a fact's id",
                next_step="see: graphmem facts --all",
            )
        return fact

    def _with_tier(self, fact: Fact, ops: Sequence[Op]) -> Sequence[Op]:
        """The operations, and the tier that the fact belongs to after them."""
        changed: dict[str, Any] = {}
        for op in ops:
            if isinstance(op, SetFact) and op.fact_id == fact.id:
                changed |= op.after
        tier = resting_tier(replace(fact, **changed), now=self._clock.now())
        if not ops or tier is fact.tier:
            return ops
        return [*ops, SetFact(fact.id, {"tier": fact.tier}, {"tier": tier})]

    def _conflicts_of(self, fact_id: str) -> tuple[Conflict, ...]:
        return self._store.conflicts(open_only=False, fact_id=fact_id)

    def _events_backwards(self) -> Iterator[Event]:
        for end in range(self._store.last_event(), 0, -PAGE):
            start = max(0, end - PAGE)
            yield from reversed(self._store.events(after=start, limit=end - start))

    def _write(self, kind: str, ops: Sequence[Op], **told: Any) -> Receipt:
        event = self._commander.carry_out(kind, ops)
        waiting = self._commander.open_conflicts()
        receipt = Receipt(
            event=event.n if event else None,
            stored=event is not None,
            open_conflicts=waiting,
            **told,
        )
        return receipt if self._reader is None else told_to(receipt, self._seen)


def _deleted(conflict: Conflict, decision: Decision) -> tuple[Fact, ...]:
    if decision is Decision.REPLACE_OLDER:
        return (conflict.old,)
    return (conflict.new,) if decision is Decision.DISCARD_NEWER else ()


def _fitting(candidates: Sequence[Candidate], old: Fact) -> Candidate | None:
    """The claim read in the new text that takes the old one's place."""
    if old.kind is Kind.NOTE:
        return candidates[0] if candidates else None
    ranked = [
        *(one for one in candidates if one.predicate == old.predicate and one.polarity == "+"),
        *(one for one in candidates if one.slot is not None and one.slot == old.slot),
    ]
    return ranked[0] if ranked else None


def _like(old: Fact, text: str) -> Candidate:
    """A claim of the old one's kind, with the whole text as its object."""
    return Candidate(
        entity=old.entity,
        predicate=old.predicate,
        object=text.strip(),
        polarity=old.polarity,
        text=text,
        span=(0, len(text)),
        rule=BY_HAND,
        confidence=SURE,
        slot=old.slot,
        importance=old.importance,
    )
