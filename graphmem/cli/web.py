"""`web`: the memory page."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmem.cli.app import SERVE, opened
from graphmem.cli.help import examples
from graphmem.errors import ExtensionMissing


def register(app: typer.Typer) -> None:
    """Put the command of this module on the application."""
    shown = ("graphmem web", "graphmem web --port 8766 --no-open", "graphmem --reader tv web")
    app.command(rich_help_panel=SERVE, epilog=examples(*shown))(web)


def web(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="A loopback address.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes any free one.")
    ] = 0,
    open_it: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Show the memory as a local web page: search, review, history, reminders. Ends with Ctrl-C."""
    try:
        from graphmem.web.app import serve  # noqa: PLC0415 - an extra
    except ImportError as cause:
        raise ExtensionMissing(
            f"the page needs {cause.name}", next_step="pip install 'graphmem[web]'"
        ) from cause

    def ready(link: str) -> None:
        typer.echo(f"graphmem: open {link}\n          (the link works once; Ctrl-C ends)")
        if open_it:
            typer.launch(link)

    with opened(context) as memory:
        serve(memory, host=host, port=port, ready=ready)
