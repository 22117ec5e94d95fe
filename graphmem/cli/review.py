"""`review`, `conflicts`, `resolve`: what waits for the owner's decision."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmem.cli import show
from graphmem.cli.app import REVIEW, opened
from graphmem.model import Decision

KEYS = {
    "k": Decision.KEEP_BOTH,
    "p": Decision.MARK_OLDER_AS_PAST,
    "r": Decision.REPLACE_OLDER,
    "d": Decision.DISCARD_NEWER,
}
CHOICES = (
    "[p] mark older as past (recommended)  [k] keep both  "
    "[r] replace older (deletes it)  [d] discard newer (deletes it)  [s] skip  [q] quit"
)


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command in (review, conflicts, resolve):
        app.command(rich_help_panel=REVIEW)(command)


def conflicts(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Decided ones too.")] = False,
    json: show.Json = False,
) -> None:
    """List open conflicts, both sides with evidence and reason."""
    with opened(context) as memory:
        found = memory.conflicts(open_only=not every)
    if json:
        show.as_json(found)
        return
    if not found:
        show.line("nothing to review")
    for one in found:
        show.conflict(one)


def resolve(
    context: typer.Context,
    conflict: Annotated[str, typer.Argument(help="The conflict's id.")],
    decision: Annotated[Decision, typer.Argument(help="What to do.")],
    json: show.Json = False,
) -> None:
    """Decide one conflict. Deciding it again the same way is harmless."""
    with opened(context) as memory:
        receipt = memory.resolve(conflict, decision)
    if json:
        show.as_json(receipt)
    else:
        show.receipt(receipt) if receipt.event else show.line("was decided already")
        show.line(decision.value.replace("_", " "))


def review(context: typer.Context, json: show.Json = False) -> None:
    """Walk through the open conflicts, one key a decision."""
    with opened(context) as memory:
        waiting = memory.conflicts()
        if json:
            show.as_json(waiting)
            return
        if not waiting:
            show.line("nothing to review")
        for place, one in enumerate(waiting, 1):
            show.line(f"\n{place} of {len(waiting)}")
            show.conflict(one)
            show.line(CHOICES)
            answer = typer.prompt("decision", default="p").strip().lower()[:1]
            if answer == "q":
                return
            if answer in KEYS:
                memory.resolve(one.id, KEYS[answer])
                show.line(KEYS[answer].value.replace("_", " "))
