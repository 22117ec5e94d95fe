from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphmem import plan as ops
from graphmem.model import Fact, Snapshot, Worth
from graphmem.plan import Plan
from graphmem.store.search import PassageIndex
from graphmem.testing import DictStore, TinyEmbedder

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)


class World:
    """A store, an index over it, and short ways to say and change things."""

    def __init__(self, folder):
        self.folder = folder
        self.store = DictStore()
        self.embedder = TinyEmbedder()
        self.index = PassageIndex.open(folder, self.embedder)

    def apply(self, *operations, kind="add"):
        event = self.store.apply(Plan(kind=kind, at=NOW, ops=operations))
        self.index.update([event], self.store)
        return event

    def say(self, id, text, *facts, **more):
        self.apply(
            ops.AddSnapshot(said(id, text, **more)),
            *(ops.AddFact(fact) for fact in facts),
        )

    def set(self, fact_id, **after):
        self.apply(ops.SetFact(fact_id, {}, after), kind="set")

    def reopen(self, embedder=None):
        self.index.close()
        self.embedder = embedder or self.embedder
        self.index = PassageIndex.open(self.folder, self.embedder)
        self.index.catch_up(self.store)

    def texts(self, hits, **only):
        numbers = [hit[0] if isinstance(hit, tuple) else hit for hit in hits]
        return [p.text for p in self.index.passages(numbers, **only)]

    def close_to(self, question, **more):
        vector = self.embedder.questions([question])[0]
        hits = self.index.nearest(vector, limit=more.pop("limit", 10), **more)
        return [
            text for text, (_, score) in zip(self.texts(hits), hits, strict=True) if score > 0.2
        ]

    def by_word(self, *terms, **more):
        return self.texts(self.index.keywords(terms, limit=more.pop("limit", 10), **more))

    def bytes_on_disk(self):
        return b"".join(p.read_bytes() for p in self.folder.rglob("*") if p.is_file())


def said(id, text, **more):
    values = {"speaker": "Ana", "conversation": "chat", "worth": Worth.STATEMENT}
    times = {"said_at": NOW, "recorded_at": NOW}
    return Snapshot(id=id, text=text, **(values | times | more))


def fact(id, source, text, **more):
    values = {"predicate": "likes", "object": "x", "object_id": f"object-{id}"}
    times = {"said_at": NOW, "recorded_at": NOW}
    return Fact(
        id=id,
        entity="Ana",
        text=text,
        sources=(source,),
        **({"entity_id": "ana"} | values | times | more),
    )


def days(n):
    return NOW + timedelta(days=n)
