"""`eval`: how well the memory, or several embedders, find what an owner's questions ask for."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem.cli import show
from graphmem.cli.app import UPKEEP, opened
from graphmem.cli.help import examples
from graphmem.cli.stream import files

if TYPE_CHECKING:
    from graphmem.evaluation.measure import Answer, Figures


def register(app: typer.Typer) -> None:
    """Put the command of this module on the application."""
    app.command(
        "eval",
        rich_help_panel=UPKEEP,
        epilog=examples(
            "graphmem eval my-questions.jsonl",
            "graphmem eval my-questions.jsonl --embedder use-multilingual --embedder sentence-transformers:FOLDER",
            "graphmem eval data/eval/questions_en.jsonl --misses",
        ),
    )(evaluate)


def evaluate(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            help='JSON Lines: {"question": ..., "expected": TEXT or ID}, and {"memory": ...} lines '
            "where they are not to be asked of your own memory; - reads standard input."
        ),
    ],
    embedder: Annotated[
        list[str] | None,
        typer.Option("--embedder", "-e", help="An embedder to measure (repeatable)."),
    ] = None,
    misses: Annotated[
        bool, typer.Option("--misses", help="Also show the questions that went wrong.")
    ] = False,
    json: show.Json = False,
) -> None:
    """Measure recall with questions of your own: recall@1/5/10, MRR, newest first, time."""
    from graphmem.evaluation.cases import read_questions  # noqa: PLC0415 - heavy
    from graphmem.evaluation.measure import evaluate as measured  # noqa: PLC0415

    with files([file]) as named:
        questions = read_questions(named[0])
    with nullcontext() if questions.memories else opened(context) as memory:
        found = measured(questions, memory=memory, embedders=embedder or ())
    if json:
        show.as_json([_plain(one, misses=misses) for one in found])
        return
    show.rows(
        ("embedder", "questions", "R@1", "R@5", "R@10", "MRR", "newest first", "ms"),
        [
            (
                one.embedder,
                one.questions,
                *(f"{one.recall[k]:.3f}" for k in (1, 5, 10)),
                f"{one.mrr:.3f}",
                "-" if one.newest_first is None else f"{one.newest_first:.3f}",
                f"{one.milliseconds:.1f}",
            )
            for one in found
        ],
    )
    for one in found if misses else ():
        for answer in _wrong(one):
            show.line(f"{one.embedder}, line {answer.case.line}: {_told(answer)}")


def _wrong(figures: Figures) -> list[Answer]:
    """Not everything expected among the first five, or something replaced above it."""
    return [
        one
        for one in figures.answers
        if one.newest_first is False or any(rank is None or rank > 5 for rank in one.ranks)
    ]


def _told(answer: Answer) -> str:
    places = ", ".join("not found" if rank is None else str(rank) for rank in answer.ranks)
    older = "; the replaced one stands above" if answer.newest_first is False else ""
    return show.safe(f"{answer.case.question} ({places}{older})")


def _plain(figures: Figures, *, misses: bool) -> dict[str, Any]:
    table: dict[str, Any] = {
        "embedder": figures.embedder,
        "questions": figures.questions,
        **{f"recall@{k}": round(share, 4) for k, share in figures.recall.items()},
        "mrr": round(figures.mrr, 4),
        "newest_first": None if figures.newest_first is None else round(figures.newest_first, 4),
        "ms_per_question": round(figures.milliseconds, 2),
    }
    if misses:
        table["misses"] = [
            {"line": one.case.line, "question": one.case.question, "ranks": one.ranks}
            for one in _wrong(figures)
        ]
    return table
