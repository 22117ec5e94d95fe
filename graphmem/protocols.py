"""What can be swapped: each protocol has one contract test suite that every implementation passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphmem.model import (
    Conflict,
    Entity,
    Event,
    Fact,
    Message,
    Polarity,
    Relation,
    Snapshot,
    State,
    Table,
    Tense,
    Trigger,
    Worth,
)
from graphmem.plan import Op, Plan
from graphmem.when import Interval, When

Vectors = NDArray[np.float32]


# --- clock -----------------------------------------------------------------------------------------


class Clock(Protocol):
    """Tells the time; tests pass a fixed one."""

    def now(self) -> datetime:
        """The present instant, aware, in the owner's zone."""
        ...


# --- extraction ------------------------------------------------------------------------------------


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


# --- embedding, rerank, judge ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Cosines that mean something for one embedder: same topic, and unrelated at the most."""

    same_topic: float = 0.60
    unrelated: float = 0.30


class Embedder(Protocol):
    """Turns texts into unit vectors; registered under `graphmem.embedders`."""

    @property
    def name(self) -> str:
        """Tells vectors of this embedder from those of others."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """What its cosines mean."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1. Any text is accepted."""
        ...

    def questions(self, texts: Sequence[str]) -> Vectors:
        """The same for questions (some models want another prefix)."""
        ...


class Reranker(Protocol):
    """Scores how well each text answers the question; higher is better."""

    name: str

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score in 0..1 per text."""
        ...


class Judge(Protocol):
    """Tells how a new statement stands to older ones."""

    name: str

    def judge(self, new: Fact, olds: Sequence[Fact]) -> list[Mapping[Relation, float]]:
        """Per older fact, the probability of each relation. Raises ServiceFailed."""
        ...


# --- store -----------------------------------------------------------------------------------------


class GraphStore(Protocol):
    """The graph: the only truth. Its interface is operations, never query text (but for `query`).

    All reads see what has been applied, inside a transaction too. Records come back complete
    (`Fact.sources` and `replaced_by` filled), lists ordered by `n`.
    """

    def apply(self, plan: Plan) -> Event:
        """Carry a plan out in one transaction and record its event. Durable on return (unless inside
        `transaction()`). Raises WriteFailed, MemoryUnwritable; then nothing of it is kept.
        """
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Several plans in one commit; an error rolls all of them back."""
        ...

    def undo_ops(self, event_n: int) -> tuple[Op, ...] | None:
        """The operations that take an event back (apply them in a plan of their own); None where it
        cannot be taken back: a deletion, an unknown event, or a name it needs has gone since.
        """
        ...

    def snapshot(self, snapshot_id: str) -> Snapshot | None: ...
    def fact(self, fact_id: str) -> Fact | None: ...
    def entity(self, entity_id: str) -> Entity | None: ...
    def conflict(self, conflict_id: str) -> Conflict | None: ...
    def trigger(self, trigger_id: str) -> Trigger | None: ...
    def event(self, n: int) -> Event | None: ...

    def entities_named(self, name: str) -> tuple[Entity, ...]:
        """Entities of which `name` (normalised by words.key) is the name or an alias."""
        ...

    def entities(self, *, after: str = "", limit: int = 1000) -> tuple[Entity, ...]:
        """Entities by id, for paging."""
        ...

    def facts_of(
        self,
        entity_id: str,
        *,
        slot: str | None = None,
        predicate: str | None = None,
        states: frozenset[State] | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts whose subject is the entity, newest first by `n`, at most `limit`."""
        ...

    def facts_with_object(self, entity_id: str, *, limit: int = 1000) -> tuple[Fact, ...]:
        """Facts whose object is the entity."""
        ...

    def slot_current(self, entity_id: str, slot: str) -> tuple[Fact, ...]:
        """The facts that fill the slot now, by the CURRENT pointer."""
        ...

    def facts_stated_by(self, snapshot_id: str) -> tuple[Fact, ...]: ...
    def evidence(self, fact_id: str) -> tuple[Snapshot, ...]: ...

    def successors(self, fact_id: str) -> tuple[Fact, ...]:
        """What replaced the fact, and what replaced that, nearest first."""
        ...

    def predecessors(self, fact_id: str) -> tuple[Fact, ...]:
        """What the fact replaced, and what that replaced, nearest first."""
        ...

    def conflicts(
        self, *, open_only: bool = True, fact_id: str | None = None, limit: int = 1000
    ) -> tuple[Conflict, ...]: ...
    def triggers(self, *, active_only: bool = True) -> tuple[Trigger, ...]: ...

    def neighbourhood(
        self, entity_ids: Sequence[str], *, hops: int = 2, limit: int = 500
    ) -> tuple[tuple[str, str, int], ...]:
        """Direct edges (subject id, object id, fact number) around the entities, bounded."""
        ...

    def facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        after: int = 0,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts by number, for listing and paging."""
        ...

    def newest_facts(
        self,
        *,
        states: frozenset[State] | None = None,
        slot: str | None = None,
        before: int | None = None,
        limit: int = 1000,
    ) -> tuple[Fact, ...]:
        """Facts with a number below `before`, newest first; costs what is read, not what there is."""
        ...

    def scan_facts(self, *, after: int = 0) -> Iterator[Fact]:
        """Every fact by number: for rebuilding indexes."""
        ...

    def scan_snapshots(self, *, after: int = 0) -> Iterator[Snapshot]:
        """Every snapshot by number: for rebuilding indexes."""
        ...

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]: ...
    def last_event(self) -> int: ...

    def counts(self) -> Mapping[str, int]:
        """How many nodes of each table, and open conflicts, for `status`."""
        ...

    def standings(self) -> Mapping[str, Mapping[str, int]]:
        """How many facts are in each state and tier: {"states": {...}, "tiers": {...}}. Scans."""
        ...

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int = 10_000
    ) -> Table:
        """Run read-only Cypher. Raises InvalidQuery for a write or a malformed query."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a search may return; an empty set means no limit. Applied inside the search.

    `said` limits when it was said. `entities`, `predicates`, `sources` are ids and names; one fact of
    the passage must meet both `entities` and `predicates`. `reader` is the reader the memory is opened
    as (None: the owner). `now`: what has expired by then counts as expired, whether or not upkeep ran.
    """

    states: frozenset[State] = frozenset()
    tiers: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    speakers: frozenset[str] = frozenset()
    worths: frozenset[Worth] = frozenset()
    said: Interval | None = None
    happens: Interval | None = None
    reader: str | None = None
    now: datetime | None = None


EVERYTHING = Filter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The unit of search: a stretch of a snapshot, with the standing of the facts it states.

    `state` is the best state among its facts (current, unsure, historical, expired, archived), or
    current where it has none. `n` numbers passages; `order` is the snapshot's place within its
    conversation, so that neighbours can be found. `happens` is the interval of the earliest event.
    """

    n: int
    snapshot_id: str
    text: str
    speaker: str
    role: str
    language: str
    said_at: datetime
    recorded_at: datetime
    conversation: str
    source: str
    order: int
    worth: Worth
    state: State
    tier: str
    importance: int
    fact_ids: tuple[str, ...] = ()
    entity_ids: tuple[str, ...] = ()
    happens: Interval | None = None
    expires_at: datetime | None = None
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """What `check` found: what disagrees, in plain words; empty is healthy."""

    findings: tuple[str, ...] = field(default_factory=tuple)


class SearchIndex(Protocol):
    """Keyword and vector search over passages: derived from the graph, rebuilt when in doubt.

    Every read takes a Filter and gives back nothing which that filter (its reader above all) forbids.
    """

    def update(self, events: Sequence[Event], store: GraphStore) -> None:
        """Bring the index up to the last of `events`, which follow on what it has; one batch."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Several updates in one commit; an error takes all of them back. Reads see them at once."""
        ...

    def catch_up(self, store: GraphStore) -> int:
        """Apply the events the index has missed, or rebuild it; returns how many were applied."""
        ...

    def rebuild(self, store: GraphStore) -> int:
        """Make the index anew from the graph; returns the number of passages."""
        ...

    def check(self, store: GraphStore) -> Health:
        """Compare the graph and the index: ids, texts, states, vectors."""
        ...

    def keywords(
        self, terms: Sequence[str], *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with BM25 scores (higher is better) for words.terms, best first."""
        ...

    def nearest(
        self, vector: Vectors, *, limit: int, only: Filter = EVERYTHING
    ) -> list[tuple[int, float]]:
        """Passage numbers with cosines, best first; `vector` has shape (dimension,)."""
        ...

    def passages(self, numbers: Sequence[int], *, only: Filter = EVERYTHING) -> list[Passage]:
        """The passages with these numbers, in the given order, unknown and forbidden ones left out.
        With `only.now` their states are judged at that time.
        """
        ...

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """The vectors of these passages, shape (len(numbers), dimension); zeros for unknown ones."""
        ...

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each term occurs."""
        ...

    def size(self) -> int:
        """How many passages there are."""
        ...

    def neighbours(self, number: int, *, reach: int = 1, only: Filter = EVERYTHING) -> list[int]:
        """Passage numbers before and after it in the same conversation, nearest first."""
        ...

    def happening(self, window: Interval, *, limit: int, only: Filter = EVERYTHING) -> list[int]:
        """Passages with an event inside the window, earliest first."""
        ...

    def of_facts(self, fact_ids: Sequence[str], *, only: Filter = EVERYTHING) -> Mapping[str, int]:
        """The passage in which each fact was first stated."""
        ...

    def flush(self) -> None:
        """Write what is only in memory to the disk."""
        ...

    def close(self) -> None: ...
