"""From a fact back to the sentences that said it, and along replaced-by both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem import words
from graphmem.model import Conflict, Entity, Fact, Snapshot, State
from graphmem.pictures.diagram import Diagram
from graphmem.protocols import GraphStore
from graphmem.readers.allowed import may_read
from graphmem.recall import drawing
from graphmem.recall.standing import state_at
from graphmem.secrecy.masking import shown_text

_LABELS = {State.CURRENT: "Current", State.UNSURE: "Unsure"}
_PRESENT = frozenset(_LABELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A fact, how it stood (at `as_of`, else now), and the sentences that said it, oldest first."""

    fact: Fact
    state: State
    evidence: tuple[Snapshot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """How a topic of an entity went: `stages` oldest first."""

    entity: Entity
    topic: str
    stages: tuple[Stage, ...] = ()

    @property
    def current(self) -> tuple[Stage, ...]:
        """What holds, and what may be outdated but still stands."""
        return tuple(stage for stage in self.stages if stage.state in _PRESENT)

    @property
    def previous(self) -> tuple[Stage, ...]:
        """What was, newest first."""
        return tuple(stage for stage in reversed(self.stages) if stage.state not in _PRESENT)

    def text(self) -> str:
        """ "Current: ...", "Unsure: ..." and "Previously: ..." lines, newest first."""
        lines = [f"{_LABELS[stage.state]}: {_line(stage)}" for stage in reversed(self.current)]
        lines += [f"Previously: {_line(stage)}" for stage in self.previous]
        return (
            "\n".join(dict.fromkeys(lines))  # several facts may stand in one sentence
            or f"nothing is known about {self.entity.name} {self.topic}".rstrip()
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "entity": self.entity.name,
            "topic": self.topic,
            "stages": [drawing.stage_record(stage) for stage in self.stages],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Facts with where they came from: `stages` oldest first, `replaced` pairs of fact ids (old, new),
    `open` conflicts between them.
    """

    stages: tuple[Stage, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    open: tuple[Conflict, ...] = ()

    def tree(self) -> str:
        """Text: newest on top, what it replaced under it, each with its sentences."""
        return drawing.tree(self.stages, self.replaced, self.open)

    def mermaid(self) -> str:
        """A Mermaid flowchart."""
        return drawing.mermaid(self.stages, self.replaced, self.open)

    def dot(self) -> str:
        """A Graphviz digraph."""
        return drawing.dot(self.stages, self.replaced, self.open)

    def diagram(self) -> Diagram:
        """Boxes and arrows; `svg`, `png` and `html` draw it, without any program beside."""
        return drawing.diagram(self.stages, self.replaced, self.open)

    def as_json(self) -> dict[str, Any]:
        """Plain values: facts with their evidence, and edges."""
        return {
            "facts": [drawing.stage_record(stage) for stage in self.stages],
            "replaced_by": [{"old": old, "new": new} for old, new in self.replaced],
            "may_replace": [
                {"old": one.old.id, "new": one.new.id, "reason": one.reason} for one in self.open
            ],
        }


def history_of(
    store: GraphStore,
    entity: Entity,
    topic: str | None = None,
    *,
    as_of: datetime | None = None,
    reader: str | None = None,
) -> History:
    """The history of an entity's topic: a slot, a predicate, or a word that occurs in the facts (None: all)."""
    facts = _of_topic(store, entity, topic)
    stages = [
        Stage(
            fact=fact,
            state=state,
            evidence=tuple(s for s in store.evidence(fact.id) if may_read(reader, s.readers)),
        )
        for fact in facts
        if may_read(reader, fact.readers) and (state := _standing(store, fact, as_of)) is not None
    ]
    return History(
        entity=entity, topic=topic or "", stages=tuple(sorted(stages, key=_when_it_began))
    )


def lineage_of(
    store: GraphStore,
    facts: Sequence[Fact],
    *,
    as_of: datetime | None = None,
    reader: str | None = None,
) -> Lineage:
    """Everything that replaced these facts or was replaced by them, with evidence and open conflicts."""
    whole: dict[str, Fact] = {}
    waiting = list(facts)
    while waiting:
        fact = waiting.pop()
        if fact.id in whole:
            continue
        whole[fact.id] = fact
        waiting += [*store.predecessors(fact.id), *store.successors(fact.id)]
    stages = [
        Stage(
            fact=fact,
            state=state,
            evidence=tuple(s for s in store.evidence(fact.id) if may_read(reader, s.readers)),
        )
        for fact in whole.values()
        if may_read(reader, fact.readers) and (state := _standing(store, fact, as_of)) is not None
    ]
    shown = {stage.fact.id for stage in stages}
    pairs = sorted(
        (stage.fact.id, heirs[0].id)
        for stage in stages
        if (heirs := store.successors(stage.fact.id)) and heirs[0].id in shown
    )
    return Lineage(
        stages=tuple(sorted(stages, key=_when_it_began)),
        replaced=tuple(pairs),
        open=_open_among(store, shown),
    )


def _open_among(store: GraphStore, shown: set[str]) -> tuple[Conflict, ...]:
    found = {
        conflict.id: conflict
        for fact_id in sorted(shown)
        for conflict in store.conflicts(fact_id=fact_id)
        if {conflict.old.id, conflict.new.id} <= shown
    }
    return tuple(found.values())


def _of_topic(store: GraphStore, entity: Entity, topic: str | None) -> list[Fact]:
    if topic is None:
        return list(store.facts_of(entity.id))
    by_slot = store.facts_of(entity.id, slot=topic)
    if by_slot:
        return list(by_slot)
    by_predicate = store.facts_of(entity.id, predicate=topic)
    if by_predicate:
        return list(by_predicate)
    wanted = words.key(topic)
    return [
        fact
        for fact in store.facts_of(entity.id)
        if wanted in words.key(f"{fact.predicate} {fact.object} {fact.text}")
    ]


def _standing(store: GraphStore, fact: Fact, as_of: datetime | None) -> State | None:
    return fact.state if as_of is None else state_at(store, fact, as_of)


def _when_it_began(stage: Stage) -> tuple[datetime, int]:
    fact = stage.fact
    return (fact.valid_from.start if fact.valid_from else fact.said_at, fact.n)


def _line(stage: Stage) -> str:
    return f"{' '.join(shown_text(stage.fact).split())} ({drawing.dates(stage.fact, stage.state)})"
