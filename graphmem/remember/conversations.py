"""The message before, of each speaker in each conversation: what a pronoun may point back to (R2.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import TypeVar

from graphmem.model import Message, Snapshot
from graphmem.protocols import GraphStore, SearchIndex

MOST = 1_000  # threads kept at a time
LONGEST_PAUSE = timedelta(days=1)  # over which a new process takes up a conversation

Thread = tuple[str, str]
Said = TypeVar("Said")


def thread(message: Message) -> Thread:
    """What a message goes on with: its conversation and speaker."""
    return (message.conversation, message.speaker)


def keep_last(last: dict[Thread, Said], name: Thread, message: Said) -> None:
    """Keep the last message of a thread, of the MOST threads that were heard latest."""
    last.pop(name, None)
    last[name] = message
    if len(last) > MOST:
        del last[next(iter(last))]


class Conversations:
    """The last message of each thread: as heard by this process, else as the memory has it.

    The memory is asked at most once per thread, by key.
    """

    def __init__(self, store: GraphStore, search: SearchIndex) -> None:
        self._store = store
        self._search = search
        self._last: dict[Thread, Message | None] = {}

    def before(self, messages: Iterable[Message]) -> Mapping[Thread, Message]:
        """The last message of the threads that `messages` go on with. One that the memory has from long
        before the first of them, or from after it, is none.
        """
        found: dict[Thread, Message] = {}
        seen: set[Thread] = set()
        for message in messages:
            name = thread(message)
            if message.role != "user" or name in seen:
                continue
            seen.add(name)
            if name not in self._last:
                self._keep(name, self._stored(message))
            last = self._last[name]
            if last is not None:
                found[name] = last
        return found

    def heard(self, messages: Iterable[Message]) -> None:
        """Keep the last of `messages` in each thread."""
        for message in messages:
            if message.role == "user":
                self._keep(thread(message), message)

    def forget(self) -> None:
        """Ask the memory again."""
        self._last.clear()

    def _keep(self, name: Thread, message: Message | None) -> None:
        keep_last(self._last, name, message)

    def _stored(self, message: Message) -> Message | None:
        snapshot_id = self._search.last_of(message.conversation, message.speaker)
        snapshot = self._store.snapshot(snapshot_id) if snapshot_id else None
        if snapshot is None:
            return None
        pause = message.said_at - snapshot.said_at
        return _said(snapshot) if timedelta() <= pause <= LONGEST_PAUSE else None


def _said(snapshot: Snapshot) -> Message:
    return Message(
        text=snapshot.text,
        speaker=snapshot.speaker,
        role=snapshot.role,
        said_at=snapshot.said_at,
        source=snapshot.source,
        conversation=snapshot.conversation,
        readers=snapshot.readers,
    )
