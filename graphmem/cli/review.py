"""`review`, `conflicts`, `resolve`: what waits for the owner's decision."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli import guide, show
from graphmem.cli.app import REVIEW, opened
from graphmem.cli.complete import conflict_ids
from graphmem.cli.help import examples
from graphmem.errors import InputError
from graphmem.model import Conflict, Decision

if TYPE_CHECKING:
    from graphmem.memory import Memory

KEYS = {
    "k": Decision.KEEP_BOTH,
    "p": Decision.MARK_OLDER_AS_PAST,
    "r": Decision.REPLACE_OLDER,
    "d": Decision.DISCARD_NEWER,
}
DELETING = frozenset({Decision.REPLACE_OLDER, Decision.DISCARD_NEWER})
_TRIES = 3  # answers from a pipe to one conflict: `yes | graphmem review` must come to an end
CHOICES = (
    "[p] mark older as past (recommended)  [k] keep both  "
    "[r] replace older (deletes it)  [d] discard newer (deletes it)  [s] skip  [q] quit"
)


def _decision(text: str) -> Decision:
    """A decision by its key or its long name."""
    if text in KEYS:
        return KEYS[text]
    try:
        return Decision(text)
    except ValueError as cause:
        named = ", ".join(f"{key} ({one.value})" for key, one in KEYS.items())
        raise typer.BadParameter(f"{text!r} is none of {named}") from cause


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command, shown in (
        (review, ("graphmem review", "yes p | graphmem review")),
        (conflicts, ("graphmem conflicts", "graphmem conflicts --all --json")),
        (
            resolve,
            (
                "graphmem resolve c_7b3xq5ow2hd4kzma mark_older_as_past",
                "graphmem resolve c_7b3xq5ow2hd4kzma k",
            ),
        ),
    ):
        app.command(rich_help_panel=REVIEW, epilog=examples(*shown))(command)


def conflicts(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Decided ones too.")] = False,
    json: show.Json = False,
) -> None:
    """List open conflicts, both sides with evidence and reason."""
    with opened(context) as memory:
        found = memory.conflicts(open_only=not every)
        if not found:
            guide.nothing(memory, "nothing to review", json=json)
    if json:
        show.as_json(found)
        return
    for one in found:
        show.conflict(one)


def resolve(
    context: typer.Context,
    conflict: Annotated[
        str, typer.Argument(help="The conflict's id.", autocompletion=conflict_ids)
    ],
    decision: Annotated[
        Decision,
        typer.Argument(
            parser=_decision,
            metavar="DECISION",
            help="What to do: p (mark_older_as_past), k (keep_both), or for good: "
            "r (replace_older), d (discard_newer).",
        ),
    ],
    json: show.Json = False,
) -> None:
    """Decide one conflict; deciding it again the same way is harmless."""
    with opened(context) as memory:
        receipt = memory.resolve(conflict, decision)
    if json:
        show.as_json(receipt)
    else:
        show.receipt(receipt) if receipt.event is not None else show.line("was decided already")
        show.line(decision.value.replace("_", " "))


def review(context: typer.Context, json: show.Json = False) -> None:
    """Walk through the open conflicts, one key a decision."""
    with opened(context) as memory:
        waiting = memory.conflicts()
        if not waiting:
            guide.nothing(memory, "nothing to review", json=json)
        if json:
            show.as_json(waiting)
            return
        for place, one in enumerate(waiting, 1):
            show.line(f"\n{place} of {len(waiting)}")
            show.conflict(one)
            if not _decided(memory, one):
                return


def _decided(memory: Memory, one: Conflict) -> bool:
    """Ask until one conflict is decided or skipped; False where the owner stops.

    Raises InputError where a pipe answers anything else too often.
    """
    for _ in range(_TRIES) if not sys.stdin.isatty() else count():
        show.line(CHOICES)
        answer = _asked()
        if answer in ("q", "quit"):
            return False
        if answer in ("s", "skip"):
            show.line("skipped")
            return True
        if answer not in KEYS:
            show.line(f"{show.safe(answer)!r} is no key; the keys are p, k, r, d, s and q")
            continue
        decision = KEYS[answer]
        if decision in DELETING and not _sure(one, decision):
            show.line("not deleted")
            continue
        memory.resolve(one.id, decision)
        show.line(decision.value.replace("_", " "))
        return True
    raise InputError(
        f"no decision in {_TRIES} answers; what was decided before is kept",
        expected="p, k, s or q, or r or d followed by y",
    )


def _asked() -> str:
    answer: str = typer.prompt("decision", default="p")
    _end_line()
    return answer.strip().lower()


def _sure(one: Conflict, decision: Decision) -> bool:
    gone = one.old if decision is Decision.REPLACE_OLDER else one.new
    answer: str = typer.prompt(f"{show.fact_line(gone)}\ndelete it for good? y or n", default="n")
    _end_line()
    return answer.strip().lower() in ("y", "yes")


def _end_line() -> None:
    """On a terminal the owner's Enter ends the line of a prompt; elsewhere nothing does."""
    if not sys.stdin.isatty():
        show.line()
