"""A decision stands until it is taken back; deletions are for good and leave nothing; orders settle doubts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphmem import Memory, Message
from graphmem.errors import NothingToUndo, TransitionRefused
from graphmem.model import State

DAY = datetime(2025, 6, 2, 9, tzinfo=UTC)


def say(memory: Memory, *texts: str):
    """Add the texts an hour apart; gives the last receipt."""
    receipts = [
        memory.add(Message(text=text, speaker="Ana", said_at=DAY + timedelta(hours=hour)))
        for hour, text in enumerate(texts)
    ]
    return receipts[-1]


def doubted(memory: Memory):
    receipt = say(memory, "I live in Aberdeen.", "I moved to Bergamo for good.")
    (conflict,) = receipt.conflicts
    return conflict


def names(memory: Memory, table: str = "Entity") -> set[str]:
    return {row[0] for row in memory.cypher(f"MATCH (e:{table}) RETURN e.name").rows}


def test_another_second_decision_is_told_and_changes_nothing(memory: Memory) -> None:
    conflict = doubted(memory)
    memory.resolve(conflict.id, "keep_both")
    with pytest.raises(TransitionRefused, match="keep_both") as refused:
        memory.resolve(conflict.id, "mark_older_as_past")
    assert conflict.old.id in refused.value.next_step
    assert memory.fact(conflict.old.id).state is State.CURRENT
    memory.undo()
    memory.resolve(conflict.id, "mark_older_as_past")
    assert memory.fact(conflict.old.id).replaced_by == conflict.new.id


@pytest.mark.parametrize("decision", ["replace_older", "discard_newer"])
def test_deciding_a_deletion_again_is_harmless(memory: Memory, decision: str) -> None:
    conflict = doubted(memory)
    memory.resolve(conflict.id, decision)
    again = memory.resolve(conflict.id, decision)
    assert not again.stored
    assert "for good" in again.remarks[0]


def test_undo_tells_that_an_edit_is_for_good_and_which_event_comes_next(memory: Memory) -> None:
    first = say(memory, "I live in Aberdeen.")
    other = say(memory, "I have two brothers.")
    memory.edit(first.facts[0].id, "I live in Dresden.")
    with pytest.raises(NothingToUndo, match="mended a text") as refused:
        memory.undo()
    assert f"event {other.event} (add)" in refused.value.next_step
    memory.undo(other.event)
    assert "two brothers" not in {fact.object for fact in memory.facts()}
    with pytest.raises(NothingToUndo, match="builds on it"):
        memory.undo(first.event)


def test_an_event_is_undone_once(memory: Memory) -> None:
    receipt = say(memory, "I have two brothers.")
    memory.undo(receipt.event)
    with pytest.raises(NothingToUndo):
        memory.undo(receipt.event)


def test_a_spoken_order_answers_the_doubts_about_what_it_retires(memory: Memory) -> None:
    say(
        memory,
        "My pottery class is on Tuesday at 18:00.",
        "The pottery class got moved to Tuesday at 19:00.",
    )
    assert memory.conflicts()
    receipt = say(memory, "x", "y", "z", "Move Tuesday's pottery class to Friday at 17:00.")
    gone = {old.id for old, _ in receipt.replaced}
    assert gone
    assert not gone & {one.old.id for one in memory.conflicts()}
    for one in memory.conflicts():  # what is left to decide can be decided
        memory.resolve(one.id, "mark_older_as_past")
    assert State.UNSURE not in {fact.state for fact in memory.facts(states="all")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("My dog is called Zorbathus.", ("Zorbathus", "dog")),
        ("我的狗叫奥特曼。", ("奥特曼",)),
    ],
)
def test_what_only_a_deleted_fact_spoke_of_goes_with_it(
    memory: Memory, text: str, words: tuple[str, ...]
) -> None:
    say(memory, "I have two brothers.")
    receipt = say(memory, text)
    assert set(words) & names(memory)
    for fact in (*receipt.facts, *receipt.notes):
        memory.forget(fact.id)
    assert not {each for each in names(memory) for word in words if word in each}
    assert not {each for each in names(memory, "Alias") for word in words if word in each}
    assert {"Ana", "two brothers"} <= names(memory)
    say(memory, text)  # and can be said again
    assert set(words) & names(memory)


def test_an_entity_that_something_else_speaks_of_stays(memory: Memory) -> None:
    receipt = say(memory, "My sister Wendelgard lives in Oslo.")
    say(memory, "x", "Wendelgard plays the violin.")
    for fact in receipt.facts:
        memory.forget(fact.id)
    assert "Wendelgard" in names(memory) | names(memory, "Alias")
    assert "Oslo" not in names(memory)


def test_a_redacted_statement_no_longer_mentions_what_was_cut_out(memory: Memory) -> None:
    receipt = say(memory, "I have two brothers. My plumber Wendelgard repaired the boiler.")
    for fact in receipt.facts:
        if "Wendelgard" in fact.text:
            memory.forget(fact.id)
    rows = memory.cypher("MATCH (:Snapshot)-[:MENTIONS]->(e:Entity) RETURN e.name").rows
    assert "Wendelgard" not in {row[0] for row in rows}
    assert "Wendelgard" not in names(memory)


def test_mending_a_name_takes_the_wrong_one_away(memory: Memory) -> None:
    receipt = say(memory, "I live in Quixotvile.")
    memory.edit(receipt.facts[0].id, "I live in Quixotville.")
    assert "Quixotvile" not in names(memory)
    assert "Quixotville" in names(memory)
