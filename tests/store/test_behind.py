"""Statements that run beside the caller: in order, and none behind one that was refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from graphmem.store.behind import Behind
from graphmem.store.engine import EngineRefused


class Ran:
    """Notes what is run; refuses "bad", and waits at "slow" until it is let go."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.go = threading.Event()

    def run(self, text: str, values: Mapping[str, Any]) -> None:
        if text == "slow":
            assert self.go.wait(10)
        if text == "bad":
            raise EngineRefused("bad")
        self.texts.append(text)


@pytest.fixture
def ran() -> Ran:
    return Ran()


@pytest.fixture
def behind(ran: Ran) -> Iterator[Behind]:
    made = Behind(ran.run)
    yield made
    made.close()


def rows(*texts: str) -> list[tuple[str, Mapping[str, Any]]]:
    return [(text, {}) for text in texts]


def test_the_caller_goes_on_and_the_order_is_kept(ran: Ran, behind: Behind) -> None:
    behind.do(rows("slow", "a"))
    behind.do(rows("b"))
    assert ran.texts == []
    ran.go.set()
    behind.settle()
    assert ran.texts == ["slow", "a", "b"]


def test_nothing_behind_a_refused_one_is_run_and_it_is_told_once(ran: Ran, behind: Behind) -> None:
    behind.do(rows("a", "bad", "b"))
    behind.do(rows("c"))
    with pytest.raises(EngineRefused, match="bad"):
        behind.settle()
    assert ran.texts == ["a"]
    behind.settle()
    behind.do(rows("d"))
    behind.settle()
    assert ran.texts == ["a", "d"]


def test_closing_waits_and_it_can_be_used_again(ran: Ran, behind: Behind) -> None:
    ran.go.set()
    behind.do(rows("slow"))
    behind.close()
    assert ran.texts == ["slow"]
    behind.do(rows("a"))
    behind.settle()
    assert ran.texts == ["slow", "a"]
