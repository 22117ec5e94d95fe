"""Reminders by the owner's hand, and telling them: each telling is an event of its own (R6.2, R6.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.errors import InvalidMessage, InvalidTime, UnknownId
from graphmem.identity import digest
from graphmem.model import Event, Fact, Message, Receipt, Snapshot, Trigger, Worth
from graphmem.plan import AddTrigger, SetTrigger
from graphmem.protocols import Clock, GraphStore
from graphmem.readers.receipts import told
from graphmem.recall.question import Question
from graphmem.remember.commander import Commander
from graphmem.remind.calendar import calendar
from graphmem.remind.cues import brought_up
from graphmem.remind.making import STALE_AFTER, checked_rule
from graphmem.remind.owner_time import OwnerTime
from graphmem.remind.schedule import Due, due, next_after
from graphmem.secrecy.masking import without_secrets
from graphmem.when import Interval, When, offset_minutes
from graphmem.words import clean, language_of

TOLD = "tell"  # the kind of event that records a telling; undo passes over it
_ORDERS = {"zh": "提醒我{}", "en": "Remind me: {}"}
_JUST = timedelta(microseconds=1)
_TALK = frozenset({"user", "assistant"})


class Reminders:
    """The reminders of one memory. Times are the owner's: his zone and hours come from the settings,
    the zone else from the clock. A reader sees only what it may.
    """

    def __init__(
        self,
        store: GraphStore,
        commander: Commander,
        *,
        clock: Clock,
        times: OwnerTime,
        reader: str | None = None,
    ) -> None:
        self._store = store
        self._commander = commander
        self._clock = clock
        self._times = times
        self._reader = reader

    def all(self, *, active_only: bool = True) -> tuple[Trigger, ...]:
        """Reminders in the order in which they were made."""
        return tuple(
            one for one in self._store.triggers(active_only=active_only) if self._may_see(one)
        )

    def due(self, now: datetime | None = None, *, record: bool = True) -> tuple[Due, ...]:
        """What is due and untold at `now`, earliest first; with `record`, never told again."""
        moment = now or self._clock.now()
        offset_minutes(moment)
        zone = self._times.zone_at(self._clock.now())
        found = [
            one
            for trigger in self.all()
            if (one := due(trigger, now=moment, zone=zone, hours=self._times.hours)) is not None
        ]
        found.sort(key=lambda one: (one.at.timestamp(), one.trigger.id))
        if record and found:
            self._tell((one.trigger, one.at) for one in found)
        return tuple(found)

    def following(self, trigger: Trigger, *, after: datetime | None = None) -> datetime | None:
        """When a reminder comes next after `after` (default: now)."""
        now = self._clock.now()
        zone = self._times.zone_at(now)
        at = next_after(trigger, after=after or now, zone=zone, hours=self._times.hours)
        return None if at is None else at.astimezone(zone)

    def asked_about(self, question: Question) -> tuple[Trigger, ...]:
        """The reminders whose word stands in a question, and for one that asks what is on in a stretch
        of time those that come then. They come until they are done: a recall records nothing.
        """
        active, now = self.all(), self._clock.now()
        cued = brought_up(active, question.text, now=now, names=self._names)
        if not question.agenda or question.window is None:
            return cued
        coming = self._coming(active, question.window, now)
        return (*cued, *(one for one in coming if one not in cued))

    def _coming(
        self, active: Iterable[Trigger], window: Interval, now: datetime
    ) -> tuple[Trigger, ...]:
        """Those that will be told inside the window, earliest first."""
        after = max(now, window.start - _JUST) if window.start is not None else now
        times = [(self.following(one, after=after), one) for one in active]
        coming = [
            (at, one)
            for at, one in times
            if at is not None and window.end is not None and at < window.end
        ]
        coming.sort(key=lambda pair: (pair[0].timestamp(), pair[1].id))
        return tuple(one for _, one in coming)

    def with_cues(self, receipt: Receipt) -> Receipt:
        """The receipt of a message with the reminders whose word it brought up; each is told once.

        What was said more than a week ago brings nothing up, nor does a tool's text or what was read
        back from the memory, nor a message the reminder that it made.
        """
        said, now = receipt.snapshot, self._clock.now()
        if said is None or not receipt.stored or not _is_talk(said, now):
            return receipt
        waiting = [one for one in self.all() if one.fired_at is None and one.snapshot_id != said.id]
        found = brought_up(waiting, said.text, now=now, names=self._names)
        if not found:
            return receipt
        self._tell((one, now) for one in found)
        return replace(receipt, brought_up=found)

    def calendar(self, facts: Iterable[Fact]) -> str:
        """The active reminders that have a time, and the dated ones of `facts`, as iCalendar."""
        now = self._clock.now()
        return calendar(
            self.all(), facts, now=now, zone=self._times.zone_at(now), hours=self._times.hours
        )

    def from_sentence(self, message: Message) -> Receipt:
        """The reminders of a sentence, which need not say "remind me". Raises InvalidMessage where
        none can be read in it.
        """
        order = _ORDERS[language_of(message.text)].format(message.text)
        for text in (message.text, order):
            asked = replace(message, text=text)
            if self._commander.read(asked).reminders:
                return self._commander.add([asked])[0]
        raise InvalidMessage(
            "text",
            f"no reminder can be read in {without_secrets(message.text)!r}",
            expected="what to do and when, such as 'remind me to call Ben on Friday at 5'",
            next_step="or say when by itself: at a time, by a rule, or at a word",
        )

    def add(
        self,
        action: str,
        *,
        at: datetime | When | None = None,
        rule: str | None = None,
        keywords: Sequence[str] = (),
    ) -> Receipt:
        """A reminder by hand. Raises InvalidMessage where nothing says when, InvalidTime for a broken
        rule or a time without a zone.
        """
        if not action.strip():
            raise InvalidMessage("text", "empty", expected="what to do")
        words = tuple(clean(word).strip() for word in keywords if word.strip())
        if at is None and rule is None and not words:
            raise InvalidMessage("at", "nothing says when", expected="a time, a rule or a word")
        now = self._clock.now()
        zone = self._times.zone_at(now)
        if isinstance(at, datetime):
            offset_minutes(at)
            with suppress(OverflowError):  # at the edge of time it stays as it is told
                at = at.astimezone(zone)
            at = When.of(at)
        told = checked_rule(rule, zone=zone, now=now) if rule else None
        trigger = Trigger(
            id=digest("t", now.isoformat(), action, str(at), told or "", *words),
            cue=", ".join(str(part) for part in (at, told, *words) if part),
            action=clean(action).strip(),
            at=at if at or not told else When.day(now),
            rule=told,
            keywords=words,
            created_at=now,
        )
        if self._store.trigger(trigger.id) is not None:
            return Receipt(stored=False, reminders=(trigger,))
        event = self._commander.carry_out("remind", [AddTrigger(trigger)])
        return self._told(event, trigger)

    def done(self, trigger_id: str) -> Receipt:
        """It is done: a single reminder ends, a repeated one waits for its next moment."""
        trigger = self._known(trigger_id)
        if trigger.rule is not None and trigger.state == "active":
            return self._set(trigger, fired_at=self._clock.now(), snoozed_until=None)
        return self._set(trigger, state="done", snoozed_until=None)

    def cancel(self, trigger_id: str) -> Receipt:
        """It is not wanted any more; the reminder is kept, and never told."""
        return self._set(self._known(trigger_id), state="cancelled", snoozed_until=None)

    def snooze(self, trigger_id: str, until: datetime) -> Receipt:
        """Tell it again at `until`, which must lie ahead. Raises InvalidTime where it does not."""
        offset_minutes(until)
        if until <= self._clock.now():
            raise InvalidTime(f"{until.isoformat()} has passed", expected="a time ahead")
        return self._set(self._known(trigger_id), state="active", snoozed_until=until)

    def _tell(self, told: Iterable[tuple[Trigger, datetime]]) -> None:
        """Record which moments were told: a repeat's next one is its first after that."""
        self._commander.carry_out(
            TOLD,
            [
                SetTrigger(
                    one.id,
                    {"fired_at": one.fired_at, "snoozed_until": one.snoozed_until},
                    {
                        "fired_at": max(at.astimezone(UTC), one.fired_at or at.astimezone(UTC)),
                        "snoozed_until": None,
                    },
                )
                for one, at in told
            ],
            undoable=False,
        )

    def _names(self, word: str) -> tuple[str, ...]:
        return tuple(
            name
            for entity in self._store.entities_named(word)
            for name in (entity.name, *entity.aliases)
        )

    def _may_see(self, trigger: Trigger) -> bool:
        return self._reader is None or not trigger.readers or self._reader in trigger.readers

    def _known(self, trigger_id: str) -> Trigger:
        trigger = self._store.trigger(trigger_id)
        if trigger is None or not self._may_see(trigger):
            raise UnknownId(
                f"no reminder {trigger_id!r}",
                expected="a reminder's id",
                next_step="see: graphmem remind list",
            )
        return trigger

    def _set(self, trigger: Trigger, **after: Any) -> Receipt:
        changed = {name: value for name, value in after.items() if getattr(trigger, name) != value}
        if not changed:
            return Receipt(stored=False, reminders=(trigger,))
        before = {name: getattr(trigger, name) for name in changed}
        event = self._commander.carry_out("remind", [SetTrigger(trigger.id, before, changed)])
        return self._told(event, replace(trigger, **changed))

    def _told(self, event: Event | None, trigger: Trigger) -> Receipt:
        receipt = Receipt(event=event.n if event else None, reminders=(trigger,))
        return receipt if self._reader is None else told(receipt, self._store)


def _is_talk(said: Snapshot, now: datetime) -> bool:
    fresh = said.said_at > now - STALE_AFTER
    return fresh and said.role in _TALK and said.worth is not Worth.ECHO
