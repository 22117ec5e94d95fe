"""What an export shows of each thing: sensitive texts masked, unless revealed.

An id is a hash of what it names, by which a short secret could be guessed. What holds a secret, and what was
taken from it, therefore goes by a name of the file's own ("masked_1"); such records can be looked at, not
brought back.
"""

from __future__ import annotations

from dataclasses import replace

from graphmem.backup.things import Thing
from graphmem.model import Fact, Snapshot, Trigger
from graphmem.protocols import GraphStore
from graphmem.secrecy.masking import (
    shown_object,
    shown_text,
    shown_words,
    without_secrets,
)
from graphmem.store.records import ConflictRow


class Masks:
    """Things in the order of `things`, as they are shown. `count` says how many were masked so far."""

    def __init__(self, store: GraphStore, *, reveal: bool) -> None:
        self._store = store
        self._reveal = reveal
        self._names: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many things go by a name of the file's own."""
        return len(self._names)

    def shown(self, thing: Thing) -> tuple[Thing, bool]:
        """The thing as it is shown, and whether anything of it is masked."""
        if self._reveal:
            return thing, False
        value = thing.value
        match value:
            case Snapshot(sensitive=True):
                value = replace(value, id=self._name(value.id), text=shown_words(value))
            case Fact():
                value = self._fact(value)
            case ConflictRow():
                value = self._conflict(value)
            case Trigger():
                value = self._trigger(value)
        masked = value.id != thing.value.id
        return Thing(thing.kind, value, thing.beside), masked

    def _fact(self, fact: Fact) -> Fact:
        heir = fact.replaced_by
        if heir is not None and heir not in self._names:
            found = self._store.fact(heir)
            if found is not None and self._is_masked(found):
                self._name(heir)
        sources = tuple(self._names.get(one, one) for one in fact.sources)
        shown = replace(fact, sources=sources, replaced_by=heir and self._names.get(heir, heir))
        if not self._is_masked(fact):
            return shown
        return replace(
            shown, id=self._name(fact.id), text=shown_text(fact), object=shown_object(fact)
        )

    def _is_masked(self, fact: Fact) -> bool:
        return fact.sensitive or not self._names.keys().isdisjoint(fact.sources)

    def _conflict(self, row: ConflictRow) -> ConflictRow:
        old, new = (self._names.get(one, one) for one in (row.old_id, row.new_id))
        if (old, new) == (row.old_id, row.new_id):
            return row
        return replace(row, id=self._name(row.id), old_id=old, new_id=new)

    def _trigger(self, trigger: Trigger) -> Trigger:
        told = (trigger.cue, trigger.action, trigger.text)
        cue, action, text = (without_secrets(one) for one in told)
        taken_from = self._names.get(trigger.snapshot_id, trigger.snapshot_id)
        if (cue, action, text) == told and taken_from == trigger.snapshot_id:
            return trigger
        return replace(
            trigger,
            id=self._name(trigger.id),
            cue=cue,
            action=action,
            text=text,
            snapshot_id=taken_from,
        )

    def _name(self, id_: str) -> str:
        return self._names.setdefault(id_, f"masked_{len(self._names) + 1}")
