"""What `add` does: labels first, then the messages, then a memory for each statement learnt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from graphmem.compat.mem0.items import Shelf, ids_of
from graphmem.compat.mem0.labels import Entry, Said
from graphmem.compat.mem0.options import REVIEW
from graphmem.compat.mem0.scope import Scope
from graphmem.compat.mem0.turns import Turn, message
from graphmem.identity import snapshot_id
from graphmem.model import Fact, Receipt
from graphmem.secrecy.masking import shown_text, shown_words


def add(
    shelf: Shelf,
    turns: Sequence[Turn],
    *,
    scope: Scope,
    metadata: dict[str, Any],
    expires: str | None,
    said_at: datetime,
    infer: bool,
    conflicts: str,
) -> list[dict[str, Any]]:
    """The memories that were added, as mem0 lists them."""
    messages = [message(turn, scope, said_at) for turn in turns]
    now = shelf.memory.now().isoformat()
    labels = {
        snapshot_id(one): Said(
            id=snapshot_id(one),
            scope=scope,
            actor_id=turn.name,
            role=turn.role,
            metadata=metadata,
            expires=expires,
            at=now,
        )
        for turn, one in zip(turns, messages, strict=True)
    }
    shelf.labels.tell(shelf.space, labels.values())
    added: list[dict[str, Any]] = []
    for receipt in shelf.memory.ingest(messages):
        said = labels[receipt.snapshot.id] if receipt.snapshot else None
        if said is None:
            continue
        added += _learnt(shelf, receipt, said, now) if infer else _kept(shelf, receipt, said, now)
        if conflicts != REVIEW:
            for conflict in receipt.conflicts:
                shelf.memory.resolve(conflict.id, conflicts)
    return added


def _learnt(shelf: Shelf, receipt: Receipt, said: Said, now: str) -> list[dict[str, Any]]:
    """A memory for each statement; one that was known already only where it is new in this scope."""
    added = []
    statements: dict[str, list[Fact]] = {}
    for fact in (*receipt.facts, *receipt.notes):
        statements.setdefault(shown_text(fact), []).append(fact)
    for text, facts in statements.items():
        if shelf.labels.memory_of(shelf.space, facts[0].id) is not None:
            continue
        entry = _entry(shelf, facts[0].id, said, now)
        shelf.labels.make(entry, ids_of(facts))
        added.append({"id": entry.id, "memory": text, "event": "ADD"})
    for fact in receipt.merged:
        known = shelf.labels.said(shelf.space, fact.sources)
        elsewhere = all(one.scope != said.scope for one in known if one.id != said.id)
        entry_of = shelf.entry_of(fact)
        if elsewhere and entry_of is not None:
            added.append({"id": entry_of.id, "memory": shown_text(fact), "event": "ADD"})
    return added


def _kept(shelf: Shelf, receipt: Receipt, said: Said, now: str) -> list[dict[str, Any]]:
    """The message itself as a memory, whatever was learnt from it."""
    snapshot = receipt.snapshot
    if snapshot is None or said.role == "system":
        return []
    facts = [*receipt.facts, *receipt.notes]
    known = shelf.labels.memory_of(shelf.space, snapshot.id)
    if known is None:
        entry = _entry(shelf, snapshot.id, said, now, raw=True)
        shelf.labels.make(entry, [snapshot.id, *ids_of(_unclaimed(shelf, facts))])
    return [
        {
            "id": snapshot.id,
            "memory": shown_words(snapshot),
            "event": "ADD",
            "actor_id": said.actor_id,
            "role": said.role,
        }
    ]


def _unclaimed(shelf: Shelf, facts: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in facts if shelf.labels.memory_of(shelf.space, fact.id) is None]


def _entry(shelf: Shelf, memory_id: str, said: Said, now: str, *, raw: bool = False) -> Entry:
    return Entry(
        id=memory_id,
        space=shelf.space,
        message=said.id,
        raw=raw,
        metadata=said.metadata,
        expires=said.expires,
        created_at=now,
        updated_at=now,
    )
