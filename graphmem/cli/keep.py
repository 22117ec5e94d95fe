"""`backup`, `restore` and `export`: the memory as one portable file."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from graphmem.cli import change, show, stream
from graphmem.cli.app import UPKEEP, home, opened, reader_of
from graphmem.cli.complete import fact_ids
from graphmem.cli.help import examples
from graphmem.errors import ReaderRefused, UnreadableFile

VARIABLE = "GRAPHMEM_PASSPHRASE"

Ask = Annotated[
    bool, typer.Option("--passphrase", help="Seal it: ask for a passphrase on the terminal.")
]
PassphraseFile = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help="Take the passphrase from this file's first line."),
]


class Written(StrEnum):
    """The forms of an export."""

    JSONL = "jsonl"
    GRAPHML = "graphml"


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command, shown in (
        (backup, ("graphmem backup memory.gmb", "graphmem backup --passphrase memory.gmb")),
        (
            restore,
            (
                "graphmem restore memory.gmb",
                "graphmem -m ./copy restore memory.gmb",
                "graphmem restore f_jpwojgp6yvqcia54",
            ),
        ),
        (
            export,
            (
                "graphmem export memory.jsonl",
                "graphmem export memory.graphml",
                "graphmem --reader tv export - | jq -r 'select(.record == \"fact\").text'",
            ),
        ),
    ):
        app.command(rich_help_panel=UPKEEP, epilog=examples(*shown))(command)


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file to write; an older backup is replaced.")],
    ask: Ask = False,
    passphrase_file: PassphraseFile = None,
    json: show.Json = False,
) -> None:
    """Write the whole memory to one portable file, with a passphrase sealed.

    The passphrase is asked for, or comes from a file or from GRAPHMEM_PASSPHRASE: never from the command
    line, which others can see.
    """
    passphrase = _passphrase(passphrase_file, ask=ask, twice=True)
    with opened(context) as memory:
        made = memory.backup(file, passphrase)
    if json:
        show.as_json(made)
        return
    how = "sealed with the passphrase" if made.sealed else "not sealed: anybody can read it"
    show.line(f"{show.safe(str(made.file))}: {told(made.counts)}; {made.bytes:,} bytes, {how}")


def restore(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            help="A file that `graphmem backup` wrote; or the id of a past fact.",
            autocompletion=fact_ids,
        ),
    ],
    ask: Ask = False,
    passphrase_file: PassphraseFile = None,
    json: show.Json = False,
) -> None:
    """Restore a backup, or make a past, expired or archived fact current again.

    A backup becomes a new memory, or is merged into one that is there, where later changes win. The file is read to its end first: where it is damaged or the passphrase is wrong, nothing is written.
    Doing it twice changes nothing.
    """
    from graphmem.memory import Memory  # noqa: PLC0415 - the engines load only when needed

    if what.startswith("f_") and not Path(what).exists():
        change.restore(context, what, json=json)
        return
    reader = reader_of(context)
    if reader is not None:
        raise ReaderRefused(
            f"the reader {reader!r} may not restore a backup, which may change everything",
            expected="a memory opened without a reader",
            next_step="leave --reader out",
        )
    passphrase = _passphrase(passphrase_file, ask=ask, twice=False)
    done = Memory.restore_backup(Path(what), home(context), passphrase)
    if json:
        show.as_json(done)
        return
    where = f"a new memory in {done.path}" if done.fresh else f"merged into {done.path}"
    show.line(show.safe(f"{where}, as it was on {done.written_at:%Y-%m-%d %H:%M}"))
    for how, counts in (("added", done.added), ("changed", done.changed), ("kept", done.kept)):
        if counts:
            show.line(f"{how:<8} {told(counts)}")


def export(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="The file to write; an older export is replaced. - prints it.")
    ],
    format: Annotated[
        Written | None,
        typer.Option(
            "--format", "-f", help="How to write it (default: by the file's name, else jsonl)."
        ),
    ] = None,
    reveal: show.Reveal = False,
    json: show.Json = False,
) -> None:
    """Write what the memory shows as plain JSON Lines or GraphML, for other programs.

    With --reader: what that reader may see. JSON Lines come back with `graphmem import graphmem`; secrets are masked unless revealed, and what is masked does not come back.
    """
    with tempfile.TemporaryDirectory(prefix="graphmem-") as folder:
        aside = str(file) == stream.STANDARD
        place = Path(folder) / "export" if aside else file
        with opened(context) as memory:
            made = memory.export(place, form=format and format.value, reveal=reveal)
        if aside:
            _print(place)
            return
    if json:
        show.as_json(made)
        return
    masked = f", {made.masked} masked (--reveal shows them)" if made.masked else ""
    show.line(
        f"{show.safe(str(made.file))}: {told(made.counts)}; {made.bytes:,} bytes of {made.form}{masked}"
    )


def _print(file: Path) -> None:
    sys.stdout.flush()
    with file.open("rb") as source:
        if hasattr(sys.stdout, "buffer"):
            shutil.copyfileobj(source, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def told(counts: Mapping[str, int]) -> str:
    """Records by kind, in words."""
    plurals = {"entity": "entities"}
    return ", ".join(
        f"{count} {kind if count == 1 else plurals.get(kind, kind + 's')}"
        for kind, count in counts.items()
    )


def _passphrase(file: Path | None, *, ask: bool, twice: bool) -> str | None:
    if file is not None:
        try:
            return file.read_text("utf-8").splitlines()[0]
        except (OSError, UnicodeDecodeError, IndexError) as cause:
            raise UnreadableFile(
                f"{file} holds no passphrase that can be read",
                expected="a text file with the passphrase on its first line",
            ) from cause
    if ask:
        asked: str = typer.prompt(
            "passphrase", hide_input=True, confirmation_prompt=twice, err=True
        )
        return asked
    return os.environ.get(VARIABLE) or None
