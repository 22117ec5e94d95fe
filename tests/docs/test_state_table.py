"""The drawn states of docs/concepts.md are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from graphmem.lifecycle.states import MOVES
from graphmem.model import State

TEXT = (Path(__file__).parents[2] / "docs" / "concepts.md").read_text("utf-8")
ALLOWED = {(str(old), str(new)) for old, moves in MOVES.items() for new in moves}


def test_the_diagram_draws_every_move_and_no_other() -> None:
    drawn = set(re.findall(r"^ {4}(\w+) --> (\w+):", TEXT, re.MULTILINE))
    assert drawn == ALLOWED


def test_the_table_fills_exactly_the_fields_of_the_moves() -> None:
    head, _, *rows = TEXT[TEXT.index("| from \\ to |") :].split("\n\n", 1)[0].splitlines()
    columns = [cell.strip() for cell in head.strip("|").split("|")][1:]
    told = set()
    for row in rows:
        old, *cells = [
            cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")
        ]
        told |= {(old, new) for new, cell in zip(columns, cells, strict=True) if cell}
    assert told == ALLOWED
    assert {old for old, _ in ALLOWED} == {str(state) for state in State}
