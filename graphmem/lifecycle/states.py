"""The states of a fact and the moves allowed between them: a table, so that every path can be read.

No move deletes. Deleting is an operation of its own, which only the owner can ask for (by_hand.forget,
review.decide).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from graphmem.errors import TransitionRefused
from graphmem.model import Fact, State
from graphmem.plan import SetFact

# From each state: where a fact may go, and what takes it there.
MOVES: Mapping[State, Mapping[State, str]] = MappingProxyType(
    {
        State.CURRENT: {
            State.UNSURE: "a newer statement may replace it",
            State.HISTORICAL: "the owner, a command or the model check says that it is over",
            State.EXPIRED: "its own time has passed",
            State.ARCHIVED: "it has faded",
        },
        State.UNSURE: {
            State.CURRENT: "the owner keeps or confirms it, or the newer one is gone",
            State.HISTORICAL: "the owner, a command or the model check says that it is over",
            State.EXPIRED: "its own time has passed",
            State.ARCHIVED: "it has faded",
        },
        State.HISTORICAL: {
            State.CURRENT: "the owner restores it",
        },
        State.EXPIRED: {
            State.CURRENT: "the owner restores it",
            State.HISTORICAL: "the owner or a command says that it is over",
        },
        State.ARCHIVED: {
            State.CURRENT: "the owner confirms or restores it",
            State.HISTORICAL: "the owner says that it is over",
        },
    }
)

# What to do for a fact that is in the way, by the state it is in.
_WAY_OUT: Mapping[State, str] = MappingProxyType(
    {
        State.CURRENT: "it is current already; retire it to make it history",
        State.UNSURE: "resolve its conflict, or confirm it to make it current",
        State.HISTORICAL: "restore it first, then it is current",
        State.EXPIRED: "restore it first, then it is current",
        State.ARCHIVED: "confirm it first, then it is current",
    }
)


def may_move(fact: Fact, to: State) -> bool:
    """True where the table has a move from the fact's state to `to`."""
    return to in MOVES[fact.state]


def move(fact: Fact, to: State, *, now: datetime, **also: Any) -> SetFact:
    """The operation that takes `fact` to the state `to`, with `retired_at` kept in step.

    `also` sets further fields of its standing in the same operation (confirmed_at, tier, ...).
    Raises TransitionRefused where the table has no such move.
    """
    if not may_move(fact, to):
        allowed = ", ".join(MOVES[fact.state])
        raise TransitionRefused(
            f"fact {fact.id} is {fact.state} and cannot become {to}",
            expected=f"one of: {allowed}",
            next_step=_WAY_OUT[fact.state],
        )
    retired_at = now if to is State.HISTORICAL else None
    return standing(fact, state=to, retired_at=retired_at, **also)


def standing(fact: Fact, **after: Any) -> SetFact:
    """The operation that changes fields of a fact's standing; unchanged fields are left out."""
    changed = {name: value for name, value in after.items() if getattr(fact, name) != value}
    return SetFact(fact.id, {name: getattr(fact, name) for name in changed}, changed)
