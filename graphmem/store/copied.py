"""Reads that the copies in the index database answer while they are complete, and the engine otherwise."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from graphmem.model import Conflict, Entity, Fact, Snapshot, State
from graphmem.store import cypher, schema
from graphmem.store.copies import Copies, CopiesUnreadable
from graphmem.store.engine import Engine
from graphmem.store.reading import Reader


class CopiedReader(Reader):
    """A Reader that asks `Copies` first. Below `RememberingReader`, which asks it for what it does not hold."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._copies: Callable[[], Copies] | None = None

    def read_copies(self, copies: Callable[[], Copies]) -> None:
        """Ask those that `copies` gives, from now on."""
        with self._mutex:
            self._copies = copies

    def _beside(self) -> Copies | None:
        """The copies, where they are what the engine would answer now."""
        copies = None if self._copies is None else self._copies()
        if copies is None or copies.upto is None or copies.upto != self._event_number():
            return None
        self._usable()
        return copies

    def _event_number(self) -> int:
        """The number of the last event."""
        return self.last_event()

    def snapshot(self, snapshot_id: str) -> Snapshot | None:
        """The snapshot with this id."""
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.snapshot(snapshot_id)
        return super().snapshot(snapshot_id)

    def fact(self, fact_id: str) -> Fact | None:
        """The fact with this id, complete."""
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.fact(fact_id)
        return super().fact(fact_id)

    def entity(self, entity_id: str) -> Entity | None:
        """The entity with this id and its aliases in the order in which they were learnt."""
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.entity(entity_id)
        return super().entity(entity_id)

    def entity_itself(self, entity_id: str) -> Entity | None:
        """The entity without its aliases: cheaper."""
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                found = beside.entity(entity_id)
                return replace(found, aliases=()) if found and found.aliases else found
        return super().entity_itself(entity_id)

    def has(self, table: schema.NodeTable, key_: str | int) -> bool:
        """Whether a node of the table has this key."""
        with suppress(CopiesUnreadable):
            beside = self._beside() if isinstance(key_, str) else None
            if beside is not None and beside.covers(table):
                return beside.has(table, str(key_))
        return super().has(table, key_)

    def conflicts(
        self, *, open_only: bool = True, fact_id: str | None = None, limit: int = 1000
    ) -> tuple[Conflict, ...]:
        """Conflicts in the order of their opening; of one fact where `fact_id` is given."""
        with self._mutex, suppress(CopiesUnreadable):
            beside = None if fact_id is None else self._beside()
            if beside is not None and fact_id is not None:
                return self._told(beside.conflicts_of(fact_id), open_only=open_only, limit=limit)
        return super().conflicts(open_only=open_only, fact_id=fact_id, limit=limit)

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
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.facts_of(
                    entity_id, slot=slot, predicate=predicate, states=states, limit=limit
                )
        return super().facts_of(
            entity_id, slot=slot, predicate=predicate, states=states, limit=limit
        )

    def slot_current(self, entity_id: str, slot: str) -> tuple[Fact, ...]:
        """The facts that fill the slot now, by the CURRENT pointer."""
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.current(entity_id, slot)
        return super().slot_current(entity_id, slot)

    # --- for RememberingReader -------------------------------------------------------------------------

    def _newest(
        self, *, states: frozenset[State] | None, slot: str | None, before: int | None, limit: int
    ) -> tuple[Fact, ...] | None:
        """The newest facts, None where the engine has to be asked."""
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.newest(states=states, slot=slot, before=before, limit=limit)
        return None

    def _ids_named(self, alias: str) -> tuple[str, ...]:
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.ids_named(alias)
        # most names that are asked for are new: to see that takes a quarter of the time
        there = super().has(schema.ALIAS, alias)
        rows = self._rows(cypher.ENTITIES_NAMED, key=alias) if there else []
        return tuple(row[0] for row in rows)

    def _ids_with_object(self, entity_id: str, limit: int) -> list[str]:
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return [id_ for _, id_ in beside.ids_with_object(entity_id, limit)]
        rows = self._rows(cypher.IDS_WITH_OBJECT, id=entity_id, limit=limit)
        return [id_ for _, id_ in rows]

    def _edges_beside(
        self, entity_id: str, limit: int
    ) -> tuple[list[tuple[int, str]], list[tuple[int, str]]] | None:
        """Direct edges from an entity and to it, None where the engine has to be asked."""
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.edges(entity_id, limit)
        return None

    def _listed(
        self, entity_id: str, slot: str | None, predicate: str | None
    ) -> list[tuple[int, str, str]]:
        with suppress(CopiesUnreadable):
            if (beside := self._beside()) is not None:
                return beside.listed(entity_id, slot=slot, predicate=predicate)
        text = cypher.listed(slot=slot is not None, predicate=predicate is not None)
        values = {"predicate": predicate} if predicate is not None else {}
        values |= {"id": entity_id} if slot is None else {"slot": schema.slot_id(entity_id, slot)}
        return [(n, id_, state) for n, id_, state in self._rows(text, **values)]
