"""The configuration: mem0's own keys are taken and have nothing to do; ours stand under "graphmem"."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphmem.compat.mem0.refusals import Rejected
from graphmem.config import default_home
from graphmem.model import Decision

log = logging.getLogger("graphmem.compat.mem0")

REVIEW = "review"
DECISIONS = (REVIEW, Decision.MARK_OLDER_AS_PAST.value, Decision.KEEP_BOTH.value)
IDLE = frozenset(
    {
        *("vector_store", "llm", "embedder", "graph_store", "reranker", "history_db_path"),
        *("version", "custom_instructions", "custom_fact_extraction_prompt"),
        *("custom_update_memory_prompt", "project"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`path` is the folder of all spaces; `conflicts` what is done with one that an add opens;
    `settings` go to each memory, see docs/configuration.md.
    """

    path: Path
    conflicts: str = REVIEW
    settings: Mapping[str, Any] = field(default_factory=dict)


class MemoryConfig:
    """mem0's configuration object: keyword arguments by mem0's names, and `graphmem` for ours."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def options(self) -> Options:
        """What is used of it. Raises Rejected for a key that nobody knows."""
        unknown = sorted(set(self.values) - IDLE - {"graphmem"})
        if unknown:
            raise Rejected(
                f"configuration {', '.join(unknown)}",
                expected=f"mem0's keys ({', '.join(sorted(IDLE))}) or graphmem",
            )
        idle = sorted(set(self.values) & IDLE)
        if idle:
            log.info("not needed here: %s", ", ".join(idle))
        return _options(self.values.get("graphmem") or {})


def _options(ours: Mapping[str, Any]) -> Options:
    unknown = sorted(set(ours) - {"path", "conflicts", "settings"})
    if unknown:
        raise Rejected(f"graphmem: {', '.join(unknown)}", expected="path, conflicts, settings")
    conflicts = str(ours.get("conflicts", REVIEW))
    if conflicts not in DECISIONS:
        raise Rejected(f"conflicts = {conflicts!r}", expected="one of " + ", ".join(DECISIONS))
    home = default_home()
    place = ours.get("path") or home.with_name(home.name + "-mem0")
    return Options(
        path=Path(place).expanduser(),
        conflicts=conflicts,
        settings=dict(ours.get("settings") or {}),
    )
