"""GraphML: the graph of docs/schema.md for Gephi, yEd, networkx and the like, written as it is read."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, BinaryIO
from xml.sax.saxutils import escape

from graphmem.backup.things import Thing
from graphmem.model import Entity, Fact, Snapshot, Trigger
from graphmem.protocols import GraphStore
from graphmem.store.records import ConflictRow
from graphmem.when import When

COMMENT = "graphmem-export 1, GraphML"

# what XML 1.0 cannot hold
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# name, type: what nodes and edges tell
_NODE = {
    **dict.fromkeys(
        (
            *("type", "label", "text", "name", "kind", "aliases", "entity", "predicate", "object"),
            *("polarity", "tense", "language", "state", "slot", "tier", "readers"),
            *("valid_from", "valid_to", "happens_at", "expires_at", "said_at", "recorded_at"),
            *("confirmed_at", "retired_at", "speaker", "role", "source", "conversation", "worth"),
            *("cue", "action", "at", "rule", "routine", "keywords", "created_at"),
        ),
        "string",
    ),
    "importance": "int",
    "confidence": "double",
    "pinned": "boolean",
    "sensitive": "boolean",
    "masked": "boolean",
}
_EDGE = dict.fromkeys(
    ("type", "predicate", "polarity", "state", "fact", "relation", "reason", "decision"), "string"
)
_LABEL = 60  # characters


class GraphMl:
    """Writes one graph: nodes as they come; edges are laid aside and follow."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._written: set[str] = set()  # ids of the nodes: no edge may lead to nowhere

    def write(self, shown: Iterable[tuple[Thing, Thing, bool]], store: GraphStore) -> None:
        """Write all that is shown."""
        self._put("<?xml version='1.0' encoding='utf-8'?>\n")
        self._put(f"<!-- {COMMENT} -->\n")
        self._put('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for kind, keys in (("node", _NODE), ("edge", _EDGE)):
            for name, type_ in keys.items():
                self._put(
                    f'<key id="{kind[0]}_{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n'
                )
        self._put('<graph id="memory" edgedefault="directed">\n')
        names: dict[
            str, str
        ] = {}  # of facts, statements: the names that this file gives to masked ones
        with tempfile.TemporaryFile(prefix="graphmem-") as edges:
            for before, one, masked in shown:
                if masked:
                    names[before.value.id] = one.value.id
                self._node(one, masked=masked)
                for source, target, values in _edges(one, names, store):
                    edges.write(json.dumps([source, target, values]).encode() + b"\n")
            edges.seek(0)
            for raw in edges:
                self._edge(*json.loads(raw))
        self._put("</graph>\n</graphml>\n")

    def _node(self, thing: Thing, *, masked: bool) -> None:
        values = _values(thing)
        if not values:
            return
        if masked:
            values["masked"] = True
        self._written.add(thing.value.id)
        self._put(f'<node id="{_attribute(thing.value.id)}">')
        self._data("n", values, _NODE)
        self._put("</node>\n")

    def _edge(self, source: str, target: str, values: Mapping[str, Any]) -> None:
        if source not in self._written or target not in self._written:
            return
        self._put(f'<edge source="{_attribute(source)}" target="{_attribute(target)}">')
        self._data("e", values, _EDGE)
        self._put("</edge>\n")

    def _data(self, side: str, values: Mapping[str, Any], keys: Mapping[str, str]) -> None:
        for name, value in values.items():
            if value is not None and value != "" and name in keys:
                self._put(f'<data key="{side}_{name}">{_text(value)}</data>')

    def _put(self, text: str) -> None:
        self._target.write(text.encode())


def _values(thing: Thing) -> dict[str, Any]:
    """What a node tells; nothing for a conflict, which is an edge."""
    value = thing.value
    told = {name: getattr(value, name) for name in value.__dataclass_fields__ if name in _NODE}
    match value:
        case Entity():
            kind, label = "Entity", value.name
        case Snapshot():
            kind, label = "Snapshot", value.text
        case Fact():
            kind, label = "Fact", value.text
        case Trigger():
            kind, label = "Trigger", value.action
        case _:
            return {}
    return {"type": kind, "label": _short(label), **told}


def _edges(
    thing: Thing, names: Mapping[str, str], store: GraphStore
) -> Iterable[tuple[str, str, dict[str, Any]]]:
    value = thing.value
    match value:
        case Snapshot():
            for one in thing.beside["mentions"]:
                yield value.id, one, {"type": "MENTIONS"}
        case Fact():
            yield value.entity_id, value.id, {"type": "SUBJECT_OF"}
            for one in value.sources:
                yield one, value.id, {"type": "STATES"}
            if value.replaced_by is not None:
                yield value.id, value.replaced_by, {"type": "REPLACED_BY"}
            if value.object_id:
                yield value.id, value.object_id, {"type": "HAS_OBJECT"}
                relates = {
                    name: str(getattr(value, name)) for name in ("predicate", "polarity", "state")
                }
                yield (
                    value.entity_id,
                    value.object_id,
                    {"type": "RELATES", **relates, "fact": value.id},
                )
        case ConflictRow():
            told = {
                "relation": str(value.relation),
                "reason": value.reason,
                "decision": str(value.decision or ""),
            }
            yield value.old_id, value.new_id, {"type": "MAY_REPLACE", **told}
        case Trigger():
            for fact in store.facts_stated_by(value.snapshot_id) if value.snapshot_id else ():
                yield value.id, names.get(fact.id, fact.id), {"type": "REMINDS_OF"}


def _text(value: Any) -> str:
    match value:
        case bool():
            told = "true" if value else "false"
        case When(iso):
            told = iso
        case datetime():
            told = value.isoformat()
        case tuple():
            told = json.dumps(value, ensure_ascii=False) if value else "[]"
        case StrEnum():
            told = value.value
        case _:
            told = str(value)
    return escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", told), {"\r": "&#13;"})


def _attribute(text: str) -> str:
    return escape(
        _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text),
        {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"},
    )


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _LABEL else one_line[: _LABEL - 1] + "…"
