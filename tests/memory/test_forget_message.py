"""A whole message is forgotten: what only it states goes, what was said elsewhere stays."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from graphmem import Memory, Message
from graphmem.errors import UnknownId
from graphmem.plain import plain
from graphmem.testing import FixedClock


def everything(memory: Memory) -> str:
    """All that the memory would show."""
    return json.dumps(
        [
            plain(memory.facts(states="all", kinds=("claim", "note")), reveal=True),
            plain(memory.entities()),
            plain(memory.reminders(active_only=False)),
            plain(memory.cypher("MATCH (s:Snapshot) RETURN s.text").rows),
        ],
        ensure_ascii=False,
    )


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Where is the Zanzibar file?", "user"),
        ("Zanzibar is where the user lives.", "assistant"),
        ("I live in Zanzibar and I work at Zanzibar Shipping. Hello!", "user"),
        ("Remind me to call Zanzibar tomorrow at 9.", "user"),
        ("我住在桑给巴尔 Zanzibar。", "user"),
        (
            "I live in Zanzibar. I moved from Zanzibar to Oslo. I no longer live in Zanzibar.",
            "user",
        ),
    ],
)
def test_nothing_of_it_is_left(memory: Memory, clock: FixedClock, text: str, role: str) -> None:
    memory.remember("My sister is called Ida.")
    before = everything(memory)
    receipt = memory.add(Message(text=text, role=role, said_at=clock.now()))
    assert receipt.snapshot is not None
    memory.forget(receipt.snapshot.id)
    assert everything(memory) == before
    for item in memory.recall("Zanzibar").items:
        assert "Zanzibar" not in item.text
    assert memory.check().findings == ()
    with pytest.raises(UnknownId):
        memory.forget(receipt.snapshot.id)
    assert memory.add(Message(text=text, role=role, said_at=clock.now())).stored


def test_what_was_said_elsewhere_stays(memory: Memory, clock: FixedClock) -> None:
    first = memory.remember("I live in Lima.")
    clock.advance(timedelta(days=1))
    again = memory.remember("As I said: I live in Lima. My dog is called Rex.")
    assert again.snapshot is not None
    memory.forget(again.snapshot.id)
    (home,) = memory.facts(slot="home")
    assert home.id == first.facts[0].id
    assert len(home.sources) == 1
    assert "Rex" not in everything(memory)


def test_an_older_fact_that_it_put_in_doubt_is_current_again(memory: Memory) -> None:
    memory.remember("I live in Lima.")
    moved = memory.remember("I moved to Quito.")
    assert moved.conflicts
    assert moved.snapshot is not None
    memory.forget(moved.snapshot.id)
    assert [fact.object for fact in memory.facts(slot="home")] == ["Lima"]
    assert memory.conflicts() == ()


def test_several_go_together_or_not_at_all(memory: Memory, clock: FixedClock) -> None:
    told = [memory.remember(f"My locker number is {number}.") for number in range(12)]
    ids = [receipt.snapshot.id for receipt in told if receipt.snapshot]
    before = everything(memory)
    waiting = len(memory.conflicts())
    assert waiting
    with pytest.raises(UnknownId):
        memory.forget(*ids[:6], "f_none")
    assert everything(memory) == before
    assert memory.check().findings == ()
    receipt = memory.forget(*ids[:6])
    assert receipt.open_conflicts == len(memory.conflicts()) < waiting
    assert memory.status()["snapshots"] == 6
    memory.forget(*ids[6:])
    assert memory.status()["snapshots"] == memory.status()["entities"] == 0
    assert memory.recall("locker").items == ()
    assert memory.check().findings == ()
