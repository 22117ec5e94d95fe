"""Which older facts a new one puts in doubt or replaces: nomination, the verdict by rules, and the optional
model check over it (R3.2 to R3.5). Reads the memory, writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from graphmem.lexicon import Lexicon
from graphmem.lifecycle import by_hand
from graphmem.lifecycle.judge import Outcome
from graphmem.lifecycle.nominate import is_single, nominate
from graphmem.lifecycle.review import conflict_id, open_conflict
from graphmem.lifecycle.verdict import verdict
from graphmem.model import Conflict, Fact, Kind, Relation, State
from graphmem.plan import Op
from graphmem.protocols import GraphStore
from graphmem.remember.judging import JudgeStep
from graphmem.remember.older import LIVE, Gatherer
from graphmem.secrecy.masking import shown_text

MOST_CONFLICTS = 4
_STANDING = frozenset({"takes_medicine", "has_pet"})  # of these too the newest word is what holds


@dataclass(slots=True)
class Doubts:
    """What new facts do to older ones. `learnt` are the new facts, some of them given a slot."""

    learnt: list[Fact]
    conflicts: list[Conflict] = field(default_factory=list)
    replaced: list[tuple[Fact, Fact]] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Pair:
    """An older fact, and how the new one stands to it."""

    old: Fact
    act: Literal["replace", "review", "nothing"]
    relation: Relation
    reason: str
    cue: str

    def judged(self, outcome: Outcome) -> _Pair:
        """The pair as a model sees it."""
        return replace(self, act=outcome.act, relation=outcome.relation, reason=outcome.reason)


@dataclass(frozen=True, slots=True)
class _Judged:
    pairs: list[_Pair]
    remarks: tuple[str, ...] = ()


class Doubter:
    """Sets new facts against older ones. Without a judge the rules decide, and retire nothing."""

    def __init__(
        self, store: GraphStore, gatherer: Gatherer, lexicon: Lexicon, judge: JudgeStep | None
    ) -> None:
        self._store = store
        self._gatherer = gatherer
        self._lexicon = lexicon
        self._judge = judge

    def doubts(
        self,
        learnt: Sequence[Fact],
        olds: Mapping[str, Mapping[str, Fact]],
        similar: Mapping[str, float],
        *,
        sparing: Collection[str],
        now: datetime,
        clear_only: bool = False,
    ) -> Doubts:
        """`olds` holds per new fact (by id) the older ones by id, `sparing` the ids of those that the
        message confirms. `clear_only`: only what the wording clearly says to have changed.
        """
        found = Doubts(list(learnt))
        settled = set(sparing)
        begun = self._judge.begin() if self._judge is not None else 0.0
        for place, fact in enumerate(found.learnt):
            if fact.state not in LIVE:
                continue
            pairs = self._nominated(fact, olds[fact.id], similar, settled, clear_only=clear_only)
            if self._judge is not None:
                judged = self._judged(self._judge, fact, pairs, begun=begun, now=now)
                pairs = judged.pairs
                found.remarks += [each for each in judged.remarks if each not in found.remarks]
            for pair in pairs:
                if pair.act == "nothing":
                    continue
                if len(found.conflicts) >= MOST_CONFLICTS:
                    return found
                settled.add(pair.old.id)
                if fact.kind is Kind.NOTE and fact.slot is None:
                    # a statement that speaks of what a slot holds is a statement about that slot
                    fact = found.learnt[place] = self._speaking_of(fact, pair.old)  # noqa: PLW2901
                self._act(pair, fact, found, now)
        return found

    def _nominated(
        self,
        fact: Fact,
        olds: Mapping[str, Fact],
        similar: Mapping[str, float],
        settled: Collection[str],
        *,
        clear_only: bool,
    ) -> list[_Pair]:
        pairs = []
        for nomination in nominate(
            fact,
            [old for old in olds.values() if old.id not in settled],
            lexicon=self._lexicon,
            similar=similar,
            same_topic=self._gatherer.same_topic,
            clear_only=clear_only,
        ):
            found = verdict(fact, nomination.old, nomination, lexicon=self._lexicon)
            if found.review and not self._doubted_by(nomination.old, olds):
                pairs.append(
                    _Pair(nomination.old, "review", found.relation, found.reason, found.cue)
                )
        return pairs

    def _judged(
        self, judge: JudgeStep, fact: Fact, pairs: list[_Pair], *, begun: float, now: datetime
    ) -> _Judged:
        """The pairs as the judge sees them; what is sensitive is never put to it."""
        asked = [] if fact.sensitive else [pair for pair in pairs if not pair.old.sensitive]
        if not asked:
            return _Judged(pairs)
        answer = judge.ask(fact, [pair.old for pair in asked], begun=begun, now=now)
        if answer.outcomes is None:
            return _Judged(pairs, (answer.remark,))
        seen = {
            pair.old.id: pair.judged(outcome)
            for pair, outcome in zip(asked, answer.outcomes, strict=True)
        }
        return _Judged([seen.get(pair.old.id, pair) for pair in pairs])

    def _act(self, pair: _Pair, fact: Fact, found: Doubts, now: datetime) -> None:
        old = pair.old
        if pair.act == "replace":
            known = self._store.conflicts(open_only=False, fact_id=old.id)
            found.ops += by_hand.update(old, fact, now=now, conflicts=known)
            gone = replace(old, state=State.HISTORICAL, replaced_by=fact.id)
            found.replaced.append((gone, fact))
            found.remarks.append(f"{pair.reason}: {shown_text(old)!r} is history")
            return
        found.ops += open_conflict(
            old, fact, relation=pair.relation, reason=pair.reason, cue=pair.cue, now=now
        )
        found.conflicts.append(
            Conflict(
                id=conflict_id(old.id, fact.id),
                old=replace(old, state=State.UNSURE),
                new=fact,
                relation=pair.relation,
                reason=pair.reason,
                cue=pair.cue,
                opened_at=now,
            )
        )

    def _doubted_by(self, old: Fact, olds: Mapping[str, Fact]) -> bool:
        """True where an open conflict already sets a newer one of `olds` against `old`: the new fact is
        held against that newer one alone, so that a row of changes asks one question each.
        """
        return old.state is State.UNSURE and any(
            one.old.id == old.id and one.new.id in olds
            for one in self._store.conflicts(fact_id=old.id)
        )

    def _speaking_of(self, statement: Fact, old: Fact) -> Fact:
        """The statement as one about what the older claim says: it stands where that stood, and is
        about whom that was about (her flat is not mine).
        """
        stands = old.predicate in _STANDING or is_single(old.predicate, self._lexicon)
        return replace(
            statement,
            entity=old.entity,
            entity_id=old.entity_id,
            slot=old.slot,
            predicate=old.predicate if stands else statement.predicate,
        )
