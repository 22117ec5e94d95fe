"""What is raised where mem0 raises ValueError: graphmem's errors that are ValueErrors as well."""

from __future__ import annotations

from graphmem.errors import InvalidQuery, UnknownId


class Rejected(InvalidQuery, ValueError):
    """An argument cannot be used; nothing was written."""


class NotFound(UnknownId, ValueError):
    """No memory has this id."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(
            f"Memory with id {memory_id} not found",
            expected="an id that add, search or get_all gave",
            next_step="see: get_all",
        )
