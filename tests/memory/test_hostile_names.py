"""Odd names and ids give a clear answer, never the engine's own error."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphmem import Memory, Message
from graphmem.errors import TransitionRefused, UnknownId

NOW = datetime(2025, 5, 1, 9, tzinfo=UTC)
ODD = "\ud800 x\x00"


def test_a_speaker_with_a_lone_surrogate_is_kept(memory: Memory) -> None:
    receipt = memory.add(Message(text="I live in Porto.", speaker=ODD, said_at=NOW))
    assert [fact.object for fact in receipt.facts] == ["Porto"]


def test_odd_names_are_simply_unknown(memory: Memory) -> None:
    with pytest.raises(UnknownId):
        memory.history(ODD)
    with pytest.raises(UnknownId):
        memory.lineage(ODD)
    with pytest.raises(UnknownId):
        memory.fact(ODD)


def test_a_replaced_fact_is_not_updated_again(memory: Memory) -> None:
    (first,) = memory.add(Message(text="I live in London.", speaker="Ana", said_at=NOW)).facts
    second = memory.update(first.id, "I live in Paris.").facts[0]
    with pytest.raises(TransitionRefused, match=second.id):
        memory.update(first.id, "I live in Rome.")
    assert [fact.object for fact in memory.facts("Ana", slot="home")] == ["Paris"]


@pytest.mark.parametrize("order", ["Cancel the dentist.", "Please cancel the dentist appointment."])
def test_a_bare_order_is_obeyed(memory: Memory, order: str) -> None:
    memory.add(
        Message(text="I have a dentist appointment on Friday at 10:00.", speaker="Ana", said_at=NOW)
    )
    receipt = memory.add(Message(text=order, speaker="Ana", said_at=NOW + timedelta(hours=1)))
    assert receipt.replaced
    assert all(fact.happens_at is None for fact in memory.facts("Ana"))
