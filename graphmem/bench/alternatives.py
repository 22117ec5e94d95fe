"""The plain searches that people build by hand, over the same passages in the same process: for a ratio."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from graphmem.bench.household import conversation, questions
from graphmem.bench.timing import each, median
from graphmem.embed.make import make
from graphmem.memory import Memory
from graphmem.words import terms

ASKED = 100
_FOUND = 10
_EDGES = (
    "MATCH (e:Entity)-[r:RELATES]->(o:Entity) WHERE r.n > $after "
    "RETURN e.id, o.id, r.predicate, r.n ORDER BY r.n LIMIT 10000"
)
_EMBEDDED = (
    20_000  # texts that are embedded for the flat index; it is filled up with copies of them
)


def alternatives(place: Path, *, messages: int, seed: int) -> Mapping[str, float]:
    """Median milliseconds of a search that finds ten texts, nothing else: no state, no evidence, no
    history. Words alone (SQLite FTS5), vectors alone (FAISS, flat), and a neighbourhood of two hops
    (networkx, in memory).
    """
    asked = questions(ASKED, known=messages)
    texts = [message.text for message in conversation(messages, seed=seed)]
    return {
        "fts5_only_ms": _words(texts, asked),
        "faiss_flat_only_ms": _vectors(texts, asked),
        "networkx_two_hops_ms": _graph(place),
    }


def _words(texts: list[str], asked: list[str]) -> float:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE said USING fts5(text)")
    db.executemany("INSERT INTO said VALUES (?)", ((" ".join(terms(text)),) for text in texts))

    def search(question: str) -> None:
        wanted = " OR ".join(f'"{term}"' for term in terms(question)) or '"nothing"'
        db.execute(
            "SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT ?", (wanted, _FOUND)
        ).fetchall()

    took = median(each([lambda one=one: search(one) for one in asked]))  # type: ignore[misc]
    db.close()
    return took


def _vectors(texts: list[str], asked: list[str]) -> float:
    encoder = make()
    some = np.asarray(encoder.passages(texts[:_EMBEDDED]), dtype=np.float32)
    index = faiss.IndexFlatIP(some.shape[1])
    while index.ntotal < len(texts):
        index.add(some[: len(texts) - index.ntotal])

    def search(question: str) -> None:
        index.search(np.asarray(encoder.questions([question]), dtype=np.float32), _FOUND)

    return median(each([lambda one=one: search(one) for one in asked]))  # type: ignore[misc]


def _graph(place: Path) -> float:
    import networkx as nx  # noqa: PLC0415 - heavy, and for this alone

    rows: list[tuple[Any, ...]] = []
    with Memory.open(place) as memory:
        after = 0
        while page := memory.cypher(_EDGES, after=after).rows:
            rows += page
            after = page[-1][3]
    graph = nx.MultiDiGraph()
    graph.add_edges_from(
        (subject, object_, {"predicate": name}) for subject, object_, name, _ in rows
    )
    busy = sorted(graph.degree, key=lambda pair: -pair[1])[: ASKED * 2 : 2]
    return median(
        each(
            [
                lambda one=one: nx.ego_graph(graph, one, radius=2, undirected=True)  # type: ignore[misc]
                for one, _ in busy
            ]
        )
    )
