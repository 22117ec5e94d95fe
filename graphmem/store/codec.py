"""The inverse operations of an event as JSON without any text.

Names and aliases are left out: an alias is kept as a hash of its normal form and found again among
the names of its entity; a name is read from the entity. So a deletion leaves no trace in the events.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from enum import Enum
from typing import Any

from graphmem import plan
from graphmem.identity import digest
from graphmem.model import Decision, Entity
from graphmem.plan import Op
from graphmem.when import When
from graphmem.words import key

FindEntity = Callable[[str], Entity | None]

_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        plan.SetFact,
        plan.LinkReplaced,
        plan.DecideConflict,
        plan.SetTrigger,
        plan.MoveFact,
        plan.MoveAlias,
        plan.RemoveFact,
        plan.RemoveEvidence,
        plan.RemoveSnapshot,
        plan.RemoveEntity,
        plan.RemoveAlias,
        plan.RemoveMention,
        plan.UnlinkReplaced,
        plan.RemoveConflict,
        plan.RemoveTrigger,
    )
}
_NAMES = frozenset({"before_name", "after_name"})
_SAME_NAME = "same name"  # behind a MoveFact that leaves the name as it was said


def encode(ops: Sequence[Op]) -> str:
    """Operations as JSON. Only inverse operations (see plan.inverse) can be encoded."""
    return json.dumps([_op(op) for op in ops], separators=(",", ":"))


def decode(text: str, find: FindEntity) -> tuple[Op, ...] | None:
    """The operations again; None where an entity or alias that they name is no longer there."""
    found = [_restore(item, find) for item in json.loads(text)]
    return None if any(op is None for op in found) else tuple(op for op in found if op is not None)


def _op(op: Op) -> list[Any]:
    """The name of the operation and its values in their order: half of what an event takes is this."""
    kept = []
    for field in _fields(type(op)):
        value = getattr(op, field)
        kept.append(alias_mark(value) if field == "alias" else _plain(value))
    if isinstance(op, plan.MoveFact) and not op.after_name:
        kept.append(_SAME_NAME)
    return [type(op).__name__, *kept]


def _fields(kind: Any) -> list[str]:
    return [one.name for one in fields(kind) if one.name not in _NAMES]


def _restore(item: Sequence[Any], find: FindEntity) -> Op | None:
    name, *kept = item
    renamed = kept[-1:] != [_SAME_NAME]
    if not renamed:
        kept.pop()
    stored = zip(_fields(_KINDS[name]), kept, strict=True)
    values = {field: _value(value) for field, value in stored}
    if name == "MoveFact":
        before, after = find(values["before_id"]), find(values["after_id"])
        if before is None or after is None:
            return None
        values |= {
            "before_name": before.name if renamed else "",
            "after_name": after.name if renamed else "",
        }
    if name in ("MoveAlias", "RemoveAlias"):
        owner = find(values["before_id" if name == "MoveAlias" else "entity_id"])
        alias = _alias(owner, values["alias"])
        if alias is None:
            return None
        values["alias"] = alias
    if name == "DecideConflict":
        values |= {side: _decision(values[side]) for side in ("before", "after")}
    op: Op = _KINDS[name](**values)
    return op


def alias_mark(alias: str) -> str:
    """A hash of an alias, under which it is found again without being kept."""
    return digest("a", key(alias))


def _alias(owner: Entity | None, mark: str) -> str | None:
    names = (owner.name, *owner.aliases) if owner else ()
    return next((name for name in names if alias_mark(name) == mark), None)


def _decision(value: str | None) -> Decision | None:
    return None if value is None else Decision(value)


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case datetime():
            return {"moment": value.isoformat()}
        case When(iso, offset):
            return {"when": iso, "offset": offset}
        case Mapping():
            return {"fields": {name: _plain(item) for name, item in value.items()}}
        case tuple() | list():
            return {"list": [_plain(item) for item in value]}
        case _:
            return value


def _value(value: Any) -> Any:
    match value:
        case {"moment": str(iso)}:
            return datetime.fromisoformat(iso)
        case {"when": str(iso), "offset": int(offset)}:
            return When(iso, offset)
        case {"fields": dict(items)}:
            return {name: _value(item) for name, item in items.items()}
        case {"list": list(items)}:
            return tuple(_value(item) for item in items)
        case _:
            return value
