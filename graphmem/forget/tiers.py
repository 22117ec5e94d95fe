"""How fast a fact fades: its score and its tier (R5.1 to R5.3). Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.model import Fact, State, Tier

DAILY_KEEP = 0.95
ARCHIVE_BELOW = 0.1
WORKING_FOR = timedelta(days=7)
NEVER_FADES_FROM = 5


def score(fact: Fact, *, now: datetime) -> float:
    """Importance x 0.95 ^ days since it was last confirmed, or recorded where it never was (R5.2).

    The form is exponential forgetting (Ebbinghaus, 1885) with a half-life of 13.5 days. Counting from
    the recording, not the saying, keeps an old chat that is imported today from fading at once.
    """
    since = fact.confirmed_at or fact.recorded_at
    days = max(0.0, (now - since).total_seconds() / 86_400)
    return float(fact.importance * DAILY_KEEP**days)


def is_core(fact: Fact) -> bool:
    """True for what never fades: pinned, of importance 5, or the current filler of a slot."""
    fills_a_slot = fact.slot is not None and fact.state in {State.CURRENT, State.UNSURE}
    return fact.pinned or fact.importance >= NEVER_FADES_FROM or fills_a_slot


def stood(fact: Fact, *, now: datetime) -> Fact:
    """The fact as it stands at `now`, whether or not upkeep has run: expired where its end has passed."""
    if fact.state in {State.CURRENT, State.UNSURE} and is_over(fact, now=now):
        return replace(fact, state=State.EXPIRED)
    return fact


def is_over(fact: Fact, *, now: datetime) -> bool:
    """True where the fact has an end of its own, and that has passed (R5.4)."""
    return fact.expires_at is not None and fact.expires_at.end <= now


def resting_tier(fact: Fact, *, now: datetime) -> Tier:
    """The tier to note on a fact in its present state: archived only where the state is."""
    if fact.state is State.ARCHIVED:
        return Tier.ARCHIVED
    tier = tier_of(fact, now=now)
    return Tier.LONG_TERM if tier is Tier.ARCHIVED else tier


def tier_of(fact: Fact, *, now: datetime) -> Tier:
    """The tier that a fact belongs to at `now`."""
    if is_core(fact):
        return Tier.CORE
    if score(fact, now=now) < ARCHIVE_BELOW:
        return Tier.ARCHIVED
    return Tier.WORKING if now - fact.said_at < WORKING_FOR else Tier.LONG_TERM
