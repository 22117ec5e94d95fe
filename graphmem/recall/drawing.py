"""Lineage as text, Mermaid, DOT and plain values. The same facts give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphmem.model import Conflict, Fact, Snapshot, State
from graphmem.pictures.diagram import Diagram, Edge, Node, Tone
from graphmem.secrecy.masking import shown_object, shown_text, shown_words

if TYPE_CHECKING:
    from graphmem.recall.lineage import Stage

_LONGEST_LABEL = 80  # characters
Pairs = Sequence[tuple[str, str]]
_TONES: dict[State, Tone] = {State.CURRENT: "current", State.UNSURE: "unsure"}


def dates(fact: Fact, state: State) -> str:
    """The state and the times of a fact in a few words."""
    parts = [state.value, f"said {fact.said_at:%Y-%m-%d}"]
    for name, when in (
        ("from", fact.valid_from),
        ("until", fact.valid_to),
        ("on", fact.happens_at),
    ):
        if when is not None:
            parts.append(f"{name} {when}")
    return ", ".join(parts)


def stage_record(stage: Stage) -> dict[str, Any]:
    """A fact with its evidence as plain values."""
    fact = stage.fact
    return {
        "id": fact.id,
        "entity": fact.entity,
        "predicate": fact.predicate,
        "object": shown_object(fact),
        "polarity": fact.polarity,
        "text": shown_text(fact),
        "state": stage.state.value,
        "said_at": fact.said_at.isoformat(),
        "valid_from": _written(fact.valid_from),
        "valid_to": _written(fact.valid_to),
        "happens_at": _written(fact.happens_at),
        "evidence": [
            {
                "id": snapshot.id,
                "speaker": snapshot.speaker,
                "said_at": snapshot.said_at.isoformat(),
                "text": shown_words(snapshot),
                "source": snapshot.source,
                "conversation": snapshot.conversation,
            }
            for snapshot in stage.evidence
        ],
    }


def tree(stages: Sequence[Stage], replaced: Pairs, open_: Sequence[Conflict]) -> str:
    """Newest on top; under each what it replaced, and the sentences that said it."""
    by_id = {stage.fact.id: stage for stage in stages}
    older: dict[str, list[str]] = {}
    for old, new in replaced:
        older.setdefault(new, []).append(old)
    replaced_ids = {old for old, _ in replaced}
    rivals = {conflict.old.id: conflict.new.id for conflict in open_}
    lines: list[str] = []
    seen: set[str] = set()

    def draw(fact_id: str, indent: str) -> None:
        if fact_id in seen:  # a chain that comes back to an earlier fact
            return
        seen.add(fact_id)
        stage = by_id[fact_id]
        mark = " (may be replaced, open)" if fact_id in rivals else ""
        lines.append(
            f"{indent}{_flat(shown_text(stage.fact))} [{dates(stage.fact, stage.state)}]{mark}"
        )
        lines.extend(f"{indent}│  “{_flat(shown_words(s))}” {_said(s)}" for s in stage.evidence)
        for old in older.get(fact_id, ()):
            lines.append(f"{indent}└─ replaced:")
            draw(old, indent + "   ")

    for stage in reversed(stages):
        if stage.fact.id not in replaced_ids:
            draw(stage.fact.id, "")
    for stage in reversed(stages):
        draw(stage.fact.id, "")
    return "\n".join(lines)


def mermaid(stages: Sequence[Stage], replaced: Pairs, open_: Sequence[Conflict]) -> str:
    """A flowchart: facts, the snapshots that state them, replaced-by and open conflicts."""
    lines = ["flowchart LR"]
    for stage in stages:
        label = _safe(f"{shown_text(stage.fact)} ({dates(stage.fact, stage.state)})")
        lines.append(f'  {stage.fact.id}["{label}"]:::{stage.state.value}')
    lines += [
        f'  {snapshot.id}("{_safe(f"{snapshot.speaker}: {shown_words(snapshot)}")}"):::said'
        for snapshot in _snapshots(stages)
    ]
    lines += [f"  {s.id} -->|states| {stage.fact.id}" for stage in stages for s in stage.evidence]
    lines += [f"  {old} ==>|replaced by| {new}" for old, new in replaced]
    lines += [f"  {one.old.id} -.->|may be replaced by| {one.new.id}" for one in open_]
    lines += [
        "  classDef current stroke:#2a7,stroke-width:2px",
        "  classDef historical stroke:#999,stroke-dasharray:4",
    ]
    return "\n".join(lines)


def dot(stages: Sequence[Stage], replaced: Pairs, open_: Sequence[Conflict]) -> str:
    """The same for Graphviz."""
    lines = ["digraph lineage {", "  rankdir=LR;", "  node [fontname=sans];"]
    for stage in stages:
        label = _safe(f"{shown_text(stage.fact)} ({dates(stage.fact, stage.state)})")
        style = "solid" if stage.state is State.CURRENT else "dashed"
        lines.append(f'  "{stage.fact.id}" [shape=box, style={style}, label="{label}"];')
    for snapshot in _snapshots(stages):
        label = _safe(f"{snapshot.speaker}: {shown_words(snapshot)}")
        lines.append(f'  "{snapshot.id}" [shape=note, label="{label}"];')
    lines += [
        f'  "{s.id}" -> "{stage.fact.id}" [label="states"];'
        for stage in stages
        for s in stage.evidence
    ]
    lines += [f'  "{old}" -> "{new}" [label="replaced by", style=bold];' for old, new in replaced]
    lines += [
        f'  "{one.old.id}" -> "{one.new.id}" [label="may be replaced by", style=dotted];'
        for one in open_
    ]
    return "\n".join([*lines, "}"])


def diagram(stages: Sequence[Stage], replaced: Pairs, open_: Sequence[Conflict]) -> Diagram:
    """A chain of facts from the oldest to the newest, under each the sentences that said it."""
    nodes = [
        Node(
            id=stage.fact.id,
            label=f"{_flat(shown_text(stage.fact))} ({dates(stage.fact, stage.state)})",
            tone=_TONES.get(stage.state, "past"),
            told=f"{stage.fact.entity} {stage.fact.predicate} {_flat(shown_object(stage.fact))}",
        )
        for stage in stages
    ]
    edges = [Edge(start=old, end=new, label="replaced by") for old, new in replaced]
    edges += [
        Edge(start=one.old.id, end=one.new.id, label="may be replaced by", tone="unsure")
        for one in open_
    ]
    for stage in stages:
        for snapshot in stage.evidence:
            name = f"{stage.fact.id} {snapshot.id}"
            text = shown_words(snapshot)
            nodes.append(
                Node(
                    id=name,
                    label=f"“{_flat(text)}” {_said(snapshot)}",
                    tone="said",
                    told=snapshot.source,
                    under=stage.fact.id,
                )
            )
            edges.append(Edge(start=name, end=stage.fact.id, tone="said"))
    return Diagram(title="Lineage", nodes=tuple(nodes), edges=tuple(edges), layout="chain")


def _snapshots(stages: Sequence[Stage]) -> list[Snapshot]:
    found = {snapshot.id: snapshot for stage in stages for snapshot in stage.evidence}
    return sorted(found.values(), key=lambda snapshot: snapshot.n)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _safe(text: str) -> str:
    flat = _flat(text).replace("\\", "/").replace('"', "'")
    flat = flat.replace("<", "‹").replace(">", "›").replace("#", "＃")
    return flat if len(flat) <= _LONGEST_LABEL else flat[: _LONGEST_LABEL - 1] + "…"


def _said(snapshot: Snapshot) -> str:
    return f"({snapshot.speaker}, {snapshot.said_at:%Y-%m-%d})"


def _written(when: object) -> str | None:
    return None if when is None else str(when)
