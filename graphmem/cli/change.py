"""`update`, `edit`, `confirm`, `retire`, `restore`, `pin`, `forget`, `undo`, `entities`: by the owner's hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli import show
from graphmem.cli.app import CHANGE, opened
from graphmem.cli.ingest import words
from graphmem.errors import ChangeRefused

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.model import Receipt

FactId = Annotated[str, typer.Argument(help="The fact's id (as `graphmem facts` shows it).")]
Text = Annotated[str, typer.Argument(help="The new text; - reads it from standard input.")]

entities = typer.Typer(help="Who and what is known; merge and split.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command in (update, edit, confirm, retire, restore, pin, forget, undo):
        app.command(rich_help_panel=CHANGE)(command)
    app.add_typer(entities, name="entities", rich_help_panel=CHANGE)


def _done(
    context: typer.Context, act: Callable[[Memory], Receipt], said: str, *, json: bool
) -> None:
    with opened(context) as memory:
        receipt = act(memory)
    if json:
        show.as_json(receipt)
        return
    show.receipt(receipt) if receipt.event else show.line("nothing to change")
    if receipt.event:
        show.line(said)


def update(context: typer.Context, fact: FactId, text: Text, json: show.Json = False) -> None:
    """Give a fact a new version; the old one is kept as history."""
    _done(context, lambda memory: memory.update(fact, words(text)), "updated", json=json)


def edit(context: typer.Context, fact: FactId, text: Text, json: show.Json = False) -> None:
    """Mend a typo in place; makes no history."""
    _done(context, lambda memory: memory.edit(fact, words(text)), "edited", json=json)


def confirm(context: typer.Context, fact: FactId, json: show.Json = False) -> None:
    """Say that a fact still holds."""
    _done(context, lambda memory: memory.confirm(fact), "confirmed", json=json)


def retire(context: typer.Context, fact: FactId, json: show.Json = False) -> None:
    """Mark a fact as past."""
    _done(context, lambda memory: memory.retire(fact), "marked as past", json=json)


def restore(context: typer.Context, fact: FactId, json: show.Json = False) -> None:
    """Make a past, expired or archived fact current again."""
    _done(context, lambda memory: memory.restore(fact), "current again", json=json)


def pin(
    context: typer.Context,
    fact: FactId,
    off: Annotated[bool, typer.Option("--off", help="Let it fade again.")] = False,
    json: show.Json = False,
) -> None:
    """Keep a fact from ever fading."""
    said = "no longer pinned" if off else "pinned"
    _done(context, lambda memory: memory.pin(fact, pinned=not off), said, json=json)


def forget(
    context: typer.Context,
    fact: FactId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: show.Json = False,
) -> None:
    """Delete a fact for good. This cannot be undone.

    Nor can edit, and the two decisions of review that delete a fact (replace older, discard newer).
    """
    if not yes and not typer.confirm(f"Delete {fact} for good?"):
        raise ChangeRefused("not deleted", next_step="to mark it as past instead: graphmem retire")
    _done(context, lambda memory: memory.forget(fact), "deleted for good", json=json)


def undo(context: typer.Context, json: show.Json = False) -> None:
    """Take back the last change; run again to take back the one before."""
    _done(context, lambda memory: memory.undo(), "taken back", json=json)


@entities.command("list")
def list_entities(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1)] = 200,
    json: show.Json = False,
) -> None:
    """List entities with their aliases."""
    with opened(context) as memory:
        found = memory.entities(limit=limit)
    if json:
        show.as_json(found)
    else:
        show.rows(
            ("id", "name", "kind", "also"),
            [(one.id, one.name, one.kind, ", ".join(one.aliases)) for one in found],
        )


@entities.command()
def merge(
    context: typer.Context,
    kept: Annotated[str, typer.Argument(help="The entity that stays (name or id).")],
    gone: Annotated[str, typer.Argument(help="The entity that becomes a name of it.")],
    json: show.Json = False,
) -> None:
    """Make two entities one."""
    _done(context, lambda memory: memory.merge_entities(kept, gone), "merged", json=json)


@entities.command()
def split(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="The entity (name or id).")],
    alias: Annotated[str, typer.Argument(help="The name that is somebody else.")],
    json: show.Json = False,
) -> None:
    """Give one of an entity's names, and what was said under it, an entity of its own."""
    _done(context, lambda memory: memory.split_entity(entity, alias), "split", json=json)
