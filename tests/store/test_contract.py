"""What every GraphStore does; another engine passes by giving the fixtures `engine` and `store`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from building import ANA, NOW, a_plan, home, note, place, says_home, snapshot

from graphmem.errors import InvalidQuery, WriteFailed
from graphmem.model import Decision, Entity, Relation, State, Tier, Trigger
from graphmem.plan import (
    AddAlias,
    AddEntity,
    AddEvidence,
    AddFact,
    AddSnapshot,
    AddTrigger,
    DecideConflict,
    LinkReplaced,
    Mention,
    MoveAlias,
    MoveFact,
    OpenConflict,
    RedactSnapshot,
    RemoveEntity,
    RemoveFact,
    RemoveSnapshot,
    SetFact,
    SetTrigger,
)
from graphmem.when import When


def test_a_new_memory_is_empty(store):
    assert store.last_event() == 0
    assert set(store.counts().values()) == {0}
    assert store.fact("f1") is None
    assert store.entities_named("Ana") == ()


def test_everything_comes_back_as_it_was_given(store):
    said = snapshot(
        1, "我住在奥斯陆 🏔", source="chat.json", conversation="c", language="zh", readers=("tv",)
    )
    fact = home(
        "f1",
        place("Oslo"),
        "s1",
        valid_from=When("2024", 480),
        valid_to=When("2025-03", 480),
        happens_at=When("2025-09-25T16:30:00+01:00", 60),
        expires_at=When("2025-09-26", 480),
        confirmed_at=NOW,
        tier=Tier.CORE,
        importance=5,
        confidence=0.75,
        pinned=True,
        sensitive=True,
        polarity="-",
        tense="past",
        readers=("phone", "tv"),
    )
    ana = replace(ANA, aliases=("安娜", "Annie"))
    store.apply(a_plan(AddSnapshot(said), AddEntity(ana), AddEntity(place("Oslo")), AddFact(fact)))
    assert store.snapshot("s1") == replace(said, n=1)
    assert store.fact("f1") == replace(fact, n=1)
    assert store.fact("f1").said_at.utcoffset() == NOW.utcoffset()
    assert store.entity(ANA.id) == ana
    assert store.evidence("f1") == (replace(said, n=1),)
    assert store.facts_stated_by("s1") == (replace(fact, n=1),)


def test_slot_follows_state(store):
    store.apply(a_plan(*says_home(1, "Oslo")))
    store.apply(
        a_plan(
            *says_home(2, "Rome"),
            SetFact("f1", {"state": State.CURRENT}, {"state": State.HISTORICAL, "retired_at": NOW}),
            LinkReplaced("f1", "f2"),
        )
    )
    assert [fact.id for fact in store.slot_current(ANA.id, "home")] == ["f2"]
    old = store.fact("f1")
    assert (old.state, old.retired_at, old.replaced_by) == (State.HISTORICAL, NOW, "f2")
    assert [fact.id for fact in store.facts_of(ANA.id, slot="home")] == ["f2", "f1"]
    historical = frozenset({State.HISTORICAL})
    assert [fact.id for fact in store.facts_of(ANA.id, states=historical)] == ["f1"]
    edges = store.query(
        "MATCH (:Entity)-[r:RELATES]->(o:Entity) RETURN o.name, r.state ORDER BY r.n"
    )
    assert edges.rows == (("Oslo", "historical"), ("Rome", "current"))
    assert [fact.id for fact in store.successors("f1")] == ["f2"]
    assert [fact.id for fact in store.predecessors("f2")] == ["f1"]


def test_numbers_count_up_and_events_say_what_they_touched(store):
    first = store.apply(a_plan(*says_home(1, "Oslo")))
    second = store.apply(a_plan(*says_home(2, "Rome")))
    assert (first.n, second.n, store.last_event()) == (1, 2, 2)
    assert [fact.n for fact in store.scan_facts()] == [1, 2]
    assert [one.n for one in store.scan_snapshots(after=1)] == [2]
    assert first.touched == {
        "entities": ("e_ana", "e_oslo"),
        "facts": ("f1",),
        "snapshots": ("s1",),
    }
    assert store.events() == (first, second)
    assert store.event(2) == second
    assert "Oslo" not in first.undo


def test_known_ids_are_refused_or_skipped(store):
    store.apply(a_plan(*says_home(1, "Oslo")))
    for op in (AddSnapshot(snapshot(1)), AddFact(home("f1", place("Oslo"), "s1"))):
        with pytest.raises(WriteFailed, match="stored already"):
            store.apply(a_plan(op))
    again = store.apply(
        a_plan(
            AddEntity(ANA), Mention("s1", ANA.id), AddEvidence("f1", "s1"), AddAlias(ANA.id, "ANA")
        )
    )
    assert again.undo == ""
    assert again.touched == {}
    assert store.counts()["facts"] == 1


def test_a_refused_plan_leaves_nothing(store):
    with pytest.raises(WriteFailed, match="no entity e_nobody"):
        store.apply(
            a_plan(
                AddSnapshot(snapshot(1)),
                AddFact(replace(home("f1", ANA, "s1"), entity_id="e_nobody")),
            )
        )
    assert store.snapshot("s1") is None
    assert store.last_event() == 0


def test_a_fact_needs_evidence(store):
    with pytest.raises(WriteFailed, match="without evidence"):
        store.apply(a_plan(AddEntity(ANA), AddFact(replace(note("f1", "s1"), sources=()))))
    store.apply(a_plan(*says_home(1, "Oslo")))
    with pytest.raises(WriteFailed, match="without evidence"):
        store.apply(a_plan(RemoveSnapshot("s1")))


def test_more_evidence_is_listed_oldest_first(store):
    store.apply(a_plan(*says_home(1, "Oslo"), AddSnapshot(snapshot(2)), AddEvidence("f1", "s2")))
    assert store.fact("f1").sources == ("s1", "s2")
    assert [one.id for one in store.evidence("f1")] == ["s1", "s2"]
    store.apply(a_plan(RemoveSnapshot("s1"), kind="forget"))
    assert store.fact("f1").sources == ("s2",)
    assert store.snapshot("s1") is None


def test_transactions_join_and_roll_back(store):
    def interrupted() -> None:
        with store.transaction():
            store.apply(a_plan(*says_home(1, "Oslo")))
            assert store.fact("f1") is not None
            assert store.query("MATCH (f:Fact) RETURN count(*)").rows == ((1,),)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.fact("f1") is None
    assert store.last_event() == 0
    with store.transaction():
        store.apply(a_plan(*says_home(1, "Oslo")))
        with store.transaction():
            store.apply(a_plan(*says_home(2, "Rome")))
    assert [event.n for event in store.events()] == [1, 2]
    assert store.fact("f2").n == 2


def test_conflicts_open_and_are_decided(store):
    store.apply(a_plan(*says_home(1, "Oslo"), *says_home(2, "Rome")))
    store.apply(a_plan(OpenConflict("c1", "f1", "f2", Relation.CONTRADICTS, "same slot", "", NOW)))
    conflict = store.conflict("c1")
    assert (conflict.old.id, conflict.new.id, conflict.decision) == ("f1", "f2", None)
    assert store.conflicts() == store.conflicts(fact_id="f2") == (conflict,)
    store.apply(a_plan(DecideConflict("c1", None, Decision.KEEP_BOTH, NOW)))
    assert store.conflicts() == ()
    decided = store.conflicts(open_only=False)[0]
    assert (decided.decision, decided.decided_at) == (Decision.KEEP_BOTH, NOW)
    edge = store.query("MATCH (:Fact)-[m:MAY_REPLACE]->(:Fact) RETURN m.relation, m.decision")
    assert edge.rows == (("contradicts", "keep_both"),)


def test_triggers_are_kept_and_remind_of_facts(store):
    trigger = Trigger(
        id="t1",
        cue="after work",
        action="buy milk",
        at=When("2025-07-25T18:00:00+08:00", 480),
        rule="FREQ=DAILY",
        routine="after_work",
        keywords=("milk", "牛奶"),
        created_at=NOW,
        snapshot_id="s1",
        speaker="Ana",
    )
    store.apply(a_plan(*says_home(1, "Oslo"), AddTrigger(trigger)))
    assert store.trigger("t1") == trigger
    assert store.query("MATCH (:Trigger)-[:REMINDS_OF]->(f:Fact) RETURN f.id").rows == (("f1",),)
    store.apply(a_plan(SetTrigger("t1", {}, {"state": "done", "fired_at": NOW})))
    assert store.triggers() == ()
    assert store.triggers(active_only=False)[0].fired_at == NOW


def test_deleting_leaves_no_trace(store):
    store.apply(a_plan(*says_home(1, "Oslo")))
    store.apply(a_plan(*says_home(2, "Rome"), LinkReplaced("f1", "f2")))
    store.apply(
        a_plan(OpenConflict("c1", "f1", "f2", Relation.REPLACES, "same slot", "moved", NOW))
    )
    gone = store.apply(a_plan(RemoveFact("f2"), RedactSnapshot("s2", ""), kind="forget"))
    assert store.undo_ops(gone.n) is None
    assert store.fact("f1").replaced_by is None
    assert store.conflicts(open_only=False) == ()
    assert store.snapshot("s2").text == ""
    found = store.query("MATCH (a:Entity)-[r:RELATES]->(b:Entity) RETURN b.name").rows
    assert found == (("Oslo",),)
    assert [fact.id for fact in store.facts_of(ANA.id, slot="home")] == ["f1"]
    store.apply(a_plan(RemoveFact("f1"), kind="forget"))
    assert store.counts()["slots"] == 0


def test_entities_in_use_stay(store):
    store.apply(a_plan(*says_home(1, "Oslo")))
    with pytest.raises(WriteFailed, match="cannot be removed"):
        store.apply(a_plan(RemoveEntity("e_oslo")))


def test_several_entities_share_an_alias(store):
    lao = Entity(id="e_lao", name="Lao Wang", aliases=("王师傅",))
    other = Entity(id="e_other", name="LAO  WANG")
    store.apply(a_plan(AddEntity(lao), AddEntity(other), AddAlias("e_other", "Wang")))
    assert [one.id for one in store.entities_named("lao wang")] == ["e_lao", "e_other"]
    assert store.entity("e_other").aliases == ("Wang",)
    assert store.entities(after="e_lao") == (store.entity("e_other"),)


def test_merging_and_splitting(store):
    store.apply(
        a_plan(*says_home(1, "Oslo"), AddEntity(Entity(id="e_an", name="Anna", aliases=("A.",))))
    )
    event = store.apply(
        a_plan(
            MoveFact("f1", "subject", "e_ana", "Ana", "e_an", "Anna"),
            MoveAlias("Ana", "e_ana", "e_an"),
            kind="merge",
        )
    )
    assert store.facts_of("e_ana") == ()
    moved = store.facts_of("e_an")[0]
    assert (moved.entity, moved.entity_id) == ("Anna", "e_an")
    assert store.slot_current("e_an", "home") == (moved,)
    assert store.slot_current("e_ana", "home") == ()
    assert [one.id for one in store.entities_named("ana")] == ["e_an"]
    assert store.neighbourhood(["e_an"]) == (("e_an", "e_oslo", 1),)
    assert "Anna" not in event.undo
    store.apply(a_plan(*store.undo_ops(event.n), kind="undo", undoes=event.n))
    assert store.fact("f1").entity == "Ana"
    assert [one.id for one in store.entities_named("ana")] == ["e_ana"]
    assert store.slot_current("e_ana", "home")[0].id == "f1"


def test_a_fact_may_be_made_anew_under_its_id(store):
    store.apply(a_plan(*says_home(1, "Olso")))
    mended = home("f1", place("Oslo"), "s1")
    store.apply(a_plan(AddEntity(place("Oslo")), RemoveFact("f1"), AddFact(mended), kind="edit"))
    assert store.fact("f1") == replace(mended, n=2)
    assert store.slot_current(ANA.id, "home")[0].text == "I live in Oslo"
    assert store.neighbourhood([ANA.id]) == ((ANA.id, "e_oslo", 2),)


def test_all_of_it_survives_closing(engine, folder):
    from graphmem.store.home import open_store

    store = open_store(folder, engine=engine)
    store.apply(a_plan(*says_home(1, "Oslo")))
    before = store.fact("f1"), store.snapshot("s1"), store.events()
    store.close()
    store.close()
    with_other_default = open_store(folder)
    assert (
        with_other_default.fact("f1"),
        with_other_default.snapshot("s1"),
        with_other_default.events(),
    ) == before
    assert with_other_default.apply(a_plan(*says_home(2, "Rome"))).n == 2
    with_other_default.close()


def test_foreign_queries_only_read(store):
    store.apply(a_plan(*says_home(1, "Oslo")))
    found = store.query("MATCH (f:Fact) WHERE f.id = $id RETURN f.said_at AS at", {"id": "f1"})
    assert found.columns == ("at",)
    assert found.rows[0][0] == NOW
    with pytest.raises(InvalidQuery):
        store.query("MATCH (f:Fact) SET f.state = 'x'")
    with pytest.raises(InvalidQuery):
        store.query("MATCH (f:Nothing) RETURN f")
    assert len(store.query("UNWIND range(1, 50) AS x RETURN x", limit=7).rows) == 7
