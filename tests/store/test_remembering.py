"""What the store remembers of its own writes is what the engine would answer."""

from __future__ import annotations

from typing import Any

import pytest
from building import ANA, NOW, a_plan, home, place, says_home, snapshot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from test_undo import ADDS, BASE, ops

from graphmem.errors import WriteFailed
from graphmem.model import State
from graphmem.plan import AddEvidence, AddFact, AddSnapshot, RemoveFact, RemoveSnapshot, SetFact
from graphmem.store import schema
from graphmem.store.graph import Graph
from graphmem.store.in_memory import DictStore

FACTS = ("f1", "f2", "f9")
LIVE = frozenset({State.CURRENT, State.UNSURE})


def by_key(store: Graph) -> dict[str, Any]:
    """Every read that may be answered from memory."""
    entities = (ANA.id, "e_oslo", "e_rome", "e_new")
    topics = (
        {"slot": "home"},
        {"predicate": "lives_in"},
        {"slot": "home", "predicate": "lives_in"},
    )
    return {
        "facts": [store.fact(one) for one in FACTS],
        "snapshots": [store.snapshot(f"s{n}") for n in range(1, 5)],
        "stated": [store.facts_stated_by(f"s{n}") for n in range(1, 5)],
        "entities": [store.entity(one) for one in entities],
        "free": [store.has(schema.ALIAS, one) for one in ("ana", "new", "nobody")],
        "named": [store.entities_named(one) for one in ("Ana", "安娜", "OSLO", "New", "Nobody")],
        "conflicts": [store.conflicts(open_only=False, fact_id=one) for one in FACTS],
        "edges": [store.neighbourhood([one]) for one in entities],
        "topics": [
            store.facts_of(one, **topic, states=states, limit=limit)
            for one in entities
            for topic in topics
            for states, limit in ((None, 100), (LIVE, 100), (LIVE, 1))
        ],
    }


def asked_anew(store: Graph) -> dict[str, Any]:
    store._forget_everything()
    return by_key(store)


def agree(store: Graph) -> bool:
    remembered = by_key(store)
    return repr(remembered) == repr(asked_anew(store))


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes=some.lists(ops(), max_size=6, unique_by=repr), adds=ADDS, ahead=some.booleans())
def test_memory_and_engine_agree_after_any_change(store, changes, adds, ahead):
    if store.last_event() == 0:
        store.apply(a_plan(*BASE))
    if ahead:
        by_key(store)
    event = store.apply(a_plan(*changes, *adds))
    assert agree(store)
    back = store.undo_ops(event.n)
    if back is not None:
        store.apply(a_plan(*back, kind="undo", undoes=event.n))
    assert agree(store)


def test_what_was_removed_is_known_to_be_gone(store):
    store.apply(a_plan(*BASE))
    by_key(store)
    store.apply(a_plan(AddEvidence("f1", "s3")))
    assert [one.id for one in store.facts_stated_by("s3")] == ["f1"]
    store.apply(a_plan(RemoveFact("f1"), RemoveSnapshot("s1")))
    assert store.fact("f1") is None
    assert store.snapshot("s1") is None
    assert store.facts_stated_by("s3") == ()
    assert agree(store)
    store.apply(a_plan(*says_home(1, "Oslo")))
    assert store.fact("f1") is not None
    assert agree(store)


def test_a_rollback_is_forgotten(store):
    store.apply(a_plan(*BASE))
    by_key(store)
    with pytest.raises(WriteFailed):
        _write_and_fail(store)
    assert store.fact("f9") is None
    assert store.snapshot("s4") is None
    assert store.fact("f1").state is State.CURRENT
    assert agree(store)


def _write_and_fail(store: Graph) -> None:
    with store.transaction():
        store.apply(a_plan(AddSnapshot(snapshot(4)), AddFact(home("f9", place("Oslo"), "s4"))))
        store.apply(a_plan(SetFact("f1", {}, {"state": State.HISTORICAL, "retired_at": NOW})))
        assert store.fact("f9") is not None
        store.apply(a_plan(RemoveFact("f_unknown")))


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_the_newest_facts_come_page_by_page(store, limit):
    twin = DictStore()
    for each in (store, twin):
        for n in range(1, 8):
            each.apply(a_plan(*says_home(n, "Oslo" if n % 2 else "Rome")))
        each.apply(a_plan(SetFact("f6", {}, {"state": State.UNSURE}), RemoveFact("f4")))
        for asked in ({}, {"slot": "home"}, {"slot": "job"}, {"states": LIVE - {State.UNSURE}}):
            found, before = [], None
            while page := each.newest_facts(**asked, before=before, limit=limit):
                assert len(page) <= limit
                found += page
                before = page[-1].n
            assert found == list(each.facts(**asked))[::-1]
