"""Reminders by the owner's hand, and telling the due ones: each firing is an event of its own (R6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphmem.config import Settings
from graphmem.errors import InvalidMessage, InvalidSettings, UnknownId
from graphmem.lexicon import Lexicon
from graphmem.model import Message, Receipt, Trigger
from graphmem.plan import SetTrigger
from graphmem.protocols import Clock, GraphStore
from graphmem.remember.commander import Commander
from graphmem.remind.schedule import Due, due_at, next_after

LATE_AFTER_SECONDS = 3600


class Reminders:
    """The reminders of one memory. Times are the owner's: his zone and hours come from the settings."""

    def __init__(
        self,
        store: GraphStore,
        commander: Commander,
        *,
        clock: Clock,
        lexicon: Lexicon,
        settings: Settings,
    ) -> None:
        self._store = store
        self._commander = commander
        self._clock = clock
        self._hours = hours_of(lexicon)
        self._zone = zone_of(settings)

    def due(self, now: datetime | None = None, *, record: bool = True) -> tuple[Due, ...]:
        """What is due and untold at `now`, earliest first; with `record`, never told again."""
        moment = now or self._clock.now()
        zone = self._zone or moment.tzinfo
        found = []
        for trigger in self._store.triggers():
            at = due_at(trigger, now=moment, zone=_known(zone), hours=self._hours)
            if at is not None:
                late = (moment - at).total_seconds() > LATE_AFTER_SECONDS
                found.append(Due(trigger=trigger, at=at, late=late))
        found.sort(key=lambda one: (one.at, one.trigger.id))
        if record and found:
            self._commander.carry_out("remind", [_fired(one, moment) for one in found])
        return tuple(found)

    def following(self, trigger: Trigger, *, after: datetime) -> datetime | None:
        """When a reminder comes next."""
        return next_after(
            trigger, after=after, zone=_known(self._zone or after.tzinfo), hours=self._hours
        )

    def from_sentence(self, message: Message) -> Receipt:
        """The reminders of a sentence. Raises InvalidMessage where none can be read in it."""
        if not self._commander.read(message).reminders:
            raise InvalidMessage(
                "text",
                f"no reminder can be read in {message.text!r}",
                expected="what to do and when, such as 'remind me to call Ben on Friday at 5'",
            )
        return self._commander.add([message])[0]

    def done(self, trigger_id: str) -> Receipt:
        """It is done: a single reminder ends, a repeated one waits for its next moment."""
        trigger = self._known_trigger(trigger_id)
        if trigger.rule is not None:
            return self._set(trigger, fired_at=self._clock.now(), snoozed_until=None)
        return self._set(trigger, state="done", snoozed_until=None)

    def cancel(self, trigger_id: str) -> Receipt:
        """It is not wanted any more; the reminder is kept, and never told."""
        return self._set(self._known_trigger(trigger_id), state="cancelled", snoozed_until=None)

    def snooze(self, trigger_id: str, until: datetime) -> Receipt:
        """Tell it again at `until`."""
        return self._set(self._known_trigger(trigger_id), state="active", snoozed_until=until)

    def _known_trigger(self, trigger_id: str) -> Trigger:
        trigger = self._store.trigger(trigger_id)
        if trigger is None:
            raise UnknownId(
                f"no reminder {trigger_id!r}",
                expected="a reminder's id",
                next_step="see: graphmem remind list",
            )
        return trigger

    def _set(self, trigger: Trigger, **after: Any) -> Receipt:
        changed = {name: value for name, value in after.items() if getattr(trigger, name) != value}
        if not changed:
            return Receipt(reminders=(trigger,))
        before = {name: getattr(trigger, name) for name in changed}
        event = self._commander.carry_out("remind", [SetTrigger(trigger.id, before, changed)])
        return Receipt(event=event.n if event else None, reminders=(replace(trigger, **changed),))


def _fired(due: Due, now: datetime) -> SetTrigger:
    trigger = due.trigger
    before: dict[str, Any] = {"fired_at": trigger.fired_at, "snoozed_until": trigger.snoozed_until}
    return SetTrigger(trigger.id, before, {"fired_at": now, "snoozed_until": None})


def hours_of(lexicon: Lexicon) -> Mapping[str, time]:
    """The owner's hours by routine."""
    hours: dict[str, time] = {}
    for name, text in lexicon.table("routines")["hours"].items():
        try:
            hours[name] = time.fromisoformat(str(text))
        except ValueError as cause:
            raise InvalidSettings(
                f"lexicon.routines.hours.{name} = {text!r}",
                expected='a time of day, such as "18:30"',
            ) from cause
    return hours


def zone_of(settings: Settings) -> tzinfo | None:
    """The owner's zone, None where the settings name none."""
    if not settings.timezone:
        return None
    try:
        return ZoneInfo(settings.timezone)
    except (ZoneInfoNotFoundError, ValueError) as cause:
        raise InvalidSettings(
            f"timezone = {settings.timezone!r}", expected="an IANA zone, such as Europe/Paris"
        ) from cause


def _known(zone: tzinfo | None) -> tzinfo:
    if zone is None:
        raise InvalidSettings("an instant without a zone was given", expected="an aware datetime")
    return zone
