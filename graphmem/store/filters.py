"""A Filter as SQL conditions on the passages table (alias `p`), so that it holds inside every search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.protocols import Filter
from graphmem.when import Interval

NEVER = 1e18  # an end, in seconds since 1970, that does not come
LONG = 40 * 86_400.0  # seconds: an event that lasts longer is a long one
LASTS_LONG = f"happens_end - happens_start > {LONG}"


@dataclass(frozen=True, slots=True)
class Where:
    """SQL conditions to be joined by AND, and their parameters; empty lets everything through."""

    clauses: tuple[str, ...] = ()
    values: tuple[str | float, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clauses)

    def sql(self, prefix: str) -> str:
        """The conditions after `prefix` ("WHERE" or "AND"), or nothing."""
        return f" {prefix} " + " AND ".join(self.clauses) if self.clauses else ""


def state_sql(now: datetime | None) -> tuple[str, tuple[float, ...]]:
    """The state of passage `p` at `now`, by its facts' own ends, as an SQL expression."""
    if now is None:
        return "p.state", ()
    moment = now.timestamp()
    sql = "CASE WHEN p.current_until > ? THEN 'current' WHEN p.unsure_until > ? THEN 'unsure' ELSE p.rest END"
    return sql, (moment, moment)


def where(only: Filter) -> Where:
    """The conditions of a filter."""
    parts = [
        _states(only),
        _among("p.tier", only.tiers),
        _among("p.source", only.sources),
        _among("p.speaker", only.speakers),
        _among("p.worth", only.worths),
        _said(only.said),
        _facts(only),
        _happens(only.happens),
        _within(only.within),
        _reader(only.reader),
    ]
    return Where(
        tuple(clause for part in parts for clause in part.clauses),
        tuple(value for part in parts for value in part.values),
    )


def overlaps(window: Interval) -> tuple[Where, Where]:
    """Events of passage_facts `f` that share an instant with the window: the short ones, the long ones.

    Apart, since each has its index: a short one that reaches into the window begins shortly before it, so
    those of all the years before need not be looked at; of long ones there are few.
    """
    clauses, values = ["f.happens_start IS NOT NULL"], list[float]()
    if window.end is not None:
        clauses.append("f.happens_start < ?")
        values.append(window.end.timestamp())
    if window.start is not None:
        clauses.append("f.happens_end > ?")
        values.append(window.start.timestamp())
    near = [] if window.start is None else [window.start.timestamp() - LONG]
    begins = ("f.happens_start > ?",) * len(near)
    return (
        Where((*begins, f"NOT {LASTS_LONG}", *clauses), (*near, *values)),
        Where((LASTS_LONG, *clauses), tuple(values)),
    )


def marks(values: Sequence[object] | frozenset[str]) -> str:
    """As many question marks as values, in brackets."""
    return "(" + ",".join("?" * len(values)) + ")"


def _among(column: str, values: Iterable[str]) -> Where:
    wanted = sorted(str(value) for value in values)
    return Where((f"{column} IN {marks(wanted)}",), tuple(wanted)) if wanted else Where()


def _states(only: Filter) -> Where:
    if not only.states:
        return Where()
    expression, moments = state_sql(only.now)
    among = _among(f"({expression})", only.states)
    return Where(among.clauses, (*moments, *among.values))


def _said(window: Interval | None) -> Where:
    if window is None:
        return Where()
    clauses, values = list[str](), list[float]()
    if window.start is not None:
        clauses.append("p.said >= ?")
        values.append(window.start.timestamp())
    if window.end is not None:
        clauses.append("p.said < ?")
        values.append(window.end.timestamp())
    return Where(tuple(clauses), tuple(values))


def _facts(only: Filter) -> Where:
    """One fact of the passage must be about one of the entities and have one of the predicates."""
    entities, predicates = sorted(only.entities), sorted(only.predicates)
    clauses: list[str] = []
    if entities:
        clauses.append(f"(f.entity_id IN {marks(entities)} OR f.object_id IN {marks(entities)})")
    if predicates:
        clauses.append(f"f.predicate IN {marks(predicates)}")
    if not clauses:
        return Where()
    inner = f"p.n IN (SELECT f.n FROM passage_facts f WHERE {' AND '.join(clauses)})"
    return Where((inner,), (*entities, *entities, *predicates))


def _happens(window: Interval | None) -> Where:
    if window is None:
        return Where()
    short, long = overlaps(window)
    parts = " UNION ALL ".join(
        f"SELECT f.n FROM passage_facts f{part.sql('WHERE')}" for part in (short, long)
    )
    return Where((f"p.n IN ({parts})",), (*short.values, *long.values))


def _within(window: Interval | None) -> Where:
    """Said inside the window, or with an event inside it."""
    if window is None or window == Interval():
        return Where()
    said, happens = _said(window), _happens(window)
    either = f"(({' AND '.join(said.clauses)}) OR {' AND '.join(happens.clauses)})"
    return Where((either,), (*said.values, *happens.values))


def _reader(reader: str | None) -> Where:
    if reader is None:
        return Where()
    # The readers are a JSON list, so that a quoted name in it is that whole name.
    return Where(("(p.limited = 0 OR instr(p.readers, ?) > 0)",), (json.dumps(reader),))
