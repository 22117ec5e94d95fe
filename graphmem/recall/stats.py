"""How many facts were said in each month, by how they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphmem.model import Fact, State
from graphmem.pictures.bars import Bars, Series

_TONES = {
    State.CURRENT: "#2f9e68",
    State.UNSURE: "#d99a1c",
    State.HISTORICAL: "#5b7fb8",
    State.EXPIRED: "#9aa5b1",
    State.ARCHIVED: "#c9d0d8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """`months` maps "2024-05" to the number of facts in each state, without gaps, oldest first."""

    months: Mapping[str, Mapping[State, int]] = field(default_factory=dict)

    @property
    def states(self) -> Mapping[State, int]:
        """How many facts are in each state."""
        total: Counter[State] = Counter()
        for counted in self.months.values():
            total.update(counted)
        return {state: total[state] for state in State if total[state]}

    def bars(self) -> Bars:
        """The plot; `text`, `svg` and `png` draw it."""
        return Bars(
            title="Facts by month and state",
            columns=tuple(self.months),
            series=tuple(
                Series(
                    name=state.value,
                    colour=colour,
                    values=tuple(counted.get(state, 0) for counted in self.months.values()),
                )
                for state, colour in _TONES.items()
                if state in self.states
            ),
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "months": {
                month: {state.value: number for state, number in counted.items() if number}
                for month, counted in self.months.items()
            },
            "states": {state.value: number for state, number in self.states.items()},
        }


def counted(facts: Iterable[Fact]) -> Stats:
    """Facts by the month in which they were said, by the clock of whoever said them."""
    found: dict[str, Counter[State]] = {}
    for fact in facts:
        found.setdefault(f"{fact.said_at.year:04}-{fact.said_at.month:02}", Counter())[
            fact.state
        ] += 1
    return Stats(months={month: dict(found.get(month, {})) for month in _between(sorted(found))})


def _between(months: list[str]) -> list[str]:
    """Every month from the first to the last; where that is centuries, only those with facts."""
    if not months:
        return []
    first, last = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (months[0], months[-1]))
    if last - first > 12 * 60:
        return months
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in range(first, last + 1)]
