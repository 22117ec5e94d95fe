"""A search index in dictionaries, for tests of recall: BM25 and brute-force cosines."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from datetime import UTC, datetime

import numpy as np

from graphmem import words
from graphmem.model import State
from graphmem.protocols import EVERYTHING, Health, Passage

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)

BEST_FIRST = [State.CURRENT, State.UNSURE, State.HISTORICAL, State.EXPIRED, State.ARCHIVED]
K1, B = 1.2, 0.75


class FakeSearch:
    def __init__(self, embedder, *, encode=None):
        self._embedder = embedder
        self._encode = encode or (embedder.passages if embedder else None)
        self._passages = []
        self._fact_at = {}

    def rebuild(self, store):
        orders = defaultdict(int)
        self._passages = []
        for snapshot in store.scan_snapshots():
            facts = store.facts_stated_by(snapshot.id)
            order = orders[snapshot.conversation]
            orders[snapshot.conversation] += 1
            for start, end in words.passages(snapshot.text):
                text = snapshot.text[start:end]
                here = [fact for fact in facts if fact.text in text] or list(facts)
                self._passages.append(self._passage(snapshot, text, here, order))
                for fact in here:
                    self._fact_at.setdefault(fact.id, len(self._passages))
        self._index()
        return len(self._passages)

    def _passage(self, snapshot, text, facts, order):
        events = [fact.happens_at.interval for fact in facts if fact.happens_at]
        expiries = [fact.expires_at.end for fact in facts if fact.expires_at]
        return Passage(
            n=len(self._passages) + 1,
            snapshot_id=snapshot.id,
            text=text,
            speaker=snapshot.speaker,
            role=snapshot.role,
            language=snapshot.language,
            said_at=snapshot.said_at,
            recorded_at=snapshot.recorded_at,
            conversation=snapshot.conversation,
            source=snapshot.source,
            order=order,
            worth=snapshot.worth,
            state=min((f.state for f in facts), key=BEST_FIRST.index, default=State.CURRENT),
            tier=str(facts[0].tier) if facts else "working",
            importance=max((f.importance for f in facts), default=3),
            fact_ids=tuple(f.id for f in facts),
            entity_ids=tuple({f.entity_id for f in facts}),
            happens=events[0] if events else None,
            expires_at=max(expiries) if facts and len(expiries) == len(facts) else None,
            readers=snapshot.readers,
        )

    def _index(self):
        docs = [words.terms(f"{p.speaker}: {p.text}") for p in self._passages]
        self._counts = [Counter(doc) for doc in docs]
        self._lengths = [len(doc) for doc in docs]
        self._mean = sum(self._lengths) / max(1, len(docs)) or 1
        self._postings = defaultdict(list)
        for at, counts in enumerate(self._counts):
            for term in counts:
                self._postings[term].append(at)
        self._rows = (
            self._encode([f"{p.speaker}: {p.text}" for p in self._passages])
            if self._encode and self._passages
            else np.zeros((len(docs), getattr(self._embedder, "dimension", 1)), np.float32)
        )

    def _lets(self, only, passage):
        expired = only.now and passage.expires_at and passage.expires_at <= only.now
        state = State.EXPIRED if expired and passage.state is State.CURRENT else passage.state
        if state is State.EXPIRED and only.now and passage.expires_at:
            state = State.EXPIRED if expired else State.CURRENT
        if only.states and state not in only.states:
            return None
        if only.entities and not only.entities & set(passage.entity_ids):
            return None
        if only.said and passage.said_at not in only.said:
            return None
        if only.speakers and passage.speaker not in only.speakers:
            return None
        if only.reader and passage.readers and only.reader not in passage.readers:
            return None
        return passage._replace(state=state)

    def _best(self, scored, limit, only):
        kept = [(n, s) for n, s in scored if self._lets(only, self._passages[n - 1])]
        return sorted(kept, key=lambda one: (-one[1], one[0]))[:limit]

    def keywords(self, terms, *, limit, only=EVERYTHING):
        scores = defaultdict(float)
        size = len(self._passages)
        for term in dict.fromkeys(terms):
            hits = self._postings.get(term, ())
            rarity = math.log(1 + (size - len(hits) + 0.5) / (len(hits) + 0.5))
            for at in hits:
                tf = self._counts[at][term]
                norm = K1 * (1 - B + B * self._lengths[at] / self._mean)
                scores[at + 1] += rarity * tf * (K1 + 1) / (tf + norm)
        return self._best(scores.items(), limit, only)

    def nearest(self, vector, *, limit, only=EVERYTHING):
        cosines = self._rows @ vector
        return self._best([(at + 1, float(c)) for at, c in enumerate(cosines)], limit, only)

    def passages(self, numbers, *, only=EVERYTHING):
        found = [self._lets(only, self._passages[n - 1]) for n in numbers if 0 < n <= self.size()]
        return [passage for passage in found if passage]

    def vectors(self, numbers):
        return self._rows[[n - 1 for n in numbers]]

    def frequencies(self, terms, *, only=EVERYTHING):
        return {term: len(self._postings.get(term, ())) for term in terms}

    def size(self, *, only=EVERYTHING):
        return len(self._passages)

    def neighbours(self, number, *, reach=1, only=EVERYTHING):
        here = self._passages[number - 1]
        near = []
        for step in range(1, reach + 1):
            for n in (number - step, number + step):
                if 0 < n <= self.size():
                    other = self._passages[n - 1]
                    if other.conversation == here.conversation and self._lets(only, other):
                        near.append(n)
        return near

    def last_of(self, conversation, speaker):
        said = (conversation, speaker, "user")
        found = [
            p.snapshot_id for p in self._passages if (p.conversation, p.speaker, p.role) == said
        ]
        return found[-1] if found else None

    def beside(self, numbers, *, reach=1, only=EVERYTHING):
        near = [n for one in numbers for n in self.neighbours(one, reach=reach, only=only)]
        return list(dict.fromkeys(near))

    def happening(self, window, *, limit, only=EVERYTHING):
        found = [p for p in self._passages if p.happens and p.happens.overlaps(window)]
        found.sort(key=lambda p: (p.happens.start, p.n))
        return [p.n for p in found if self._lets(only, p)][:limit]

    def of_facts(self, fact_ids, *, only=EVERYTHING):
        return {
            i: self._fact_at[i]
            for i in fact_ids
            if i in self._fact_at and self._lets(only, self._passages[self._fact_at[i] - 1])
        }

    def update(self, events, store):
        self.rebuild(store)

    def catch_up(self, store):
        return self.rebuild(store)

    def check(self, store):
        return Health()

    def flush(self): ...

    def close(self): ...
