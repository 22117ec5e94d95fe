"""Whatever is applied and then undone reads as it did before, and nothing hostile gets lost."""

from __future__ import annotations

from typing import Any

import pytest
from building import ANA, NOW, a_plan, home, note, place, says_home, snapshot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from graphmem.model import Decision, Entity, Relation, State, Tier
from graphmem.plan import (
    AddAlias,
    AddEntity,
    AddEvidence,
    AddFact,
    AddSnapshot,
    DecideConflict,
    LinkReplaced,
    Mention,
    MoveFact,
    Op,
    OpenConflict,
    SetFact,
)
from graphmem.protocols import GraphStore
from graphmem.store.check import check
from graphmem.words import clean, key


def read_all(store: GraphStore) -> dict[str, Any]:
    """Everything that can be read, but events and numbers given."""
    counts = {name: n for name, n in store.counts().items() if name != "events"}
    entities = store.entities()
    edges = store.query(
        "MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN a.id, r.n, r.state, b.id ORDER BY r.n"
    )
    return {
        "counts": counts,
        "entities": entities,
        "named": [store.entities_named(entity.name) for entity in entities],
        "facts": list(store.scan_facts()),
        "snapshots": list(store.scan_snapshots()),
        "conflicts": store.conflicts(open_only=False),
        "slots": [
            (entity.id, slot, store.slot_current(entity.id, slot))
            for entity in entities
            for slot in ("home", "job")
        ],
        "mentions": store.query(
            "MATCH (s:Snapshot)-[:MENTIONS]->(e:Entity) RETURN s.id, e.id ORDER BY s.id, e.id"
        ),
        "edges": edges,
    }


BASE = (*says_home(1, "Oslo"), *says_home(2, "Rome"), AddSnapshot(snapshot(3)))
FACTS = some.sampled_from(["f1", "f2"])
BEFORE: dict[str, Any] = {}


def sets() -> some.SearchStrategy[Op]:
    after = some.fixed_dictionaries(
        {},
        optional={
            "state": some.sampled_from(State),
            "tier": some.sampled_from(Tier),
            "importance": some.integers(1, 5),
            "pinned": some.booleans(),
            "confirmed_at": some.sampled_from([None, NOW]),
            "readers": some.sampled_from([(), ("tv",)]),
        },
    )
    return some.builds(SetFact, FACTS, some.just(BEFORE), after)


def ops() -> some.SearchStrategy[Op]:
    return some.one_of(
        sets(),
        some.builds(AddEvidence, FACTS, some.sampled_from(["s1", "s2", "s3"])),
        some.builds(AddAlias, some.just(ANA.id), some.sampled_from(["Ana", "安娜", "oslo"])),
        some.builds(Mention, some.just("s3"), some.sampled_from([ANA.id, "e_oslo"])),
        some.just(LinkReplaced("f1", "f2")),
        some.sampled_from(
            [
                MoveFact("f1", "object", "e_oslo", "Oslo", "e_rome", "Rome"),
                AddEntity(Entity(id="e_new", name="Oslo", aliases=("New",))),
            ]
        ),
    )


ADDS = some.sampled_from(
    [
        (),
        (AddFact(home("f9", place("Oslo"), "s3")),),
        (AddFact(note("f9", "s3")), LinkReplaced("f2", "f9")),
        (
            OpenConflict("c1", "f1", "f2", Relation.REPLACES, "slot", "moved", NOW),
            DecideConflict("c1", None, Decision.KEEP_BOTH, NOW),
        ),
    ]
)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes=some.lists(ops(), max_size=6, unique_by=repr), adds=ADDS)
def test_apply_then_undo_restores_the_same_reads(store, changes, adds):
    if store.last_event() == 0:
        store.apply(a_plan(*BASE))
    moves = [op for op in changes if isinstance(op, MoveFact)]
    changes = [op for op in changes if op not in moves[1:]]
    before = read_all(store)
    event = store.apply(a_plan(*changes, *adds))
    assert check(store).findings == ()
    back = store.undo_ops(event.n)
    if back is not None:
        undone = store.apply(a_plan(*back, kind="undo", undoes=event.n))
        assert store.event(undone.n).undoes == event.n
    else:
        assert event.undo == ""
    assert read_all(store) == before
    assert check(store).findings == ()


HOSTILE = [
    "lone \ud800 surrogate",
    "nul \x00 inside",
    "👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ﷽",
    "'; MATCH (n) DETACH DELETE n; //",
    '"}]} \\ \\u0000 $id {',
    "\u202e right to left \u2066",
    "x" * 100_000,
    "中" * 50_000,
    "line\r\nline\u2028line\x85",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_comes_back_as_clean_leaves_it(store, text):
    name = text[:200]
    who = Entity(id="e_x", name=name, aliases=(name + "!",))
    said = snapshot(1, text, speaker=name, source=name, conversation=name, readers=(name,))
    fact = home("f1", who, "s1", entity=name, entity_id="e_x", text=text, readers=(name,))
    store.apply(a_plan(AddSnapshot(said), AddEntity(who), AddFact(fact)))
    store._engine.recycle()
    found = store.snapshot("s1")
    assert (found.text, found.speaker, found.readers) == (clean(text), clean(name), (clean(name),))
    assert store.fact("f1").text == clean(text)
    assert store.entity("e_x").aliases == (clean(name + "!"),)
    assert [one.id for one in store.entities_named(clean(name))] == ["e_x"]
    assert key(clean(name)) == key(store.entity("e_x").name)


def test_recycling_keeps_everything(store):
    store.apply(a_plan(*BASE))
    before = read_all(store)
    store._engine.recycle()
    assert read_all(store) == before
    assert not store._engine.log_size()
