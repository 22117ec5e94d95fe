"""`recall`, `context`, `facts`, `history`, `lineage`, `cypher`, `entities`: what comes out of the memory."""

from __future__ import annotations

import csv
import json as jsonlib
import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from graphmem.cli import show
from graphmem.cli.app import RECALL, opened
from graphmem.cli.ingest import moment_if_told, words
from graphmem.errors import InvalidQuery
from graphmem.model import Kind, State

At = Annotated[str | None, typer.Option("--at", help="Ask as if now were this time (ISO).")]
AsOf = Annotated[
    str | None, typer.Option("--as-of", help="The memory as it stood at this date (ISO).")
]
Slot = Annotated[str | None, typer.Option("--slot", help="A topic: home, car, job, diet, ...")]


class Picture(StrEnum):
    """How a lineage is drawn."""

    TREE = "tree"
    MERMAID = "mermaid"
    DOT = "dot"
    JSON = "json"


class Shape(StrEnum):
    """How a Cypher answer is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command in (recall, context, facts, history, lineage, cypher):
        app.command(rich_help_panel=RECALL)(command)


def recall(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    at: At = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100)] = 10,
    about: Annotated[
        str | None, typer.Option("--about", help="Only what is about this person or thing.")
    ] = None,
    as_of: AsOf = None,
    include: Annotated[
        list[State] | None,
        typer.Option("--include", help="States to search besides the current (repeatable)."),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Say why each one came.")] = False,
    json: show.Json = False,
) -> None:
    """Ask the memory.

    Example: graphmem recall "where do I live?"   ·   graphmem recall "我以前开什么车?"
    """
    with opened(context) as memory:
        found = memory.recall(
            words(question),
            at=moment_if_told(at),
            limit=limit,
            about=about,
            as_of=moment_if_told(as_of),
            include=include or (),
        )
    if json:
        show.as_json(found)
        return
    if not found.items:
        show.line("nothing is known about that")
    for item in found.items:
        text = " ".join(show.safe(item.text).split())
        show.line(f"{item.score:.2f}  {item.state:<10} [{item.said_at:%Y-%m-%d}] {text}")
        for reason in item.why if why else ():
            show.line(f"        {show.safe(reason)}")
    for reminder in found.reminders:
        show.trigger(reminder)
    if found.open_conflicts:
        show.line(f"{found.open_conflicts} open: graphmem review")


def context(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    at: At = None,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1)] = 1500,
    model_context: Annotated[int, typer.Option("--model-context", min=1)] = 8000,
    card: Annotated[bool, typer.Option("--card", help="Print the memory card (JSON).")] = False,
) -> None:
    """Print what a model should be told for a question, in three labelled blocks."""
    with opened(context) as memory:
        found = memory.recall(words(question), at=moment_if_told(at))
    if card:
        show.as_json(found.card())
    else:
        typer.echo(found.context(max_tokens=max_tokens, model_context=model_context))


def facts(
    context: typer.Context,
    entity: Annotated[str | None, typer.Argument(help="Whose facts (name or id).")] = None,
    slot: Slot = None,
    state: Annotated[
        list[State] | None, typer.Option("--state", help="Only these states (repeatable).")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Facts in every state.")] = False,
    notes: Annotated[
        bool, typer.Option("--notes", help="Also statements kept without a claim.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1)] = 100,
    reveal: show.Reveal = False,
    json: show.Json = False,
) -> None:
    """List facts."""
    with opened(context) as memory:
        found = memory.facts(
            entity,
            slot=slot,
            states="all" if every else state or "current",
            kinds=tuple(Kind) if notes else None,
            limit=limit,
        )
        empty = not found and not memory.status()["snapshots"]
    if json:
        show.as_json(found, reveal=reveal)
    elif found:
        show.facts(found, reveal=reveal)
    else:
        show.line(_nothing(entity, empty=empty, every=every, notes=notes))


def _nothing(entity: str | None, *, empty: bool, every: bool, notes: bool) -> str:
    """Why a list of facts is empty, and what to try."""
    if empty:
        return "no facts; feed it with: graphmem ingest FILE, or graphmem add TEXT"
    wider = [option for option, given in (("--all", every), ("--notes", notes)) if not given]
    hints = [f"wider: {' '.join(wider)}"] if wider else []
    if entity is not None:
        hints.append("who is known: graphmem entities list")
    about = f" of {show.safe(entity)}" if entity is not None else ""
    state = "" if every else " in this state"
    return f"nothing is known{about}{state}" + (f" ({'; '.join(hints)})" if hints else "")


def history(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="A person or thing (name or id).")],
    slot: Annotated[str | None, typer.Argument(help="A topic: home, car, job, ...")] = None,
    as_of: AsOf = None,
    json: show.Json = False,
) -> None:
    """Show how a topic went: current, and what was before."""
    with opened(context) as memory:
        found = memory.history(entity, slot, as_of=moment_if_told(as_of))
    if json:
        show.as_json(found)
    else:
        show.line(show.safe(found.text()))


def lineage(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="A fact's id, or a person or thing.")],
    slot: Annotated[
        str | None, typer.Argument(help="A topic or word that says which of its facts.")
    ] = None,
    format: Annotated[Picture, typer.Option("--format", "-f")] = Picture.TREE,
    as_of: AsOf = None,
    json: show.Json = False,
) -> None:
    """Draw where facts came from and what replaced them."""
    with opened(context) as memory:
        found = memory.lineage(entity, slot, as_of=moment_if_told(as_of))
    if json or format is Picture.JSON:
        show.as_json(found)
    elif format is Picture.MERMAID:
        typer.echo(found.mermaid())
    elif format is Picture.DOT:
        typer.echo(found.dot())
    else:
        show.line(show.safe(found.tree()))


def cypher(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Read-only Cypher; - reads standard input.")],
    parameter: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", help="A parameter as name=value (JSON or text; repeatable)."),
    ] = None,
    format: Annotated[Shape, typer.Option("--format", "-f")] = Shape.TABLE,
    json: show.Json = False,
) -> None:
    """Run read-only Cypher; the schema and recipes are in docs/schema.md and docs/cypher.md.

    Example: graphmem cypher "MATCH (e:Entity)-[:SUBJECT_OF]->(f:Fact) RETURN e.name, f.text LIMIT 5"
    """
    given = dict(_parameter(text) for text in parameter or ())
    with opened(context) as memory:
        table = memory.cypher(words(query), **given)
    if json or format is Shape.JSON:
        show.as_json([dict(zip(table.columns, row, strict=True)) for row in table.rows])
    elif format is Shape.CSV:
        writer = csv.writer(sys.stdout)
        writer.writerow(table.columns)
        writer.writerows(table.rows)
    else:
        show.rows(table.columns, table.rows)


def _parameter(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise InvalidQuery(f"--param {text!r}", expected="name=value")
    try:
        return name, jsonlib.loads(value)
    except jsonlib.JSONDecodeError:
        return name, value
