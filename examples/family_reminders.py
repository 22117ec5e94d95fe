"""A family's chat: wishes become reminders that are told once, at the right moment, and a calendar.

Run it: python examples/family_reminders.py
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphmem import Memory, Message
from graphmem.testing import FixedClock

CHAT = [
    ("Ana", "Remind me to call the school tomorrow at 9 am."),
    ("Ben", "When I get off work, buy milk."),
    ("Ana", "Every Monday at 7 pm remind me to put the bins out."),
    ("Ben", "Next time I see Tom, give back his drill."),
    ("老王", "提醒我明天下午3点去接孩子"),
]


def main() -> None:
    """Two days in the life of a family; the clock is moved on by hand."""
    clock = FixedClock(datetime(2025, 6, 1, 18, tzinfo=UTC))  # a Sunday evening
    with Memory.open("examples-memory/family", clock=clock, config={"timezone": "UTC"}) as memory:
        for speaker, text in CHAT:
            receipt = memory.add(Message(text=text, speaker=speaker, said_at=clock.now()))
            for reminder in receipt.reminders:
                print(f"{speaker}: {reminder.action} · {reminder.at or reminder.cue}")

        for hours in (15, 3, 3, 3, 3):
            clock.advance(timedelta(hours=hours))
            for due in memory.due():  # telling is recorded: nothing is told twice
                late = " (late)" if due.late else ""
                print(f"{clock.now():%a %H:%M} due: {due.trigger.action}{late}")

        told = memory.add(Message(text="I saw Tom at the gym.", speaker="Ben", said_at=clock.now()))
        for reminder in told.brought_up:
            print(f"that reminds me: {reminder.action}")

        calendar = memory.calendar()
        print(f"calendar with {calendar.count('BEGIN:VEVENT')} events")


if __name__ == "__main__":
    main()
