"""A diagram before it is drawn: boxes, arrows, and how each is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Tone = Literal["current", "unsure", "past", "said", "person", "place", "thing"]
Layout = Literal["chain", "spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A box. `under` names the box below which it stands in a chain; `told` is the text of its tip."""

    id: str
    label: str
    tone: Tone = "thing"
    told: str = ""
    under: str = ""
    centre: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An arrow from box to box."""

    start: str
    end: str
    label: str = ""
    tone: Tone = "current"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """Boxes and arrows. A "chain" runs from left to right, oldest first; "spread" lets them find their places."""

    title: str
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    layout: Layout = "spread"

    def svg(self) -> str:
        """A drawing as SVG, which needs nothing else. The same diagram gives the same text."""
        from graphmem.pictures.svg import drawn  # noqa: PLC0415 - loads networkx

        return drawn(self)

    def html(self) -> str:
        """The same as a page of its own that can be moved, enlarged and searched; it asks nobody anything."""
        from graphmem.pictures.html import page  # noqa: PLC0415

        return page(self)

    def png(self, *, scale: float = 2.0) -> bytes:
        """The same as PNG, `scale` pixels a unit. Warns MissingGlyphs where no font has its characters.

        Raises ExtensionMissing without matplotlib.
        """
        from graphmem.pictures.png import painted  # noqa: PLC0415 - loads matplotlib

        return painted(self, scale=scale)

    def mermaid(self) -> str:
        """A Mermaid flowchart."""
        number = {node.id: f"n{place}" for place, node in enumerate(self.nodes)}
        lines = ["flowchart LR"]
        lines += [f'  {number[node.id]}["{_quoted(node.label)}"]' for node in self.nodes]
        lines += [
            f"  {number[edge.start]} {'-->' if edge.tone == 'current' else '-.->'}"
            f'|"{_quoted(edge.label)}"| {number[edge.end]}'
            for edge in self.edges
        ]
        return "\n".join(lines)

    def dot(self) -> str:
        """A Graphviz digraph."""
        lines = ["digraph memory {", "  node [shape=box, fontname=sans];"]
        lines += [f'  "{_quoted(node.id)}" [label="{_quoted(node.label)}"];' for node in self.nodes]
        lines += [
            f'  "{_quoted(edge.start)}" -> "{_quoted(edge.end)}" [label="{_quoted(edge.label)}", '
            f"style={'solid' if edge.tone == 'current' else 'dashed'}];"
            for edge in self.edges
        ]
        return "\n".join([*lines, "}"])

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "title": self.title,
            "nodes": [
                {"id": node.id, "label": node.label, "tone": node.tone, "told": node.told}
                for node in self.nodes
            ],
            "edges": [
                {"start": edge.start, "end": edge.end, "label": edge.label, "tone": edge.tone}
                for edge in self.edges
            ],
        }


def _quoted(text: str) -> str:
    flat = " ".join(text.split()).replace("\\", "/").replace('"', "'")
    return flat.replace("<", "‹").replace(">", "›").replace("#", "＃")
