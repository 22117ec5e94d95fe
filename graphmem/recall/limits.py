"""What a recall is limited to, from plain arguments to a Filter that holds inside every search."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from graphmem.errors import InvalidQuery
from graphmem.model import State, Tier
from graphmem.protocols import Filter
from graphmem.ranges import aware
from graphmem.when import Interval
from graphmem.words import clean

_Kind = TypeVar("_Kind", State, Tier)


def limits(
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    states: Iterable[State | str] = (),
    predicates: Iterable[str] = (),
    sources: Iterable[str] = (),
    tiers: Iterable[Tier | str] = (),
    speakers: Iterable[str] = (),
) -> Filter:
    """A filter for what was said, or happens, from `since` up to (not at) `until`, and so on; nothing
    given lets everything through. Raises InvalidQuery for an unknown state or tier, a text where a list
    is wanted, a time without zone, or an end before its start.
    """
    aware(since=since, until=until)
    if since is not None and until is not None and until <= since:
        raise InvalidQuery(
            f"until is {until.isoformat()}, since is {since.isoformat()}",
            expected="an end after the start",
        )
    return Filter(
        within=None if since is None and until is None else Interval(since, until),
        states=frozenset(_one_of(State, one, "states") for one in _listed(states, "states")),
        predicates=frozenset(_listed(predicates, "predicates")),
        sources=frozenset(_listed(sources, "sources")),
        tiers=frozenset(_one_of(Tier, one, "tiers") for one in _listed(tiers, "tiers")),
        speakers=frozenset(_listed(speakers, "speakers")),
    )


def _listed(values: Iterable[str], name: str) -> list[str]:
    if isinstance(values, str):
        raise InvalidQuery(f"{name} is the text {values!r}", expected="a list of texts")
    found = list(values)
    if not all(isinstance(one, str) for one in found):
        raise InvalidQuery(f"{name} is {found!r}", expected="a list of texts")
    return [one if isinstance(one, StrEnum) else clean(one) for one in found]


def _one_of(kind: type[_Kind], value: str, name: str) -> _Kind:
    try:
        return kind(value)
    except ValueError as cause:
        raise InvalidQuery(
            f"{name} holds {value!r}", expected="one of " + ", ".join(kind)
        ) from cause
