"""The graph around the entities a question names, by personalised PageRank over a bounded neighbourhood.

Page, Brin, Motwani, Winograd (1999), "The PageRank Citation Ranking", section 6; as a way to find
evidence over several hops: Gutiérrez et al. (2024), "HippoRAG".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphmem.plain import MASK
from graphmem.protocols import GraphStore

_DAMPING = 0.5  # the walk stays near the question
_ROUNDS = 12  # 0.5 ** 12: what is left moves no rank
_HOPS = 2
_EDGES = 300
_ENTITIES = 5
_FACTS_EACH = 30


@dataclass(frozen=True, slots=True)
class Walk:
    """Fact id to the walk's share at its ends, 0..1, and to the entity names on the way to it."""

    facts: Mapping[str, float]
    paths: Mapping[str, tuple[str, ...]]


def walk_from(store: GraphStore, seeds: Sequence[str]) -> Walk:
    """Facts of the entities where a walk that keeps returning to `seeds` (entity ids) stays longest."""
    edges = store.neighbourhood(list(seeds), hops=_HOPS, limit=_EDGES)
    shares = page_rank([(subject, object_) for subject, object_, _ in edges], seeds)
    ranked = sorted(shares, key=lambda entity: (-shares[entity], entity))[:_ENTITIES]
    facts: dict[str, float] = {}
    paths: dict[str, tuple[str, ...]] = {}
    for entity in ranked:
        for fact in store.facts_of(entity, limit=_FACTS_EACH):
            share = shares[entity] + shares.get(fact.object_id, 0.0)
            if share > facts.get(fact.id, 0.0):
                facts[fact.id] = share
                told = MASK if fact.sensitive else fact.object
                paths[fact.id] = (fact.entity, fact.predicate, told)
    top = max(facts.values(), default=1.0) or 1.0
    return Walk({fact_id: share / top for fact_id, share in facts.items()}, paths)


def page_rank(edges: Sequence[tuple[str, str]], seeds: Sequence[str]) -> dict[str, float]:
    """Share of time a walk spends at each node; edges are walked both ways, restarts go to `seeds`."""
    names = list(dict.fromkeys([*seeds, *(name for edge in edges for name in edge)]))
    place = {name: at for at, name in enumerate(names)}
    left = np.array([place[one] for one, _ in edges], dtype=np.int64)
    right = np.array([place[other] for _, other in edges], dtype=np.int64)
    here, there = np.concatenate([left, right]), np.concatenate([right, left])
    degree = np.bincount(here, minlength=len(names))
    start = np.zeros(len(names))
    for seed in seeds:
        start[place[seed]] += 1.0 / len(seeds)
    shares = start.copy()
    for _ in range(_ROUNDS):
        moved = (
            np.bincount(there, weights=shares[here] / degree[here], minlength=len(names))
            + start * shares[degree == 0].sum()
        )
        shares = (1 - _DAMPING) * start + _DAMPING * moved
    return {name: float(share) for name, share in zip(names, shares, strict=True) if share}
