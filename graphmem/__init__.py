"""graphmem: a long-term memory whose facts change but are never silently overwritten or lost.

Start with `Memory.open`; docs/concepts.md explains the words.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphmem.errors import GraphmemError
from graphmem.model import (
    Conflict,
    Decision,
    Entity,
    Fact,
    Kind,
    Message,
    Recalled,
    Receipt,
    Relation,
    Snapshot,
    State,
    Table,
    Tier,
    Trigger,
)
from graphmem.when import Interval, When

if TYPE_CHECKING:
    from graphmem.aio import AsyncMemory
    from graphmem.config import Settings
    from graphmem.memory import Memory
    from graphmem.recall.lineage import History, Lineage
    from graphmem.recall.result import Recall

__all__ = [
    "AsyncMemory",
    "Conflict",
    "Decision",
    "Entity",
    "Fact",
    "GraphmemError",
    "History",
    "Interval",
    "Kind",
    "Lineage",
    "Memory",
    "Message",
    "Recall",
    "Recalled",
    "Receipt",
    "Relation",
    "Settings",
    "Snapshot",
    "State",
    "Table",
    "Tier",
    "Trigger",
    "When",
]

_LATER = {
    "AsyncMemory": "graphmem.aio",
    "History": "graphmem.recall.lineage",
    "Lineage": "graphmem.recall.lineage",
    "Memory": "graphmem.memory",
    "Recall": "graphmem.recall.result",
    "Settings": "graphmem.config",
}


def __getattr__(name: str) -> Any:
    """Load the engines only when somebody asks for them, so that `graphmem --help` stays quick."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'graphmem' has no attribute {name!r}")
