"""What stands around an entity: the entities that facts connect it with, some steps far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from graphmem.model import Entity, Fact, State
from graphmem.pictures.diagram import Diagram, Edge, Node, Tone
from graphmem.plain import MASK
from graphmem.protocols import GraphStore
from graphmem.readers.allowed import may_read

MOST_FACTS = 1000  # of one entity
_EDGE_TONES: dict[State, Tone] = {State.CURRENT: "current", State.UNSURE: "unsure"}
_NODE_TONES: dict[str, Tone] = {"person": "person", "animal": "person", "place": "place"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The entities around `centre`, nearest first, and the facts between them. `left_out` counts
    entities that had no room any more.
    """

    centre: Entity
    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    left_out: int = 0

    def diagram(self) -> Diagram:
        """Boxes and arrows; `svg`, `png`, `html`, `dot` and `mermaid` draw it."""
        shown = {one.id for one in self.entities}
        grouped: dict[tuple[str, str, Tone], list[str]] = {}
        for fact in self.facts:
            if fact.object_id in shown and fact.object_id != fact.entity_id:
                tone = _EDGE_TONES.get(fact.state, "past")
                label = ("not " if fact.polarity == "-" else "") + fact.predicate.replace("_", " ")
                labels = grouped.setdefault((fact.entity_id, fact.object_id, tone), [])
                if label not in labels:
                    labels.append(label)
        hidden = {fact.object_id for fact in self.facts if fact.sensitive}
        return Diagram(
            title=f"Around {self.centre.name}",
            nodes=tuple(
                Node(
                    id=one.id,
                    label=MASK if one.id in hidden else one.name,
                    tone=_NODE_TONES.get(one.kind, "thing"),
                    told=", ".join((one.kind, *one.aliases)),
                    centre=one.id == self.centre.id,
                )
                for one in self.entities
            ),
            edges=tuple(
                Edge(start=start, end=end, label=", ".join(labels), tone=tone)
                for (start, end, tone), labels in grouped.items()
            ),
        )

    def tree(self) -> str:
        """Text: each entity with the facts that lead away from it, nearest first."""
        diagram = self.diagram()
        names = {node.id: node.label for node in diagram.nodes}
        lines = []
        for node in diagram.nodes:
            leading = [edge for edge in diagram.edges if edge.start == node.id]
            if leading or node.centre:
                lines.append(node.label)
            for place, edge in enumerate(leading, 1):
                mark = "└─" if place == len(leading) else "├─"
                state = "" if edge.tone == "current" else f"  [{edge.tone}]"
                lines.append(f"{mark} {edge.label} → {names[edge.end]}{state}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "centre": self.centre.id,
            "entities": [
                {"id": one.id, "name": node.label, "kind": one.kind}
                for one, node in zip(self.entities, self.diagram().nodes, strict=True)
            ],
            "facts": [
                {
                    "id": fact.id,
                    "entity": fact.entity_id,
                    "predicate": fact.predicate,
                    "object": fact.object_id,
                    "polarity": fact.polarity,
                    "state": fact.state.value,
                }
                for fact in self.facts
            ],
            "left_out": self.left_out,
        }


def around(
    store: GraphStore,
    centre: Entity,
    *,
    depth: int,
    limit: int,
    states: frozenset[State] | None,
    stand: Callable[[Fact], Fact],
    reader: str | None = None,
) -> Surroundings:
    """At most `limit` entities at most `depth` facts away, by facts that the reader may see.

    `states` None takes facts in any; `stand` gives a fact as it stands now.
    """
    near = {centre.id: centre}
    facts: dict[str, Fact] = {}
    left_out: set[str] = set()
    edge = [centre.id]
    for _ in range(depth):
        further: list[str] = []
        for entity_id in edge:
            for fact in _facts_at(store, entity_id):
                standing = stand(fact)
                if not may_read(reader, fact.readers) or not fact.object_id:
                    continue
                if states is not None and standing.state not in states:
                    continue
                other = fact.object_id if fact.entity_id == entity_id else fact.entity_id
                if other not in near:
                    found = store.entity(other)
                    if found is None or len(near) >= limit:
                        left_out.add(other)
                        continue
                    near[other] = found
                    further.append(other)
                facts[fact.id] = standing
        if not further:
            break
        edge = further
    return Surroundings(
        centre=centre,
        entities=tuple(near.values()),
        facts=tuple(sorted(facts.values(), key=lambda fact: fact.n)),
        left_out=len(left_out),
    )


def _facts_at(store: GraphStore, entity_id: str) -> Iterator[Fact]:
    yield from store.facts_of(entity_id, limit=MOST_FACTS)
    yield from store.facts_with_object(entity_id, limit=MOST_FACTS)
