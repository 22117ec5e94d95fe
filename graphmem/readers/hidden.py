"""What one reader may not see, by id."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.protocols import GraphStore, Limits
from graphmem.readers.allowed import may_read


@dataclass(frozen=True, slots=True)
class Hidden:
    """Ids of hidden facts (with their numbers) and snapshots, and of the entities that these speak of: of
    such an entity the reader may know no more than what else is said of it.
    """

    facts: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()
    snapshots: frozenset[str] = frozenset()
    touched: frozenset[str] = frozenset()

    @classmethod
    def of(cls, limits: Limits, reader: str, whole: GraphStore) -> Hidden:
        """What `limits` keep from `reader`."""
        facts = frozenset(
            one for one, readers in limits.facts.items() if not may_read(reader, readers)
        )
        snapshots = frozenset(
            one for one, readers in limits.snapshots.items() if not may_read(reader, readers)
        )
        touched: set[str] = set()
        for fact_id in facts:
            fact = whole.fact(fact_id)
            touched |= {fact.entity_id, fact.object_id} if fact is not None else set()
        for snapshot_id in snapshots:
            touched |= {entity.id for entity in whole.mentioned_in(snapshot_id)}
        return cls(
            facts, frozenset(limits.numbers[one] for one in facts), snapshots, frozenset(touched)
        )
