"""The frozen values everything else passes around; see docs/concepts.md for the words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, datetime
from enum import StrEnum
from typing import Any, Literal, TypeVar, get_args

from graphmem.errors import InvalidMessage, InvalidQuery
from graphmem.when import Interval, When

Role = Literal["user", "assistant", "system", "tool"]
Polarity = Literal["+", "-"]
Tense = Literal["present", "past", "future"]


class State(StrEnum):
    """Where a fact stands; the moves between states are in lifecycle/states.py."""

    CURRENT = "current"
    UNSURE = "unsure"
    HISTORICAL = "historical"
    EXPIRED = "expired"
    ARCHIVED = "archived"


class Tier(StrEnum):
    """How fast a fact fades."""

    WORKING = "working"
    LONG_TERM = "long_term"
    CORE = "core"
    ARCHIVED = "archived"


class Kind(StrEnum):
    """A claim is an atomic entity-predicate-object fact; a note keeps a statement out of which the
    rules could take no claim, so that it has a state, fades and can be replaced like any other.
    """

    CLAIM = "claim"
    NOTE = "note"


class Worth(StrEnum):
    """What a message is good for: only statements are remembered as facts or notes."""

    STATEMENT = "statement"
    QUESTION = "question"
    CHATTER = "chatter"
    HYPOTHETICAL = "hypothetical"
    FICTION = "fiction"
    QUOTED = "quoted"
    REQUEST = "request"
    ECHO = "echo"
    OTHER_ROLE = "other_role"


class Relation(StrEnum):
    """How a new fact stands to an older one."""

    REPLACES = "replaces"
    CONTRADICTS = "contradicts"
    REFINES = "refines"
    COMPATIBLE = "compatible"
    UNRELATED = "unrelated"
    DUPLICATE = "duplicate"


class Decision(StrEnum):
    """The owner's four answers to an open conflict."""

    KEEP_BOTH = "keep_both"
    MARK_OLDER_AS_PAST = "mark_older_as_past"
    REPLACE_OLDER = "replace_older"
    DISCARD_NEWER = "discard_newer"


_Listed = TypeVar("_Listed", bound=StrEnum)


def one_of(kind: type[_Listed], value: str) -> _Listed:
    """The member of a list of words that `value` is. Raises InvalidQuery, naming all of them."""
    try:
        return kind(value)
    except ValueError as cause:
        raise InvalidQuery(
            f"{value!r} is no {kind.__name__.lower()}", expected=", ".join(kind)
        ) from cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat turn.

    `said_at` must be aware; its offset is the speaker's zone. `readers` limits who may see it
    (empty: everybody). Raises InvalidMessage naming the field that breaks a rule.
    """

    text: str
    speaker: str = "user"
    role: Role = "user"
    said_at: datetime
    source: str = ""
    conversation: str = ""
    readers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InvalidMessage("text", f"{type(self.text).__name__} given", expected="a string")
        if not self.text.strip():
            raise InvalidMessage("text", "empty", expected="some words to remember")
        if not isinstance(self.speaker, str) or not self.speaker.strip():
            raise InvalidMessage("speaker", f"{self.speaker!r}", expected="the speaker's name")
        if self.role not in get_args(Role):
            raise InvalidMessage("role", f"{self.role!r}", expected=" or ".join(get_args(Role)))
        if not isinstance(self.readers, tuple) or not all(
            isinstance(one, str) and one.strip() for one in self.readers
        ):
            raise InvalidMessage(
                "readers",
                f"{self.readers!r}",
                expected="a tuple of readers' names, or an empty one",
            )
        if not isinstance(self.said_at, datetime) or self.said_at.utcoffset() is None:
            raise InvalidMessage(
                "said_at",
                f"{self.said_at!r} has no time zone",
                expected="an aware datetime",
                next_step="attach a zone, for example datetime.now().astimezone()",
            )
        if not MINYEAR < self.said_at.year < MAXYEAR:
            raise InvalidMessage(
                "said_at", self.said_at.isoformat(), expected="a year from 2 to 9998"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A message as it was said, kept whole: the unit of storage and evidence.

    `n` numbers snapshots in the order in which they were recorded (0 until stored).
    """

    id: str
    n: int = 0
    text: str
    speaker: str
    role: Role = "user"
    said_at: datetime
    recorded_at: datetime
    source: str = ""
    conversation: str = ""
    language: str = "en"
    worth: Worth = Worth.STATEMENT
    sensitive: bool = False
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A person, place, thing or value that facts are about."""

    id: str
    name: str
    kind: str = "thing"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """An atomic claim with where it came from and how it stands.

    `text` is the sentence that states it, verbatim. `valid_from` and `valid_to` are set only where
    the text states them. `replaced_by` is the id of the fact that took its place. `sources` are
    snapshot ids, oldest first. `n` numbers facts in the order in which they were recorded.
    `importance` is 1 to 5, `confidence` 0 to 1.
    """

    id: str
    n: int = 0
    kind: Kind = Kind.CLAIM
    entity: str
    entity_id: str
    predicate: str
    object: str = ""
    object_id: str = ""
    polarity: Polarity = "+"
    tense: Tense = "present"
    text: str
    language: str = "en"
    state: State = State.CURRENT
    slot: str | None = None
    tier: Tier = Tier.WORKING
    importance: int = 3
    confidence: float = 1.0
    pinned: bool = False
    sensitive: bool = False
    valid_from: When | None = None
    valid_to: When | None = None
    happens_at: When | None = None
    expires_at: When | None = None
    said_at: datetime
    recorded_at: datetime
    confirmed_at: datetime | None = None
    retired_at: datetime | None = None
    replaced_by: str | None = None
    sources: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A topic with one current value per entity; `current` names the facts that fill it now."""

    id: str
    entity_id: str
    name: str
    current: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A newer fact that may replace an older one; open until `decision` is set."""

    id: str
    old: Fact
    new: Fact
    relation: Relation
    reason: str
    cue: str = ""
    opened_at: datetime
    decision: Decision | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """A reminder: a cue, what to do, and how it repeats.

    `rule` is an iCalendar RRULE. `keywords` fire it when one comes up in conversation. `routine`
    names a routine moment of the owner's day, such as "after_work".
    """

    id: str
    cue: str
    action: str
    text: str = ""
    at: When | None = None
    rule: str | None = None
    routine: str | None = None
    keywords: tuple[str, ...] = ()
    state: Literal["active", "done", "cancelled"] = "active"
    snoozed_until: datetime | None = None
    fired_at: datetime | None = None
    created_at: datetime
    snapshot_id: str = ""
    speaker: str = ""
    readers: tuple[str, ...] = ()

    @property
    def repeat(self) -> str | None:
        """ "daily", "weekly", "monthly" or "yearly" where it repeats, else None."""
        if self.rule is None:
            return None
        parts = dict(part.split("=", 1) for part in self.rule.split(";") if "=" in part)
        return parts.get("FREQ", "").lower() or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One recorded change. It holds ids and numbers, never text, so that a deletion leaves no trace.

    `n` counts up from 1 without gaps. `touched` maps "snapshots", "facts", "entities", "conflicts"
    and "triggers" to ids, for derived indexes to catch up. `undo` holds the inverse operations as
    JSON, empty where the event cannot be undone. `undoes` is the number of the event that this one
    took back.
    """

    n: int = 0
    kind: str
    at: datetime
    touched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    undo: str = ""
    undoes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Something in a message that was not learnt, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What one write did.

    `facts` are the claims newly learnt, `notes` statements kept without a claim, `merged` facts that
    gained a piece of evidence, `replaced` pairs (old, new) retired by this write, `conflicts` those
    opened by it, `open_conflicts` how many now wait for the owner. `event` is 0 for a named reader: the
    number would count what it may not see. `reminders` are those it makes,
    `brought_up` older ones whose word it brings up. `stored` is False for a message that the memory
    already had.
    """

    event: int | None = None
    stored: bool = True
    snapshot: Snapshot | None = None
    facts: tuple[Fact, ...] = ()
    notes: tuple[Fact, ...] = ()
    merged: tuple[Fact, ...] = ()
    replaced: tuple[tuple[Fact, Fact], ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    reminders: tuple[Trigger, ...] = ()
    brought_up: tuple[Trigger, ...] = ()
    refused: tuple[Refusal, ...] = ()
    remarks: tuple[str, ...] = ()
    open_conflicts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One thing recalled: a statement, the facts taken from it, how it stands, and why it came.

    `score` is 0 to 1, comparable within one recall. `why` lists reasons in plain words with their
    numbers. `sources` are the snapshots that state it, oldest first.
    """

    text: str
    state: State
    score: float
    why: tuple[str, ...] = ()
    sources: tuple[Snapshot, ...] = ()
    facts: tuple[Fact, ...] = ()
    said_at: datetime
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The answer of a Cypher query: column names and rows of plain values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


__all__ = [
    "Conflict",
    "Decision",
    "Entity",
    "Event",
    "Fact",
    "Interval",
    "Kind",
    "Message",
    "Polarity",
    "Recalled",
    "Receipt",
    "Refusal",
    "Relation",
    "Role",
    "Slot",
    "Snapshot",
    "State",
    "Table",
    "Tense",
    "Tier",
    "Trigger",
    "When",
    "Worth",
]
