"""`mcp`: the memory as a server for assistants."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from graphmem.cli import show
from graphmem.cli.app import SERVE, Options, opened
from graphmem.cli.help import examples
from graphmem.errors import ExtensionMissing

PORT = 8765


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    shown = (
        "graphmem mcp --install claude --write",
        "graphmem mcp --http --port 8765",
        "graphmem --reader tv mcp",
    )
    app.command(rich_help_panel=SERVE, epilog=examples(*shown))(mcp)


def mcp(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP on loopback instead of stdio.")
    ] = False,
    host: Annotated[str, typer.Option("--host", help="A loopback address.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes any free one.")
    ] = PORT,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", help="The file with the bearer token; made if missing."),
    ] = None,
    install: Annotated[
        str | None,
        typer.Option("--install", help="Print the configuration for claude, cursor or vscode."),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="With --install: merge it into the client's file.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option("--file", help="With --write: another file than the client's.")
    ] = None,
) -> None:
    """Serve the memory to assistants by the Model Context Protocol."""
    if install is not None:
        _install(context.obj, install, write=write, file=file)
        return
    serving = _serving()
    if not http:
        with serving.quiet_output():
            memory = opened(context)
        with memory:
            serving.serve_stdio(memory)
        return
    from graphmem.loopback import loopback  # noqa: PLC0415 - with HTTP only
    from graphmem.mcp.tokens import default_file, token_for  # noqa: PLC0415 - with HTTP only

    loopback(host)  # told before a token is made or the memory is opened
    token, where = token_for(token_file or default_file())

    def ready(address: str) -> None:
        typer.echo(f"graphmem: MCP at {address}, bearer token in {where}", err=True)

    with opened(context) as memory:
        serving.serve_http(memory, host=host, port=port, token=token, ready=ready)


def _install(options: Options, name: str, *, write: bool, file: Path | None) -> None:
    from graphmem.config import default_home  # noqa: PLC0415 - see below
    from graphmem.mcp import clients  # noqa: PLC0415 - only needed here

    chosen = clients.client(name)
    server = clients.entry(options.memory or default_home(), reader=options.reader)
    if not write:
        typer.echo(clients.snippet(chosen, server))
        typer.echo(f"graphmem: for {chosen.name}: {file or chosen.file()}", err=True)
        return
    place = file or chosen.file()
    backup = clients.merge(chosen, server, place)
    show.line(f"{chosen.name}: wrote {place}" + (f", the old one is {backup}" if backup else ""))
    show.line(f"restart {chosen.name} to see it")


def _serving() -> ModuleType:
    try:
        from graphmem.mcp import serving  # noqa: PLC0415 - the SDK is an extra
    except ModuleNotFoundError as cause:
        if cause.name is None or cause.name.partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise ExtensionMissing(
            "the MCP server needs the package mcp",
            next_step='pip install "graphmem[mcp]"',
        ) from cause
    return serving
