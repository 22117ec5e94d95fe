"""`import`: what this or another memory exported."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from graphmem.cli import complete, show, stream
from graphmem.cli.app import REMEMBER, opened
from graphmem.cli.help import examples
from graphmem.cli.keep import told

OWN = "graphmem"  # the program whose export is merged, not told anew


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    app.command(
        "import",
        rich_help_panel=REMEMBER,
        epilog=examples(
            "graphmem import graphmem memory.jsonl",
            "graphmem import mem0 memories.json --me Ana",
            "graphmem import zep graph.json",
        ),
    )(bring)


def bring(
    context: typer.Context,
    program: Annotated[
        str,
        typer.Argument(
            help="Whose export it is: graphmem, mem0, zep (Graphiti too).",
            autocompletion=complete.importers,
        ),
    ],
    file: Annotated[Path, typer.Argument(help="The exported file; - reads standard input.")],
    me: Annotated[str | None, typer.Option("--me", help="The owner's name.")] = None,
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone",
            help="The zone of times without one (IANA name).",
            autocompletion=complete.zones,
        ),
    ] = None,
    json: show.Json = False,
) -> None:
    """Take over another memory's export; what was over there becomes history.

    Ids are kept as sources. An export of graphmem is merged: of each thing the later change wins. The same file again changes nothing.
    """
    if program == OWN:
        _own(context, file, json=json)
        return
    from graphmem.importing import bring_in, importer_named  # noqa: PLC0415 - loads the engines

    importer_named(program)
    with stream.files([file]) as (laid,), opened(context) as memory:
        done = bring_in(memory, program, laid, me=me, timezone=timezone)
    if json:
        show.as_json(asdict(done))
    else:
        show.line(
            f"{show.count(done.statements, 'statement')}, {done.stored} new: "
            + ", ".join(
                (
                    show.count(done.facts, "fact"),
                    show.count(done.notes, "note"),
                    f"{done.past} of them past",
                    show.count(done.conflicts, "conflict"),
                )
            )
        )
        if done.conflicts:
            show.line("decide them: graphmem review")
    for problem in done.problems:
        typer.echo(f"graphmem: {show.safe(problem)}", err=True)


def _own(context: typer.Context, file: Path, *, json: bool) -> None:
    with stream.files([file]) as (laid,), opened(context) as memory:
        done = memory.import_export(laid)
    if json:
        show.as_json(done)
        return
    show.line(show.safe(f"merged into {done.path}, as it was on {done.written_at:%Y-%m-%d %H:%M}"))
    for how, counts in (("added", done.added), ("changed", done.changed), ("kept", done.kept)):
        if counts:
            show.line(f"{how:<8} {told(counts)}")
    if done.masked:
        show.line(f"{done.masked} masked ones left out: export them with --reveal")
