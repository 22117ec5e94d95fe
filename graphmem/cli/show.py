"""How values look on the terminal, and as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from graphmem.model import Conflict, Fact, Receipt, State, Trigger
from graphmem.plain import plain
from graphmem.secrecy.masking import shown_object, shown_text, without_secrets

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show secrets instead of masking them.")]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COLOURS = {
    State.CURRENT: typer.colors.GREEN,
    State.UNSURE: typer.colors.YELLOW,
    State.HISTORICAL: typer.colors.BLUE,
}


def safe(text: str) -> str:
    """`text` without control characters and direction overrides, which could steer a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def line(text: str = "", *, colour: str | None = None) -> None:
    """Print one line; Typer takes the colour away where the output is no terminal (see `cli.colours`)."""
    typer.echo(typer.style(text, fg=colour) if colour else text)


def count(number: int, noun: str) -> str:
    """ "1 message", "2 messages"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def names(listed: str) -> tuple[str, ...]:
    """The names in an option that takes several, with commas between them."""
    return tuple(dict.fromkeys(one.strip() for one in listed.split(",") if one.strip()))


def as_json(value: Any, *, reveal: bool = False) -> None:
    """Print a value as indented JSON."""
    typer.echo(json_text(value, reveal=reveal))


def json_text(value: Any, *, reveal: bool = False) -> str:
    """A value as indented JSON."""
    told = json.dumps(plain(value, reveal=reveal), ensure_ascii=False, indent=2)
    # JSON escapes the lower controls itself; the others too would steer a terminal
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", told)


def rows(columns: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Print a table with Rich on a terminal, tab-separated elsewhere."""
    cells = [[safe(str("" if cell is None else cell)) for cell in row] for row in lines]
    if not sys.stdout.isatty():
        typer.echo("\t".join(columns))
        for row in cells:
            typer.echo("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich.console import Console  # noqa: PLC0415 - Rich is only needed on a terminal
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def fact_line(fact: Fact, *, reveal: bool = False) -> str:
    """One fact in one line: its standing, the claim, its time, its id."""
    value = fact.object or fact.text
    if fact.sensitive and not reveal:
        value = shown_object(fact) or shown_text(fact)
    sign = "not " if fact.polarity == "-" else ""
    span = " ".join(
        f"{word} {when}"
        for word, when in (
            ("from", fact.valid_from),
            ("to", fact.valid_to),
            ("at", fact.happens_at),
            ("until", fact.expires_at if fact.happens_at is None else None),
        )
        if when is not None
    )
    claim = f"{fact.entity} · {sign}{fact.predicate} · {value}"
    return safe(
        f"{fact.state:<10} {claim}{' · ' + span if span else ''}"
        f"   [{fact.said_at:%Y-%m-%d}] {fact.id}"
    )


def facts(found: Iterable[Fact], *, reveal: bool = False) -> None:
    """Facts, one a line, coloured by state."""
    for fact in found:
        line(fact_line(fact, reveal=reveal), colour=_COLOURS.get(fact.state))


def conflict(one: Conflict) -> None:
    """One conflict with both sides, reason and id."""
    line(f"{one.id}  {one.relation}: {safe(one.reason)}", colour=typer.colors.YELLOW)
    line("  older  " + fact_line(one.old))
    line(f"         “{_shown(one.old)}”")
    line("  newer  " + fact_line(one.new))
    line(f"         “{_shown(one.new)}”")


def _shown(fact: Fact) -> str:
    return safe(shown_text(fact))


def _said_of(fact: Fact) -> str:
    return shown_object(fact) or shown_text(fact)


def trigger(one: Trigger) -> None:
    """One reminder."""
    when = str(one.at or one.routine or ", ".join(one.keywords) or one.cue)
    repeat = f" ({one.repeat})" if one.repeat else ""
    line(safe(f"reminder   {without_secrets(one.action)} · when: {when}{repeat}   {one.id}"))


def receipt(one: Receipt, *, reveal: bool = False) -> None:
    """What a write did."""
    if not one.stored and one.event is None and not one.remarks:
        line("already known: nothing changed")
        return
    facts(one.facts, reveal=reveal)
    for note in one.notes:
        line(safe(f"kept       “{note.text if reveal else shown_text(note)}”   {note.id}"))
    for fact in one.merged:
        line("again      " + fact_line(fact, reveal=reveal))
    for old, new in one.replaced:
        line(safe(f"replaced   {_said_of(old)}  ->  {_said_of(new)}"))
    for reminder in one.reminders:
        trigger(reminder)
    for waiting in one.conflicts:
        conflict(waiting)
    for refused in one.refused:
        line(safe(f"not learnt {refused.text + ': ' if refused.text else ''}{refused.reason}"))
    for remark in one.remarks:
        line(safe(f"           {remark}"))
    if one.open_conflicts:
        line(f"{one.open_conflicts} open: graphmem review", colour=typer.colors.YELLOW)
