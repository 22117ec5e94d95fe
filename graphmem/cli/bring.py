"""`import`: what another memory exported."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from graphmem.cli import complete, show, stream
from graphmem.cli.app import REMEMBER, opened
from graphmem.cli.help import examples


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    app.command(
        "import",
        rich_help_panel=REMEMBER,
        epilog=examples(
            "graphmem import mem0 memories.json --me Ana", "graphmem import zep graph.json"
        ),
    )(bring)


def bring(
    context: typer.Context,
    program: Annotated[
        str,
        typer.Argument(
            help="Whose export it is: mem0, zep (Graphiti too).", autocompletion=complete.importers
        ),
    ],
    file: Annotated[Path, typer.Argument(help="The exported JSON; - reads standard input.")],
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

    Ids are kept as sources. The same file again changes nothing.
    """
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
