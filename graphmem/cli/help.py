"""How help is laid out: commands in groups, each with examples; plain text, so that it is there at once."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

EXIT_STATUS = (
    "Exit status: 0 done · 1 a check found something · 2 unusable input · 3 refused by the memory's "
    "rules · 4 trouble with the memory on disk · 5 held by another process · 6 an extra is missing or "
    "a service failed · 7 nothing has this name or id · 130 interrupted."
)


def examples(*lines: str) -> str:
    """The epilog of a command: its examples, one a line, kept as they are."""
    return "Examples:\n\n\b\n" + "\n".join(f"  {line}" for line in lines)


class Grouped(TyperGroup):
    """A group whose help lists its commands under the headings they were registered with."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options, then the commands by heading, in the order of registration."""
        options = [record for one in self.get_params(ctx) if (record := one.get_help_record(ctx))]
        with formatter.section(_heading("Options", ctx)):
            formatter.write_dl(options)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each heading once, with all its commands."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is None or command.hidden:
                continue
            panel = getattr(command, "rich_help_panel", None)
            heading = panel if isinstance(panel, str) else "Commands"
            groups.setdefault(heading, []).append((name, command.get_short_help_str(limit=200)))
        widest = max((len(name) for rows in groups.values() for name, _ in rows), default=0)
        for heading, rows in groups.items():
            with formatter.section(_heading(heading, ctx)):
                formatter.write_dl([(name.ljust(widest), told) for name, told in rows])


def _heading(text: str, ctx: Any) -> str:
    """Bold on a terminal."""
    coloured = ctx.color if ctx.color is not None else sys.stdout.isatty()
    return typer.style(text, bold=True) if coloured else text
