"""The graph store: operations, never query text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from graphmem.model import Conflict, Entity, Event, Fact, Snapshot, State, Table, Trigger
from graphmem.plan import Op, Plan


@dataclass(frozen=True, slots=True)
class Limits:
    """What is not for everybody: the readers of limited facts and snapshots by id.

    A snapshot is limited as it was said to be, and to those who may see every fact it states. `numbers`
    are the limited facts' numbers by id.
    """

    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    snapshots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)


class GraphStore(Protocol):
    """The graph: the only truth. Its interface is operations, never query text (but for `query`).

    All reads see what has been applied, inside a transaction too. Records come back complete
    (`Fact.sources` and `replaced_by` filled), lists ordered by `n`.
    """

    def apply(self, plan: Plan) -> Event:
        """Carry a plan out in one transaction and record its event. Durable on return (unless inside
        `transaction()`). Raises WriteFailed, MemoryUnwritable; then nothing of it is kept.
        """
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Several plans in one commit; an error rolls all of them back."""
        ...

    def undo_ops(self, event_n: int) -> tuple[Op, ...] | None:
        """The operations that take an event back (apply them in a plan of their own); None where it
        cannot be taken back: a deletion, an unknown event, or a name it needs has gone since.
        """
        ...

    def snapshot(self, snapshot_id: str) -> Snapshot | None: ...
    def fact(self, fact_id: str) -> Fact | None: ...
    def entity(self, entity_id: str) -> Entity | None: ...
    def conflict(self, conflict_id: str) -> Conflict | None: ...
    def trigger(self, trigger_id: str) -> Trigger | None: ...
    def event(self, n: int) -> Event | None: ...

    def entities_named(self, name: str) -> tuple[Entity, ...]:
        """Entities of which `name` (normalised by words.key) is the name or an alias."""
        ...

    def entities(self, *, after: str = "", limit: int = 1000) -> tuple[Entity, ...]:
        """Entities by id, for paging."""
        ...

    def facts_of(
        self,
        entity_id: str,
        *,
        slot: str | None = None,
        predicate: str | None = None,
        states: frozenset[State] | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts whose subject is the entity, newest first by `n`, at most `limit`."""
        ...

    def facts_with_object(self, entity_id: str, *, limit: int = 1000) -> tuple[Fact, ...]:
        """Facts whose object is the entity."""
        ...

    def mentioned_in(self, snapshot_id: str) -> tuple[Entity, ...]:
        """Entities that the snapshot mentions."""
        ...

    def users_of(self, entity_id: str, *, limit: int) -> Iterator[tuple[str, str]]:
        """What refers to the entity: the id of a fact or snapshot, and how; `limit` of each kind."""
        ...

    def slot_current(self, entity_id: str, slot: str) -> tuple[Fact, ...]:
        """The facts that fill the slot now, by the CURRENT pointer."""
        ...

    def facts_stated_by(self, snapshot_id: str) -> tuple[Fact, ...]: ...
    def evidence(self, fact_id: str) -> tuple[Snapshot, ...]: ...

    def successors(self, fact_id: str) -> tuple[Fact, ...]:
        """What replaced the fact, and what replaced that, nearest first."""
        ...

    def predecessors(self, fact_id: str) -> tuple[Fact, ...]:
        """What the fact replaced, and what that replaced, nearest first."""
        ...

    def conflicts(
        self, *, open_only: bool = True, fact_id: str | None = None, limit: int = 1000
    ) -> tuple[Conflict, ...]: ...
    def triggers(self, *, active_only: bool = True) -> tuple[Trigger, ...]: ...

    def neighbourhood(
        self, entity_ids: Sequence[str], *, hops: int = 2, limit: int = 500
    ) -> tuple[tuple[str, str, int], ...]:
        """Direct edges (subject id, object id, fact number) around the entities, bounded."""
        ...

    def facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts by number, for listing and paging."""
        ...

    def newest_facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        before: int | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts with a number below `before`, newest first; costs what is read, not what there is."""
        ...

    def scan_facts(self, *, after: int = 0) -> Iterator[Fact]:
        """Every fact by number: for rebuilding indexes."""
        ...

    def scan_snapshots(self, *, after: int = 0) -> Iterator[Snapshot]:
        """Every snapshot by number: for rebuilding indexes."""
        ...

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]: ...
    def last_event(self) -> int: ...

    def limits(self) -> Limits:
        """What is not for everybody; the same object until that changes. Scans, then remembers."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many nodes of each table, and open conflicts, for `status`."""
        ...

    def standings(self) -> Mapping[str, Mapping[str, int]]:
        """How many facts are in each state and tier: {"states": {...}, "tiers": {...}}. Scans."""
        ...

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int = 10_000
    ) -> Table:
        """Run read-only Cypher. Raises InvalidQuery for a write or a malformed query."""
        ...

    def close(self) -> None: ...
