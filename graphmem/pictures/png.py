"""A diagram as PNG, by matplotlib: the same places and colours as the SVG."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import Any

from graphmem.pictures.diagram import Diagram
from graphmem.pictures.fonts import families, need_matplotlib
from graphmem.pictures.layout import FONT, LINE, Box, placed
from graphmem.pictures.svg import COLOURS, ends, labels

_POINT = 0.72  # points a unit, at 100 dots an inch
_LARGEST = 20_000.0  # pixels a side


def painted(diagram: Diagram, *, scale: float) -> bytes:
    """The picture's bytes. Raises ExtensionMissing without matplotlib; warns MissingGlyphs."""
    sheet = placed(diagram)
    texts = [text for box in sheet.boxes.values() for text in box.lines]
    figure = canvas(
        sheet.width, sheet.height, scale, [*texts, *(edge.label for edge in diagram.edges)]
    )
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 - an extra

    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, sheet.width)
    axes.set_ylim(sheet.height, 0)
    axes.axis("off")
    for edge in diagram.edges:
        x1, y1, x2, y2 = ends(edge, sheet)
        colour = COLOURS[edge.tone][1]
        style = "--" if edge.tone in {"past", "unsure"} else "-"
        axes.annotate(
            "",
            (x2, y2),
            (x1, y1),
            zorder=1,
            arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1, "ls": style},
        )
    halo = [withStroke(linewidth=2.5, foreground="white")]
    for x, y, text in labels(diagram, sheet):
        axes.text(
            x,
            y,
            _plain(text),
            fontsize=11 * _POINT,
            ha="center",
            va="baseline",
            color="#4a5460",
            family=figure.families,
            path_effects=halo,
            zorder=2,
        )
    for box in sheet.boxes.values():
        _paint(axes, box, figure.families)
    return bytes_of(figure)


def canvas(width: float, height: float, scale: float, texts: list[str]) -> Any:
    """A figure of so many units, with `families` to write these texts in."""
    need_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - an extra
    from matplotlib.figure import Figure  # noqa: PLC0415

    scale = min(scale, _LARGEST / max(width, height))
    figure: Any = Figure(figsize=(width / 100, height / 100), dpi=100 * scale)
    FigureCanvasAgg(figure)
    figure.families = families(texts)
    return figure


def bytes_of(figure: Any) -> bytes:
    """The figure as PNG; glyphs that are missing were told already."""
    stream = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        figure.canvas.print_png(stream, metadata={"Software": "graphmem"})
    return stream.getvalue()


def _paint(axes: Any, box: Box, fonts: list[str]) -> None:
    from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415 - an extra

    ground, line, ink = COLOURS[box.node.tone]
    axes.add_patch(
        FancyBboxPatch(
            (box.x - box.width / 2, box.y - box.height / 2),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=7",
            facecolor=ground,
            edgecolor=line,
            linewidth=2 if box.node.centre else 1,
            zorder=3,
            linestyle="--" if box.node.tone in {"past", "unsure"} else "-",
        )
    )
    first = box.y - (len(box.lines) - 1) * LINE / 2
    for number, text in enumerate(box.lines):
        axes.text(
            box.x,
            first + number * LINE,
            _plain(text),
            fontsize=FONT * _POINT,
            ha="center",
            va="center",
            color=ink,
            family=fonts,
            zorder=4,
        )


def _plain(text: str) -> str:
    """`text` without what matplotlib takes for formulas."""
    return text.replace("$", r"\$")
