"""An agent's loop: recall before answering, remember every turn, let the user decide what has changed.

Run it: python examples/quickstart_agent.py
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphmem import Memory, Message

TURNS = [
    "Hi! I'm Ana, and I live in London.",
    "I'm allergic to peanuts, never forget that.",
    "What should I be careful about at the Thai place?",
    "By the way, I moved to Lisbon last week.",
    "Where do I live?",
    "Where did I live before?",
]


def model(prompt: str, question: str) -> str:
    """Stands for a language model: it would write an answer out of this."""
    return f"[to {question!r}, knowing]\n{prompt or '(nothing)'}"


def ask_user(older: str, newer: str) -> str:
    """Stands for a question to the user: here the user says that the older one is past."""
    print(f"  ? does {newer!r} replace {older!r}? -> yes, the older one is past")
    return "mark_older_as_past"


def turn(memory: Memory, text: str, said_at: datetime) -> str:
    """One turn of the conversation."""
    reply = model(memory.recall(text, at=said_at).context(max_tokens=300), text)
    receipt = memory.add(Message(text=text, speaker="Ana", said_at=said_at, conversation="chat"))
    for conflict in receipt.conflicts:
        memory.resolve(conflict.id, ask_user(conflict.old.text, conflict.new.text))
    memory.add(
        Message(
            text=reply,
            speaker="assistant",
            role="assistant",
            said_at=said_at,
            conversation="chat",
        )
    )
    return reply


def main() -> None:
    """A conversation of several days."""
    now = datetime(2025, 3, 3, 9, tzinfo=UTC)
    with Memory.open("examples-memory/quickstart", config={"owner": "Ana"}) as memory:
        for text in TURNS:
            print(f"Ana: {text}")
            print(turn(memory, text, now))
            now += timedelta(days=1)
        print(memory.history("Ana", "home").text())


if __name__ == "__main__":
    main()
