"""`recall`, `context`, `facts`, `fact`, `history`, `cypher`: what comes out of the memory."""

from __future__ import annotations

import csv
import json as jsonlib
import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from graphmem.cli import guide, show
from graphmem.cli.app import RECALL, opened
from graphmem.cli.complete import entity_names, fact_ids, topics
from graphmem.cli.help import examples
from graphmem.cli.ingest import moment_if_told
from graphmem.cli.stream import words
from graphmem.errors import InvalidQuery
from graphmem.model import Kind, State, Tier
from graphmem.plain import MASK

At = Annotated[str | None, typer.Option("--at", help="Ask as if now were this time (ISO).")]
AsOf = Annotated[
    str | None, typer.Option("--as-of", help="The memory as it stood at this date (ISO).")
]
Slot = Annotated[
    str | None,
    typer.Option("--slot", help="A topic: home, car, job, diet, ...", autocompletion=topics),
]


_FITS = 0.05  # a score below which a person is not bothered with an answer


class Shape(StrEnum):
    """How a Cypher answer is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def register(app: typer.Typer) -> None:
    """Put the commands of this module on the application."""
    for command, shown in (
        (
            recall,
            (
                'graphmem recall "where do I live?"',
                'graphmem recall "我以前开什么车?" --why',
                'graphmem recall "what is on this weekend?" --at 2025-05-02 --json',
            ),
        ),
        (
            context,
            (
                'graphmem context "what should I cook tonight?" --max-tokens 600',
                "graphmem context - --card < question.txt",
            ),
        ),
        (
            facts,
            (
                "graphmem facts Ana --slot home --all",
                "graphmem facts --state unsure",
                "graphmem facts --json | jq '.[].text'",
            ),
        ),
        (fact, ("graphmem fact f_jpwojgp6yvqcia54",)),
        (message, ("graphmem message s_k2q4x7mwp3ztlyna",)),
        (history, ("graphmem history Ana home", "graphmem history Ana --as-of 2024-01-01")),
        (
            cypher,
            (
                'graphmem cypher "MATCH (e:Entity)-[:SUBJECT_OF]->(f:Fact) RETURN e.name, f.text LIMIT 5"',
                'graphmem cypher "MATCH (f:Fact) WHERE f.predicate = $p RETURN f.object" -p p=lives_in -f csv',
            ),
        ),
    ):
        app.command(rich_help_panel=RECALL, epilog=examples(*shown))(command)


def recall(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    at: At = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=100, help="How many at most.")
    ] = 10,
    about: Annotated[
        str | None, typer.Option("--about", help="Only what is about this person or thing.")
    ] = None,
    as_of: AsOf = None,
    include: Annotated[
        list[State] | None,
        typer.Option("--include", help="States to search besides the current (repeatable)."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Only what was said or happens from then on (ISO)."),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="Only what was said or happens before (ISO).")
    ] = None,
    state: Annotated[
        list[State] | None, typer.Option("--state", help="Only these states (repeatable).")
    ] = None,
    predicate: Annotated[
        list[str] | None, typer.Option("--predicate", help="Only such facts (repeatable).")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", help="Only from this source (repeatable).")
    ] = None,
    tier: Annotated[
        list[Tier] | None, typer.Option("--tier", help="Only these tiers (repeatable).")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Say why each one came.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show what hardly fits too (JSON always does).")
    ] = False,
    reveal: show.Reveal = False,
    json: show.Json = False,
) -> None:
    """Ask the memory."""
    with opened(context, embeds=True) as memory, guide.named(memory):
        found = memory.recall(
            words(question),
            at=moment_if_told(at),
            limit=limit,
            about=about,
            as_of=moment_if_told(as_of),
            include=include or (),
            since=moment_if_told(since),
            until=moment_if_told(until),
            states=state or (),
            predicates=predicate or (),
            sources=source or (),
            tiers=tier or (),
            reveal=reveal,
        )
        if not found.items:
            guide.nothing(memory, "nothing is known about that", json=json)
    if json:
        show.as_json(found, reveal=reveal)
        return
    shown = [item for item in found.items if every or item.score >= _FITS] or found.items[:1]
    for item in shown:
        text = " ".join(show.safe(item.text).split())
        show.line(f"{item.score:.2f}  {item.state:<10} [{item.said_at:%Y-%m-%d}] {text}")
        for reason in item.why if why else ():
            show.line(f"        {show.safe(reason)}")
    if len(shown) < len(found.items):
        show.line(f"      {len(found.items) - len(shown)} more that hardly fit: --all")
    for reminder in found.reminders:
        show.trigger(reminder)
    if found.open_conflicts:
        show.line(f"{found.open_conflicts} open: graphmem review")


def context(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    at: At = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="The text's most tokens.")
    ] = 1500,
    model_context: Annotated[
        int,
        typer.Option(
            "--model-context", min=1, help="The model's context, a fifth of which may be used."
        ),
    ] = 8000,
    card: Annotated[bool, typer.Option("--card", help="Print the memory card (JSON).")] = False,
    json: show.Json = False,
) -> None:
    """Print what a model should be told for a question, in three labelled blocks."""
    with opened(context, embeds=True) as memory:
        asked, moment = words(question), moment_if_told(at)
        if json or card:
            found = memory.recall(asked, at=moment)
            told = found.context(max_tokens=max_tokens, model_context=model_context)
            show.as_json({"context": told, "card": found.card()} if json else found.card())
        else:
            told = memory.context(
                asked, at=moment, max_tokens=max_tokens, model_context=model_context
            )
            typer.echo(show.safe(told))
        if not told.strip() and guide.is_empty(memory):
            typer.echo(guide.FEED, err=True)


def facts(
    context: typer.Context,
    entity: Annotated[
        str | None, typer.Argument(help="Whose facts (name or id).", autocompletion=entity_names)
    ] = None,
    slot: Slot = None,
    state: Annotated[
        list[State] | None, typer.Option("--state", help="Only these states (repeatable).")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Facts in every state.")] = False,
    notes: Annotated[
        bool, typer.Option("--notes", help="Also statements kept without a claim.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 100,
    reveal: show.Reveal = False,
    json: show.Json = False,
) -> None:
    """List facts."""
    with opened(context) as memory, guide.named(memory):
        found = memory.facts(
            entity,
            slot=slot,
            states="all" if every else state or "current",
            kinds=tuple(Kind) if notes else None,
            limit=limit,
        )
        if not found:
            guide.nothing(memory, _nothing(entity, every=every, notes=notes), json=json)
    if json:
        show.as_json(found, reveal=reveal)
    else:
        show.facts(found, reveal=reveal)


def _nothing(entity: str | None, *, every: bool, notes: bool) -> str:
    """Why a list of facts is empty, and what to try."""
    wider = [option for option, given in (("--all", every), ("--notes", notes)) if not given]
    hints = [f"wider: {' '.join(wider)}"] if wider else []
    if entity is not None:
        hints.append("who is known: graphmem entities list")
    about = f" of {show.safe(entity)}" if entity is not None else ""
    state = "" if every else " in this state"
    return f"nothing is known{about}{state}" + (f" ({'; '.join(hints)})" if hints else "")


def fact(
    context: typer.Context,
    fact: Annotated[str, typer.Argument(help="The fact's id.", autocompletion=fact_ids)],
    reveal: show.Reveal = False,
    json: show.Json = False,
) -> None:
    """Show one fact: how it stands, when, and who said so."""
    with opened(context) as memory, guide.named(memory):
        found = memory.fact(fact)
        chain = memory.lineage(fact)
    said = next((stage.evidence for stage in chain.stages if stage.fact.id == found.id), ())
    if json:
        show.as_json({"fact": found, "evidence": said}, reveal=reveal)
        return
    show.line(show.fact_line(found, reveal=reveal))
    for name, value in (
        ("slot", found.slot),
        ("tier", found.tier),
        ("importance", found.importance),
        ("confidence", f"{found.confidence:.2f}"),
        ("confirmed", found.confirmed_at and f"{found.confirmed_at:%Y-%m-%d}"),
        ("replaced by", found.replaced_by),
        ("readers", ", ".join(found.readers)),
    ):
        if value:
            show.line(show.safe(f"{name:<12} {value}"))
    for snapshot in said:
        text = MASK if snapshot.sensitive and not reveal else " ".join(snapshot.text.split())
        where = f" in {snapshot.source}" if snapshot.source else ""
        show.line(
            show.safe(
                f"said         “{text}” {snapshot.speaker}, {snapshot.said_at:%Y-%m-%d}{where}"
            )
        )


def message(
    context: typer.Context,
    message: Annotated[str, typer.Argument(help="The message's id (a source of a fact).")],
    reveal: show.Reveal = False,
    json: show.Json = False,
) -> None:
    """Show one message whole, as it was said."""
    with opened(context) as memory, guide.named(memory):
        found = memory.snapshot(message)
    if json:
        show.as_json(found, reveal=reveal)
        return
    where = f" in {found.source}" if found.source else ""
    show.line(show.safe(f"{found.speaker} ({found.role}), {found.said_at:%Y-%m-%d %H:%M}{where}"))
    show.line(MASK if found.sensitive and not reveal else show.safe(found.text))


def history(
    context: typer.Context,
    entity: Annotated[
        str, typer.Argument(help="A person or thing (name or id).", autocompletion=entity_names)
    ],
    slot: Annotated[
        str | None, typer.Argument(help="A topic: home, car, job, ...", autocompletion=topics)
    ] = None,
    as_of: AsOf = None,
    json: show.Json = False,
) -> None:
    """Show how a topic went: current, and what was before."""
    with opened(context) as memory, guide.named(memory):
        found = memory.history(entity, slot, as_of=moment_if_told(as_of))
    if json:
        show.as_json(found)
    else:
        show.line(show.safe(found.text()))


def cypher(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Read-only Cypher; - reads standard input.")],
    parameter: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", help="A parameter as name=value (JSON or text; repeatable)."),
    ] = None,
    format: Annotated[Shape, typer.Option("--format", "-f", help="How to print it.")] = Shape.TABLE,
    json: show.Json = False,
) -> None:
    """Run read-only Cypher; schema and recipes are in docs/schema.md and docs/cypher.md."""
    given = dict(_parameter(text) for text in parameter or ())
    with opened(context) as memory:
        table = memory.cypher(words(query), **given)
        if not table.rows and guide.is_empty(memory):
            typer.echo(guide.FEED, err=True)
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
