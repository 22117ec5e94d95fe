"""Whether the numbers and moments that callers give are in their ranges; each error names the argument."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from graphmem.errors import InvalidQuery, InvalidTime

MOST = (1 << 31) - 1


def whole(name: str, value: Any, *, least: int = 1, most: int = MOST) -> int:
    """`value`, where it is a whole number from `least` to `most`. Raises InvalidQuery."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        upto = f"of {least} or more" if most == MOST else f"from {least} to {most}"
        raise InvalidQuery(f"{name} is {value!r}", expected=f"a whole number {upto}")
    return value


def seconds(name: str, value: Any) -> float:
    """`value`, where it is a number of seconds of 0 or more. Raises InvalidQuery."""
    if is_amount(value):
        return float(value)
    raise InvalidQuery(f"{name} is {value!r}", expected="a number of seconds, 0 or more")


def is_amount(value: Any, *, most: float = math.inf) -> bool:
    """Whether a value is a finite number from 0 to `most`."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and 0 <= value <= most and value != math.inf


def aware(**moments: datetime | None) -> None:
    """Raises InvalidTime for a moment that lacks its zone or has no equal in UTC; names the argument."""
    for name, moment in moments.items():
        if moment is None:
            continue
        if not isinstance(moment, datetime) or moment.utcoffset() is None:
            raise InvalidTime(
                f"{name} is {moment!r}, which has no time zone",
                expected="an aware datetime",
                next_step="attach a zone, for example datetime(..., tzinfo=timezone.utc)",
            )
        try:
            moment.astimezone(UTC)
        except OverflowError as cause:
            raise InvalidTime(
                f"{name} is {moment.isoformat()}, which cannot be told in UTC",
                expected="a moment in the years 1 to 9999 of UTC",
            ) from cause
