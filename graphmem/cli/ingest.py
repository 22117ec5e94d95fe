"""`ingest`, `add`, `extract`: what goes into the memory."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from graphmem.cli import INTERRUPTED, complete, show, stream
from graphmem.cli.app import REMEMBER, opened
from graphmem.cli.help import examples
from graphmem.cli.stream import words
from graphmem.when import parse_moment

Speaker = Annotated[str | None, typer.Option("--speaker", "-s", help="Who says it.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


class _Bar(Protocol):
    def move(self, done: int, size: int, count: int, /) -> None: ...


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command, epilog in (
        (
            ingest,
            examples(
                "graphmem ingest chat.jsonl conversations.json",
                'graphmem ingest "WhatsApp Chat with Tom.zip" --me Ana --timezone Europe/Lisbon',
                "xz -dc chat.txt.xz | graphmem ingest - --format text --me Ana",
            ),
        ),
        (
            add,
            examples(
                'graphmem add "I moved from London to Paris" --speaker Ana',
                'graphmem add "我对花生过敏" --at 2024-05-20T10:00+08:00',
                "pbpaste | graphmem add -",
            ),
        ),
        (extract, examples('graphmem extract "If I moved to Oslo, where would I live?"')),
    ):
        app.command(rich_help_panel=REMEMBER, epilog=epilog)(command)


def ingest(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(help="Chat logs, in any known format; - reads standard input.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="The format, instead of recognising it.",
            autocompletion=complete.formats,
        ),
    ] = None,
    me: Annotated[
        str | None, typer.Option("--me", help="The owner's name, where the log does not tell.")
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone",
            help="The zone of local times (IANA name).",
            autocompletion=complete.zones,
        ),
    ] = None,
    quiet: Quiet = False,
    json: show.Json = False,
) -> None:
    """Read chat logs into the memory; safe to stop at any moment and to run again.

    Every known format is recognised by its content, also in a zip archive as it was exported.
    """
    with stream.files(files) as laid:
        _ingest(context, laid, format, me, timezone, quiet=quiet, json=json)


def _ingest(
    context: typer.Context,
    files: list[Path],
    format: str | None,
    me: str | None,
    timezone: str | None,
    *,
    quiet: bool,
    json: bool,
) -> None:
    from graphmem.chatlogs import registry  # noqa: PLC0415 - readers load only when needed
    from graphmem.feeding import Feed  # noqa: PLC0415

    for file in files:  # a file that cannot be read is told before anything is written
        registry.reader_named(format) if format else registry.detect(file)
    with opened(context, embeds=True) as memory:
        totals: Counter[str] = Counter()
        problems: list[str] = []
        started = time.perf_counter()
        for file in files:
            feed = Feed(file)
            try:
                with _progress(file.name, quiet=quiet or json) as bar:
                    for _ in feed.into(memory, format=format, me=me, timezone=timezone):
                        bar.move(feed.place, feed.size, feed.counts["messages"])
            except KeyboardInterrupt:
                typer.echo(_stopped(feed.counts["messages"], file), err=True)
                raise typer.Exit(INTERRUPTED) from None
            totals.update(feed.counts)
            problems += feed.problems
        took = time.perf_counter() - started
        open_conflicts = memory.status()["open_conflicts"]
        owner = memory.settings.owner
    if json:
        show.as_json(
            {
                **totals,
                "problems": problems,
                "seconds": round(took, 3),
                "open_conflicts": open_conflicts,
            }
        )
    elif not quiet:
        show.line(
            f"{show.count(totals['messages'], 'message')}, {totals['stored']} new: "
            + ", ".join(
                show.count(totals[f"{noun}s"], noun)
                for noun in ("fact", "note", "reminder", "conflict")
            )
            + f" ({took:.1f} s)"
        )
        if open_conflicts:
            show.line(f"{open_conflicts} open: graphmem review")
        if me and not owner:
            show.line(
                f"to be {show.safe(me)} everywhere: graphmem config set owner {show.safe(me)!r}"
            )
    for problem in problems:
        typer.echo(f"graphmem: skipped {show.safe(problem)}", err=True)


def _stopped(count: int, file: Path) -> str:
    return (
        f"stopped after {show.count(count, 'message')} of {show.safe(str(file))}; "
        "run the same command again to go on"
    )


@contextmanager
def _progress(name: str, *, quiet: bool) -> Iterator[_Bar]:
    if quiet:
        yield _Silent()
    elif sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415 - only on a terminal
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[count]} messages, {task.fields[rate]}/s"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        ) as progress:
            yield _Rich(progress, progress.add_task(show.safe(name), total=None, count=0, rate=0))
    else:
        yield _Plain(name)


class _Silent:
    def move(self, done: int, size: int, count: int, /) -> None:
        """Say nothing."""


class _Plain:
    """A line every few seconds, for logs and pipes. Messages alone tell how far it is: a small file is
    read as a whole before the first of them is stored.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._next = time.monotonic() + 5

    def move(self, _done: int, _size: int, count: int, /) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 5
            typer.echo(f"{show.safe(self._name)}: {show.count(count, 'message')}", err=True)


class _Rich:
    def __init__(self, progress: Any, task: Any) -> None:
        self._progress = progress
        self._task = task
        self._started = time.monotonic()

    def move(self, done: int, size: int, count: int, /) -> None:
        rate = count / max(0.001, time.monotonic() - self._started)
        self._progress.update(
            self._task, completed=done, total=size or None, count=count, rate=f"{rate:.0f}"
        )


def add(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="The statement; - reads it from standard input.")],
    speaker: Speaker = None,
    said_at: Annotated[
        str | None, typer.Option("--at", help="When it was said (ISO; default: now).")
    ] = None,
    conversation: Annotated[
        str, typer.Option("--conversation", help="The conversation that it belongs to.")
    ] = "",
    source: Annotated[str, typer.Option("--source", help="Where it comes from.")] = "",
    readers: Annotated[
        str,
        typer.Option("--readers", help="Who alone may see it: names with commas between them."),
    ] = "",
    json: show.Json = False,
) -> None:
    """Remember one statement."""
    from graphmem.model import Message  # noqa: PLC0415 - light, but only needed here

    with opened(context, embeds=True) as memory:
        receipt = memory.add(
            Message(
                text=words(text),
                speaker=speaker or memory.settings.owner or "user",
                said_at=moment_if_told(said_at) or memory.now(),
                conversation=conversation,
                source=source,
                readers=show.names(readers),
            )
        )
    if json:
        show.as_json(receipt)
    else:
        show.receipt(receipt)


def extract(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="The statement; - reads it from standard input.")],
    speaker: Speaker = None,
    said_at: Annotated[
        str | None, typer.Option("--at", help="When it was said (ISO; default: now).")
    ] = None,
    json: show.Json = False,
) -> None:
    """Show what would be learnt from a statement, and why; stores nothing."""
    from graphmem.model import Message  # noqa: PLC0415 - light, but only needed here

    with opened(context) as memory:
        receipt = memory.extract(
            Message(
                text=words(text),
                speaker=speaker or memory.settings.owner or "user",
                said_at=moment_if_told(said_at) or memory.now(),
            )
        )
    if json:
        show.as_json(receipt)
    else:
        show.receipt(receipt)


def moment(text: str, zone: tzinfo | None = None) -> datetime:
    """An ISO date or time from the command line, in `zone` (the machine's) where it names none."""
    return parse_moment(text, zone)


def moment_if_told(text: str | None) -> datetime | None:
    """The same for an option that may be left out."""
    return None if text is None else moment(text)
