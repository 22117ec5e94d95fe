"""mem0's filters on metadata, as a pure test of one memory's values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphmem.compat.mem0.refusals import Rejected

_MISSING = object()


def matches(filters: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a memory with these values passes. Raises Rejected for an operator that nobody knows."""
    return all(_passes(key, wanted, values) for key, wanted in filters.items())


def check(filters: Mapping[str, Any]) -> None:
    """Raises Rejected for filters that cannot be read, also where there is no memory to test."""
    matches_nothing: dict[str, Any] = {}
    for key, wanted in filters.items():
        _passes(key, wanted, matches_nothing)


def _passes(key: str, wanted: Any, values: Mapping[str, Any]) -> bool:
    if key in {"AND", "OR", "NOT"}:
        return _joined(key, wanted, values)
    value = values.get(key, _MISSING)
    if isinstance(wanted, Mapping):
        unknown = sorted(set(wanted) - set(_OPERATORS))
        if unknown:
            raise Rejected(
                f"filter {key}: {', '.join(map(str, unknown))}",
                expected="one of " + ", ".join(sorted(_OPERATORS)),
            )
        tested = [_OPERATORS[name](value, limit) for name, limit in wanted.items()]
        return all(tested)
    if wanted == "*":
        return value is not _MISSING and value is not None
    return bool(value == wanted)


def _joined(key: str, wanted: Any, values: Mapping[str, Any]) -> bool:
    parts = [wanted] if isinstance(wanted, Mapping) else wanted
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise Rejected(f"filter {key}: {wanted!r}", expected="a list of filters")
    passed = [matches(part, values) for part in parts]
    if key == "AND":
        return all(passed)
    return any(passed) if key == "OR" else not any(passed)


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(value: Any, limit: Any) -> bool:
        try:
            return value is not _MISSING and bool(test(value, limit))
        except TypeError:
            return False

    return compared


def _one_of(value: Any, many: Any) -> bool:
    if not isinstance(many, (list, tuple, set, frozenset)):
        raise Rejected(f"filter: {many!r}", expected="a list")
    return value in many


def _contains(value: Any, part: Any) -> bool:
    if isinstance(value, str):
        return str(part) in value
    return isinstance(value, (list, tuple)) and part in value


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: bool(value == wanted),
    "ne": lambda value, wanted: bool(value != wanted),
    "gt": _ordered(lambda value, limit: value > limit),
    "gte": _ordered(lambda value, limit: value >= limit),
    "lt": _ordered(lambda value, limit: value < limit),
    "lte": _ordered(lambda value, limit: value <= limit),
    "in": _one_of,
    "nin": lambda value, many: not _one_of(value, many),
    "contains": _contains,
    "icontains": lambda value, part: (
        isinstance(value, str) and str(part).casefold() in value.casefold()
    ),
}
