"""Context and card (R4.6): budgets, blocks, the same bytes each time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import InvalidQuery
from graphmem.recall.context import tokens


def test_at_most_eight_memories(life):
    lines = [line for line in life.recall("noodles").context().splitlines() if line[:1] == "-"]
    assert 1 < len(lines) <= 8


@pytest.mark.parametrize(("most", "model"), [(40, 8000), (1500, 200), (10, 8000), (1, 1)])
def test_budget_is_kept(life, most, model):
    context = life.recall("noodles").context(max_tokens=most, model_context=model)
    assert not context or tokens(context) <= min(most, model * 0.2) + 1


def test_a_budget_below_one_is_refused(life):
    with pytest.raises(InvalidQuery):
        life.recall("noodles").context(max_tokens=0)


def test_the_same_bytes_each_time(life):
    first = life.recall("What did I eat and where do I live?")
    second = life.recall("What did I eat and where do I live?")
    assert first.context() == second.context()
    assert json.dumps(first.card()) == json.dumps(second.card())


def test_the_card_is_ordered_by_time_and_names_its_source(life):
    found = life.recall("noodles with Kim")
    card = found.card()
    assert [r["said_at"] for r in card] == sorted(r["said_at"] for r in card)
    known = {source.id for item in found.items for source in item.sources}
    assert {record["source"] for record in card} <= known
    assert set(card[0]) == {"text", "time", "said_at", "speaker", "state", "source"}


def test_numbers_are_given_back_as_said(world):
    world.say("locker code 00-471 / A·9K, rent 1,450.50")
    assert "00-471 / A·9K, rent 1,450.50" in world.recall("locker code?").context()


@given(st.text())
def test_tokens_are_never_underestimated_for_chinese(text):
    assert tokens(text) >= sum("\u4e00" <= c <= "\u9fff" for c in text)
