"""Where the boxes of a diagram stand: sizes in units (a font of 13), positions of their centres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import cos, pi, sin

from graphmem.pictures.diagram import Diagram, Node
from graphmem.pictures.lines import broken, width

FONT = 13.0
LINE = 17.0
WIDEST = 22.0  # em of a line
_PAD = 12.0
_GAP = 34.0
_COLUMN = 130.0  # between two columns of a chain: room for the arrow's label
_SMALL = 60  # boxes up to which the slower, clearer layout is taken


@dataclass(frozen=True, slots=True)
class Box:
    """A node in its place: centre, size, lines of text."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """All boxes, and the size of the sheet."""

    boxes: Mapping[str, Box]
    width: float
    height: float


def placed(diagram: Diagram) -> Placed:
    """The boxes of a diagram in their places; none overlap."""
    sized = {node.id: _sized(node) for node in diagram.nodes}
    if not sized:
        return Placed({}, 2 * _GAP, 2 * _GAP)
    centres = _chain(diagram, sized) if diagram.layout == "chain" else _spread(diagram, sized)
    left = min(x - sized[name].width / 2 for name, (x, _) in centres.items()) - _GAP
    top = min(y - sized[name].height / 2 for name, (_, y) in centres.items()) - _GAP
    boxes = {
        name: Box(box.node, _round(x - left), _round(y - top), box.width, box.height, box.lines)
        for name, box in sized.items()
        for x, y in [centres[name]]
    }
    right = max(box.x + box.width / 2 for box in boxes.values()) + _GAP
    bottom = max(box.y + box.height / 2 for box in boxes.values()) + _GAP
    return Placed(boxes, _round(right), _round(bottom))


def _sized(node: Node) -> Box:
    lines = tuple(broken(node.label, WIDEST))
    wide = max(map(width, lines), default=1.0) * FONT + 2 * _PAD
    return Box(node, 0, 0, _round(max(48.0, wide)), len(lines) * LINE + 2 * _PAD, lines)


def _round(value: float) -> float:
    return round(value, 1)


def _chain(diagram: Diagram, sized: Mapping[str, Box]) -> dict[str, tuple[float, float]]:
    """Columns from the oldest to the newest; what stands under a box in the box's column."""
    columns = _columns(diagram)
    centres: dict[str, tuple[float, float]] = {}
    x = 0.0
    below = {node.under: [] for node in diagram.nodes if node.under}  # type: dict[str, list[str]]
    for node in diagram.nodes:
        if node.under:
            below[node.under].append(node.id)
    for column in columns:
        members = [name for top in column for name in (top, *below.get(top, ()))]
        wide = max(sized[name].width for name in members)
        y = 0.0
        for name in members:
            centres[name] = (x + wide / 2, y + sized[name].height / 2)
            y += sized[name].height + _GAP
        x += wide + _COLUMN
    return centres


def _columns(diagram: Diagram) -> list[list[str]]:
    import networkx as nx  # noqa: PLC0415 - only while drawing

    tops = [node.id for node in diagram.nodes if not node.under]
    graph = nx.DiGraph()
    graph.add_nodes_from(tops)
    graph.add_edges_from(
        (edge.start, edge.end)
        for edge in diagram.edges
        if edge.start in graph and edge.end in graph and edge.start != edge.end
    )
    if not nx.is_directed_acyclic_graph(graph):
        return [[name] for name in tops]
    place = {name: number for number, name in enumerate(tops)}
    return [
        sorted(generation, key=place.__getitem__)
        for generation in nx.topological_generations(graph)
    ]


def _spread(diagram: Diagram, sized: Mapping[str, Box]) -> dict[str, tuple[float, float]]:
    import networkx as nx  # noqa: PLC0415 - only while drawing

    graph = nx.Graph()
    graph.add_nodes_from(node.id for node in diagram.nodes)
    graph.add_edges_from((edge.start, edge.end) for edge in diagram.edges)
    if len(graph) <= 1:
        return dict.fromkeys(graph, (0.0, 0.0))
    centre = next((node.id for node in diagram.nodes if node.centre), None)
    if (
        centre is not None
        and all(centre in ends for ends in graph.edges)
        and nx.is_connected(graph)
    ):
        found = _ring(centre, [name for name in graph if name != centre])
    elif len(graph) <= _SMALL and nx.is_connected(graph):
        found = nx.kamada_kawai_layout(graph)
    else:
        found = nx.spring_layout(graph, seed=7, iterations=80, method="force")
    unit = {name: (round(float(x), 4), round(float(y), 4)) for name, (x, y) in found.items()}
    scale = max(
        (
            _needed(sized[one], sized[two], unit[one], unit[two])
            for one, two in combinations(unit, 2)
        ),
        default=1.0,
    )
    return {name: (x * scale, y * scale) for name, (x, y) in unit.items()}


def _ring(centre: str, others: list[str]) -> dict[str, tuple[float, float]]:
    """One in the middle, the others around it, so that no arrow runs through a box."""
    turn = 2 * pi / max(1, len(others))
    around = {
        name: (1.4 * cos(turn * place), sin(turn * place)) for place, name in enumerate(others)
    }
    return {centre: (0.0, 0.0), **around}


def _needed(one: Box, two: Box, at_one: tuple[float, float], at_two: tuple[float, float]) -> float:
    """The scale from which these two boxes do not overlap; nearly equal places count as a little apart."""
    across = max(abs(at_one[0] - at_two[0]), 0.02)
    down = max(abs(at_one[1] - at_two[1]), 0.02)
    return min(
        ((one.width + two.width) / 2 + _GAP) / across, ((one.height + two.height) / 2 + _GAP) / down
    )
