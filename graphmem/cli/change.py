"""`update`, `edit`, `confirm`, `retire`, `restore`, `pin`, `limit`, `forget`, `undo`, `entities`: by the owner's hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli import guide, show
from graphmem.cli.app import CHANGE, opened
from graphmem.cli.complete import entity_names, fact_ids
from graphmem.cli.help import Grouped, examples
from graphmem.cli.stream import words
from graphmem.errors import ChangeRefused

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.model import Receipt

FactId = Annotated[
    str,
    typer.Argument(help="The fact's id (as `graphmem facts` shows it).", autocompletion=fact_ids),
]
Text = Annotated[str, typer.Argument(help="The new text; - reads it from standard input.")]

entities = typer.Typer(
    cls=Grouped,
    help="Who and what is known; merge and split.",
    no_args_is_help=True,
    epilog=examples("graphmem entities list", "graphmem entities merge 老王 王师傅"),
)


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command, shown in (
        (update, ('graphmem update f_jpwojgp6yvqcia54 "I live in Porto."',)),
        (edit, ('graphmem edit f_jpwojgp6yvqcia54 "I live in Lisbon."',)),
        (confirm, ("graphmem confirm f_jpwojgp6yvqcia54",)),
        (retire, ("graphmem retire f_jpwojgp6yvqcia54",)),
        (pin, ("graphmem pin f_jpwojgp6yvqcia54", "graphmem pin f_jpwojgp6yvqcia54 --off")),
        (
            limit,
            (
                "graphmem limit f_jpwojgp6yvqcia54 --readers phone,laptop",
                "graphmem limit f_jpwojgp6yvqcia54 --open",
            ),
        ),
        (forget, ("graphmem forget f_jpwojgp6yvqcia54", "graphmem forget f_jpwojgp6yvqcia54 -y")),
        (undo, ("graphmem undo",)),
    ):
        app.command(rich_help_panel=CHANGE, epilog=examples(*shown))(command)
    app.add_typer(entities, name="entities", rich_help_panel=CHANGE)


def _done(
    context: typer.Context, act: Callable[[Memory], Receipt], said: str, *, json: bool
) -> None:
    with opened(context) as memory:
        receipt = act(memory)
    if json:
        show.as_json(receipt)
        return
    if receipt.event is None:
        show.line("nothing to change")
        return
    show.receipt(receipt)
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


def limit(
    context: typer.Context,
    fact: FactId,
    readers: Annotated[
        str, typer.Option("--readers", help="Who may see it: names with commas between them.")
    ] = "",
    everybody: Annotated[bool, typer.Option("--open", help="Open it to everybody.")] = False,
    json: show.Json = False,
) -> None:
    """Limit a fact, and the statements it stands on, to named readers; or open it again."""
    named = show.names(readers)
    if bool(named) is everybody:
        raise typer.BadParameter("give --readers NAMES, or --open")
    said = f"for {', '.join(map(show.safe, named))} only" if named else "open to everybody"
    _done(context, lambda memory: memory.limit(fact, named), said, json=json)


def forget(
    context: typer.Context,
    fact: FactId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: show.Json = False,
) -> None:
    """Delete a fact, or a whole message by its id, for good; this cannot be undone.

    Nor can edit, and the two decisions of review that delete a fact (replace older, discard newer).
    """
    if not yes and not typer.confirm(f"Delete {fact} for good?"):
        raise ChangeRefused("not deleted", next_step="to mark it as past instead: graphmem retire")
    _done(context, lambda memory: memory.forget(fact), "deleted for good", json=json)


def undo(
    context: typer.Context,
    event: Annotated[
        int | None, typer.Option("--event", min=1, help="Take back the event with this number.")
    ] = None,
    json: show.Json = False,
) -> None:
    """Take back the last change; run again to take back the one before."""
    _done(context, lambda memory: memory.undo(event), "taken back", json=json)


@entities.command("list", epilog=examples("graphmem entities list --limit 20"))
def list_entities(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 200,
    json: show.Json = False,
) -> None:
    """List entities with their aliases."""
    with opened(context) as memory:
        found = memory.entities(limit=limit)
        if not found:
            guide.nothing(memory, "nobody and nothing is known", json=json)
    if json:
        show.as_json(found)
    elif found:
        show.rows(
            ("id", "name", "kind", "also"),
            [(one.id, one.name, one.kind, ", ".join(one.aliases)) for one in found],
        )


@entities.command(epilog=examples("graphmem entities merge 老王 王师傅"))
def merge(
    context: typer.Context,
    kept: Annotated[
        str, typer.Argument(help="The entity that stays (name or id).", autocompletion=entity_names)
    ],
    gone: Annotated[
        str,
        typer.Argument(help="The entity that becomes a name of it.", autocompletion=entity_names),
    ],
    json: show.Json = False,
) -> None:
    """Make two entities one."""
    _done(context, lambda memory: memory.merge_entities(kept, gone), "merged", json=json)


@entities.command(epilog=examples("graphmem entities split 老王 王师傅"))
def split(
    context: typer.Context,
    entity: Annotated[
        str, typer.Argument(help="The entity (name or id).", autocompletion=entity_names)
    ],
    alias: Annotated[str, typer.Argument(help="The name that is somebody else.")],
    json: show.Json = False,
) -> None:
    """Give one of an entity's names, and what was said under it, an entity of its own."""
    _done(context, lambda memory: memory.split_entity(entity, alias), "split", json=json)
