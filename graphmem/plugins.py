"""Finds what is plugged in: extractors, time grammars, embedders, rerankers, by entry point."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

from graphmem.errors import ExtensionMissing
from graphmem.lexicon import Lexicon

EXTRACTORS = "graphmem.extractors"
TIMES = "graphmem.times"
EMBEDDERS = "graphmem.embedders"
MODELS = "graphmem.models"
RERANKERS = "graphmem.rerankers"


def names(group: str) -> tuple[str, ...]:
    """The names registered in a group, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=group)}))


@lru_cache(maxsize=16)
def shared(group: str, name: str, lexicon: Lexicon) -> Any:
    """The plugin made for a lexicon, once a process: extractors and grammars are pure, and their
    patterns take a second to build.
    """
    return factory(group, name)(lexicon=lexicon)


def factory(group: str, name: str) -> Any:
    """The callable registered under `name`. Raises ExtensionMissing, naming what is there."""
    for point in entry_points(group=group):
        if point.name == name:
            try:
                return point.load()
            except ImportError as cause:
                raise ExtensionMissing(
                    f"the plugin {name!r} of {group} cannot be loaded: {cause}",
                    next_step="install the package or extra that it needs",
                ) from cause
    known = ", ".join(names(group)) or "none"
    raise ExtensionMissing(
        f"no plugin {name!r} in {group}",
        expected=f"one of: {known}",
        next_step="install the package that provides it",
    )
