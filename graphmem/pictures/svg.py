"""A diagram as SVG: plain shapes and text, readable on light and dark ground, no font named but the reader's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from graphmem.pictures.diagram import Diagram, Edge, Tone
from graphmem.pictures.layout import FONT, LINE, Box, Placed, placed
from graphmem.pictures.lines import width

# (ground, line, text) of a box
COLOURS: dict[Tone, tuple[str, str, str]] = {
    "current": ("#e3f4ea", "#1f7a4d", "#12351f"),
    "unsure": ("#fdf1d3", "#a86b00", "#4a3000"),
    "past": ("#eceff3", "#7a8594", "#39424e"),
    "said": ("#ffffff", "#b9c2cc", "#39424e"),
    "person": ("#e4edfb", "#2b5fab", "#14284a"),
    "place": ("#e3f4ea", "#1f7a4d", "#12351f"),
    "thing": ("#f4edfa", "#7a4fa3", "#3a2352"),
}
_FAMILY = "system-ui, 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"


def drawn(diagram: Diagram, *, style: str = "") -> str:
    """The diagram as one SVG document; `style` is CSS to put in."""
    sheet = placed(diagram)
    title = escape(diagram.title)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {sheet.width:g} {sheet.height:g}" '
            f'width="{sheet.width:g}" height="{sheet.height:g}" role="img" aria-label="{title}" '
            f'font-family="{_FAMILY}" font-size="{FONT:g}">'
        ),
        f"<title>{title}</title>",
        f"<style>{style}</style>" if style else "",
        (
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="#5b6673"/></marker></defs>'
        ),
        f'<rect class="ground" width="{sheet.width:g}" height="{sheet.height:g}" fill="#ffffff"/>',
    ]
    parts += [_arrow(edge, sheet) for edge in diagram.edges]
    parts += [_label(x, y, text) for x, y, text in labels(diagram, sheet)]
    parts += [_box(box) for box in sheet.boxes.values()]
    return "\n".join([*filter(None, parts), "</svg>\n"])


def ends(edge: Edge, sheet: Placed) -> tuple[float, float, float, float]:
    """Where an arrow leaves one box and meets the other."""
    one, two = sheet.boxes[edge.start], sheet.boxes[edge.end]
    start = _border(one, two.x, two.y)
    end = _border(two, one.x, one.y)
    return (*start, *end)


def _border(box: Box, x: float, y: float) -> tuple[float, float]:
    """Where the line from the middle of a box to a point leaves it."""
    across, down = x - box.x, y - box.y
    if not across and not down:
        return box.x, box.y
    shares = [size / 2 / abs(far) for size, far in ((box.width, across), (box.height, down)) if far]
    share = min(1.0, *shares) if len(shares) > 1 else min(1.0, shares[0])
    return round(box.x + across * share, 1), round(box.y + down * share, 1)


def labels(diagram: Diagram, sheet: Placed) -> Iterator[tuple[float, float, str]]:
    """(x, y, text) of what stands beside the arrows: towards their heads, where they are further apart;
    those of one pair of boxes below each other.
    """
    seen: Counter[frozenset[str]] = Counter()
    shares = (0.5,) if diagram.layout == "chain" else (0.64, 0.5, 0.78, 0.38)
    for edge in diagram.edges:
        if edge.label:
            x1, y1, x2, y2 = ends(edge, sheet)
            pair = frozenset((edge.start, edge.end))
            lower = 13 * seen[pair] - 4
            seen[pair] += 1
            places = [(x1 + (x2 - x1) * share, y1 + (y2 - y1) * share) for share in shares]
            x, y = next((one for one in places if _free(*one, edge, sheet)), places[0])
            yield round(x, 1), round(y + lower, 1), edge.label


def _free(x: float, y: float, edge: Edge, sheet: Placed) -> bool:
    """Whether a label there lies on no box."""
    half = width(edge.label) * FONT / 2
    return not any(
        abs(box.x - x) < box.width / 2 + half and abs(box.y - y) < box.height / 2 + FONT
        for box in sheet.boxes.values()
    )


def _arrow(edge: Edge, sheet: Placed) -> str:
    x1, y1, x2, y2 = ends(edge, sheet)
    dash = ' stroke-dasharray="5 4"' if edge.tone in {"past", "unsure"} else ""
    colour = COLOURS[edge.tone][1]
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" '
        f'stroke-width="1.4"{dash} marker-end="url(#tip)"/>'
    )


def _label(x: float, y: float, text: str) -> str:
    return (
        f'<text class="label" x="{x:g}" y="{y:g}" text-anchor="middle" font-size="11" '
        f'fill="#4a5460" stroke="#ffffff" stroke-width="3" paint-order="stroke">{escape(text)}</text>'
    )


def _box(box: Box) -> str:
    ground, line, ink = COLOURS[box.node.tone]
    left, top = box.x - box.width / 2, box.y - box.height / 2
    first = box.y - (len(box.lines) - 1) * LINE / 2 + FONT * 0.35
    dash = ' stroke-dasharray="5 4"' if box.node.tone in {"past", "unsure"} else ""
    lines = "".join(
        f'<tspan x="{box.x:g}" y="{first + number * LINE:g}">{escape(text)}</tspan>'
        for number, text in enumerate(box.lines)
    )
    tip = f"<title>{escape(box.node.told)}</title>" if box.node.told else ""
    weight = 2.4 if box.node.centre else 1.3
    return (
        f'<g class="node {box.node.tone}">{tip}<rect x="{left:g}" y="{top:g}" width="{box.width:g}" '
        f'height="{box.height:g}" rx="7" fill="{ground}" stroke="{line}" stroke-width="{weight}"{dash}/>'
        f'<text text-anchor="middle" fill="{ink}">{lines}</text></g>'
    )
