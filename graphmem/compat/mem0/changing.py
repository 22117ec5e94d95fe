"""What update and delete do to one memory."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.compat.mem0.items import STANDING, Shelf
from graphmem.compat.mem0.labels import Entry
from graphmem.compat.mem0.refusals import NotFound
from graphmem.compat.mem0.turns import SOURCE
from graphmem.model import Message

AT_ONCE = 200  # messages deleted in one commit


def new_version(shelf: Shelf, entry: Entry, words: str) -> list[str]:
    """The facts of a memory's new version; those of the old one are history."""
    newest = shelf.labels.newest(entry)
    olds = [
        fact
        for fact_id, version in shelf.labels.facts(entry)
        if version == newest and (fact := shelf.known(fact_id)) is not None
    ]
    first = next((fact for fact in olds if fact.state in STANDING), olds[0] if olds else None)
    if first is None:  # a whole message from which nothing was learnt: the new words are one more
        snapshot = shelf.snapshot(entry.message)
        if snapshot is None:
            raise NotFound(entry.id)
        now = shelf.memory.now()
        receipt = shelf.memory.add(
            Message(
                text=words,
                role=snapshot.role,
                speaker=snapshot.speaker,
                said_at=now,
                source=SOURCE,
                conversation=snapshot.conversation,
            )
        )
        facts = [fact.id for fact in (*receipt.facts, *receipt.notes, *receipt.merged)]
        return [*facts, *([receipt.snapshot.id] if receipt.snapshot else [])]
    receipt = shelf.memory.update(first.id, words)
    for other in olds:
        if other.id != first.id and other.state in STANDING:
            shelf.memory.retire(other.id)
    return [fact.id for fact in receipt.facts]


def delete(shelf: Shelf, entry: Entry) -> None:
    """Delete a memory with its older versions."""
    there = [
        one
        for one, _ in reversed(shelf.labels.facts(entry))
        if shelf.known(one) is not None or shelf.snapshot(one) is not None
    ]
    if there:
        shelf.memory.forget(*there)
    if shelf.snapshot(entry.message) is None:
        shelf.labels.drop_message(entry.space, entry.message)
    shelf.labels.drop(entry, at=shelf.memory.now().isoformat())


def delete_messages(shelf: Shelf, ids: Sequence[str]) -> None:
    """Delete messages and the memories they made; a fact that was said elsewhere too stays with what said it."""
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        made = [entry for one in some for entry in shelf.labels.entries(shelf.space, one)]
        there = [one for one in some if shelf.snapshot(one) is not None]
        if there:
            shelf.memory.forget(*there)
        for entry in made:
            if shelf.labels.newest(entry) > 1 or shelf.fact_of(entry) is None:
                delete(shelf, entry)
        for one in some:
            shelf.labels.drop_message(shelf.space, one)
