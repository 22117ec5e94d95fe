"""What extractors and time grammars take and give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from graphmem.model import Message, Polarity, Tense, Worth
from graphmem.when import When


@dataclass(frozen=True, slots=True)
class Turn:
    """A message to extract from, with the one before it in its conversation (for pronouns)."""

    message: Message
    previous: Message | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A claim that a rule read in a message.

    `entity` and `object` are names as they should be shown: the speaker's name for the first
    person, "Ana's wife" / "田甜的爸" for a relative without a name. `text` is the sentence that states
    it, `span` its place in the message (characters, half-open), `rule` the rule that fired.
    `entity_kind` and `object_kind`: person, place, organisation, animal, thing, value, event, topic.
    """

    entity: str
    predicate: str
    object: str
    polarity: Polarity = "+"
    tense: Tense = "present"
    text: str
    span: tuple[int, int]
    rule: str
    confidence: float
    entity_kind: str = "person"
    object_kind: str = "thing"
    slot: str | None = None
    importance: int = 3
    sensitive: bool = False
    valid_from: When | None = None
    valid_to: When | None = None
    happens_at: When | None = None
    expires_at: When | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderCandidate:
    """A two-part wish read in a message: a cue and what to do then (see model.Trigger)."""

    cue: str
    action: str
    text: str
    span: tuple[int, int]
    rule_name: str
    confidence: float = 0.9
    at: When | None = None
    rule: str | None = None
    routine: str | None = None
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasCandidate:
    """The text says that two names are one: "my wife Mei" gives ("Ana's wife", "Mei")."""

    name: str
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Why something was read or left: a rule or guard, the span it fired on, and a word of reason."""

    rule: str
    span: tuple[int, int]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Everything read in one message. `worth` says whether it is to be remembered at all;
    `command` is set for a spoken order to change the memory ("reschedule", "cancel", "correct").
    """

    candidates: tuple[Candidate, ...] = ()
    reminders: tuple[ReminderCandidate, ...] = ()
    aliases: tuple[AliasCandidate, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()  # (name, kind) of things mentioned
    worth: Worth = Worth.STATEMENT
    importance: int = 3
    sensitive: bool = False
    command: str | None = None
    trace: tuple[Trace, ...] = ()


@runtime_checkable
class Extractor(Protocol):
    """Reads claims out of messages; registered under the entry point group `graphmem.extractors`."""

    name: str
    languages: tuple[str, ...]

    def extract(self, turns: Sequence[Turn]) -> list[Extraction]:
        """One Extraction per turn, in order. Pure; never raises for any text."""
        ...


@runtime_checkable
class ModelReader(Protocol):
    """A model that is asked where the rules are not sure; registered under `graphmem.models`."""

    @property
    def name(self) -> str:
        """For receipts."""
        ...

    def read(self, turn: Turn, known: Sequence[Candidate] = ()) -> Extraction:
        """What the model finds beyond the `known` claims, checked against the text. Raises
        ServiceFailed, InvalidSettings.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """A time expression found in a text.

    `when` is the time (or start), `until` the end of an interval, `rule` an RRULE for a repeat,
    `routine` a routine moment. `anchor` is "since", "until", "by" or "at"; `kind` tells what it is.
    """

    start: int
    end: int
    text: str
    kind: Literal["instant", "date", "interval", "repeat", "duration", "routine"]
    when: When | None = None
    until: When | None = None
    anchor: Literal["at", "since", "until", "by"] = "at"
    rule: str | None = None
    routine: str | None = None


@runtime_checkable
class TimeGrammar(Protocol):
    """Finds times; registered under the entry point group `graphmem.times`."""

    def find(self, text: str, *, said_at: datetime, language: str) -> tuple[TimeSpan, ...]:
        """All time expressions of `text`, resolved against `said_at` in its zone, left to right."""
        ...
