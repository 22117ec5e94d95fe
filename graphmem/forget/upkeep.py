"""What one round of upkeep does to a fact: its tier, archiving what has faded, expiring what is over. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from graphmem.forget.tiers import is_over, resting_tier, tier_of
from graphmem.model import Fact, State, Tier
from graphmem.plan import SetFact

_FADING = frozenset({State.CURRENT, State.UNSURE})


def tended(fact: Fact, *, now: datetime) -> SetFact | None:
    """The change that upkeep makes to a fact at `now`, None where it stands as it should.

    Its own end comes first (expired), then fading (archived); history neither expires nor fades.
    """
    after: dict[str, Any] = {}
    if fact.state in _FADING:
        if is_over(fact, now=now):
            after["state"] = State.EXPIRED
        elif tier_of(fact, now=now) is Tier.ARCHIVED:
            after["state"] = State.ARCHIVED
    tier = resting_tier(replace(fact, **after), now=now)
    if tier is not fact.tier:
        after["tier"] = tier
    if not after:
        return None
    return SetFact(fact.id, {name: getattr(fact, name) for name in after}, after)
