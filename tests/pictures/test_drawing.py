"""Diagrams, bars and their formats: nothing overlaps, nothing is asked from outside, the same bytes each time."""

from __future__ import annotations

import re
import warnings
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.errors import ExtensionMissing
from graphmem.pictures import fonts
from graphmem.pictures.bars import Bars, Series
from graphmem.pictures.diagram import Diagram, Edge, Node
from graphmem.pictures.fonts import MissingGlyphs
from graphmem.pictures.layout import placed
from graphmem.pictures.lines import MOST_LINES, broken, width

PNG = b"\x89PNG\r\n\x1a\n"
CHAIN = Diagram(
    title="Lineage <of> & all",
    layout="chain",
    nodes=(
        Node(id="a", label="I live in Lisbon (historical)", tone="past", told="home & <x>"),
        Node(id="b", label="我搬到成都了 (current)", tone="current"),
        Node(id="s", label='“I "live" in <Lisbon>”', tone="said", under="a"),
    ),
    edges=(
        Edge(start="a", end="b", label="replaced by"),
        Edge(start="s", end="a", tone="said"),
    ),
)


@st.composite
def diagrams(draw: st.DrawFn) -> Diagram:
    """Any boxes and arrows, cycles and loops included."""
    labels = draw(st.lists(st.text(max_size=60), min_size=1, max_size=12))
    names = [str(number) for number in range(len(labels))]
    pairs = draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=20))
    return Diagram(
        title=draw(st.text(max_size=20)),
        layout=draw(st.sampled_from(["chain", "spread"])),
        nodes=tuple(
            Node(id=name, label=label, centre=name == "0")
            for name, label in zip(names, labels, strict=True)
        ),
        edges=tuple(Edge(start=start, end=end, label="x") for start, end in pairs),
    )


@settings(max_examples=40, deadline=None)
@given(diagrams())
def test_boxes_never_overlap_and_stay_on_the_sheet(diagram: Diagram) -> None:
    sheet = placed(diagram)
    for one, two in combinations(sheet.boxes.values(), 2):
        apart = abs(one.x - two.x) >= (one.width + two.width) / 2 - 1
        assert apart or abs(one.y - two.y) >= (one.height + two.height) / 2 - 1
    for box in sheet.boxes.values():
        assert box.x - box.width / 2 >= 0
        assert box.x + box.width / 2 <= sheet.width
        assert box.y - box.height / 2 >= 0
        assert box.y + box.height / 2 <= sheet.height


@settings(max_examples=40, deadline=None)
@given(diagrams())
def test_svg_is_always_well_formed_and_the_same(diagram: Diagram) -> None:
    text = diagram.svg()
    assert text == diagram.svg()
    printable = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
    if not printable.search(diagram.title + "".join(node.label for node in diagram.nodes)):
        ET.fromstring(text)  # noqa: S314 - our own text


@given(st.text(max_size=200), st.floats(4, 40))
def test_lines_fit(text: str, most: float) -> None:
    lines = broken(text, most)
    assert 1 <= len(lines) <= MOST_LINES
    assert all(width(line) <= most + 1 for line in lines)


def test_chinese_breaks_between_characters_and_english_between_words() -> None:
    assert broken("你好世界你好世界", 4) == ["你好世界", "你好世界"]
    assert broken("green tea with honey", 7) == ["green tea", "with honey"]


def test_nothing_is_lost_in_the_drawing() -> None:
    text = CHAIN.svg()
    root = ET.fromstring(text)  # noqa: S314 - our own text
    words = "".join(root.itertext())
    for part in ("I live in Lisbon", "我搬到成都了", "replaced by", 'I "live" in <Lisbon>'):
        assert part in words
    assert "Lineage <of> & all" in words


def test_the_page_asks_nobody() -> None:
    page = CHAIN.html()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "default-src 'none'" in page
    assert "我搬到成都了" in page


def test_mermaid_and_dot_are_quoted() -> None:
    assert "\"“I 'live' in ‹Lisbon›”\"" in CHAIN.mermaid()
    assert "digraph" in CHAIN.dot()
    assert CHAIN.dot().count('"') % 2 == 0


def test_an_empty_diagram_is_a_picture_too() -> None:
    empty = Diagram(title="nothing")
    ET.fromstring(empty.svg())  # noqa: S314 - our own text
    assert empty.png().startswith(PNG)


def test_png_is_painted_without_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    latin = Diagram(
        title="x",
        nodes=(Node(id="a", label="costs $5 and $6"), Node(id="b", label="b")),
        edges=(Edge(start="a", end="b", label="is"),),
    )
    small, large = latin.png(scale=1), latin.png(scale=3)
    assert small.startswith(PNG)
    assert len(large) > len(small)


def test_a_missing_font_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "installed", list)
    with pytest.warns(MissingGlyphs, match="fonts-noto-cjk"):
        assert CHAIN.png().startswith(PNG)


def test_a_font_that_has_the_characters_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "installed", lambda: [("Plain", "plain", 0), ("Song", "song", 0)])
    monkeypatch.setattr(
        fonts,
        "covered",
        lambda file, _: frozenset(map(ord, "我搬到")) if file == "song" else frozenset(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fonts.families(["我搬到", "Porto"]) == ["DejaVu Sans", "Song"]
        assert fonts.families(["Porto"]) == ["DejaVu Sans"]


def test_fonts_on_this_machine_can_be_read() -> None:
    name, file, index = next(one for one in fonts.installed() if one[0] == "DejaVu Sans")
    assert ord("a") in fonts.covered(file, index), name


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "find_spec", lambda _: None)
    with pytest.raises(ExtensionMissing, match=r"graphmem\[pictures\]"):
        CHAIN.png()


BARS = Bars(
    title="Facts",
    columns=("2024-01", "2024-02", "2024-03", "2024-04", "2024-05"),
    series=(
        Series(name="current", colour="#0a0", values=(4, 0, 0, 0, 1)),
        Series(name="historical", colour="#00a", values=(4, 0, 0, 0, 0)),
    ),
)


def test_bars_on_a_terminal() -> None:
    assert BARS.text().splitlines() == [
        "2024-01  " + "█" * 20 + "▓" * 20 + " 8",
        "   ⋮",
        "2024-05  █████" + " " * 35 + " 1",
        "█ current 5  ▓ historical 4",
    ]
    assert Bars(title="x", columns=(), series=()).text() == ""


def test_bars_as_pictures() -> None:
    root = ET.fromstring(BARS.svg())  # noqa: S314 - our own text
    assert "2024-01: 4 historical" in "".join(root.itertext())
    assert BARS.png().startswith(PNG)
    assert Bars(title="x", columns=(), series=()).png().startswith(PNG)
