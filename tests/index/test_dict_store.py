from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem import plan as ops
from graphmem.errors import WriteFailed
from graphmem.model import Entity, Fact, Relation, Snapshot, State
from graphmem.plan import Plan
from graphmem.testing import DictStore

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)


def snapshot(id, text="I live in Oslo"):
    return Snapshot(id=id, text=text, speaker="Ana", said_at=NOW, recorded_at=NOW)


def fact(id, source, **more):
    values = {"predicate": "lives_in", "object": "Oslo", "object_id": "o", "text": "I live in Oslo"}
    return Fact(
        id=id,
        entity="Ana",
        entity_id="a",
        said_at=NOW,
        recorded_at=NOW,
        sources=(source,),
        slot="home",
        **(values | more),
    )


@pytest.fixture
def store():
    store = DictStore()
    start = (
        ops.AddSnapshot(snapshot("s1")),
        ops.AddEntity(Entity(id="a", name="Ana")),
        ops.AddEntity(Entity(id="o", name="Oslo", kind="place")),
        ops.AddFact(fact("f1", "s1")),
    )
    store.apply(Plan(kind="add", at=NOW, ops=start))
    return store


def test_what_is_applied_can_be_read(store):
    assert store.fact("f1").sources == ("s1",)
    assert store.fact("f1").n == store.snapshot("s1").n == 1
    assert [f.id for f in store.slot_current("a", "home")] == ["f1"]
    assert [f.id for f in store.facts_stated_by("s1")] == ["f1"]
    assert [e.id for e in store.entities_named("ANA")] == ["a"]
    assert store.neighbourhood(["a"]) == (("a", "o", 1),)
    assert store.events()[0].touched == {
        "snapshots": ("s1",),
        "entities": ("a", "o"),
        "facts": ("f1",),
    }


def test_a_failing_plan_changes_nothing(store):
    bad = (ops.SetFact("f1", {}, {"state": State.UNSURE}), ops.RemoveFact("nobody"))
    with pytest.raises(WriteFailed):
        store.apply(Plan(kind="x", at=NOW, ops=bad))
    assert store.fact("f1").state is State.CURRENT
    assert store.last_event() == 1


def test_a_transaction_is_all_or_nothing(store):
    def fails_halfway():
        with store.transaction():
            store.apply(Plan(kind="add", at=NOW, ops=(ops.AddSnapshot(snapshot("s2")),)))
            assert store.snapshot("s2") is not None
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails_halfway()
    assert store.snapshot("s2") is None


def test_every_operation_is_taken_back_by_its_inverse(store):
    changes = (
        ops.AddSnapshot(snapshot("s2", "I moved to Rome")),
        ops.AddFact(fact("f2", "s2", text="I moved to Rome")),
        ops.AddEvidence("f1", "s2"),
        ops.AddAlias("o", "Kristiania"),
        ops.MoveAlias("Kristiania", "o", "a"),
        ops.MoveFact("f1", "subject", "a", "Ana", "o", "Oslo"),
        ops.SetFact("f1", {"state": State.CURRENT}, {"state": State.HISTORICAL}),
        ops.LinkReplaced("f1", "f2"),
        ops.OpenConflict("c1", "f1", "f2", Relation.REPLACES, "slot", "", NOW),
    )
    before = (store.fact("f1"), store.entity("o"), store.entity("a"))
    event = store.apply(Plan(kind="update", at=NOW, ops=changes))
    assert store.fact("f1").replaced_by == "f2"
    assert [f.id for f in store.successors("f1")] == ["f2"]
    assert [f.id for f in store.predecessors("f2")] == ["f1"]
    assert [c.id for c in store.conflicts(fact_id="f1")] == ["c1"]
    store.apply(Plan(kind="undo", at=NOW, ops=store.undo_ops(event.n)))
    assert (store.fact("f1"), store.entity("o"), store.entity("a")) == before
    assert store.snapshot("s2") is None
    assert not store.conflicts()
