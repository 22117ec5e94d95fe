"""Wipes deleted texts out of the database file, whose engine only marks the space of what it deletes.

What a deletion took away is noted in a small file beside the database until the memory is closed. Then every
stretch of the closed file that holds one of these texts is overwritten with blanks, unless something that
is still remembered holds the text too. Lengths do not change, so the file stays as the engine left it.

The engine writes texts one behind the other: the end of one and the beginning of the next, both still remembered, can
read like a deleted one ("41008-2", "41008-3" and "41008-24"). A stretch over whose edge a remembered text
reaches is left alone; and what is remembered is compared before and after (`Graph.close`).
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Callable, Iterable
from pathlib import Path

from graphmem.store import schema
from graphmem.store.draft import Draft
from graphmem.store.whole_file import replace_file
from graphmem.words import key

_EDGE = 3  # bytes: shorter texts may stand over an edge by chance
SHORTEST = 5  # bytes: less may stand anywhere by chance
_COLUMNS = tuple(
    (table.name, tuple(column.name for column in table.columns if column.type == "STRING"))
    for table in schema.NODES
)
_OWN_WORDS = "\n".join(
    [*(table.ddl for table in schema.NODES), *(table.ddl for table in schema.EDGES), "KUZU LBUG"]
).encode()


class Remembered:
    """Texts that are still remembered."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._from: dict[bytes, list[bytes]] = {}  # by their first bytes
        self._upto: dict[bytes, list[bytes]] = {}  # by their last bytes
        for text in {one.encode() for one in texts}:
            if len(text) >= _EDGE:
                self._from.setdefault(text[:_EDGE], []).append(text)
                self._upto.setdefault(text[-_EDGE:], []).append(text)

    def reaches_over(self, held: mmap.mmap, start: int, end: int) -> bool:
        """Whether one of them stands over the beginning or the end of a stretch."""
        return any(
            at + len(text) > end and held[at : at + len(text)] == text
            for at in range(start + 1, end)
            for text in self._from.get(held[at : at + _EDGE], ())
        ) or any(
            at - len(text) < start and held[max(0, at - len(text)) : at] == text
            for at in range(start + 1, end)
            for text in self._upto.get(held[max(0, at - _EDGE) : at], ())
        )


class Erasure:
    """The texts that wait to be wiped out of one database file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._list = file.with_name(file.name + ".erase")

    @property
    def waits(self) -> bool:
        """Whether a deletion left something to wipe."""
        return self._list.exists()

    def note(self, draft: Draft) -> None:
        """Add what a plan deletes. Called before it is committed, so that a crash loses nothing of it."""
        texts = {text for text in deleted(draft) if len(text.encode()) >= SHORTEST}
        if texts - set(self._texts()):
            everything = sorted(texts.union(self._texts()))
            replace_file(self._list, json.dumps(everything, ensure_ascii=False).encode())

    def due(self, is_live: Callable[[str], bool]) -> list[bytes]:
        """What can be wiped: nothing that is remembered holds it. `is_live` tells by asking the graph."""
        found = {text.encode() for text in self._texts() if not is_live(text)}
        return sorted((each for each in found if each not in _OWN_WORDS), key=len, reverse=True)

    def wipe(self, patterns: Iterable[bytes], live: Remembered) -> None:
        """Overwrite the patterns in the closed file, but for what is remembered."""
        if self._file.stat().st_size:
            with self._file.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as held:
                for pattern in patterns:
                    at = held.find(pattern)
                    while at >= 0:
                        if not live.reaches_over(held, at, at + len(pattern)):
                            held[at : at + len(pattern)] = b" " * len(pattern)
                        at = held.find(pattern, at + len(pattern))
                held.flush()

    def done(self) -> None:
        """Forget the list."""
        self._list.unlink(missing_ok=True)

    def _texts(self) -> list[str]:
        try:
            return [str(text) for text in json.loads(self._list.read_bytes())]
        except (OSError, ValueError):
            return []


def deleted(draft: Draft) -> set[str]:
    """Every text that a draft takes away, as it was said and as it is looked up."""
    texts: set[str] = set()
    for _, fact, after in draft.facts.changes():
        if fact is not None and after is None:
            texts |= {fact.text, fact.object, fact.entity}
    for _, snapshot, left in draft.snapshots.changes():
        if snapshot is not None and (left is None or left.text != snapshot.text):
            texts |= {snapshot.text}
    for _, entity, kept in draft.entities.changes():
        if entity is not None and kept is None:
            texts |= {entity.name}
    for _, name, held in draft.names.changes():
        if name is not None and held is None:
            texts |= {name}
    for _, trigger, asked in draft.triggers.changes():
        if trigger is not None and asked is None:
            texts |= {trigger.text, trigger.action, trigger.cue}
    return texts | {key(text) for text in texts}


def listings() -> Iterable[str]:
    """The queries that give every text of every node."""
    for table, columns in _COLUMNS:
        if columns:
            yield f"MATCH (n:{table}) RETURN {', '.join(f'n.{column}' for column in columns)}"


def questions() -> Iterable[str]:
    """The queries that tell, one row each, that a node still holds the text $text."""
    for table, columns in _COLUMNS:
        if columns:
            held = " OR ".join(f"n.{column} CONTAINS $text" for column in columns)
            yield f"MATCH (n:{table}) WHERE {held} RETURN 1 LIMIT 1"
