"""Who may read what (R7.3): the owner everything, a named reader what is for everybody or names it."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.errors import InvalidMessage
from graphmem.model import Conflict
from graphmem.words import clean

NOBODY = ("",)  # a limit that no reader meets; only the owner sees what has it


def may_read(reader: str | None, readers: tuple[str, ...]) -> bool:
    """Whether `reader` (None: the owner) may see what is limited to `readers` (empty: everybody)."""
    return reader is None or not readers or reader in readers


def may_read_both(reader: str | None, conflict: Conflict) -> bool:
    """Whether `reader` may see both sides of a conflict."""
    return may_read(reader, conflict.old.readers) and may_read(reader, conflict.new.readers)


def allowed(names: Iterable[str]) -> tuple[str, ...]:
    """The names of readers as a limit: each once, sorted. Raises InvalidMessage for one that is none."""
    given = names if isinstance(names, str) else tuple(names)
    if isinstance(given, str) or not all(isinstance(one, str) and one.strip() for one in given):
        raise InvalidMessage("readers", f"{given!r}", expected="names of readers, or none at all")
    return tuple(sorted({clean(one).strip() for one in given}))


def meet(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The limit of what is taken from two things: those who may see both of them."""
    if not one or not other:
        return one or other
    return tuple(sorted(set(one) & set(other))) or NOBODY


def join(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The limit of what has been told to the readers of one and to those of another."""
    return tuple(sorted({*one, *other})) if one and other else ()


def covers(wide: tuple[str, ...], narrow: tuple[str, ...]) -> bool:
    """Whether everybody who may see what is limited to `narrow` may see what is limited to `wide`."""
    return not wide or (bool(narrow) and set(narrow) <= set(wide))
