"""What to do next, for somebody whose memory is still empty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from graphmem.errors import UnknownId
from graphmem.model import Kind

if TYPE_CHECKING:
    from graphmem.memory import Memory

FEED = (
    "the memory is empty; feed it with: graphmem ingest FILE (a chat export), or graphmem add TEXT"
)


def is_empty(memory: Memory) -> bool:
    """Whether nothing at all was remembered yet; counting is slow, and only done where there is no fact."""
    if memory.facts(states="all", kinds=tuple(Kind), limit=1):
        return False
    return not memory.status()["snapshots"]


def nothing(memory: Memory, otherwise: str, *, json: bool = False) -> None:
    """Say why an answer is empty: `otherwise`, or how to feed an empty memory.

    With `json` only the guide is told, on standard error: standard output stays JSON.
    """
    if is_empty(memory):
        typer.echo(FEED, err=json)
    elif not json:
        typer.echo(otherwise)


@contextmanager
def named(memory: Memory) -> Iterator[None]:
    """Where a name is unknown because the memory is empty, the error says how to feed it."""
    try:
        yield
    except UnknownId as error:
        if is_empty(memory):
            raise UnknownId(error.met, expected=error.expected, next_step=FEED) from error
        raise
