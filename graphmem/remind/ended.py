"""When a reminder has come to its end, so that upkeep may mark it as done. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from graphmem.model import Trigger
from graphmem.remind.schedule import Hours, due_at, next_after

LISTED_FOR = timedelta(days=30)


def has_ended(trigger: Trigger, *, now: datetime, zone: tzinfo, hours: Hours) -> bool:
    """True for an active reminder that was told, has nothing left to tell, and was not marked as done
    for 30 days since. One that was never told has not ended.
    """
    told = trigger.fired_at
    if trigger.state != "active" or told is None or trigger.snoozed_until is not None:
        return False
    if told > now - LISTED_FOR:
        return False
    return (
        due_at(trigger, now=now, zone=zone, hours=hours) is None
        and next_after(trigger, after=now, zone=zone, hours=hours) is None
    )
