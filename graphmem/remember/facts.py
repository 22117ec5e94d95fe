"""From what an extractor read to facts of the memory: one fact a claim, or one note a statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.forget.tiers import tier_of
from graphmem.identity import digest
from graphmem.lexicon import Lexicon
from graphmem.lifecycle.comparable import REMINDS
from graphmem.model import Fact, Kind, Snapshot, State
from graphmem.protocols import Candidate, Extraction
from graphmem.remember.linking import Linker
from graphmem.secrecy.masking import is_secret
from graphmem.words import key

NOTED = "noted"
HIGHEST = 5
PLAIN, GUARDED = 1.0, 0.4
_STILL_SAID = "spoken of, not said"  # no claim of its own, but nothing hedged ("doing my master's")


def state_when_said(candidate: Candidate, *, now: datetime) -> State:
    """The state in which a claim enters: expired where it was told as past or its time is over.

    Rules alone never make a fact historical: that is a successor's or the owner's doing.
    """
    told_as_past = candidate.tense == "past" and candidate.polarity == "+"
    ends = (candidate.valid_to, candidate.expires_at)
    if told_as_past or any(end is not None and end.end <= now for end in ends):
        return State.EXPIRED
    return State.CURRENT


def slot_of(predicate: str, lexicon: Lexicon) -> str | None:
    """The slot that facts of this predicate fill, by the lexicon."""
    for name, slot in lexicon.table("slots").items():
        if predicate in slot["predicates"]:
            return str(name)
    return None


def claim(
    candidate: Candidate,
    snapshot: Snapshot,
    linker: Linker,
    lexicon: Lexicon,
    *,
    importance: int,
    now: datetime,
) -> Fact:
    """The fact that a candidate becomes. Its entities are linked, or made by the linker."""
    entity = linker.link(candidate.entity, candidate.entity_kind)
    secret = candidate.sensitive and is_secret(
        candidate.text, candidate.object, candidate.predicate
    )  # which is no entity: it would stand in every list of names
    known_by_name = candidate.object and not secret
    target = linker.link(candidate.object, candidate.object_kind) if known_by_name else None
    slot = candidate.slot or slot_of(candidate.predicate, lexicon)
    known = lexicon.table("predicates").get(candidate.predicate, {})
    fact = Fact(
        id=digest(
            "f",
            entity.id,
            candidate.predicate,
            key(candidate.object),
            candidate.polarity,
            candidate.tense,
            snapshot.id,
            str(candidate.span[0]),
        ),
        entity=candidate.entity,
        entity_id=entity.id,
        predicate=candidate.predicate,
        object=candidate.object,
        object_id=target.id if target else "",
        polarity=candidate.polarity,
        tense=candidate.tense,
        text=candidate.text,
        language=snapshot.language,
        state=state_when_said(candidate, now=now),
        slot=slot,
        importance=max(candidate.importance, importance, HIGHEST if known.get("important") else 1),
        confidence=candidate.confidence,
        sensitive=candidate.sensitive,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        happens_at=candidate.happens_at,
        expires_at=candidate.expires_at,
        said_at=snapshot.said_at,
        recorded_at=now,
        sources=(snapshot.id,),
        readers=snapshot.readers,
    )
    return _in_tier(fact, now)


def note(extraction: Extraction, snapshot: Snapshot, linker: Linker, *, now: datetime) -> Fact:
    """The note that keeps a statement out of which no claim could be taken.

    Its confidence tells whether it plainly asserts something: hedged, quoted, hypothetical or asking
    statements, and reminders, are kept as well but replace nothing.
    """
    speaker = linker.link(snapshot.speaker, "person")
    fact = Fact(
        id=digest("f", speaker.id, NOTED, snapshot.id),
        kind=Kind.NOTE,
        entity=snapshot.speaker,
        entity_id=speaker.id,
        predicate=NOTED,
        text=snapshot.text,
        language=snapshot.language,
        importance=extraction.importance,
        confidence=_assertion(extraction),
        sensitive=extraction.sensitive,
        said_at=snapshot.said_at,
        recorded_at=now,
        sources=(snapshot.id,),
        readers=snapshot.readers,
    )
    return _in_tier(fact, now)


def plainly_said(extraction: Extraction) -> bool:
    """True where no guard fired: the message asserts something, and is not a reminder."""
    if extraction.reminders:
        return False
    return not any(
        one.rule.startswith("guard")
        or (one.rule.endswith("not_fact") and not one.reason.endswith(_STILL_SAID))
        for one in extraction.trace
    )


def _assertion(extraction: Extraction) -> float:
    if extraction.reminders:
        return REMINDS
    return PLAIN if plainly_said(extraction) else GUARDED


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of one message, each claim once, the surest reading first."""
    best: dict[tuple[str, str, str, str], Candidate] = {}
    for one in sorted(candidates, key=lambda one: -one.confidence):
        best.setdefault((key(one.entity), one.predicate, key(one.object), one.polarity), one)
    return sorted(best.values(), key=lambda one: one.span)


def _in_tier(fact: Fact, now: datetime) -> Fact:
    return replace(fact, tier=tier_of(fact, now=now))
