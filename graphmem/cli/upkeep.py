"""`status`, `check`, `tend`, `bench`: how the memory is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from graphmem.cli import FOUND_SOMETHING, guide, show
from graphmem.cli.app import UPKEEP, opened
from graphmem.cli.help import examples


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command, shown in (
        (status, ("graphmem status", "graphmem status --json | jq .open_conflicts")),
        (check, ("graphmem check", "graphmem check --repair")),
        (tend, ("graphmem tend", "graphmem tend --budget 2", "graphmem tend --install")),
        (bench, ("graphmem bench -n 1000 -n 10000",)),
    ):
        app.command(rich_help_panel=UPKEEP, epilog=examples(*shown))(command)


def status(context: typer.Context, json: show.Json = False) -> None:
    """Show where the memory is, what it holds, and what waits for you."""
    with opened(context) as memory:
        found = memory.status()
    if json:
        show.as_json(found)
        return
    for name, value in found.items():
        told = value
        if isinstance(value, dict):
            told = ", ".join(f"{kind} {count}" for kind, count in value.items() if count)
        show.line(f"{name.replace('_', ' '):<16} {show.safe(str(told))}")
    if found["upkeep_overdue"]:
        show.line("upkeep is overdue: graphmem tend, or once and for all graphmem tend --install")
    if found["due_reminders"]:
        verb = "is" if found["due_reminders"] == 1 else "are"
        show.line(
            f"{show.count(found['due_reminders'], 'reminder')} {verb} due: graphmem remind due"
        )
    if not found["snapshots"]:
        show.line(guide.FEED)


def check(
    context: typer.Context,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what disagrees.")] = False,
    json: show.Json = False,
) -> None:
    """Prove that graph and indexes agree; exit status 1 where they do not."""
    with opened(context) as memory:
        health = memory.repair() if repair else memory.check()
    if json:
        show.as_json({"findings": health.findings, "healthy": not health.findings})
    else:
        for finding in health.findings:
            show.line(show.safe(finding))
        if not health.findings:
            show.line("healthy")
    if health.findings:
        raise typer.Exit(FOUND_SOMETHING)


def tend(
    context: typer.Context,
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="Stop after this many seconds; go on next time."),
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Write and start a systemd, launchd or cron timer.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove that timer.")] = False,
    installed: Annotated[bool, typer.Option("--status", help="Tell whether it is there.")] = False,
    json: show.Json = False,
) -> None:
    """Do one round of upkeep: expire what is over, archive what has faded.

    It is due every six hours; `--install` lets this machine's own timer do it.
    """
    if install or uninstall or installed:
        _timer(context, install=install, uninstall=uninstall, json=json)
        return
    with opened(context) as memory:
        found = memory.tend(budget=budget)
    if json:
        show.as_json(found)
    else:
        more = "" if found.complete else " (to be continued)"
        show.line(
            f"{found.seen} facts seen, {found.expired} expired, {found.archived} archived{more}"
        )


def _timer(context: typer.Context, *, install: bool, uninstall: bool, json: bool) -> None:
    from graphmem.config import default_home  # noqa: PLC0415
    from graphmem.forget import timer as timers  # noqa: PLC0415

    chosen = context.obj.memory or default_home()
    one = timers.timer(
        timers.system_here(sys.platform, shutil.which),
        program=(sys.executable, "-m", "graphmem.cli"),
        memory=Path(chosen).expanduser().absolute(),
        home=Path.home(),
    )
    written = timers.install(one, _run) if install else ()
    removed = timers.uninstall(one, _run) if uninstall else ()
    there = timers.installed(one, _run)
    if json:
        show.as_json(
            {"system": one.system, "installed": there, "written": written, "removed": removed}
        )
        return
    for name in written:
        show.line(f"written: {show.safe(name)}")
    for name in removed:
        show.line(f"removed: {show.safe(name)}")
    show.line(f"{'installed' if there else 'not installed'} ({one.system})")


def _run(command: Sequence[str], fed: str) -> str:
    """What a command prints. Raises ServiceFailed where one that changes something fails."""
    from graphmem.errors import ServiceFailed  # noqa: PLC0415

    done = subprocess.run(command, input=fed, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode and tuple(command) != ("crontab", "-l"):
        raise ServiceFailed(
            f"{' '.join(command)} failed: {done.stderr.strip() or done.returncode}",
            expected="a running user session of the system's timers",
            next_step="log in to a session of your own, or run graphmem tend by another timer",
        )
    return done.stdout


def bench(
    sizes: Annotated[
        list[int] | None,
        typer.Option("--facts", "-n", min=100, help="Memory sizes (repeatable; 1000)."),
    ] = None,
    large: Annotated[
        bool, typer.Option("--large", help="A million facts as well: takes hours.")
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Build in this folder, and leave the memories there."),
    ] = None,
    json: show.Json = False,
) -> None:
    """Measure speed and memory on a generated household, in a temporary folder."""
    from graphmem.bench.measure import flat, measure  # noqa: PLC0415 - loads the engines

    wanted = [*(sizes or (1000,)), *((1_000_000,) if large else ())]
    found = [measure(size, keep=None if keep is None else keep / str(size)) for size in wanted]
    if json:
        show.as_json(found)
        return
    tables = [flat(one) for one in found]
    names = dict.fromkeys(name for table in tables for name in table)
    show.rows(
        ("measure", *(str(size) for size in wanted)),
        [(name, *(table.get(name, "") for table in tables)) for name in names],
    )
