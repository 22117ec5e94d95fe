"""What callers pass, checked before anything is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from graphmem.compat.mem0.filters import check
from graphmem.compat.mem0.refusals import Rejected
from graphmem.compat.mem0.scope import IDS, Scope


def wanted(filters: Mapping[str, Any] | None, ids: Mapping[str, Any]) -> dict[str, Any]:
    """All filters in one; ids trimmed. Raises Rejected for what cannot be read."""
    asked = {
        **(filters or {}),
        **{name: value for name, value in ids.items() if value is not None},
    }
    simple = {name: asked[name] for name in IDS if not isinstance(asked.get(name), Mapping | None)}
    asked |= Scope.of(simple).as_dict()
    check(asked)
    return asked


def plain_labels(labels: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as it can be kept. Raises Rejected for a value that is not JSON."""
    try:
        return dict(json.loads(json.dumps(dict(labels), allow_nan=False)))
    except (TypeError, ValueError) as cause:
        raise Rejected(f"metadata: {cause}", expected="values that JSON has") from cause


def day(value: Any) -> str | None:
    """A day of expiry as text, None for none."""
    if value is None:
        return None
    try:
        if isinstance(value, datetime):
            return value.date().isoformat()
        return (value if isinstance(value, date) else date.fromisoformat(str(value))).isoformat()
    except ValueError as cause:
        raise Rejected(f"expiration_date {value!r}", expected="YYYY-MM-DD") from cause


def whole(value: Any, name: str) -> int:
    """A number of memories."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Rejected(f"Invalid {name}: {value!r}", expected="a whole number, 0 or more")
    return value


def share(threshold: Any) -> float:
    """The least score, 0 for none."""
    if threshold is None:
        return 0.0
    if not isinstance(threshold, (int, float)) or not 0 <= threshold <= 1:
        raise Rejected(f"Invalid threshold: {threshold!r}", expected="a number from 0 to 1")
    return float(threshold)
