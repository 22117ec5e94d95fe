"""What `search` finds in one space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from graphmem.compat.mem0.filters import matches
from graphmem.compat.mem0.items import Shelf, over
from graphmem.compat.mem0.labels import Entry
from graphmem.compat.mem0.scope import IDS
from graphmem.model import Fact, Recalled
from graphmem.recall.result import Recall

WIDER = (40, 400, 4000)  # how many are recalled, until enough pass the filters


def searched(
    shelf: Shelf,
    query: str,
    *,
    asked: Mapping[str, Any],
    most: int,
    least: float,
    at: datetime | None,
    show_expired: bool,
    explain: bool,
) -> list[tuple[float, dict[str, Any]]]:
    """Scores with memories as mem0 gives them, best first; at least `most` where there are so many."""
    by_label = bool(set(asked) - set(IDS))
    chosen: dict[str, tuple[float, dict[str, Any]]] = {}
    for wide in WIDER:
        recall = shelf.memory.recall(query, at=at, limit=max(wide, most))
        for item, entry, fact in _memories(shelf, recall, everything=by_label):
            if item.score < least or (over(entry, recall.at.date()) and not show_expired):
                continue
            shown = shelf.item(entry, fact, lambda values: matches(asked, values))
            if shown is not None and entry.id not in chosen:
                shown["score"] = round(item.score, 6)
                if explain:
                    shown["score_details"] = {"why": list(item.why)}
                chosen[entry.id] = (item.score, shown)
        if len(chosen) >= most or len(recall.items) < wide:
            break
    return list(chosen.values())


def _memories(
    shelf: Shelf, recall: Recall, *, everything: bool
) -> Iterator[tuple[Recalled, Entry, Fact | None]]:
    """What was recalled and is a memory. An older statement whose newer side is here too is left out,
    unless labels decide (`everything`): they may take the newer side away.
    """
    for place, item in enumerate(recall.items):
        behind = shelf.recalled(item)
        if behind is None:
            continue
        entry, fact = behind
        if place not in recall.aside or entry.raw or everything:
            yield item, entry, fact
