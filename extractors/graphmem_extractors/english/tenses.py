"""What the tense of a clause makes of a verb frame."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from graphmem.protocols import TimeSpan
from graphmem_extractors.english.clauses import Clause

Frame = Mapping[str, Any]


def judged(
    clause: Clause, frame: Frame, times: list[TimeSpan], *, now: datetime
) -> Literal["now", "past", "plan", "skip"]:
    """What the tense of a clause makes of a frame: a fact now, history, a plan, or nothing."""
    aspect = frame["aspect"]
    since = any(span.anchor == "since" or span.kind == "duration" for span in times)
    if clause.habit:
        return "past" if aspect in {"state", "habit", "holds"} else "skip"
    if clause.tense == "future":
        return "plan"
    if aspect == "over":
        return (
            "past" if (clause.tense == "past" or clause.perfect) and not clause.negated else "skip"
        )
    if aspect == "ended":
        return "skip" if clause.negated else "now"
    if frame.get("scheduled") and clause.tense == "past":
        return "skip"
    if aspect == "acquired":
        return "skip" if clause.negated or clause.progressive else "now"
    if aspect in {"event", "done"}:
        if (clause.negated and aspect == "done") or (clause.progressive and clause.perfect):
            return "skip"
        if clause.tense == "past" or clause.perfect:
            return "skip" if clause.negated else "now"
        if clause.progressive:
            begun = any(
                t.when is not None and t.kind == "date" and t.when.start <= now for t in times
            )
            return "now" if begun and aspect == "event" else "plan"
        if frame["object"] == "comp" or clause.passive:
            return "now"
        if frame.get("flip") and clause.tense == "present":
            return "skip"
        return "skip"
    if frame.get("progressive") and not clause.progressive:
        return "skip"
    if aspect == "habit" and clause.perfect and clause.negated and since:
        return "now"
    if aspect == "habit":
        return "skip" if (clause.tense == "past" and not clause.stopped) else "now"
    if aspect == "holds" and clause.lemma == "get":
        return (
            "now"
            if clause.tense == "past" or clause.perfect
            else "plan"
            if clause.progressive
            else "skip"
        )
    if aspect == "holds" and clause.progressive:
        return "plan" if frame.get("scheduled") else "skip"
    if clause.perfect and frame["predicate"] == "has_condition" and not clause.negated:
        return "now"
    if clause.tense == "past" and not (since and clause.perfect) and aspect in {"state", "holds"}:
        return "now" if clause.perfect and since else "past"
    return "now"
