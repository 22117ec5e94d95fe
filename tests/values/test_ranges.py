"""Numbers and moments out of their range are refused by every verb, and the error names the argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from graphmem import Memory
from graphmem.config import RANGES, Settings, load
from graphmem.errors import (
    GraphmemError,
    InvalidMessage,
    InvalidQuery,
    InvalidSettings,
    InvalidTime,
)
from graphmem.lexicon import Lexicon

NAIVE = datetime(2025, 6, 1, 12)
CALLS: dict[str, tuple[Callable[[Memory, Any], Any], bool]] = {
    "limit of recall": (lambda memory, value: memory.recall("home?", limit=value), False),
    "limit of facts": (lambda memory, value: memory.facts(limit=value), False),
    "limit of entities": (lambda memory, value: memory.entities(limit=value), False),
    "limit of graph": (lambda memory, value: memory.graph("Ana", limit=value), False),
    "max_tokens of context": (
        lambda memory, value: memory.context("home?", max_tokens=value),
        False,
    ),
    "model_context of context": (
        lambda memory, value: memory.context("home?", model_context=value),
        False,
    ),
    "event of undo": (lambda memory, value: memory.undo(value), False),
    "depth of graph": (lambda memory, value: memory.graph("Ana", depth=value), True),
    "before of facts": (lambda memory, value: memory.facts(before=value), True),
}
BAD = (-1, 2**70, -(2**70), 1.5, math.nan, math.inf, "3", True)


@pytest.fixture
def lived(memory: Memory) -> Memory:
    memory.remember("I live in Lisbon.", speaker="Ana")
    memory.remind("water the plants", keywords=("plants",))
    return memory


def test_whole_numbers(lived: Memory) -> None:
    before = lived.status()["last_event"]
    for name, (call, zero) in CALLS.items():
        for value in BAD if zero else (0, *BAD):
            with pytest.raises(InvalidQuery) as met:
                call(lived, value)
            assert met.value.met.startswith(name.partition(" ")[0]), (name, value)
            assert repr(value) in met.value.met
            assert "whole number" in met.value.expected
    assert lived.status()["last_event"] == before


def test_seconds(lived: Memory) -> None:
    for value in (-1, math.nan, math.inf, "1"):
        with pytest.raises(InvalidQuery, match="budget"):
            lived.tend(budget=value)  # type: ignore[arg-type]
    assert lived.tend(budget=0).complete in {True, False}


MOMENTS: dict[str, Callable[[Memory, datetime], Any]] = {
    "at": lambda memory, value: memory.recall("home?", at=value),
    "as_of": lambda memory, value: memory.recall("home?", as_of=value),
    "since": lambda memory, value: memory.recall("home?", since=value),
    "until": lambda memory, value: memory.recall("home?", until=value),
    "at of context": lambda memory, value: memory.context("home?", at=value),
    "as_of of history": lambda memory, value: memory.history("Ana", as_of=value),
    "as_of of lineage": lambda memory, value: memory.lineage("Ana", as_of=value),
    "now": lambda memory, value: memory.due(value),
    "said_at of remind": lambda memory, value: memory.remind("call Ben at 5", said_at=value),
    "at of remind": lambda memory, value: memory.remind("call Ben", at=value),
    "after": lambda memory, value: memory.next_time(memory.reminders()[0], after=value),
    "until of snooze": lambda memory, value: memory.snooze(memory.reminders()[0].id, value),
}


@pytest.mark.parametrize("value", [NAIVE, datetime.max, datetime.min])
def test_moments_without_a_zone(lived: Memory, value: datetime) -> None:
    before = lived.status()["last_event"]
    for name, call in MOMENTS.items():
        with pytest.raises(InvalidTime) as met:
            call(lived, value)
        assert met.value.met.startswith(name.partition(" ")[0]), name
        assert met.value.expected == "an aware datetime"
        assert met.value.next_step
    with pytest.raises(InvalidMessage, match="said_at"):
        lived.remember("I like tea.", said_at=value)
    assert lived.status()["last_event"] == before


@pytest.mark.parametrize("name", sorted(RANGES))
def test_settings(name: str, tmp_path: Any) -> None:
    top = int(RANGES[name])
    for value in (-1, -0.5, math.nan, math.inf, top + 1):
        for make in (
            lambda value: Settings(**{name: value}),
            lambda value: load(tmp_path, environment={}, arguments={name: value}),
            lambda value: load(tmp_path, environment={f"GRAPHMEM_{name.upper()}": str(value)}),
        ):
            with pytest.raises(InvalidSettings, match=name) as met:
                make(value)
            assert met.value.expected
    assert getattr(Settings(**{name: top}), name) == top


def test_filters_that_are_no_texts_and_texts_that_no_index_takes(lived: Memory) -> None:
    for name in ("predicates", "sources", "speakers"):
        with pytest.raises(InvalidQuery, match=name):
            lived.recall("home?", **{name: (5,)})
        assert lived.recall("home?", **{name: ("\ud800",)}).items == ()


@pytest.mark.parametrize(
    ("table", "additions"),
    [
        ("slots", {"boat": {"predicate": ["owns_boat"]}}),
        ("slots", {"boat": ["owns_boat"]}),
        ("slots", {"boat": {"predicates": "owns_boat"}}),
        ("slots", {"boat": {"predicates": [5]}}),
        ("slots", {"home": {"predicates": [5]}}),
        ("slots", {"home": 5}),
        ("secrets_en", {"own": 5}),
        ("secrets_en", "words"),
    ],
)
def test_words_of_another_shape(table: str, additions: Any) -> None:
    with pytest.raises(InvalidSettings, match=f"lexicon.{table}") as met:
        Lexicon.load({table: additions})
    assert met.value.expected
    assert isinstance(met.value, GraphmemError)
