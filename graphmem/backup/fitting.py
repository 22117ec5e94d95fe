"""Whether the fields of a record are what they should be. A file may come from anywhere: a value of another
type would be refused by the engine in the middle of a restore, or stand in the graph and break a later verb.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, datetime
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from graphmem.model import Fact, Kind, Trigger
from graphmem.words import clean

_ID = re.compile(r"[^\s|]{1,200}")  # a slot's key is an entity's id, |, and the slot's name
_LARGEST = 1 << 62  # what the engine's integers hold, with room for counting on
_BEARING = {"id", "entity_id", "old_id", "new_id"}
_MAY_BE_EMPTY = {"object_id", "snapshot_id", "replaced_by"}
_IDS = {"sources"}


def misfit(value: Any) -> str | None:
    """What is wrong with a value that was made from a record; None where nothing is."""
    for name, hint in _hints(type(value)).items():
        told = getattr(value, name)
        if not _fits(told, hint):
            return f"{name} is {_short(told)}"
        if name in _BEARING and not _ID.fullmatch(told):
            return f"{name} is no id: {_short(told)}"
        if name in _MAY_BE_EMPTY and told and not _ID.fullmatch(told):
            return f"{name} is no id: {_short(told)}"
        if name in _IDS and not all(_ID.fullmatch(one) for one in told):
            return f"{name} holds what is no id: {_short(told)}"
    match value:
        case Fact():
            return _wrong_fact(value)
        case Trigger(action=action) if not action.strip():
            return "action is empty"
    return None


def _wrong_fact(fact: Fact) -> str | None:
    if not 1 <= fact.importance <= 5:
        return f"importance is {fact.importance}"
    if not 0 <= fact.confidence <= 1:
        return f"confidence is {fact.confidence}"
    if not fact.entity.strip() or not fact.predicate.strip() or not fact.text.strip():
        return "entity, predicate or text is empty"
    if fact.kind is Kind.NOTE and fact.object_id:
        return "a note has an object"
    if fact.replaced_by == fact.id:
        return "it is replaced by itself"
    return None


_known_hints: dict[type[Any], Mapping[str, Any]] = {}


def _hints(kind: type[Any]) -> Mapping[str, Any]:
    if kind not in _known_hints:
        _known_hints[kind] = get_type_hints(kind)
    return _known_hints[kind]


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        return any(_fits(value, one) for one in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(one, str) for one in value)
    if origin is not None:  # a mapping of lists of ids
        return isinstance(value, Mapping) and all(
            isinstance(name, str) and _fits(ids, tuple[str, ...]) for name, ids in value.items()
        )
    if hint is NoneType:
        return value is None
    if hint is float:
        return type(value) in {int, float} and math.isfinite(value)
    if hint is int:
        return type(value) is int and abs(value) < _LARGEST
    if hint is str:
        return isinstance(value, str) and not isinstance(value, StrEnum) and clean(value) == value
    if hint is datetime:
        return isinstance(value, datetime) and MINYEAR < value.year < MAXYEAR
    return isinstance(value, hint)


def _short(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= 60 else told[:59] + "…"
