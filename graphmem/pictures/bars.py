"""Stacked bars: for a terminal, as SVG and as PNG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

_MARKS = "█▓▒░·"
_LONG = 2  # empty columns that are still shown
_ROW = 40  # columns of a bar on a terminal
_BAR, _GAP, _HIGH = 18, 6, 180  # units of a picture
_LEFT, _TOP, _BOTTOM = 46, 44, 54


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One part of each bar."""

    name: str
    colour: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A bar a column, made of the series."""

    title: str
    columns: tuple[str, ...]
    series: tuple[Series, ...]

    def highest(self) -> int:
        """The largest sum of a column, at least 1."""
        return max((sum(values) for values in self._stacks()), default=0) or 1

    def text(self) -> str:
        """A line a column, each series with a mark of its own; the legend last.

        Long stretches without anything are one line.
        """
        lines: list[str] = []
        stacks = zip(self.columns, self._stacks(), strict=True)
        for empty, stretch in groupby(stacks, lambda one: not any(one[1])):
            run = list(stretch)
            if empty and len(run) > _LONG:
                lines.append("   ⋮")
            else:
                lines += [self._row(column, values) for column, values in run]
        legend = "  ".join(
            f"{mark} {one.name} {sum(one.values)}"
            for mark, one in zip(_MARKS, self.series, strict=False)
        )
        return "\n".join([*lines, legend] if lines else [])

    def _row(self, column: str, values: tuple[int, ...]) -> str:
        bar, done = "", 0
        for mark, value in zip(_MARKS, values, strict=False):
            done += value
            end = max(round(done / self.highest() * _ROW), len(bar) + (value > 0))
            bar += mark * (end - len(bar))
        return f"{column}  {bar:<{_ROW}} {sum(values) or ''}".rstrip()

    def svg(self) -> str:
        """The plot as SVG; the same numbers give the same text."""
        wide, high = self._size()
        parts = [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
                f'height="{high}" role="img" aria-label="{escape(self.title)}" '
                'font-family="system-ui, sans-serif" font-size="11" fill="#333">'
            ),
            f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
            f'<text x="{_LEFT}" y="18" font-size="13">{escape(self.title)}</text>',
            *self._legend(),
            f'<text x="{_LEFT - 6}" y="{_TOP + 8}" text-anchor="end">{self.highest()}</text>',
            f'<text x="{_LEFT - 6}" y="{_TOP + _HIGH}" text-anchor="end">0</text>',
            f'<line x1="{_LEFT}" x2="{wide - 10}" y1="{_TOP + _HIGH}" y2="{_TOP + _HIGH}" stroke="#999"/>',
        ]
        for x, top, tall, one, column, value in self.pieces():
            parts.append(
                f'<rect x="{x}" y="{top:g}" width="{_BAR}" height="{tall:g}" fill="{one.colour}">'
                f"<title>{escape(column)}: {value} {escape(one.name)}</title></rect>"
            )
        parts += [
            f'<text transform="translate({x + _BAR / 2 + 4:g},{_TOP + _HIGH + 8}) rotate(-60)" '
            f'text-anchor="end">{escape(column)}</text>'
            for x, column in self.ticks()
        ]
        return "\n".join([*parts, "</svg>\n"])

    def png(self, *, scale: float = 2.0) -> bytes:
        """The plot as PNG. Raises ExtensionMissing without matplotlib."""
        from graphmem.pictures.png import bytes_of, canvas  # noqa: PLC0415 - loads matplotlib

        wide, high = self._size()
        figure = canvas(wide, high, scale, [self.title, *self.columns])
        axes = figure.add_axes(
            (_LEFT / wide, _BOTTOM / high, 1 - (_LEFT + 10) / wide, _HIGH / high)
        )
        floor = [0] * len(self.columns)
        for one in self.series:
            axes.bar(
                range(len(self.columns)), one.values, bottom=floor, color=one.colour, label=one.name
            )
            floor = [below + value for below, value in zip(floor, one.values, strict=True)]
        places = [place for place, _ in enumerate(self.columns) if place % self._step() == 0]
        axes.set_xticks(places, [self.columns[place] for place in places], rotation=60, ha="right")
        axes.tick_params(labelsize=8)
        axes.set_title(self.title, fontsize=10, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        if self.series:
            axes.legend(fontsize=8, frameon=False)
        return bytes_of(figure)

    def pieces(self) -> Iterator[tuple[int, float, float, Series, str, int]]:
        """(left, top, height, series, column, value) of each part that is there."""
        highest = self.highest()
        for place, (column, values) in enumerate(zip(self.columns, self._stacks(), strict=True)):
            done = 0
            for one, value in zip(self.series, values, strict=True):
                if value:
                    tall = round(value / highest * _HIGH, 1)
                    done += value
                    top = round(_TOP + _HIGH - done / highest * _HIGH, 1)
                    yield _LEFT + place * (_BAR + _GAP) + _GAP, top, tall, one, column, value

    def ticks(self) -> Iterator[tuple[int, str]]:
        """(left, column) of the columns that are named."""
        for place, column in enumerate(self.columns):
            if place % self._step() == 0:
                yield _LEFT + place * (_BAR + _GAP) + _GAP, column

    def _step(self) -> int:
        return 1 if len(self.columns) <= 36 else 3 if len(self.columns) <= 144 else 12

    def _stacks(self) -> list[tuple[int, ...]]:
        return [
            tuple(one.values[place] for one in self.series) for place in range(len(self.columns))
        ]

    def _size(self) -> tuple[int, int]:
        return max(360, _LEFT + len(self.columns) * (_BAR + _GAP) + 20), _TOP + _HIGH + _BOTTOM

    def _legend(self) -> Iterator[str]:
        x = _LEFT
        for one in self.series:
            yield f'<rect x="{x}" y="26" width="9" height="9" fill="{one.colour}"/>'
            name = f"{one.name} {sum(one.values)}"
            yield f'<text x="{x + 13}" y="34">{escape(name)}</text>'
            x += 24 + 6 * len(name)
