"""Spoken orders carried out (R3.4): "move the dentist to Friday", 把明天的会议取消. The owner's own decision, at once,
reversible by undo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from graphmem.identity import digest
from graphmem.lexicon import Lexicon
from graphmem.lifecycle.by_hand import update
from graphmem.lifecycle.commands import Command, command, may_command
from graphmem.model import Fact, Kind, Snapshot, State
from graphmem.plan import Op
from graphmem.protocols import GraphStore, TimeGrammar
from graphmem.readers.allowed import meet
from graphmem.remember.older import LIVE

LATELY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Obeyed:
    """What an order changes: the facts that stand now, and the operations that retire the old ones."""

    facts: tuple[Fact, ...]
    pairs: tuple[tuple[Fact, Fact], ...]
    ops: tuple[Op, ...]


class Orders:
    """Recognises an order in a statement and works out what it changes."""

    def __init__(self, store: GraphStore, lexicon: Lexicon, times: TimeGrammar) -> None:
        self._store = store
        self._lexicon = lexicon
        self._times = times

    def read(self, snapshot: Snapshot, around: Callable[[], Iterable[Fact]]) -> Command | None:
        """The order that a statement gives about one of the scheduled facts around it, or None; they are
        only looked up where it may be one.
        """
        text, language = snapshot.text, snapshot.language
        spans = self._times.find(text, said_at=snapshot.said_at, language=language)
        if not may_command(text, language=language, lexicon=self._lexicon, spans=spans):
            return None
        scheduled = [
            # an old chat read in today: what has lapsed since was still ahead when this was said
            replace(fact, state=State.CURRENT) if fact.state is State.EXPIRED else fact
            for fact in around()
            if fact.happens_at is not None
            and fact.state in LIVE
            and fact.happens_at.end > snapshot.said_at - LATELY
        ]
        return command(
            text,
            sorted(scheduled, key=lambda fact: (fact.said_at, fact.n)),
            language=language,
            lexicon=self._lexicon,
            spans=spans,
        )

    def obey(self, order: Command, facts: Sequence[Fact], kept: Fact, *, now: datetime) -> Obeyed:
        """What an order changes.

        `facts` is what was read in the statement, `kept` the statement as a note. A cancellation is
        followed by the note; a new time by the dated claim of the statement, else by the old fact told
        anew with its new time. What else the statement says stands beside it.
        """
        olds = self._told_together(order.fact)
        successor = _successor(order, facts, kept)
        beside = [fact for fact in facts if fact.kind is Kind.CLAIM and fact.happens_at is None]
        return Obeyed(
            facts=(successor, *(fact for fact in beside if fact.id != successor.id)),
            pairs=tuple((old, successor) for old in olds),
            ops=tuple(op for old in olds for op in self._retired(old, successor, now)),
        )

    def _retired(self, old: Fact, successor: Fact, now: datetime) -> tuple[Op, ...]:
        """What makes the old one history; the open doubts about it are answered by the order."""
        known = self._store.conflicts(open_only=False, fact_id=old.id)
        return update(old, successor, now=now, conflicts=known)

    def _told_together(self, fact: Fact) -> tuple[Fact, ...]:
        """The fact, and what else the same statement said of the same time."""
        siblings = [
            other
            for source in fact.sources
            for other in self._store.facts_stated_by(source)
            if other.happens_at == fact.happens_at and other.state in LIVE
        ]
        return tuple({one.id: one for one in (fact, *siblings)}.values())


def _successor(order: Command, facts: Sequence[Fact], kept: Fact) -> Fact:
    if order.order == "cancel" or order.when is None:
        return kept
    fitting = [fact for fact in facts if fact.happens_at == order.when]
    named = [fact for fact in fitting if fact.entity_id == order.fact.entity_id]
    return next(iter(named or fitting), None) or _anew(order, kept)


def _anew(order: Command, said: Fact) -> Fact:
    """The old fact with its new time, stated by the new statement."""
    old = order.fact
    return replace(
        old,
        id=digest("f", old.id, said.sources[0]),
        n=0,
        object=str(order.when) if old.predicate == "scheduled_at" else old.object,
        object_id="" if old.predicate == "scheduled_at" else old.object_id,
        text=said.text,
        language=said.language,
        happens_at=order.when,
        expires_at=order.when,
        said_at=said.said_at,
        recorded_at=said.recorded_at,
        confirmed_at=None,
        retired_at=None,
        replaced_by=None,
        state=said.state,
        sources=said.sources,
        readers=meet(old.readers, said.readers),
    )
