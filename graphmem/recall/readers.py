"""Who may read what (R7.3): the owner everything, a named reader what is for everybody or names it."""

from __future__ import annotations

from graphmem.model import Conflict


def may_read(reader: str | None, readers: tuple[str, ...]) -> bool:
    """Whether `reader` (None: the owner) may see what is limited to `readers` (empty: everybody)."""
    return reader is None or not readers or reader in readers


def may_read_both(reader: str | None, conflict: Conflict) -> bool:
    """Whether `reader` may see both sides of a conflict."""
    return may_read(reader, conflict.old.readers) and may_read(reader, conflict.new.readers)
