"""Review, by hand and undo, carried out on a store in dictionaries."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from facts import DAY, note

from graphmem import Message
from graphmem.errors import TransitionRefused
from graphmem.lifecycle import by_hand, review
from graphmem.lifecycle.undo import can_undo, why_not
from graphmem.model import Decision, Entity, Event, Relation, Snapshot, State
from graphmem.plan import AddEntity, AddFact, AddSnapshot, Plan, undo_of
from graphmem.testing import DictStore
from graphmem.when import When

NOW = DAY + timedelta(days=40)
OLD, NEW, THIRD = "f_old", "f_new", "f_third"


@pytest.fixture
def store():
    """Three statements of Ana's; the second doubts the first."""
    opened = DictStore()
    ops = [AddEntity(Entity(id="e_ana", name="Ana", kind="person"))]
    for number, (one, text) in enumerate(
        [(OLD, "I live in Leeds."), (NEW, "I moved to York."), (THIRD, "I moved to Hull.")]
    ):
        at = DAY + timedelta(days=number)
        ops.append(
            AddSnapshot(
                Snapshot(id=f"s_{one}", text=text, speaker="Ana", said_at=at, recorded_at=at)
            )
        )
        ops.append(AddFact(note(text, id=one, day=number, sources=(f"s_{one}",), slot="home")))
    opened.apply(Plan(kind="add", at=DAY, ops=tuple(ops)))
    doubt(opened, OLD, NEW)
    return opened


def doubt(store, old, new):
    ops = review.open_conflict(
        store.fact(old), store.fact(new), relation=Relation.REPLACES, reason="moved", cue="moved",
        now=DAY,
    )  # fmt: skip
    carry_out(store, ops)


def carry_out(store, ops):
    if ops:
        store.apply(Plan(kind="test", at=NOW, ops=tuple(ops)))
    return ops


def conflict(store, old=OLD, new=NEW):
    return store.conflict(review.conflict_id(old, new))


def decide(store, decision, old=OLD, new=NEW):
    one = conflict(store, old, new)
    others = store.conflicts(open_only=False, fact_id=old) + store.conflicts(
        open_only=False, fact_id=new
    )
    return carry_out(store, review.decide(one, decision, now=NOW, others=others))


def states(store):
    return {one: fact.state for one in (OLD, NEW, THIRD) if (fact := store.fact(one))}


def test_in_review_the_new_is_current_and_the_older_unsure(store):
    assert states(store)[OLD] is State.UNSURE
    assert states(store)[NEW] is State.CURRENT


def test_keep_both(store):
    decide(store, Decision.KEEP_BOTH)
    assert states(store)[OLD] is State.CURRENT
    assert store.fact(OLD).replaced_by is None


def test_mark_older_as_past(store):
    decide(store, Decision.MARK_OLDER_AS_PAST)
    assert store.fact(OLD).state is State.HISTORICAL
    assert store.fact(OLD).replaced_by == NEW
    assert store.fact(OLD).retired_at == NOW


def test_replace_older_deletes_it(store):
    decide(store, Decision.REPLACE_OLDER)
    assert store.fact(OLD) is None
    assert store.fact(NEW).state is State.CURRENT


def test_discard_newer_deletes_it_and_the_older_is_current_again(store):
    decide(store, Decision.DISCARD_NEWER)
    assert store.fact(NEW) is None
    assert store.fact(OLD).state is State.CURRENT


@pytest.mark.parametrize("decision", [Decision.KEEP_BOTH, Decision.MARK_OLDER_AS_PAST])
def test_deciding_twice_is_harmless(store, decision):
    decide(store, decision)
    before = states(store)
    assert decide(store, decision) == ()
    assert states(store) == before


@pytest.mark.parametrize("first", [Decision.KEEP_BOTH, Decision.MARK_OLDER_AS_PAST])
@pytest.mark.parametrize("second", list(Decision))
def test_deciding_otherwise_is_refused_with_a_way_on(store, first, second):
    if first is second:
        return
    decide(store, first)
    before = states(store)
    with pytest.raises(TransitionRefused, match=str(first)) as refused:
        decide(store, second)
    assert "undo" in refused.value.next_step
    assert states(store) == before


def test_the_older_stays_unsure_while_another_conflict_is_open(store):
    doubt(store, OLD, THIRD)
    decide(store, Decision.KEEP_BOTH)
    assert store.fact(OLD).state is State.UNSURE
    decide(store, Decision.KEEP_BOTH, OLD, THIRD)
    assert store.fact(OLD).state is State.CURRENT


def test_discarding_one_newer_leaves_the_doubt_of_the_other(store):
    doubt(store, OLD, THIRD)
    decide(store, Decision.DISCARD_NEWER)
    assert store.fact(OLD).state is State.UNSURE


def test_a_chain_never_forks(store):
    doubt(store, OLD, THIRD)
    decide(store, Decision.MARK_OLDER_AS_PAST)
    decide(store, Decision.MARK_OLDER_AS_PAST, OLD, THIRD)
    assert store.fact(OLD).replaced_by == NEW


def test_a_deleted_link_of_a_chain_is_bridged(store):
    carry_out(store, by_hand.update(store.fact(OLD), store.fact(NEW), now=NOW))
    carry_out(store, by_hand.update(store.fact(NEW), store.fact(THIRD), now=NOW))
    ops = by_hand.forget(
        store.fact(NEW), now=NOW, conflicts=store.conflicts(open_only=False, fact_id=NEW),
        predecessors=(store.fact(OLD),),
    )  # fmt: skip
    carry_out(store, ops)
    assert store.fact(OLD).replaced_by == THIRD


@pytest.mark.parametrize("decision", [Decision.KEEP_BOTH, Decision.MARK_OLDER_AS_PAST])
def test_what_deletes_nothing_can_be_taken_back(store, decision):
    before = {one: store.fact(one) for one in (OLD, NEW)}
    ops = decide(store, decision)
    back = undo_of(tuple(ops))
    assert back is not None
    carry_out(store, back)
    assert {one: store.fact(one) for one in (OLD, NEW)} == before
    assert conflict(store).decision is None


@pytest.mark.parametrize("decision", [Decision.REPLACE_OLDER, Decision.DISCARD_NEWER])
def test_a_deletion_cannot_be_taken_back(store, decision):
    assert undo_of(tuple(decide(store, decision))) is None


def test_update_answers_what_doubted_the_old_one(store):
    doubts = store.conflicts(fact_id=OLD)
    carry_out(store, by_hand.update(store.fact(OLD), store.fact(THIRD), now=NOW, conflicts=doubts))
    assert store.fact(OLD).replaced_by == THIRD
    assert conflict(store).decision is Decision.MARK_OLDER_AS_PAST


def test_edit_stands_in_the_old_place(store):
    carry_out(store, by_hand.update(store.fact(NEW), store.fact(THIRD), now=NOW))
    old = store.fact(NEW)
    mended = replace(old, id="f_mended", text="I moved to York!", replaced_by=None)
    ops = by_hand.edit(
        old, mended, conflicts=store.conflicts(open_only=False, fact_id=NEW), predecessors=()
    )
    carry_out(store, (AddFact(mended), *ops))
    assert store.fact(NEW) is None
    assert store.fact("f_mended").replaced_by == THIRD
    [open_now] = store.conflicts(fact_id=OLD)
    assert open_now.new.id == "f_mended"


def test_retire_names_the_one_that_doubted_it_as_successor(store):
    carry_out(store, by_hand.retire(store.fact(OLD), now=NOW, conflicts=store.conflicts()))
    assert store.fact(OLD).state is State.HISTORICAL
    assert store.fact(OLD).replaced_by == NEW
    assert by_hand.retire(store.fact(OLD), now=NOW) == ()


def test_restore_takes_the_successor_away_and_asks_about_the_filler(store):
    decide(store, Decision.MARK_OLDER_AS_PAST)
    ops = by_hand.restore(store.fact(OLD), now=NOW, fillers=(store.fact(NEW),))
    carry_out(store, ops)
    assert store.fact(OLD).state is State.CURRENT
    assert store.fact(OLD).replaced_by is None
    assert store.fact(NEW).state is State.UNSURE
    assert by_hand.restore(store.fact(OLD), now=NOW) == ()


def test_restoring_what_had_an_end_lifts_the_end():
    gone = note("Meeting", state=State.EXPIRED, expires_at=When("2025-03-04"))
    [op] = by_hand.restore(gone, now=NOW)
    assert op.after["expires_at"] is None


def test_confirm(store):
    carry_out(store, by_hand.confirm(store.fact(OLD), now=NOW, conflicts=store.conflicts()))
    assert store.fact(OLD).state is State.CURRENT
    assert store.fact(OLD).confirmed_at == NOW
    assert conflict(store).decision is Decision.KEEP_BOTH
    assert by_hand.confirm(store.fact(OLD), now=NOW) == ()


@pytest.mark.parametrize("state", [State.HISTORICAL, State.EXPIRED])
def test_what_is_past_is_restored_not_confirmed(state):
    with pytest.raises(TransitionRefused, match="restore"):
        by_hand.confirm(note("x", state=state), now=NOW)


def test_confirm_brings_back_what_had_faded():
    [op] = by_hand.confirm(note("x", state=State.ARCHIVED), now=NOW)
    assert op.after == {"state": State.CURRENT, "confirmed_at": NOW}


def test_pin():
    assert by_hand.pin(note("x"), pinned=True)[0].after == {"pinned": True}
    assert by_hand.pin(note("x", pinned=True), pinned=True) == ()


# --- the sentence of a deleted fact ------------------------------------------------------------------


def said(text):
    return Snapshot(id="s_1", text=text, speaker="Ana", said_at=DAY, recorded_at=DAY)


def test_the_sentence_is_cut_out_and_the_rest_stays():
    fact = note("I have a cat.")
    other = note("I live in Leeds.", id="f_2")
    [op] = by_hand.redact(fact, said("I live in Leeds. I have a cat. Bye!"), [other])
    assert op.text == "I live in Leeds. Bye!"


def test_a_sentence_on_which_another_fact_stands_stays():
    fact = note("I moved from Leeds to York.")
    other = note("I moved from Leeds to York.", id="f_2")
    assert by_hand.redact(fact, said("I moved from Leeds to York."), [other]) == ()


@pytest.mark.parametrize("text", ["I have a cat.", "  I have a cat. ", "I have a cat. ...!"])
def test_of_what_nothing_is_left_nothing_is_kept(text):
    from graphmem.plan import RemoveSnapshot

    assert by_hand.redact(note("I have a cat."), said(text), []) == (RemoveSnapshot("s_1"),)


# --- undo --------------------------------------------------------------------------------------------


def event(n, kind="add", *, facts=(), undo="[]", undoes=None, entities=()):
    touched = {"facts": tuple(facts), "entities": tuple(entities)}
    return Event(n=n, kind=kind, at=DAY, touched=touched, undo=undo, undoes=undoes)


def test_undo_needs_that_nothing_later_builds_on_it():
    first, second = event(1, facts=["f_1"]), event(2, facts=["f_1"])
    assert "event 2" in why_not(first, [second])
    assert can_undo(second, [])
    assert can_undo(first, [second, event(3, "undo", facts=["f_1"], undoes=2)])


@pytest.mark.parametrize(
    ("one", "later"),
    [
        (event(1, undo=""), []),  # a deletion
        (event(2, undoes=1), []),  # an undo
        (event(1), [event(2, undoes=1)]),  # taken back already
    ],
)
def test_what_cannot_be_undone(one, later):
    assert not can_undo(one, later)
    assert why_not(one, later)


def test_entities_in_common_and_upkeep_do_not_count():
    first = event(1, facts=["f_1"], entities=["e_ana"])
    assert can_undo(first, [event(2, facts=["f_2"], entities=["e_ana"])])
    assert can_undo(first, [event(2, "tend", facts=["f_1"])])


def test_open_conflicts_are_counted_in_the_receipt_the_status_and_what_a_model_is_told(memory):
    for city in ("Odense", "Palermo"):
        receipt = memory.add(Message(text=f"I live in {city}.", speaker="Ana", said_at=DAY))
    assert receipt.open_conflicts == memory.status()["open_conflicts"] == 1
    found = memory.recall("Odense?")
    assert found.open_conflicts == 1
    assert found.context().endswith("\n\nOpen conflicts: 1")
    assert "Open conflicts" not in found.context(max_tokens=14)
    [conflict] = memory.conflicts()
    memory.resolve(conflict.id, "mark_older_as_past")
    assert "Open conflicts" not in memory.recall("Odense?").context()
