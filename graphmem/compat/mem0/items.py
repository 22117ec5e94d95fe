"""One space as mem0 sees it: which facts make a memory, and a memory as the dictionary that mem0 gives."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from graphmem.compat.mem0.labels import Entry, Labels, Said
from graphmem.compat.mem0.scope import Scope
from graphmem.errors import UnknownId
from graphmem.memory import Memory
from graphmem.model import Fact, Kind, Recalled, Snapshot, State
from graphmem.plain import MASK

STANDING = (State.CURRENT, State.UNSURE)
EVERY = 1_000_000
Test = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Shelf:
    """A space: its name, its memory, the labels, and whose it is."""

    space: str
    memory: Memory
    labels: Labels
    owner: Scope

    def standing(self, *, expired: bool = False) -> Iterator[tuple[Entry, Fact | None]]:
        """Each memory that holds, newest first, with the fact that says it (None: a whole message)."""
        states = (*STANDING, State.EXPIRED) if expired else STANDING
        seen: set[str] = set()
        for fact in self.memory.facts(states=states, kinds=tuple(Kind), limit=EVERY):
            entry = self.entry_of(fact)
            if entry is not None and entry.id not in seen:
                seen.add(entry.id)
                yield entry, fact
        for entry in self.labels.raw(self.space):
            if entry.id not in seen and self.text(entry, None) is not None:
                yield entry, None

    def recalled(self, item: Recalled) -> tuple[Entry, Fact | None] | None:
        """The memory behind something recalled, None where it is no memory, or an older version."""
        for fact in item.facts:
            entry = self.entry_of(fact)
            if entry is not None:
                return entry, fact
        for snapshot in item.sources if not item.facts else ():
            known = self.labels.memory_of(self.space, snapshot.id)
            entry = self.labels.entry(known[0]) if known else None
            if known and entry is not None and known[1] == self.labels.newest(entry):
                return entry, None
        return None

    def entry_of(self, fact: Fact) -> Entry | None:
        """The memory that a fact belongs to, None where it is of an older version.

        A fact that the labels do not know becomes a memory of its own.
        """
        known = self.labels.memory_of(self.space, fact.id)
        entry = self.labels.entry(known[0]) if known else None
        if entry is None or known is None:
            return self.adopted(fact)
        return entry if known[1] == self.labels.newest(entry) else None

    def adopted(self, fact: Fact) -> Entry:
        """The memory over a fact that the labels do not know: that of its statement, else a new one, with the
        labels of the message that states it.
        """
        for source in fact.sources:
            for entry in self.labels.entries(self.space, source):
                if self.words(entry).get(1) == fact.text:
                    self.labels.make(entry, [fact.id])
                    return entry
        said = self.labels.said(self.space, fact.sources)
        at = fact.recorded_at.isoformat()
        entry = Entry(
            id=fact.id,
            space=self.space,
            message=said[0].id if said else fact.sources[0] if fact.sources else "",
            metadata=said[0].metadata if said else {},
            expires=said[0].expires if said else None,
            created_at=at,
            updated_at=at,
        )
        self.labels.make(entry, [fact.id])
        return entry

    def fact_of(self, entry: Entry) -> Fact | None:
        """A fact of a memory's newest version: one that holds, where one does."""
        newest = self.labels.newest(entry)
        found = [
            fact
            for fact_id, version in self.labels.facts(entry)
            if version == newest and (fact := self.known(fact_id)) is not None
        ]
        return next((fact for fact in found if fact.state in STANDING), found[0] if found else None)

    def known(self, fact_id: str) -> Fact | None:
        """The fact with this id, where it is there still."""
        try:
            return self.memory.fact(fact_id)
        except UnknownId:
            return None

    def snapshot(self, snapshot_id: str) -> Snapshot | None:
        """The message with this id, where it is there still."""
        try:
            return self.memory.snapshot(snapshot_id)
        except UnknownId:
            return None

    def text(self, entry: Entry, fact: Fact | None) -> str | None:
        """The words of a memory, None where they have gone."""
        if fact is not None and not entry.raw:
            return fact.text
        return self.words(entry).get(self.labels.newest(entry))

    def words(self, entry: Entry) -> dict[int, str]:
        """The words of each version: a whole message, else what its facts say."""
        whole: dict[int, str] = {}
        stated: dict[int, str] = {}
        for one, version in self.labels.facts(entry):
            if (snapshot := self.snapshot(one)) is not None:
                whole[version] = snapshot.text
            elif (fact := self.known(one)) is not None:
                stated.setdefault(version, fact.text)
        return {**stated, **whole}

    def item(
        self, entry: Entry, fact: Fact | None, passes: Test, *, reveal: bool = True
    ) -> dict[str, Any] | None:
        """A memory as mem0 gives it, None where no message that states it passes, or it has gone."""
        text = self.text(entry, fact)
        if text is None:
            return None
        ids = dict.fromkeys([entry.message, *(fact.sources if fact else ())])
        said = self.labels.said(self.space, ids) or [Said(id=entry.message, scope=self.owner)]
        chosen = next((one for one in said if passes(_values(entry, one))), None)
        if chosen is None:
            return None
        hidden = bool(fact and fact.sensitive and not reveal)
        shown: dict[str, Any] = {
            "id": entry.id,
            "memory": MASK if hidden else text,
            "hash": hashlib.md5(text.encode(errors="replace"), usedforsecurity=False).hexdigest(),
            "metadata": dict(entry.metadata) or None,
            "created_at": entry.created_at,
            "updated_at": entry.updated_at,
            **chosen.scope.as_dict(),
        }
        if chosen.actor_id:
            shown["actor_id"] = chosen.actor_id
        if entry.raw and chosen.role:
            shown["role"] = chosen.role
        if entry.expires:
            shown["expiration_date"] = entry.expires
        shown["state"] = fact.state.value if fact else State.CURRENT.value
        return shown


def over(entry: Entry, today: date) -> bool:
    """Whether a memory's day of expiry has passed."""
    return entry.expires is not None and date.fromisoformat(entry.expires) < today


def ids_of(facts: Iterable[Fact]) -> list[str]:
    """Their ids."""
    return [fact.id for fact in facts]


def _values(entry: Entry, said: Said) -> dict[str, Any]:
    return {
        **said.values(),
        **entry.metadata,
        **said.scope.as_dict(),
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "expiration_date": entry.expires,
    }
