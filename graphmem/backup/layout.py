"""What a backup file holds: its kinds of record, their fields, and how each value is written.

A file is gzip-compressed JSON, one object a line: a header, the records in the order of KINDS, an end
(see docs/backup.md). Each field says how far it bears text, so that sealing knows what to hide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from graphmem.backup.fitting import misfit
from graphmem.errors import BrokenFile, InvalidTime
from graphmem.model import (
    Decision,
    Entity,
    Event,
    Fact,
    Kind,
    Relation,
    Snapshot,
    State,
    Tier,
    Trigger,
    Worth,
)
from graphmem.store.records import ConflictRow
from graphmem.when import When

FORMAT = "graphmem-backup"
VERSION = 1

Record = dict[str, Any]


class Bears(StrEnum):
    """What a field holds: text (sealed with a passphrase), an id (sealed so that equal ids stay equal),
    several ids, or structure (times, states, numbers: never sealed).
    """

    TEXT = "text"
    ID = "id"
    IDS = "ids"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of one kind of record. Those not named are structure."""

    text: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def bears(self, field: str) -> Bears:
        """What a field of the record bears."""
        for kind in (Bears.TEXT, Bears.ID, Bears.IDS):
            if field in getattr(self, kind.value):
                return kind
        return Bears.STRUCTURE


KINDS: Mapping[str, Layout] = {
    "entity": Layout(text=("name", "aliases"), id=("id",)),
    "snapshot": Layout(
        text=("text", "speaker", "source", "conversation", "readers"),
        id=("id",),
        ids=("mentions",),
    ),
    "fact": Layout(
        text=("entity", "object", "text", "predicate", "slot", "readers"),
        id=("id", "entity_id", "object_id", "replaced_by"),
        ids=("sources",),
    ),
    "conflict": Layout(text=("reason", "cue"), id=("id", "old_id", "new_id")),
    "trigger": Layout(
        text=("cue", "action", "text", "keywords", "speaker", "readers"), id=("id", "snapshot_id")
    ),
    "event": Layout(text=("touched", "undo")),
}

_VALUES: Mapping[str, type[Any]] = {
    "entity": Entity,
    "snapshot": Snapshot,
    "fact": Fact,
    "conflict": ConflictRow,
    "trigger": Trigger,
    "event": Event,
}
_BESIDE = frozenset({"record", "changed_at", "mentions", "named", "masked"})
_MOMENTS = frozenset(
    [
        *("said_at", "recorded_at", "confirmed_at", "retired_at", "opened_at", "decided_at"),
        *("snoozed_until", "fired_at", "created_at"),
    ]
)
_WHENS = frozenset({"valid_from", "valid_to", "happens_at", "expires_at"})
_TUPLES = frozenset({"aliases", "sources", "readers", "keywords"})
_ENUMS: Mapping[tuple[str, str], type[StrEnum]] = {
    ("snapshot", "worth"): Worth,
    ("fact", "kind"): Kind,
    ("fact", "state"): State,
    ("fact", "tier"): Tier,
    ("conflict", "relation"): Relation,
    ("conflict", "decision"): Decision,
}


def written(kind: str, value: Any, **beside: Any) -> Record:
    """The record of a value, with further fields beside those of the value."""
    fields = value.__dataclass_fields__
    plain = {name: _plain(getattr(value, name)) for name in fields}
    return {"record": kind, **plain, **{name: _plain(one) for name, one in beside.items()}}


def read(record: Record) -> Any:
    """The value of a record. Raises BrokenFile where a field is missing or is not what it should be."""
    kind = record["record"]
    try:
        values = {
            name: _value(kind, name, one) for name, one in record.items() if name not in _BESIDE
        }
        value = _VALUES[kind](**values)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, InvalidTime) as cause:
        raise BrokenFile(f"a record of the kind {kind!r} cannot be read: {cause}") from cause
    wrong = misfit(value) or _wrong_beside(record)
    if wrong is not None:
        raise BrokenFile(f"a record of the kind {kind!r} cannot be read: {wrong}")
    return value


def changed_at(record: Record) -> datetime:
    """When what the record tells of was last changed."""
    try:
        return _moment(record["changed_at"])
    except (KeyError, TypeError, ValueError) as cause:
        raise BrokenFile("a record does not tell when it was changed") from cause


def _wrong_beside(record: Record) -> str | None:
    mentions = record.get("mentions", [])
    if not isinstance(mentions, list) or not all(isinstance(one, str) for one in mentions):
        return "mentions are no list of ids"
    return None


def unnumbered(value: Any) -> Any:
    """The value without its number: a memory numbers what it records itself."""
    return replace(value, n=0) if "n" in value.__dataclass_fields__ else value


def _plain(value: Any) -> Any:
    match value:
        case StrEnum():
            return value.value
        case datetime():
            return value.isoformat()
        case When(iso, offset):
            return {"when": iso, "offset": offset}
        case tuple() | list():
            return [_plain(item) for item in value]
        case Mapping():
            return {name: _plain(item) for name, item in value.items()}
        case _:
            return value


def _value(kind: str, name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _WHENS or (kind, name) == ("trigger", "at"):
        return When(value["when"], value["offset"])
    if name in _MOMENTS or (kind, name) == ("event", "at"):
        return _moment(value)
    if (kind, name) in _ENUMS:
        return _ENUMS[kind, name](value)
    if (kind, name) == ("event", "touched"):
        return {what: _listed(name, ids) for what, ids in value.items()}
    return _listed(name, value) if name in _TUPLES else value


def _listed(name: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise TypeError(f"{name} is no list")
    return tuple(value)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        raise ValueError(f"{text} has no time zone")
    return moment
