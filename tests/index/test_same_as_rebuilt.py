"""Whatever happens to a memory, following its events gives the same index as making it anew."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from index_world import World, days, fact

from graphmem import plan as ops
from graphmem.model import State, When
from graphmem.protocols import Filter
from graphmem.store.search import PassageIndex

WORDS = ("tea", "gin", "花生", "Oslo", "car")
LONG = "This goes on and on without end. " * 12


class Life(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.world = World(Path(self.folder.name) / "index")
        self.made = 0

    def snapshots(self):
        return [s.id for s in self.world.store.scan_snapshots()]

    def facts(self):
        return list(self.world.store.scan_facts())

    @rule(word=st.sampled_from(WORDS), long=st.booleans(), readers=st.sampled_from([(), ("tv",)]))
    def say(self, word, long, readers):
        self.made += 1
        text = f"{LONG if long else ''}I like {word} number {self.made}."
        source = f"s{self.made}"
        stated = fact(f"f{self.made}", source, f"I like {word} number {self.made}.")
        self.world.say(source, text, stated, readers=readers, conversation=f"c{self.made % 2}")

    @precondition(lambda self: self.facts())
    @rule(data=st.data(), state=st.sampled_from(list(State)), end=st.sampled_from([None, 1, 9]))
    def change(self, data, state, end):
        chosen = data.draw(st.sampled_from(self.facts()))
        expires_at = When.of(days(end)) if end else None
        self.world.set(chosen.id, state=state, expires_at=expires_at)

    @precondition(lambda self: self.facts() and self.snapshots())
    @rule(data=st.data())
    def support(self, data):
        chosen = data.draw(st.sampled_from(self.facts()))
        source = data.draw(st.sampled_from(self.snapshots()))
        self.world.apply(ops.AddEvidence(chosen.id, source))

    @precondition(lambda self: self.facts())
    @rule(data=st.data())
    def delete(self, data):
        chosen = data.draw(st.sampled_from(self.facts()))
        cut = ops.RedactSnapshot(chosen.sources[0], "…") if chosen.sources else None
        self.world.apply(ops.RemoveFact(chosen.id), *([cut] if cut else []))

    @precondition(lambda self: self.snapshots())
    @rule(data=st.data())
    def unsay(self, data):
        self.world.apply(ops.RemoveSnapshot(data.draw(st.sampled_from(self.snapshots()))))

    @rule()
    def restart(self):
        self.world.reopen()

    @invariant()
    def agrees_with_itself(self):
        assert self.world.index.check(self.world.store).findings == ()

    def teardown(self):
        with tempfile.TemporaryDirectory() as folder:
            fresh = PassageIndex.open(Path(folder), self.world.embedder)
            fresh.catch_up(self.world.store)
            for word in WORDS:
                for only in (
                    Filter(),
                    Filter(reader="phone"),
                    Filter(states=frozenset({State.CURRENT}), now=days(5)),
                ):
                    assert self.found(fresh, word, only) == self.found(self.world.index, word, only)
            fresh.close()
        self.world.index.close()
        self.folder.cleanup()

    def found(self, index, word, only):
        vector = self.world.embedder.questions([word])[0]
        numbers = [n for n, _ in index.keywords([word.lower(), "oslo"], limit=99, only=only)]
        near = {n for n, _ in index.nearest(vector, limit=99, only=only)}
        return (
            sorted((p.snapshot_id, p.text, p.state) for p in index.passages(numbers, only=only)),
            sorted((p.snapshot_id, p.text) for p in index.passages(sorted(near), only=only)),
        )


Life.TestCase.settings = settings(
    max_examples=12,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestLife = Life.TestCase
