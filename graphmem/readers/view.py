"""The graph as one reader may see it: what is not for it does not exist.

Every read of a memory that is opened for a reader goes through here, so that no verb and no interface
can forget the limits. Writing goes past it: what the reader says is kept in the whole memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from typing import Any

from graphmem.errors import InvalidQuery, ReaderRefused
from graphmem.model import Conflict, Entity, Event, Fact, Snapshot, State, Table, Tier, Trigger
from graphmem.plan import Op, Plan
from graphmem.protocols import GraphStore, Limits
from graphmem.readers.allowed import may_read, may_read_both
from graphmem.readers.hidden import Hidden
from graphmem.readers.named import Named

_PAGE = 500
_EVERY = 1_000_000
_EXPANDED = 200  # entities whose edges are followed


class Seen:
    """A `protocols.GraphStore` that shows what `reader` may see of `whole`."""

    def __init__(self, whole: GraphStore, reader: str) -> None:
        self._whole = whole
        self._reader = reader
        self._limits: Limits | None = None
        self._known = Hidden()

    @property
    def _hidden(self) -> Hidden:
        limits = self._whole.limits()
        if limits is not self._limits:
            self._limits, self._known = limits, Hidden.of(limits, self._reader, self._whole)
        return self._known

    # --- writing goes to the whole memory ------------------------------------------------------------

    def apply(self, plan: Plan) -> Event:
        """Carry a plan out on the whole memory."""
        return self._whole.apply(plan)

    def transaction(self) -> AbstractContextManager[None]:
        """Several plans in one commit."""
        return self._whole.transaction()

    def undo_ops(self, event_n: int) -> tuple[Op, ...] | None:
        """None: what an event did to what the reader may not see is not for it."""
        del event_n
        return None

    # --- one thing -----------------------------------------------------------------------------------

    def snapshot(self, snapshot_id: str) -> Snapshot | None:
        """The snapshot, if the reader may see it."""
        found = self._whole.snapshot(snapshot_id)
        hidden = found is None or found.id in self._hidden.snapshots
        return None if found is None or hidden else self._told(found)

    def fact(self, fact_id: str) -> Fact | None:
        """The fact, if the reader may see it, with the sources and the successor that it may see."""
        found = self._whole.fact(fact_id)
        return None if found is None or found.id in self._hidden.facts else self._shown(found)

    def entity(self, entity_id: str) -> Entity | None:
        """The entity with those of its names that the reader may know."""
        found = self._whole.entity(entity_id)
        return None if found is None else self._named.of(found)

    def conflict(self, conflict_id: str) -> Conflict | None:
        """The conflict, if the reader may see both sides."""
        found = self._whole.conflict(conflict_id)
        return next(self._conflicts([found]), None) if found is not None else None

    def trigger(self, trigger_id: str) -> Trigger | None:
        """The reminder, if the reader may see it."""
        found = self._whole.trigger(trigger_id)
        return found if found is not None and may_read(self._reader, found.readers) else None

    def event(self, n: int) -> Event | None:
        """None: events count everything."""
        del n
        return None

    # --- around one thing ------------------------------------------------------------------------------

    def entities_named(self, name: str) -> tuple[Entity, ...]:
        """Entities that the reader may know by this name."""
        found = (self._named.of(one, called=name) for one in self._whole.entities_named(name))
        return tuple(entity for entity in found if entity is not None)

    def entities(self, *, after: str = "", limit: int = 1000) -> tuple[Entity, ...]:
        """Entities that the reader may know, by id."""
        shown = (self._named.of(one) for one in self._every_entity(after))
        return tuple(islice((one for one in shown if one is not None), limit))

    def facts_of(
        self,
        entity_id: str,
        *,
        slot: str | None = None,
        predicate: str | None = None,
        states: frozenset[State] | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts whose subject is the entity, newest first."""
        found = self._whole.facts_of(
            entity_id,
            slot=slot,
            predicate=predicate,
            states=states,
            limit=limit + len(self._hidden.facts),
        )
        return self._facts(found)[:limit]

    def facts_with_object(self, entity_id: str, *, limit: int = 1000) -> tuple[Fact, ...]:
        """Facts whose object is the entity."""
        most = limit + len(self._hidden.facts)
        return self._facts(self._whole.facts_with_object(entity_id, limit=most))[:limit]

    def mentioned_in(self, snapshot_id: str) -> tuple[Entity, ...]:
        """Entities that a snapshot mentions which the reader may see."""
        if snapshot_id in self._hidden.snapshots:
            return ()
        found = (self._named.of(one) for one in self._whole.mentioned_in(snapshot_id))
        return tuple(entity for entity in found if entity is not None)

    def users_of(self, entity_id: str, *, limit: int) -> Iterator[tuple[str, str]]:
        """What the reader may see of what refers to the entity."""
        yield from self._named.users_of(entity_id, limit=limit)

    def slot_current(self, entity_id: str, slot: str) -> tuple[Fact, ...]:
        """The facts that fill the slot now."""
        return self._facts(self._whole.slot_current(entity_id, slot))

    def facts_stated_by(self, snapshot_id: str) -> tuple[Fact, ...]:
        """The facts of a snapshot that the reader may see."""
        if snapshot_id in self._hidden.snapshots:
            return ()
        return self._facts(self._whole.facts_stated_by(snapshot_id))

    def evidence(self, fact_id: str) -> tuple[Snapshot, ...]:
        """The snapshots that state the fact, of those that the reader may see."""
        if fact_id in self._hidden.facts:
            return ()
        hidden = self._hidden.snapshots
        found = self._whole.evidence(fact_id)
        return tuple(self._told(one) for one in found if one.id not in hidden)

    def successors(self, fact_id: str) -> tuple[Fact, ...]:
        """What replaced the fact, nearest first."""
        return () if fact_id in self._hidden.facts else self._facts(self._whole.successors(fact_id))

    def predecessors(self, fact_id: str) -> tuple[Fact, ...]:
        """What the fact replaced, nearest first."""
        hidden = fact_id in self._hidden.facts
        return () if hidden else self._facts(self._whole.predecessors(fact_id))

    def conflicts(
        self, *, open_only: bool = True, fact_id: str | None = None, limit: int = 1000
    ) -> tuple[Conflict, ...]:
        """Conflicts of which the reader may see both sides."""
        found = self._whole.conflicts(open_only=open_only, fact_id=fact_id, limit=_EVERY)
        return tuple(islice(self._conflicts(found), limit))

    def triggers(self, *, active_only: bool = True) -> tuple[Trigger, ...]:
        """Reminders that the reader may see."""
        found = self._whole.triggers(active_only=active_only)
        return tuple(one for one in found if may_read(self._reader, one.readers))

    def neighbourhood(
        self, entity_ids: Sequence[str], *, hops: int = 2, limit: int = 500
    ) -> tuple[tuple[str, str, int], ...]:
        """Direct edges around the entities: no way leads over what the reader may not see."""
        hidden, seen = self._hidden, set(entity_ids)
        edges: dict[int, tuple[str, str, int]] = {}
        frontier, budget = list(dict.fromkeys(entity_ids)), _EXPANDED
        for _ in range(hops):
            most = limit + len(hidden.numbers)
            found = self._whole.neighbourhood(frontier[:budget], hops=1, limit=most)
            away = set(hidden.numbers)
            ring = [
                (start, end, hidden.numbers.shown(n)) for start, end, n in found if n not in away
            ]
            edges |= {edge[2]: edge for edge in ring if edge[2] not in edges}
            budget -= len(frontier[:budget])
            reached = dict.fromkeys(end for edge in ring for end in edge[:2])
            frontier = [one for one in reached if one not in seen]
            seen.update(frontier)
        return tuple(islice(edges.values(), limit))

    # --- lists -----------------------------------------------------------------------------------------

    def facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts by number."""
        most = limit + len(self._hidden.facts)
        behind = self._hidden.numbers.meant(after) if after else 0
        found = self._whole.facts(states=states, slot=slot, after=behind, limit=most)
        return self._facts(found)[:limit]

    def newest_facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        before: int | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts with a number below `before`, newest first."""
        most = limit + len(self._hidden.facts)
        upto = None if before is None else self._hidden.numbers.meant(before)
        found = self._whole.newest_facts(states=states, slot=slot, before=upto, limit=most)
        return self._facts(found)[:limit]

    def scan_facts(self, *, after: int = 0) -> Iterator[Fact]:
        """Every fact by number."""
        hidden = self._hidden.facts
        found = self._whole.scan_facts(after=self._hidden.numbers.meant(after) if after else 0)
        return (self._shown(fact) for fact in found if fact.id not in hidden)

    def scan_snapshots(self, *, after: int = 0) -> Iterator[Snapshot]:
        """Every snapshot by number."""
        hidden = self._hidden.snapshots
        behind = self._hidden.snapshot_numbers.meant(after) if after else 0
        found = self._whole.scan_snapshots(after=behind)
        return (self._told(one) for one in found if one.id not in hidden)

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """None: events count everything."""
        del after, limit
        return ()

    def last_event(self) -> int:
        """0: events count everything."""
        return 0

    def limits(self) -> Limits:
        """Nothing of what the reader sees is hidden from it."""
        return Limits()

    def counts(self) -> Mapping[str, int]:
        """How many facts, snapshots, entities, reminders and conflicts the reader may see."""
        whole, hidden = self._whole.counts(), self._hidden
        return {
            "facts": whole["facts"] - len(hidden.facts),
            "snapshots": whole["snapshots"] - len(hidden.snapshots),
            "entities": whole["entities"] - self._named.hidden(),
            "conflicts": len(self.conflicts(open_only=False, limit=_EVERY)),
            "triggers": len(self.triggers(active_only=False)),
            "open_conflicts": len(self.conflicts(limit=_EVERY)),
        }

    def standings(self) -> Mapping[str, Mapping[str, int]]:
        """How many facts that the reader may see are in each state and tier."""
        whole = self._whole.standings()
        away = [fact for one in self._hidden.facts if (fact := self._whole.fact(one)) is not None]
        states, tiers = dict(whole["states"]), dict(whole["tiers"])
        for state in State:
            states[str(state)] -= sum(fact.state is state for fact in away)
        for tier in Tier:
            tiers[str(tier)] -= sum(fact.tier is tier for fact in away)
        return {"states": states, "tiers": tiers}

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int = 10_000
    ) -> Table:
        """Raises InvalidQuery: a query cannot be held to what a reader may see."""
        del cypher, parameters, limit
        raise InvalidQuery(
            f"Cypher is not for the reader {self._reader!r}",
            expected="a memory opened without a reader",
            next_step="use recall, facts, history or lineage",
        )

    def close(self) -> None:
        """Close the whole memory."""
        self._whole.close()

    # --- shared ------------------------------------------------------------------------------------------

    @property
    def _named(self) -> Named:
        return Named(self._whole, self._hidden)

    def _every_entity(self, after: str) -> Iterator[Entity]:
        while page := self._whole.entities(after=after, limit=_PAGE):
            yield from page
            after = page[-1].id

    def _shown(self, fact: Fact) -> Fact:
        """The fact without the ids of what the reader may not see, and numbered among what it may see."""
        hidden = self._hidden
        if hidden.numbers and hidden.numbers[0] < fact.n:
            fact = replace(fact, n=hidden.numbers.shown(fact.n))
        if hidden.snapshots and not hidden.snapshots.isdisjoint(fact.sources):
            left = tuple(one for one in fact.sources if one not in hidden.snapshots)
            told = {**self._when_said(left), **self._when_confirmed(fact, left)}
            fact = replace(fact, sources=left, **told)
        if fact.replaced_by in hidden.facts:
            heirs = self._facts(self._whole.successors(fact.id))
            fact = replace(fact, replaced_by=heirs[0].id if heirs else None)
        return fact

    def _when_said(self, sources: Sequence[str]) -> dict[str, Any]:
        """When a fact was first said and recorded, as far as its reader was told."""
        first = self._whole.snapshot(sources[0]) if sources else None
        if first is None:
            return {}
        return {"said_at": first.said_at, "recorded_at": first.recorded_at}

    def _when_confirmed(self, fact: Fact, sources: Sequence[str]) -> dict[str, Any]:
        """When a fact was last confirmed: not by saying it again where its reader did not hear."""
        away = [one for one in fact.sources if one not in sources]
        unheard = {one.recorded_at for each in away if (one := self._whole.snapshot(each))}
        if fact.confirmed_at not in unheard:
            return {}
        heard = [one.recorded_at for each in sources[1:] if (one := self._whole.snapshot(each))]
        return {"confirmed_at": max(heard, default=None)}

    def _told(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot, numbered among what the reader may see."""
        numbers = self._hidden.snapshot_numbers
        if not numbers or numbers[0] > snapshot.n:
            return snapshot
        return replace(snapshot, n=numbers.shown(snapshot.n))

    def _facts(self, found: Iterable[Fact]) -> tuple[Fact, ...]:
        hidden = self._hidden.facts
        return tuple(self._shown(fact) for fact in found if fact.id not in hidden)

    def _conflicts(self, found: Iterable[Conflict]) -> Iterator[Conflict]:
        for one in found:
            if may_read_both(self._reader, one):
                yield replace(one, old=self._shown(one.old), new=self._shown(one.new))


def owner_only(reader: str | None, what: str) -> None:
    """Raises ReaderRefused for a named reader: `what` concerns the whole memory."""
    if reader is not None:
        raise ReaderRefused(
            f"the reader {reader!r} may not {what}",
            expected="a memory opened without a reader",
            next_step="open the memory as its owner",
        )
