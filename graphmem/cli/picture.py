"""`lineage`, `graph`, `stats`: what the memory looks like."""

from __future__ import annotations

import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem.cli import guide, show, stream
from graphmem.cli.app import PICTURES, opened
from graphmem.cli.complete import entity_names, facts_or_entities, topics
from graphmem.cli.help import examples
from graphmem.cli.ingest import moment_if_told
from graphmem.errors import InputError

if TYPE_CHECKING:
    from graphmem.pictures.diagram import Diagram

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where to write it (default: standard output)."),
]


class Drawn(StrEnum):
    """How a graph is drawn."""

    TREE = "tree"
    MERMAID = "mermaid"
    DOT = "dot"
    JSON = "json"
    SVG = "svg"
    HTML = "html"
    PNG = "png"


class Plotted(StrEnum):
    """How numbers are drawn."""

    BARS = "bars"
    JSON = "json"
    SVG = "svg"
    PNG = "png"


_ENDINGS = {".mmd": "mermaid", ".gv": "dot", ".htm": "html"}


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command, shown in (
        (
            lineage,
            (
                "graphmem lineage Ana home",
                "graphmem lineage f_jpwojgp6yvqcia54 --format mermaid",
                "graphmem lineage Ana home -o home.svg",
            ),
        ),
        (
            graph,
            (
                "graphmem graph Ana",
                "graphmem graph Ana --depth 2 -o ana.html",
                "graphmem graph 老王 --all --format dot",
            ),
        ),
        (stats, ("graphmem stats", "graphmem stats -o facts.png", "graphmem stats --json")),
    ):
        app.command(rich_help_panel=PICTURES, epilog=examples(*shown))(command)


def lineage(
    context: typer.Context,
    entity: Annotated[
        str,
        typer.Argument(help="A fact's id, or a person or thing.", autocompletion=facts_or_entities),
    ],
    slot: Annotated[
        str | None,
        typer.Argument(help="A topic or word that says which of its facts.", autocompletion=topics),
    ] = None,
    format: Annotated[
        Drawn | None,
        typer.Option(
            "--format", "-f", help="How to draw it (default: by the file's name, else tree)."
        ),
    ] = None,
    output: Output = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="The memory as it stood at this date (ISO).")
    ] = None,
    json: show.Json = False,
) -> None:
    """Draw where facts came from and what replaced them."""
    with opened(context) as memory, guide.named(memory):
        found = memory.lineage(entity, slot, as_of=moment_if_told(as_of))
    form = Drawn.JSON if json else format or Drawn(_by_name(output, Drawn, Drawn.TREE))
    if form is Drawn.TREE:
        _put(show.safe(found.tree()) + "\n", output)
    elif form is Drawn.MERMAID:
        _put(found.mermaid() + "\n", output)
    elif form is Drawn.DOT:
        _put(found.dot() + "\n", output)
    elif form is Drawn.JSON:
        _put(show.json_text(found) + "\n", output)
    else:
        _draw(found.diagram(), form, output)


def graph(
    context: typer.Context,
    entity: Annotated[
        str, typer.Argument(help="A person or thing (name or id).", autocompletion=entity_names)
    ],
    depth: Annotated[
        int, typer.Option("--depth", "-d", min=1, max=4, help="How many facts far.")
    ] = 1,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=400, help="How many boxes at most.")
    ] = 60,
    every: Annotated[
        bool, typer.Option("--all", help="Facts in every state, not only current.")
    ] = False,
    format: Annotated[
        Drawn | None,
        typer.Option(
            "--format", "-f", help="How to draw it (default: by the file's name, else tree)."
        ),
    ] = None,
    output: Output = None,
    json: show.Json = False,
) -> None:
    """Draw what stands around a person or thing."""
    states = "all" if every else ("current", "unsure")
    with opened(context) as memory, guide.named(memory):
        found = memory.graph(entity, depth=depth, limit=limit, states=states)
    form = Drawn.JSON if json else format or Drawn(_by_name(output, Drawn, Drawn.TREE))
    if form is Drawn.JSON:
        _put(show.json_text(found) + "\n", output)
    elif form is Drawn.TREE:
        _put(show.safe(found.tree()) + "\n", output)
    elif form is Drawn.MERMAID:
        _put(found.diagram().mermaid() + "\n", output)
    elif form is Drawn.DOT:
        _put(found.diagram().dot() + "\n", output)
    else:
        _draw(found.diagram(), form, output)
    if found.left_out:
        typer.echo(f"graphmem: {found.left_out} more had no room: --limit", err=True)


def stats(
    context: typer.Context,
    format: Annotated[
        Plotted | None,
        typer.Option(
            "--format", "-f", help="How to draw it (default: by the file's name, else bars)."
        ),
    ] = None,
    output: Output = None,
    json: show.Json = False,
) -> None:
    """Plot the facts by the month in which they were said, and by how they stand."""
    form = Plotted.JSON if json else format or Plotted(_by_name(output, Plotted, Plotted.BARS))
    with opened(context) as memory:
        found = memory.stats()
        if not found.months:
            guide.nothing(memory, "no facts yet", json=form is Plotted.JSON)
    if form is Plotted.JSON:
        _put(show.json_text(found) + "\n", output)
    elif form is Plotted.SVG:
        _put(found.bars().svg(), output)
    elif form is Plotted.PNG:
        _refuse_terminal(output)
        _put(found.bars().png(), output)
    elif found.months:
        _put(found.bars().text() + "\n", output)


def _by_name(output: Path | None, kinds: type[StrEnum], otherwise: StrEnum) -> str:
    """The format that a file's ending names. Raises InputError for an ending that names none."""
    ending = output.suffix.lower() if output else ""
    if not ending:
        return otherwise.value
    name = _ENDINGS.get(ending, ending.removeprefix("."))
    known = [one.value for one in kinds]
    if name in known:
        return name
    if ending == ".txt":
        return otherwise.value
    raise InputError(
        f"{output}: no format is called {name!r}",
        expected="one of " + ", ".join(known),
        next_step="name it with --format",
    )


def _draw(diagram: Diagram, form: Drawn, output: Path | None) -> None:
    if form is Drawn.SVG:
        _put(diagram.svg(), output)
    elif form is Drawn.HTML:
        _put(diagram.html(), output)
    else:
        _refuse_terminal(output)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            data = diagram.png()
        _put(data, output)
        for one in told:
            if issubclass(one.category, UserWarning):
                typer.echo(f"graphmem: {one.message}", err=True)


def _put(content: str | bytes, output: Path | None) -> None:
    if stream.write(content, output):
        typer.echo(f"written: {show.safe(str(output))}", err=True)


def _refuse_terminal(output: Path | None) -> None:
    streams: Any = sys.stdout
    if output is None and streams.isatty():
        raise InputError("a PNG is nothing for a terminal", next_step="name a file: -o picture.png")
