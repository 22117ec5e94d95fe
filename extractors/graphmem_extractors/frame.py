"""What the language extractors share: from a match to a Candidate with slot, importance and times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from graphmem.lexicon import Lexicon
from graphmem.protocols import Candidate, TimeSpan
from graphmem.when import When

STATES_SINCE = frozenset(
    {
        "lives_in", "moved_to", "works_at", "works_as", "studies_at", "studies", "married_to", "partner_of",
        "has_pet", "drives", "follows_diet", "has_condition", "takes_medicine", "member_of", "smokes",
        "eats", "drinks", "uses", "relationship_status", "speaks", "runs", "friend_of", "knows", "likes", "plays",
    }
)  # fmt: skip
"""Predicates that last: a time beside them says from when they hold."""

_ACQUIRED = frozenset({"bought", "ordered"})
_LAPSING = frozenset({"scheduled_at", "attends", "plans_to"})
_MAX_OBJECT = 200
_FROM_TO = re.compile(r"\b(?:to|until|till|and)\b|[-–~至到]")
_FAMILY_FACTS = frozenset({"name_is", "birthday_on", "born_on"})


class Maker:
    """Makes candidates complete: slot and importance from the lexicon, times in the right fields."""

    def __init__(self, lexicon: Lexicon) -> None:
        slots: Mapping[str, Any] = lexicon.table("slots")
        self._slots = {
            predicate: name for name, slot in slots.items() for predicate in slot["predicates"]
        }
        predicates: Mapping[str, Any] = lexicon.table("predicates")
        self._important = frozenset(
            name for name, entry in predicates.items() if entry.get("important")
        )

    def slot_of(self, predicate: str) -> str | None:
        """The single-valued topic that facts of this predicate fill, if any."""
        return self._slots.get(predicate)

    def is_important(self, predicate: str) -> bool:
        """Whether facts of this predicate have importance 5."""
        return predicate in self._important

    def complete(self, candidate: Candidate, *, speaker: str) -> Candidate:
        """`candidate` with its slot, and importance 5 where the topic calls for it."""
        predicate = candidate.predicate
        important = self.is_important(predicate) or (
            predicate in _FAMILY_FACTS
            and candidate.entity != speaker
            and candidate.entity_kind == "person"
        )
        return replace(
            candidate,
            slot=candidate.slot or self.slot_of(predicate),
            importance=5 if important else candidate.importance,
            object=candidate.object[:_MAX_OBJECT].strip(),
            confidence=round(min(0.98, max(0.05, candidate.confidence)), 3),
        )


def timed(
    candidate: Candidate, times: Iterable[TimeSpan], *, now: datetime | None = None
) -> Candidate:
    """`candidate` with the times of its clause put where they belong: start, end, or the event's own time."""
    lasting = candidate.predicate in STATES_SINCE
    for span in times:
        ahead = (
            span.anchor == "at"
            and span.when is not None
            and now is not None
            and span.when.start > now
        )
        if not (lasting and ahead):
            candidate = _with_time(candidate, span)
    if now is None or candidate.happens_at is None or candidate.expires_at is not None:
        return candidate
    if candidate.predicate in _ACQUIRED and candidate.happens_at.start > now:
        # "got tickets for the 9th": the day is the event's, and the tickets lapse with it
        return replace(candidate, expires_at=day_of(candidate.happens_at))
    return candidate


def _with_time(candidate: Candidate, span: TimeSpan) -> Candidate:
    lapsing = candidate.predicate in _LAPSING
    if span.when is None:
        return candidate
    if (
        span.anchor == "since"
        and span.when.precision != "instant"
        and not (lapsing and span.kind == "date")
    ):
        return replace(candidate, valid_from=candidate.valid_from or span.when)
    if span.anchor in {"until", "by"} and not (lapsing and span.anchor == "by"):
        ends = day_of(span.when) if candidate.predicate == "takes_medicine" else None
        return replace(
            candidate,
            valid_to=candidate.valid_to or span.when,
            expires_at=candidate.expires_at or ends,
        )
    if span.kind in {"repeat", "routine"}:
        return candidate
    if span.kind == "duration":
        if candidate.predicate in STATES_SINCE and not lapsing:
            return replace(candidate, valid_from=candidate.valid_from or span.when)
        return candidate
    if lapsing:
        if candidate.happens_at is not None:
            return candidate
        end = span.until or span.when
        return replace(candidate, happens_at=span.when, expires_at=day_of(end))
    if candidate.predicate in STATES_SINCE:
        if span.when.precision == "instant":
            return candidate
        if span.kind == "interval":
            if not _FROM_TO.search(span.text):
                return candidate  # "last week" does not say from when until when
            return replace(candidate, valid_from=candidate.valid_from or span.when, valid_to=candidate.valid_to or span.until)  # fmt: skip
        return replace(candidate, valid_from=candidate.valid_from or span.when)
    return replace(candidate, happens_at=candidate.happens_at or span.when)


def day_of(when: When) -> When:
    """The day of an instant; a date stays as it is."""
    return When(when.iso[:10], when.offset) if when.precision == "instant" else when
