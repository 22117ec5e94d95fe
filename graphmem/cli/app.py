"""The application: global options, and the commands from the modules beside this one."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.help import EXIT_STATUS, Grouped
from graphmem.errors import ExtensionMissing, InvalidSettings

if TYPE_CHECKING:
    from graphmem.memory import Memory

REMEMBER = "Remember"
RECALL = "Recall"
PICTURES = "Pictures"
CHANGE = "Change"
REVIEW = "Review"
UPKEEP = "Upkeep"
SETUP = "Set up"
SERVE = "Serve"

app = typer.Typer(
    name="graphmem",
    cls=Grouped,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    help="A long-term memory for people and their AI agents: a local graph of facts that change but "
    "are never silently overwritten or lost.",
    epilog="Start with: graphmem init, then graphmem ingest CHATLOG, then graphmem recall QUESTION. "
    "Every command takes --json; - stands for standard input or output; NO_COLOR and FORCE_COLOR are "
    f"heeded.\n\n{EXIT_STATUS}",
)


@dataclass(frozen=True, slots=True)
class Options:
    """What was said before the command."""

    memory: Path | None
    reader: str | None


@app.callback()
def options(
    context: typer.Context,
    memory: Annotated[
        Path | None,
        typer.Option(
            "--memory",
            "-m",
            help="The memory's directory (default: $GRAPHMEM_HOME, else the platform's data folder).",
        ),
    ] = None,
    reader: Annotated[
        str | None, typer.Option("--reader", help="Open as this reader; see only what it may.")
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Global options."""
    if version:
        from importlib.metadata import version as installed  # noqa: PLC0415 - only for --version

        typer.echo(f"graphmem {installed('graphmem')}")
        raise typer.Exit
    context.obj = Options(memory, reader)


def home(context: typer.Context) -> Path:
    """The directory of the memory that the command line names."""
    from graphmem.config import default_home  # noqa: PLC0415 - see below

    chosen: Options = context.obj
    return chosen.memory.expanduser() if chosen.memory else default_home()


def reader_of(context: typer.Context) -> str | None:
    """The reader as whom the command line opens the memory, None for the owner."""
    chosen: Options = context.obj
    return chosen.reader


def opened(context: typer.Context, *, embeds: bool = False) -> Memory:
    """The memory that the command line names. For a command that `embeds`, the embedder is loaded
    meanwhile: that takes as long as to open a large memory.
    """
    from graphmem.config import file_for, load  # noqa: PLC0415 - see below
    from graphmem.embed.make import loading, make  # noqa: PLC0415 - the same

    chosen: Options = context.obj
    place = home(context)
    settings = load(place)
    try:
        encoder = make(settings.embedder, allow_download=settings.allow_download)
        if embeds:
            loading(encoder)
        from graphmem.memory import Memory  # noqa: PLC0415 - the engines load only when needed

        return Memory.open(place, reader=chosen.reader, embedder=encoder, config=settings)
    except (InvalidSettings, ExtensionMissing) as error:  # a name in the settings may be mistyped
        file = file_for(place)
        if file is None:
            raise
        raise type(error)(
            f"{error.met} (settings: {file}, and the environment)",
            expected=error.expected,
            next_step=error.next_step,
        ) from error


# Modules beside this one with commands, in the order of their headings in the help.
_MODULES = (
    "setup",
    "ingest",
    "bring",
    "read",
    "picture",
    "change",
    "review",
    "remind",
    "upkeep",
    "keep",
    "evaluate",
    "mcp",
    "web",
)


def _register() -> None:
    for name in _MODULES:  # they import `app`
        import_module(f"graphmem.cli.{name}").register(app)


_register()
