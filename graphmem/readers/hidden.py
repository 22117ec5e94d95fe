"""What one reader may not see, by id."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from graphmem.protocols import GraphStore, Limits
from graphmem.readers.allowed import may_read


class Numbers(tuple[int, ...]):
    """Numbers of what is hidden, in order. Gaps would count it, so what is left is numbered anew."""

    __slots__ = ()

    def shown(self, n: int) -> int:
        """The number that a reader is told for `n`: its place among what the reader may see."""
        return n - bisect_left(self, n)

    def meant(self, shown: int) -> int:
        """The number for which a reader was told `shown`."""
        for one in self:
            if one > shown:
                break
            shown += 1
        return shown


NONE = Numbers()


@dataclass(frozen=True, slots=True)
class Hidden:
    """Ids of hidden facts and snapshots (and their numbers, in order), and of the entities that these speak
    of: of such an entity the reader may know no more than what else is said of it.
    """

    facts: frozenset[str] = frozenset()
    numbers: Numbers = NONE
    snapshots: frozenset[str] = frozenset()
    snapshot_numbers: Numbers = NONE
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
        found = (whole.snapshot(one) for one in snapshots)
        return cls(
            facts,
            _in_order(limits.numbers[one] for one in facts),
            snapshots,
            _in_order(one.n for one in found if one is not None),
            frozenset(touched),
        )


def _in_order(numbers: Iterable[int]) -> Numbers:
    return Numbers(sorted(numbers))
