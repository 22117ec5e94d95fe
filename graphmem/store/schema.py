"""The tables of the graph: every node, edge and property with its type and meaning.

This is the public schema (see docs/schema.md). A moment is a TIMESTAMP in UTC without zone with
the offset it was given in beside it (`NAME_offset`, minutes east of UTC); a time as stated (model
`When`) has its words in `NAME_text` as well, and `NAME` is then the instant from which (`valid_from`,
`happens_at`, `at`) or up to which, exclusively (`valid_to`, `expires_at`), the statement holds.
"""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True)
class Column:
    """A property: its name, its type in the engine, and what it means."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class NodeTable:
    """A kind of node; its first column is the key."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @property
    def key(self) -> str:
        """The name of the primary key."""
        return self.columns[0].name

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all properties, key first."""
        return tuple(column.name for column in self.columns)

    @property
    def ddl(self) -> str:
        """The statement that creates the table."""
        columns = ", ".join(f"{column.name} {column.type}" for column in self.columns)
        return f"CREATE NODE TABLE {self.name}({columns}, PRIMARY KEY({self.key}))"


@dataclass(frozen=True, slots=True)
class EdgeTable:
    """A kind of edge from one kind of node to another."""

    name: str
    start: str
    end: str
    meaning: str
    columns: tuple[Column, ...] = ()

    @property
    def ddl(self) -> str:
        """The statement that creates the table."""
        columns = "".join(f", {column.name} {column.type}" for column in self.columns)
        return f"CREATE REL TABLE {self.name}(FROM {self.start} TO {self.end}{columns})"


def _moment(name: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column(name, "TIMESTAMP", f"{meaning} (UTC)"),
        Column(f"{name}_offset", "INT64", f"minutes east of UTC in which `{name}` was given"),
    )


def _stated(name: str, meaning: str) -> tuple[Column, ...]:
    return (
        *_moment(name, meaning),
        Column(
            f"{name}_text", "STRING", f"`{name}` as stated: 2024, 2025-03, 2024-05-20 or an instant"
        ),
    )


_READERS = Column("readers", "STRING", "who may see it, a JSON list; [] means everybody")

ENTITY = NodeTable(
    "Entity",
    "A person, place, thing or value that facts are about.",
    (
        Column("id", "STRING", "key"),
        Column("name", "STRING", "the name it is shown under"),
        Column("kind", "STRING", "person, place, organisation, animal, thing, value, event, topic"),
    ),
)
ALIAS = NodeTable(
    "Alias",
    "A name in its normal form; several entities may share it.",
    (
        Column("key", "STRING", "key: the name NFKC-normalised, case-folded, blanks squeezed"),
        Column("name", "STRING", "the name as it was first written"),
    ),
)
SNAPSHOT = NodeTable(
    "Snapshot",
    "A message kept whole, as it was said: the evidence.",
    (
        Column("id", "STRING", "key"),
        Column("n", "INT64", "number in the order of recording, from 1"),
        Column("text", "STRING", "the whole text"),
        Column("speaker", "STRING", "who said it"),
        Column("role", "STRING", "user, assistant, system or tool"),
        *_moment("said_at", "when it was said"),
        *_moment("recorded_at", "when it was stored"),
        Column("source", "STRING", "where it came from, such as a file"),
        Column("conversation", "STRING", "the conversation it belongs to"),
        Column("language", "STRING", "en or zh"),
        Column("worth", "STRING", "what it is good for: statement, question, chatter, ..."),
        Column("sensitive", "BOOL", "holds a secret: masked in listings"),
        _READERS,
    ),
)
FACT = NodeTable(
    "Fact",
    "An atomic claim (entity - predicate - object), or a note: a statement kept without a claim.",
    (
        Column("id", "STRING", "key"),
        Column("n", "INT64", "number in the order of recording, from 1"),
        Column("kind", "STRING", "claim or note"),
        Column("entity", "STRING", "name of the subject"),
        Column("entity_id", "STRING", "id of the subject"),
        Column("predicate", "STRING", "what is said of the subject, such as lives_in"),
        Column("object", "STRING", "name of the object; empty for a note"),
        Column("object_id", "STRING", "id of the object; empty for a note"),
        Column("polarity", "STRING", "+ or - (the claim is denied)"),
        Column("tense", "STRING", "present, past or future"),
        Column("text", "STRING", "the sentence that states it, verbatim; never changed"),
        Column("language", "STRING", "en or zh"),
        Column("state", "STRING", "current, unsure, historical, expired or archived"),
        Column("slot", "STRING", "the topic with one current value that it fills, or NULL"),
        Column("tier", "STRING", "working, long_term, core or archived"),
        Column("importance", "INT64", "1 to 5"),
        Column("confidence", "DOUBLE", "0 to 1"),
        Column("pinned", "BOOL", "kept from fading by the owner"),
        Column("sensitive", "BOOL", "holds a secret: masked in listings"),
        *_stated("valid_from", "first instant at which it held, where stated"),
        *_stated("valid_to", "first instant at which it no longer held, where stated"),
        *_stated("happens_at", "when the event it tells of begins"),
        *_stated("expires_at", "first instant at which it is over"),
        *_moment("said_at", "when it was said"),
        *_moment("recorded_at", "when it was stored"),
        *_moment("confirmed_at", "when the owner last confirmed it, or NULL"),
        *_moment("retired_at", "when it stopped being held true, or NULL"),
        Column("replaced_by", "STRING", "id of the fact that took its place, or NULL"),
        Column("source", "STRING", "id of the first snapshot that states it"),
        Column("evidence", "INT64", "how many snapshots state it"),
        _READERS,
    ),
)
SLOT = NodeTable(
    "Slot",
    "A topic that has one current value for an entity.",
    (
        Column("id", "STRING", "key: the entity's id, |, the slot's name"),
        Column("entity_id", "STRING", "id of the entity"),
        Column("name", "STRING", "home, car, job, ..."),
    ),
)
CONFLICT = NodeTable(
    "Conflict",
    "A newer fact that may replace an older one, open or decided (see MAY_REPLACE).",
    (
        Column("id", "STRING", "key"),
        Column("n", "INT64", "number in the order of opening, from 1"),
        Column("old_id", "STRING", "id of the older fact"),
        Column("new_id", "STRING", "id of the newer fact"),
        Column("relation", "STRING", "replaces, contradicts, refines, ..."),
        Column("reason", "STRING", "why it was opened"),
        Column("cue", "STRING", "the words of change that were met, or empty"),
        *_moment("opened_at", "when it was opened"),
        Column("decision", "STRING", "the owner's decision; empty while open"),
        *_moment("decided_at", "when it was decided, or NULL"),
    ),
)
TRIGGER = NodeTable(
    "Trigger",
    "A reminder: a cue, what to do, and how it repeats.",
    (
        Column("id", "STRING", "key"),
        Column("cue", "STRING", "the words of the cue"),
        Column("action", "STRING", "what to do"),
        Column("text", "STRING", "the sentence it was taken from"),
        *_stated("at", "when it is due, where it has a time"),
        Column("rule", "STRING", "iCalendar RRULE, or NULL"),
        Column("routine", "STRING", "a routine moment such as after_work, or NULL"),
        Column("keywords", "STRING", "words that fire it, a JSON list"),
        Column("state", "STRING", "active, done or cancelled"),
        *_moment("snoozed_until", "not before this, or NULL"),
        *_moment("fired_at", "when it last fired, or NULL"),
        *_moment("created_at", "when it was made"),
        Column("snapshot_id", "STRING", "the snapshot it was taken from"),
        Column("speaker", "STRING", "who wished it"),
        _READERS,
    ),
)
EVENT = NodeTable(
    "Event",
    "One recorded change: ids and numbers, never text.",
    (
        Column("n", "INT64", "key: counts up from 1 without gaps"),
        Column("kind", "STRING", "add, update, resolve, ..."),
        *_moment("at", "when it happened"),
        Column("touched", "STRING", "ids of what it changed, a JSON object of lists"),
        Column(
            "undo", "STRING", "the operations that take it back, JSON; empty where there are none"
        ),
        Column("undoes", "INT64", "number of the event that it took back, or NULL"),
        Column("facts", "INT64", "highest fact number after it"),
        Column("snapshots", "INT64", "highest snapshot number after it"),
        Column("names", "INT64", "highest NAMES number after it"),
        Column("conflicts", "INT64", "highest conflict number after it"),
    ),
)
META = NodeTable(
    "Meta",
    "What the memory says about itself.",
    (
        Column("name", "STRING", "key: schema"),
        Column("value", "INT64", "the schema version"),
    ),
)
NODES = (ENTITY, ALIAS, SNAPSHOT, FACT, SLOT, CONFLICT, TRIGGER, EVENT, META)

_NUMBER = Column("n", "INT64", "the fact's number")
EDGES = (
    EdgeTable("SUBJECT_OF", "Entity", "Fact", "The fact is about the entity."),
    EdgeTable("HAS_OBJECT", "Fact", "Entity", "The fact's object; notes have none."),
    EdgeTable("STATES", "Snapshot", "Fact", "The snapshot is evidence of the fact."),
    EdgeTable("MENTIONS", "Snapshot", "Entity", "The snapshot mentions the entity."),
    EdgeTable(
        "NAMES",
        "Alias",
        "Entity",
        "The alias names the entity (its own name included).",
        (Column("n", "INT64", "order in which names were learnt"),),
    ),
    EdgeTable("HAS_SLOT", "Entity", "Slot", "The entity has a value in this topic."),
    EdgeTable("FILLS", "Fact", "Slot", "The fact fills or once filled the slot."),
    EdgeTable("CURRENT", "Slot", "Fact", "The fact fills the slot and its state is current."),
    EdgeTable("REPLACED_BY", "Fact", "Fact", "The second fact took the first one's place."),
    EdgeTable(
        "MAY_REPLACE",
        "Fact",
        "Fact",
        "The second fact may replace the first: a conflict.",
        (
            Column("n", "INT64", "the conflict's number"),
            Column("relation", "STRING", "replaces, contradicts, refines, ..."),
            Column("decision", "STRING", "the owner's decision; empty while open"),
        ),
    ),
    EdgeTable("CONCERNS", "Conflict", "Fact", "The conflict is about the fact (old and new)."),
    EdgeTable("REMINDS_OF", "Trigger", "Fact", "The reminder was taken from the fact's snapshot."),
    EdgeTable(
        "RELATES",
        "Entity",
        "Entity",
        "The direct edge of a claim, from subject to object.",
        (
            _NUMBER,
            Column("predicate", "STRING", "the fact's predicate"),
            Column("polarity", "STRING", "the fact's polarity"),
            Column("state", "STRING", "the fact's state, kept in step"),
        ),
    ),
)


def slot_id(entity_id: str, name: str) -> str:
    """The key of the slot `name` of an entity."""
    return f"{entity_id}|{name}"
