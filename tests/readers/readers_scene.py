"""A household's memory of which one half is for the phone alone, and the words that the other half lacks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphmem import Memory, Message
from graphmem.testing import FixedClock, TinyEmbedder

SAID = datetime(2024, 6, 1, 9, tzinfo=UTC)
NOW = SAID + timedelta(days=1)

OPEN = (
    "I live in Paris.",
    "I like sushi.",
    "I work as a nurse.",
    "My sister Mia lives in Bergen.",
    "I have a meeting with Ben tomorrow at 3 pm.",
    "Remind me to water the plants when I get home.",
    "我喜欢喝绿茶。",
)
# what each hidden statement is asked by, and the words that must never come up
HIDDEN = (
    ("My therapist is Doctor Xanthos.", ("xanthos",)),
    ("I like sushi. My lover Quorra likes it too.", ("quorra",)),
    ("I moved from Paris to Zagreb.", ("zagreb",)),
    ("Mia's husband Thorvald drinks.", ("thorvald",)),
    ("Ben is also called Snorkmaiden.", ("snorkmaiden",)),
    ("I have an appointment at the Vexley clinic tomorrow at 5 pm.", ("vexley",)),
    ("Remind me to call Obadiah when I get home.", ("obadiah",)),
    ("Remember my password is Gr4nit-Wolf.", ("gr4nit",)),
    ("我的心理医生是诸葛无忌。", ("诸葛无忌",)),
    ("I no longer work as a nurse, I am a smuggler now.", ("smuggler",)),
)
# Hidden statements that put open ones in doubt: that shows, for a reader is told no falsehood.
DOUBTING = ("zagreb", "smuggler")
SECRETS = tuple(word for _, words in HIDDEN for word in words)


def said(text: str, hour: float, *readers: str) -> Message:
    return Message(
        text=text,
        speaker="Ana",
        said_at=SAID + timedelta(hours=hour),
        conversation="home",
        readers=readers,
    )


def opened(path: Path, reader: str | None = None) -> Memory:
    return Memory.open(path, reader=reader, clock=FixedClock(NOW), embedder=TinyEmbedder())


def filled(path: Path, *, hidden: bool = True, doubting: bool = True) -> Path:
    """The memory, with its hidden half or without, or with that of it which changes nothing open."""
    with opened(path) as memory:
        for hour, text in enumerate(OPEN):
            memory.add(said(text, hour / 2))
        for hour, (text, words) in enumerate(HIDDEN):
            if hidden and (doubting or words[0] not in DOUBTING):
                memory.add(said(text, 5 + hour / 2, "phone"))
        memory.add(said("I like sushi.", 12))
        memory.add(said("I visited my aunt.", 13))
    return path
