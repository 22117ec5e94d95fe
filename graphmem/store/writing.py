"""The statements that write a draft: removals that make room, nodes, edges, changes, removals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphmem.model import Entity, Event, Fact, State
from graphmem.store import cypher, records, schema
from graphmem.store.draft import Draft, Numbers, Pair
from graphmem.words import key

Statement = tuple[str, Mapping[str, Any]]

_Change = tuple[schema.NodeTable, tuple[str, ...], dict[str, Any]]

_MANY = 200  # like changes from which on one statement for all is quicker
_TOGETHER = 8  # mentions, and facts stated, that are written together with their snapshot


class Script:
    """Statements in the order in which the engine takes them best: CREATE first, SET last."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._room: list[Statement] = []
        self._nodes: list[Statement] = []
        self._edges: list[Statement] = []
        self._changes: list[Statement] = []
        self._like: dict[tuple[str, tuple[str, ...], str], list[_Change]] = {}
        self._restated: dict[str, list[Fact]] = {}
        self._unlinks: list[Statement] = []
        self._removals: list[Statement] = []
        self._fills: dict[str, set[str]] = {}
        self._left: dict[str, set[str]] = {}
        self._owners: dict[str, Fact] = {}
        self._aliases: set[str] = set()
        self._named: set[Pair] = set()
        self._confirmed = _confirmed(draft)

    def statements(self) -> list[Statement]:
        """All statements but the event's. Reads what it needs to know first."""
        self._write_entities()
        self._write_names()
        self._write_snapshots()
        self._write_facts()
        self._write_slots()
        self._write_links()
        self._write_conflicts()
        self._write_triggers()
        return [
            *self._room,
            *self._nodes,
            *self._edges,
            *self._changes,
            *self._like_changes(),
            *self._unlinks,
            *self._removals,
        ]

    def _link(self, edge: str, start: str, end: str, **values: Any) -> None:
        self._edges.append((cypher.link(edge, tuple(values)), {"from": start, "to": end, **values}))

    def _unlink(self, edge: str, start: str, end: str) -> None:
        self._unlinks.append((cypher.unlink(edge), {"from": start, "to": end}))

    def _change(
        self, table: schema.NodeTable, id_: str, before: records.Row, after: records.Row
    ) -> None:
        names = tuple(name for name, value in after.items() if before[name] != value)
        if names:
            values = {name: after[name] for name in names}
            like = self._like.setdefault((table.name, names, repr(values)), [])
            like.append((table, names, {"key": id_, **values}))

    def _like_changes(self) -> Iterator[Statement]:
        """Changes of what stands: the same one for many things is one statement."""
        for changes in self._like.values():
            table, names, values = changes[0]
            if len(changes) >= _MANY:
                keys = [each["key"] for _, _, each in changes]
                shared = {name: values[name] for name in names}
                yield cypher.change_many(table, names), {"keys": keys, **shared}
            else:
                yield from ((cypher.change(table, names), each) for _, _, each in changes)
        for state, facts in self._restated.items():
            if len(facts) >= _MANY:
                numbers = [fact.n for fact in facts]
                yield cypher.SET_RELATES_STATE_OF_MANY, {"numbers": numbers, "state": state}
            else:
                for fact in facts:
                    yield cypher.SET_RELATES_STATE, {**_direct(fact), "state": state}

    def _remove(self, table: schema.NodeTable, id_: str) -> None:
        self._removals += _removal(table, id_)

    def _write_snapshots(self) -> None:
        mentions = self._draft.mentions.changes()
        told: dict[str, list[str]] = {}
        for (snapshot, entity), _, held in mentions:
            if held:
                told.setdefault(snapshot, []).append(entity)
        gone = set()
        for id_, before, after in self._draft.snapshots.changes():
            if after is None:
                gone.add(id_)
                self._remove(schema.SNAPSHOT, id_)
            elif before is None:
                together = told.get(id_, [])[:_TOGETHER]
                told[id_] = told.get(id_, [])[_TOGETHER:]
                confirmed = self._confirmed.get(id_, [])
                values = {f"e{i}": entity for i, entity in enumerate(together)}
                values |= {f"f{i}": fact for i, fact in enumerate(confirmed)}
                text = cypher.create_snapshot(len(together), len(confirmed))
                self._nodes.append((text, {**records.snapshot_row(after), **values}))
            else:
                rows = records.snapshot_row(before), records.snapshot_row(after)
                self._change(schema.SNAPSHOT, id_, *rows)
        for snapshot, entities in told.items():
            for entity in entities:
                self._link("MENTIONS", snapshot, entity)
        for (snapshot, entity), _, held in mentions:
            if not held and snapshot not in gone:
                self._unlink("MENTIONS", snapshot, entity)

    def _write_entities(self) -> None:
        for id_, before, after in self._draft.entities.changes():
            if after is None:
                self._remove(schema.ENTITY, id_)
                for slot in self._draft.reader.slots_of(id_):
                    self._remove(schema.SLOT, slot)
            elif before is None:
                self._create_entity(after)
            else:
                rows = records.entity_row(before), records.entity_row(after)
                self._change(schema.ENTITY, id_, *rows)

    def _create_entity(self, entity: Entity) -> None:
        row = records.entity_row(entity)
        own = (entity.id, key(row["name"]))
        if self._draft.names.known().get(own) is None or not self._makes_alias(own[1]):
            self._nodes.append((cypher.create(schema.ENTITY), row))
            return
        self._named.add(own)
        values = {**row, "alias": own[1], "n": self._next_name()}
        self._nodes.append((cypher.CREATE_NAMED_ENTITY, values))

    def _makes_alias(self, alias: str) -> bool:
        """Whether the alias is to be made, now and by the caller."""
        if alias in self._aliases or self._draft.reader.has(schema.ALIAS, alias):
            return False
        self._aliases.add(alias)
        return True

    def _next_name(self) -> int:
        self._draft.numbers.names += 1
        return self._draft.numbers.names

    def _write_names(self) -> None:
        changes = self._draft.names.changes()
        gained = {pair[1] for pair, _, name in changes if name is not None}
        lost: dict[str, set[str]] = {}
        for (entity, alias), before, name in changes:
            if name is None:
                self._unlink("NAMES", alias, entity)
                lost.setdefault(alias, set()).add(entity)
            elif before is None and (entity, alias) not in self._named:
                if self._makes_alias(alias):
                    self._nodes.append((cypher.create(schema.ALIAS), {"key": alias, "name": name}))
                self._link("NAMES", alias, entity, n=self._next_name())
        for alias, entities in lost.items():
            if alias not in gained and not self._draft.reader.is_name_of(alias, besides=entities):
                self._remove(schema.ALIAS, alias)

    # --- facts -------------------------------------------------------------------------------------

    def _write_facts(self) -> None:
        for id_, before, after in self._draft.facts.changes():
            if before is not None and after is not None and before.n == after.n:
                self._change_fact(before, after)
                continue
            if before is not None:
                self._forget_fact(before, makes_room=after is not None)
            if after is not None:
                self._create_fact(after)
            elif before is not None:
                self._remove(schema.FACT, id_)

    def _create_fact(self, fact: Fact) -> None:
        slot, row = _filled(fact), records.fact_row(fact)
        if slot is not None:
            row["slot_id"] = slot
            self._owners[slot] = fact
            self._fills.setdefault(slot, set()).add(fact.id)
        text = cypher.create_fact(
            claim=bool(fact.object_id), slot=slot is not None, current=_is_current(fact)
        )
        self._edges.append((text, row))
        for snapshot in fact.sources[1:]:
            self._link("STATES", snapshot, fact.id)

    def _forget_fact(self, fact: Fact, *, makes_room: bool) -> None:
        bucket = self._room if makes_room else self._unlinks
        if fact.object_id:
            bucket.append((cypher.REMOVE_RELATES, _direct(fact)))
        if makes_room:
            self._room += _removal(schema.FACT, fact.id)
        slot = _filled(fact)
        if slot is not None:
            self._left.setdefault(slot, set()).add(fact.id)

    def _change_fact(self, before: Fact, after: Fact) -> None:
        self._change(
            schema.FACT, after.id, records.standing_row(before), records.standing_row(after)
        )
        gone = {id_ for id_, _, now in self._draft.snapshots.changes() if now is None}
        for snapshot in after.sources:
            if snapshot not in before.sources and after.id not in self._confirmed.get(snapshot, ()):
                self._link("STATES", snapshot, after.id)
        for snapshot in before.sources:
            if snapshot not in after.sources and snapshot not in gone:
                self._unlink("STATES", snapshot, after.id)
        if before.entity_id != after.entity_id:
            self._unlink("SUBJECT_OF", before.entity_id, before.id)
            self._link("SUBJECT_OF", after.entity_id, after.id)
        if before.object_id != after.object_id:
            self._unlink("HAS_OBJECT", before.id, before.object_id)
            self._link("HAS_OBJECT", after.id, after.object_id)
        self._relate(before, after)
        self._fill(before, after)

    def _relate(self, before: Fact, after: Fact) -> None:
        if not before.object_id:
            return
        ends = before.entity_id, before.object_id
        if ends != (after.entity_id, after.object_id):
            self._unlinks.append((cypher.REMOVE_RELATES, _direct(before)))
            self._link(
                "RELATES",
                after.entity_id,
                after.object_id,
                n=after.n,
                predicate=after.predicate,
                polarity=after.polarity,
                state=after.state.value,
            )
        elif before.state != after.state:
            self._restated.setdefault(after.state.value, []).append(after)

    # --- slots -------------------------------------------------------------------------------------

    def _fill(self, before: Fact, after: Fact) -> None:
        old, new = _filled(before), _filled(after)
        held, holds = _is_current(before), _is_current(after)
        if old == new:
            if new is not None and held != holds:
                (self._link if holds else self._unlink)("CURRENT", new, after.id)
            return
        if old is not None:
            self._left.setdefault(old, set()).add(before.id)
            self._unlink("FILLS", before.id, old)
            if held:
                self._unlink("CURRENT", old, before.id)
        if new is not None:
            self._owners[new] = after
            self._fills.setdefault(new, set()).add(after.id)
            self._link("FILLS", after.id, new)
            if holds:
                self._link("CURRENT", new, after.id)

    def _write_slots(self) -> None:
        for slot, fact in self._owners.items():
            if not self._draft.reader.has(schema.SLOT, slot):
                values = {"id": slot, "entity_id": fact.entity_id, "name": fact.slot}
                # in front of the edges that lead to it
                self._edges.insert(0, (cypher.CREATE_SLOT, values))
        for slot, facts in self._left.items():
            if slot not in self._fills and not self._draft.reader.has_fillers(slot, besides=facts):
                self._remove(schema.SLOT, slot)

    # --- links, conflicts, triggers ----------------------------------------------------------------

    def _write_links(self) -> None:
        gone = {id_ for id_, _, after in self._draft.facts.changes() if after is None}
        for pair, _, held in self._draft.replaced.changes():
            if held:
                self._link("REPLACED_BY", *pair)
            elif not gone.intersection(pair):
                self._unlink("REPLACED_BY", *pair)

    def _write_conflicts(self) -> None:
        for id_, before, after in self._draft.conflicts.changes():
            if after is None and before is not None:
                self._unlinks.append(
                    (cypher.REMOVE_MAY_REPLACE, {"from": before.old_id, "n": before.n})
                )
                self._remove(schema.CONFLICT, id_)
            elif before is None and after is not None:
                self._edges.append((cypher.CREATE_CONFLICT, records.conflict_row(after)))
            elif before is not None and after is not None:
                row = records.decision_row(after)
                self._change(schema.CONFLICT, id_, records.decision_row(before), row)
                values = {"from": after.old_id, "n": after.n, "decision": row["decision"]}
                self._changes.append((cypher.DECIDE_MAY_REPLACE, values))

    def _write_triggers(self) -> None:
        for id_, before, after in self._draft.triggers.changes():
            if after is None:
                self._remove(schema.TRIGGER, id_)
            elif before is None:
                self._nodes.append((cypher.create(schema.TRIGGER), records.trigger_row(after)))
                if after.snapshot_id:
                    values = {"trigger": id_, "snapshot": after.snapshot_id}
                    self._edges.append((cypher.REMIND_OF_STATED, values))
            else:
                rows = records.trigger_row(before), records.trigger_row(after)
                self._change(schema.TRIGGER, id_, *rows)


def _removal(table: schema.NodeTable, id_: str) -> list[Statement]:
    return [(text, {"key": id_}) for text in (*cypher.detach(table), cypher.remove(table))]


def _confirmed(draft: Draft) -> dict[str, list[str]]:
    """The facts that each new snapshot states and that stood before it: written together with it."""
    new = {id_ for id_, before, after in draft.snapshots.changes() if before is None and after}
    found: dict[str, list[str]] = {}
    for id_, before, after in draft.facts.changes():
        if before is None or after is None or before.n != after.n:
            continue
        for snapshot in after.sources:
            if snapshot in new and len(found.get(snapshot, ())) < _TOGETHER:
                found.setdefault(snapshot, []).append(id_)
    return found


def event_row(event: Event, numbers: Numbers) -> records.Row:
    """An event's node, with the highest numbers given by then."""
    return {
        **records.event_row(event),
        "facts": numbers.facts,
        "snapshots": numbers.snapshots,
        "names": numbers.names,
        "conflicts": numbers.conflicts,
    }


def event_statements(rows: Sequence[records.Row]) -> list[Statement]:
    """Statements that write the events of a transaction."""
    if len(rows) == 1:
        return [(cypher.create(schema.EVENT), rows[0])]
    names = tuple(name for name in rows[0] if any(row[name] is not None for row in rows))
    kept = [{name: row[name] for name in names} for row in rows]
    return [(cypher.create_many(schema.EVENT, names), {"rows": kept})]


def _filled(fact: Fact | None) -> str | None:
    return schema.slot_id(fact.entity_id, fact.slot) if fact and fact.slot else None


def _is_current(fact: Fact | None) -> bool:
    return fact is not None and fact.state is State.CURRENT


def _direct(fact: Fact) -> dict[str, Any]:
    return {"from": fact.entity_id, "to": fact.object_id, "n": fact.n}
