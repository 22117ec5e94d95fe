"""`init`, `config`, `doctor`: a memory's beginning, its settings, and whether all is well."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem.cli import FOUND_SOMETHING, show
from graphmem.cli.app import SETUP, home
from graphmem.cli.complete import setting_names, zones
from graphmem.cli.help import Grouped, examples
from graphmem.errors import InvalidSettings

_LANGUAGES = {"en": "english", "english": "english", "zh": "chinese", "chinese": "chinese"}
_COLOURS = {"ok": typer.colors.GREEN, "note": typer.colors.YELLOW, "trouble": typer.colors.RED}

Name = Annotated[
    str,
    typer.Argument(
        help="A setting, or a path into a table of it (judge.kind).", autocompletion=setting_names
    ),
]
Shared = Annotated[
    bool, typer.Option("--shared", help="The file for all memories without one of their own.")
]

config = typer.Typer(
    cls=Grouped,
    help="Settings: list, get, set, unset, path.",
    no_args_is_help=True,
    epilog=examples("graphmem config list", 'graphmem config set owner "Ana"'),
)


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    app.command(
        rich_help_panel=SETUP,
        epilog=examples(
            "graphmem init",
            "graphmem init --owner Ana --language en --timezone Europe/Lisbon",
            "graphmem --memory ./notes init --yes --json",
        ),
    )(init)
    app.add_typer(config, name="config", rich_help_panel=SETUP)
    app.command(
        rich_help_panel=SETUP,
        epilog=examples("graphmem doctor", "graphmem doctor --quick --json"),
    )(doctor)


def init(
    context: typer.Context,
    owner: Annotated[
        str | None, typer.Option("--owner", help="Your name, as your chats call you.")
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option("--language", help="What you write: en, zh (repeatable; default: both)."),
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone",
            help="Your zone (IANA name; default: the machine's).",
            autocompletion=zones,
        ),
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="The graph engine: kuzu or ladybug.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    json: show.Json = False,
) -> None:
    """Make the memory; on a terminal it asks for what was not given.

    On a memory that is there already it only changes the settings that are given.
    """
    from graphmem.cli.app import opened  # noqa: PLC0415 - beside the one call
    from graphmem.config_file import change  # noqa: PLC0415 - loads tomlkit

    place = home(context)
    there = (place / "memory.json").is_file()
    if sys.stdin.isatty() and not (yes or json or there):
        owner = _asked("your name, as your chats call you", "") if owner is None else owner
        language = language or _asked("what you write: en, zh, or both", "both").split()
        if timezone is None:
            timezone = _asked("your time zone", zone_of_this_machine())
    given: dict[str, Any] = {
        "owner": owner or None,
        "extractors": _extractors(language),
        "timezone": timezone or None,
        "engine": engine,
    }
    changed = {name: value for name, value in given.items() if value is not None}
    if changed:
        change(place, changed)
    with opened(context) as memory:
        found = memory.status()
        settings = memory.settings
    if not there:
        place.chmod(0o700)  # nobody else's business
    me = f" --me {settings.owner}" if settings.owner else " --me YOUR-NAME"
    steps = [
        f"graphmem ingest FILE{me}   (a chat export: WhatsApp, ChatGPT, Telegram, Slack, ...)",
        'graphmem add "I live in Porto."',
        'graphmem recall "Where do I live?"',
    ]
    if context.obj.memory is not None:
        steps = [step.replace("graphmem", f"graphmem --memory {place}", 1) for step in steps]
    if json:
        show.as_json(
            {
                "path": str(place),
                "made": not there,
                "engine": found["engine"],
                "settings": changed,
                "snapshots": found["snapshots"],
                "next": steps,
            }
        )
        return
    show.line(f"{'there is a memory' if there else 'made a memory'} at {show.safe(str(place))}")
    for name, value in changed.items():
        show.line(show.safe(f"  {name} = {value}"))
    show.line("next:")
    for step in steps:
        show.line(f"  {show.safe(step)}")
    show.line("see also: graphmem doctor, graphmem --install-completion, graphmem --help")


def _asked(what: str, default: str) -> str:
    answer: str = typer.prompt(what, default=default, show_default=bool(default))
    return answer.strip()


def _extractors(languages: list[str] | None) -> list[str] | None:
    if not languages:
        return None
    chosen: list[str] = []
    for one in ",".join(languages).replace(" ", ",").casefold().split(","):
        if one in {"", "both"}:
            chosen += [] if not one else ["english", "chinese"]
        elif one in _LANGUAGES:
            chosen.append(_LANGUAGES[one])
        else:
            raise InvalidSettings(f"--language {one}", expected="en, zh or both")
    return sorted(set(chosen), reverse=True)


def zone_of_this_machine() -> str:
    """The IANA name of this machine's zone, empty where it does not tell."""
    named = os.environ.get("TZ", "").removeprefix(":")
    if named and not named.startswith("/"):
        return named
    found = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    return found.removeprefix("posix/").removeprefix("right/")


@config.command("list", epilog=examples("graphmem config list", "graphmem config list --json"))
def list_settings(context: typer.Context, json: show.Json = False) -> None:
    """List every setting, its value, and where that comes from."""
    from graphmem.config_file import listed  # noqa: PLC0415 - loads tomlkit

    found = listed(home(context))
    if json:
        show.as_json({name: {"value": value, "from": origin} for name, value, origin in found})
    else:
        show.rows(("setting", "value", "from"), [(n, shown(v), o) for n, v, o in found])


@config.command(epilog=examples("graphmem config get timezone", "graphmem config get judge.kind"))
def get(context: typer.Context, name: Name, json: show.Json = False) -> None:
    """Print the value in force."""
    from graphmem.config_file import value_of  # noqa: PLC0415 - loads tomlkit

    value = value_of(home(context), name)
    if json:
        show.as_json(value)
    else:
        show.line(show.safe(shown(value)))


@config.command(
    "set",
    epilog=examples(
        'graphmem config set owner "Ana"',
        "graphmem config set extractors english,chinese",
        "graphmem config set judge \"{kind = 'openai', url = 'http://127.0.0.1:8080/v1', model = 'qwen3'}\"",
        "graphmem config set lexicon.routines.hours.after_work 17:15",
    ),
)
def set_one(
    context: typer.Context,
    name: Name,
    value: Annotated[str, typer.Argument(help="The value, as in TOML; a text needs no quotes.")],
    shared: Shared = False,
    json: show.Json = False,
) -> None:
    """Change a setting in the file; comments stay, and a value that cannot be is refused."""
    from graphmem.config_file import change, value_of  # noqa: PLC0415 - loads tomlkit

    file = change(home(context), {name: value}, shared=shared)
    if json:
        show.as_json({"file": str(file), "name": name, "value": value_of(home(context), name)})
    else:
        show.line(show.safe(f"{name} = {value} in {file}"))


@config.command(epilog=examples("graphmem config unset timezone"))
def unset(
    context: typer.Context, name: Name, shared: Shared = False, json: show.Json = False
) -> None:
    """Take a setting out of the file, back to its default."""
    from graphmem.config_file import change  # noqa: PLC0415 - loads tomlkit

    file = change(home(context), {}, unset=(name,), shared=shared)
    if json:
        show.as_json({"file": str(file), "name": name})
    else:
        show.line(show.safe(f"{name} is no longer set in {file}"))


@config.command(epilog=examples('"$EDITOR" "$(graphmem config path)"'))
def path(context: typer.Context, shared: Shared = False, json: show.Json = False) -> None:
    """Print the file that settings come from and changes go to."""
    from graphmem.config_file import place  # noqa: PLC0415 - loads tomlkit

    file = place(home(context), shared=shared)
    if json:
        show.as_json({"file": str(file), "exists": file.is_file()})
    else:
        show.line(show.safe(str(file)))


def shown(value: Any) -> str:
    """A value as its TOML would have it, but for quotes around a text."""
    from collections.abc import Mapping  # noqa: PLC0415 - tiny

    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(one) for one in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {shown(one)}" for name, one in value.items()) + "}"
    return str(value)


def doctor(
    context: typer.Context,
    quick: Annotated[
        bool, typer.Option("--quick", help="Do not compare the indexes with the whole graph.")
    ] = False,
    json: show.Json = False,
) -> None:
    """Look over everything the memory stands on; exit status 1 where there is trouble.

    Versions, engines, settings, words, embedder, time zone, disk, schema, who holds it, indexes, upkeep.
    """
    from graphmem.doctor import examine  # noqa: PLC0415 - loads what it looks at

    findings = []
    for one in examine(home(context), deep=not quick):
        findings.append(one)
        if json:
            continue
        show.line(
            show.safe(f"{one.level:<8} {one.name:<12} {one.told}"), colour=_COLOURS[one.level]
        )
        if one.next_step:
            show.line(show.safe(f"{'':<21} {one.next_step}"))
    well = all(one.level != "trouble" for one in findings)
    if json:
        show.as_json({"well": well, "findings": findings})
    if not well:
        raise typer.Exit(FOUND_SOMETHING)
