"""What update and delete do to one memory."""

from __future__ import annotations

from contextlib import suppress

from graphmem.compat.mem0.items import STANDING, Shelf
from graphmem.compat.mem0.labels import Entry
from graphmem.compat.mem0.refusals import NotFound
from graphmem.compat.mem0.turns import SOURCE
from graphmem.errors import UnknownId
from graphmem.model import Message


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
    for fact_id, _ in reversed(shelf.labels.facts(entry)):
        with suppress(UnknownId):
            shelf.memory.forget(fact_id)
    if shelf.snapshot(entry.message) is None:
        shelf.labels.drop_message(entry.space, entry.message)
    shelf.labels.drop(entry, at=shelf.memory.now().isoformat())


def delete_message(shelf: Shelf, message_id: str) -> None:
    """Delete a message and the memories it made; a fact that was said elsewhere too stays with what said it."""
    made = shelf.labels.entries(shelf.space, message_id)
    with suppress(UnknownId):
        shelf.memory.forget(message_id)
    for entry in made:
        if shelf.labels.newest(entry) > 1 or shelf.fact_of(entry) is None:
            delete(shelf, entry)
    shelf.labels.drop_message(shelf.space, message_id)
