"""`remind`: reminders, listed, made, told, put off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli import show
from graphmem.cli.app import UPKEEP, opened
from graphmem.cli.ingest import moment, moment_if_told

if TYPE_CHECKING:
    from graphmem.model import Receipt

TriggerId = Annotated[str, typer.Argument(help="The reminder's id.")]

remind = typer.Typer(help="Reminders: list, add, due, done, snooze, cancel.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    app.add_typer(remind, name="remind", rich_help_panel=UPKEEP)


@remind.command("list")
def list_reminders(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Done and cancelled ones too.")] = False,
    json: show.Json = False,
) -> None:
    """List reminders."""
    with opened(context) as memory:
        found = memory.reminders(active_only=not every)
    if json:
        show.as_json(found)
        return
    for one in found:
        show.trigger(one)
    if not found:
        show.line("no reminders")


@remind.command()
def add(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help='Such as "every Monday at 8 put the bins out".')],
    json: show.Json = False,
) -> None:
    """Make a reminder from a sentence."""
    with opened(context) as memory:
        receipt = memory.remind(text)
    _told(receipt, json=json)


@remind.command()
def due(
    context: typer.Context,
    at: Annotated[str | None, typer.Option("--at", help="As if now were this time (ISO).")] = None,
    peek: Annotated[bool, typer.Option("--peek", help="Look without recording.")] = False,
    json: show.Json = False,
) -> None:
    """Tell what is due; each is told once."""
    with opened(context) as memory:
        found = memory.due(moment_if_told(at), record=not peek)
    if json:
        show.as_json(found)
        return
    for one in found:
        late = " (late)" if one.late else ""
        show.line(
            show.safe(f"{one.at:%Y-%m-%d %H:%M}{late}  {one.trigger.action}   {one.trigger.id}")
        )
    if not found:
        show.line("nothing is due")


@remind.command()
def done(context: typer.Context, trigger: TriggerId, json: show.Json = False) -> None:
    """It is done."""
    with opened(context) as memory:
        receipt = memory.reminder_done(trigger)
    _told(receipt, json=json)


@remind.command()
def snooze(
    context: typer.Context,
    trigger: TriggerId,
    until: Annotated[str, typer.Argument(help="When to tell it again (ISO).")],
    json: show.Json = False,
) -> None:
    """Put it off."""
    with opened(context) as memory:
        receipt = memory.snooze(trigger, moment(until))
    _told(receipt, json=json)


@remind.command()
def cancel(context: typer.Context, trigger: TriggerId, json: show.Json = False) -> None:
    """It is not wanted any more."""
    with opened(context) as memory:
        receipt = memory.cancel_reminder(trigger)
    _told(receipt, json=json)


def _told(receipt: Receipt, *, json: bool) -> None:
    if json:
        show.as_json(receipt)
    else:
        show.receipt(receipt)
