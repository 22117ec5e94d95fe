"""`remind`: reminders, listed, made, told, put off, exported."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli import guide, show, stream
from graphmem.cli.app import UPKEEP, opened
from graphmem.cli.complete import trigger_ids
from graphmem.cli.help import Grouped, examples
from graphmem.cli.ingest import moment
from graphmem.secrecy.masking import without_secrets

if TYPE_CHECKING:
    from graphmem.model import Receipt
    from graphmem.when import When

TriggerId = Annotated[str, typer.Argument(help="The reminder's id.", autocompletion=trigger_ids)]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_SPAN = re.compile(r"(\d{1,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}

remind = typer.Typer(
    cls=Grouped,
    help="Reminders: list, add, due, done, snooze, cancel, export.",
    no_args_is_help=True,
    epilog=examples(
        'graphmem remind add "every Monday at 8 put the bins out"', "graphmem remind due"
    ),
)


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    app.add_typer(remind, name="remind", rich_help_panel=UPKEEP)


@remind.command("list", epilog=examples("graphmem remind list --all"))
def list_reminders(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Done and cancelled ones too.")] = False,
    json: show.Json = False,
) -> None:
    """List reminders, with the next time of each."""
    with opened(context) as memory:
        found = memory.reminders(active_only=not every)
        if not found:
            otherwise = "no reminders" if every else "no active reminders (see --all)"
            guide.nothing(memory, otherwise, json=json)
        times = [memory.next_time(one) for one in found]
    if json:
        show.as_json(found)
        return
    if not found:
        return
    show.rows(
        ("state", "next time or word", "repeats", "action", "cue", "id"),
        [
            (
                one.state,
                f"{at:%Y-%m-%d %H:%M}" if at else " / ".join(one.keywords),
                one.repeat,
                without_secrets(one.action),
                one.cue,
                one.id,
            )
            for one, at in zip(found, times, strict=True)
        ],
    )


@remind.command(
    epilog=examples(
        'graphmem remind add "下班路过超市买牛奶"',
        'graphmem remind add "call Tom" --at 2025-05-04T18:00',
        'graphmem remind add "water the plants" --every "FREQ=WEEKLY;BYDAY=MO"',
        'graphmem remind add "return the book" --word library',
    )
)
def add(
    context: typer.Context,
    text: Annotated[
        str,
        typer.Argument(
            help='Such as "every Monday at 8 put the bins out"; - reads it from standard input.'
        ),
    ],
    at: Annotated[
        str | None, typer.Option("--at", help="When (ISO); TEXT is then what to do.")
    ] = None,
    every: Annotated[
        str | None, typer.Option("--every", help="An RRULE, such as FREQ=WEEKLY;BYDAY=MO.")
    ] = None,
    word: Annotated[
        list[str] | None, typer.Option("--word", help="A word that brings it up (repeatable).")
    ] = None,
    json: show.Json = False,
) -> None:
    """Make a reminder from a sentence, or by --at, --every or --word."""
    with opened(context) as memory:
        receipt = memory.remind(
            stream.words(text), at=_moment_or_day(at, memory.now()), rule=every, keywords=word or ()
        )
    _told(receipt, json=json)


@remind.command(epilog=examples("graphmem remind due", "graphmem remind due --peek --json"))
def due(
    context: typer.Context,
    at: Annotated[str | None, typer.Option("--at", help="As if now were this time (ISO).")] = None,
    peek: Annotated[bool, typer.Option("--peek", help="Look without recording.")] = False,
    notify: Annotated[
        bool, typer.Option("--notify", help="Show them as desktop notifications too.")
    ] = False,
    json: show.Json = False,
) -> None:
    """Tell what is due; each is told once."""
    from graphmem.remind import notify as desktop  # noqa: PLC0415 - only here

    send = desktop.desktop() if notify else None
    with opened(context) as memory:
        now = memory.now() if at is None else moment(at, memory.now().tzinfo)
        found = memory.due(now, record=False)
        if send is not None:
            desktop.notify(found, send)
        if not peek:
            memory.due(now)
        if not found:
            guide.nothing(memory, "nothing is due", json=json)
    if json:
        show.as_json(found)
        return
    for one in found:
        late = " (late)" if one.late else ""
        show.line(
            show.safe(
                f"{one.at:%Y-%m-%d %H:%M}{late}  {without_secrets(one.trigger.action)}   {one.trigger.id}"
            )
        )


@remind.command(
    epilog=examples("graphmem remind export > memory.ics", "graphmem remind export -o memory.ics")
)
def export(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write it (default: stdout).")
    ] = None,
    json: show.Json = False,
) -> None:
    """Write reminders and dated facts as iCalendar, for any calendar program."""
    with opened(context) as memory:
        text = memory.calendar()
    events = text.count("BEGIN:VEVENT")
    if json and file is None:
        show.as_json({"events": events, "file": "", "icalendar": text})
        return
    written = stream.write(text, file)
    if json and written:
        show.as_json({"events": events, "file": str(file), "icalendar": ""})
    elif written:
        show.line(f"{events} events written to {show.safe(str(file))}")


@remind.command(epilog=examples("graphmem remind done t_4q2mzxr7ahd3wkyo"))
def done(context: typer.Context, trigger: TriggerId, json: show.Json = False) -> None:
    """It is done."""
    with opened(context) as memory:
        receipt = memory.reminder_done(trigger)
    _told(receipt, json=json)


@remind.command(
    epilog=examples(
        "graphmem remind snooze t_4q2mzxr7ahd3wkyo 2h",
        "graphmem remind snooze t_4q2mzxr7ahd3wkyo 2025-05-04T18:00",
    )
)
def snooze(
    context: typer.Context,
    trigger: TriggerId,
    until: Annotated[str, typer.Argument(help="When to tell it again (ISO, or 30m, 2h, 1d).")],
    json: show.Json = False,
) -> None:
    """Put it off."""
    with opened(context) as memory:
        receipt = memory.snooze(trigger, _ahead(until, memory.now()))
    _told(receipt, json=json)


@remind.command(epilog=examples("graphmem remind cancel t_4q2mzxr7ahd3wkyo"))
def cancel(context: typer.Context, trigger: TriggerId, json: show.Json = False) -> None:
    """It is not wanted any more."""
    with opened(context) as memory:
        receipt = memory.cancel_reminder(trigger)
    _told(receipt, json=json)


def _moment_or_day(text: str | None, now: datetime) -> When | datetime | None:
    """A day without a time stays a day, which falls on the owner's morning."""
    from graphmem.when import When  # noqa: PLC0415

    if text is None:
        return None
    found = moment(text, now.tzinfo)
    return When.day(found) if _DAY.fullmatch(text) else found


def _ahead(text: str, now: datetime) -> datetime:
    span = _SPAN.fullmatch(text)
    if span is None:
        return moment(text, now.tzinfo)
    return now + timedelta(**{_UNITS[span[2]]: int(span[1])})


def _told(receipt: Receipt, *, json: bool) -> None:
    if json:
        show.as_json(receipt)
    else:
        show.receipt(receipt)
