"""All Cypher text of the store, named and parameterised.

Every statement starts from a key, so that it costs the same at any size; the few that scan a table
say so. Texts are prepared once per opening (see engine.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from graphmem.store import schema

BEGIN = "BEGIN TRANSACTION"
BEGIN_READING = "BEGIN TRANSACTION READ ONLY"
COMMIT = "COMMIT"
ROLLBACK = "ROLLBACK"


def _values(names: Iterable[str]) -> str:
    return ", ".join(f"{name}: ${name}" for name in names)


def _returned(table: schema.NodeTable, variable: str) -> str:
    return ", ".join(f"{variable}.{name}" for name in table.names)


_FACT = _returned(schema.FACT, "f")
_SNAPSHOT = _returned(schema.SNAPSHOT, "s")
_CONFLICT = _returned(schema.CONFLICT, "c")
_TRIGGER = _returned(schema.TRIGGER, "t")
_EVENT = _returned(schema.EVENT, "v")


def reads_events(text: str) -> bool:
    """Whether a statement of ours looks at events."""
    return f":{schema.EVENT.name}" in text


# --- one node by its key ---------------------------------------------------------------------------

FACT = f"MATCH (f:Fact {{id: $id}}) RETURN {_FACT}"
SNAPSHOT = f"MATCH (s:Snapshot {{id: $id}}) RETURN {_SNAPSHOT}"
CONFLICT = f"MATCH (c:Conflict {{id: $id}}) RETURN {_CONFLICT}"
TRIGGER = f"MATCH (t:Trigger {{id: $id}}) RETURN {_TRIGGER}"
EVENT = f"MATCH (v:Event {{n: $n}}) RETURN {_EVENT}"
ENTITY_ITSELF = "MATCH (e:Entity {id: $id}) RETURN e.id, e.name, e.kind"
META = "MATCH (m:Meta {name: $name}) RETURN m.value"
# asked together with the entity itself, the engine scans all aliases
NAMES_OF = "MATCH (e:Entity {id: $id})<-[r:NAMES]-(a:Alias) RETURN a.key, a.name, r.n"


@cache
def exists(table: schema.NodeTable) -> str:
    """Whether a node is there: reads one property instead of all."""
    return f"MATCH (x:{table.name} {{{table.key}: $key}}) RETURN x.{table.key}"


# --- around one key --------------------------------------------------------------------------------

SOURCES = "MATCH (s:Snapshot)-[:STATES]->(f:Fact {id: $id}) RETURN s.id, s.n ORDER BY s.n"
ENTITIES_NAMED = "MATCH (a:Alias {key: $key})-[:NAMES]->(e:Entity) RETURN e.id ORDER BY e.id"
FACTS_STATED_BY = f"MATCH (s:Snapshot {{id: $id}})-[:STATES]->(f:Fact) RETURN {_FACT} ORDER BY f.n"
FACTS_WITH_OBJECT = (
    f"MATCH (e:Entity {{id: $id}})<-[:HAS_OBJECT]-(f:Fact) RETURN {_FACT} ORDER BY f.n LIMIT $limit"
)
IDS_WITH_OBJECT = (
    "MATCH (e:Entity {id: $id})<-[:HAS_OBJECT]-(f:Fact) RETURN f.n, f.id ORDER BY f.n LIMIT $limit"
)
SLOT_CURRENT = f"MATCH (s:Slot {{id: $id}})-[:CURRENT]->(f:Fact) RETURN {_FACT} ORDER BY f.n"
EVIDENCE = f"MATCH (s:Snapshot)-[:STATES]->(f:Fact {{id: $id}}) RETURN {_SNAPSHOT} ORDER BY s.n"
SUCCESSORS = f"MATCH (:Fact {{id: $id}})-[:REPLACED_BY]->(f:Fact) RETURN {_FACT} ORDER BY f.n"
PREDECESSORS = f"MATCH (:Fact {{id: $id}})<-[:REPLACED_BY]-(f:Fact) RETURN {_FACT} ORDER BY f.n"
CONFLICTS_OF = (
    f"MATCH (:Fact {{id: $id}})<-[:CONCERNS]-(c:Conflict) RETURN {_CONFLICT} ORDER BY c.n"
)
MENTIONS_BETWEEN = (
    "MATCH (s:Snapshot)-[:MENTIONS]->(e:Entity) WHERE s.n > $after AND s.n <= $upto "
    "RETURN s.id, e.id ORDER BY s.n, e.id"
)
MENTIONS = (
    "MATCH (s:Snapshot {id: $snapshot})-[m:MENTIONS]->(e:Entity) WITH e WHERE e.id = $entity "
    "RETURN e.id LIMIT 1"
)
RELATED_OUT = "MATCH (:Entity {id: $id})-[r:RELATES]->(o:Entity) RETURN o.id, r.n ORDER BY r.n DESC LIMIT $limit"
RELATED_IN = "MATCH (:Entity {id: $id})<-[r:RELATES]-(o:Entity) RETURN o.id, r.n ORDER BY r.n DESC LIMIT $limit"
ENTITY_IN_USE = (
    "MATCH (e:Entity {id: $id})-[:SUBJECT_OF]->(f:Fact) RETURN f.id, 'is the subject of' LIMIT $limit",
    "MATCH (e:Entity {id: $id})<-[:HAS_OBJECT]-(f:Fact) RETURN f.id, 'is the object of' LIMIT $limit",
    "MATCH (e:Entity {id: $id})<-[:MENTIONS]-(s:Snapshot) RETURN s.id, 'is mentioned in' LIMIT $limit",
)
MENTIONED_IN = "MATCH (:Snapshot {id: $id})-[:MENTIONS]->(e:Entity) RETURN e.id"
SLOTS_OF = "MATCH (:Entity {id: $id})-[:HAS_SLOT]->(s:Slot) RETURN s.id"
FILLERS = "MATCH (:Slot {id: $id})<-[:FILLS]-(f:Fact) RETURN f.id LIMIT $limit"
NAMED_BY = "MATCH (:Alias {key: $key})-[:NAMES]->(e:Entity) RETURN e.id LIMIT $limit"


@cache
def facts_of(*, slot: bool, predicate: bool, states: frozenset[str] | None) -> str:
    """Facts of a subject (or of a slot, by its key), newest first."""
    found = _found_facts(slot=slot, predicate=predicate, states=states)
    return f"{found}RETURN {_FACT} ORDER BY f.n DESC LIMIT $limit"


@cache
def listed(*, slot: bool, predicate: bool) -> str:
    """The same facts by number, with nothing but their state."""
    found = _found_facts(slot=slot, predicate=predicate, states=None)
    return f"{found}RETURN f.n, f.id, f.state ORDER BY f.n"


def _found_facts(*, slot: bool, predicate: bool, states: frozenset[str] | None) -> str:
    start = (
        "(:Slot {id: $slot})<-[:FILLS]-(f:Fact)"
        if slot
        else "(:Entity {id: $id})-[:SUBJECT_OF]->(f:Fact)"
    )
    tests = ["f.predicate = $predicate"] if predicate else []
    tests += _state_test(states)
    where = f"WITH f WHERE {' AND '.join(tests)} " if tests else ""
    return f"MATCH {start} {where}"


def _state_test(states: frozenset[str] | None) -> list[str]:
    if states is None:
        return []
    listed = ", ".join(f"'{state}'" for state in sorted(states))
    return [f"f.state IN [{listed}]"]


# --- lists: these scan a table ---------------------------------------------------------------------


@cache
def facts(*, slot: bool, states: frozenset[str] | None) -> str:
    """Facts by number."""
    tests = ["f.n > $after", *_state_test(states)] + (["f.slot = $slot"] if slot else [])
    return f"MATCH (f:Fact) WHERE {' AND '.join(tests)} RETURN {_FACT} ORDER BY f.n LIMIT $limit"


@cache
def newest_facts(*, slot: bool, states: frozenset[str] | None) -> str:
    """Facts by number within a window, newest first."""
    tests = ["f.n > $after", "f.n < $before", *_state_test(states)]
    tests += ["f.slot = $slot"] if slot else []
    return (
        f"MATCH (f:Fact) WHERE {' AND '.join(tests)} RETURN {_FACT} ORDER BY f.n DESC LIMIT $limit"
    )


FACTS_BETWEEN = f"MATCH (f:Fact) WHERE f.n > $after AND f.n <= $upto RETURN {_FACT} ORDER BY f.n"
SNAPSHOTS_BETWEEN = (
    f"MATCH (s:Snapshot) WHERE s.n > $after AND s.n <= $upto RETURN {_SNAPSHOT} ORDER BY s.n"
)
NAMES_BEGINNING = (
    "MATCH (e:Entity)-[:SUBJECT_OF]->(:Fact) WHERE lower(e.name) STARTS WITH lower($name) "
    "RETURN DISTINCT e.name ORDER BY e.name LIMIT 50"
)
ENTITIES_AFTER = (
    "MATCH (e:Entity) WHERE e.id > $after WITH e ORDER BY e.id LIMIT $limit "
    "OPTIONAL MATCH (a:Alias)-[r:NAMES]->(e) RETURN e.id, e.name, e.kind, a.key, a.name, r.n"
)
STANDINGS = "MATCH (f:Fact) RETURN f.state, f.tier, count(*)"
CONFLICTS = f"MATCH (c:Conflict) RETURN {_CONFLICT} ORDER BY c.n LIMIT $limit"
OPEN_CONFLICTS = (
    f"MATCH (c:Conflict) WHERE c.decision = '' RETURN {_CONFLICT} ORDER BY c.n LIMIT $limit"
)
TRIGGERS = f"MATCH (t:Trigger) RETURN {_TRIGGER} ORDER BY t.created_at, t.id"
ACTIVE_TRIGGERS = (
    f"MATCH (t:Trigger) WHERE t.state = 'active' RETURN {_TRIGGER} ORDER BY t.created_at, t.id"
)
EVENTS = f"MATCH (v:Event) WHERE v.n > $after RETURN {_EVENT} ORDER BY v.n LIMIT $limit"
LIMITED_FACTS = "MATCH (f:Fact) WHERE f.readers <> '[]' RETURN f.id, f.readers, f.n"
LIMITED_SNAPSHOTS = "MATCH (s:Snapshot) WHERE s.readers <> '[]' RETURN s.id, s.readers"
LIMITED_BY_FACTS = (
    "MATCH (s:Snapshot)-[:STATES]->(f:Fact) WHERE f.readers <> '[]' RETURN s.id, f.readers"
)
COUNT_OPEN_CONFLICTS = "MATCH (c:Conflict) WHERE c.decision = '' RETURN count(*)"


@cache
def count(table: str) -> str:
    """How many nodes a table holds."""
    return f"MATCH (x:{table}) RETURN count(*)"


# --- writing nodes ---------------------------------------------------------------------------------


@cache
def create(table: schema.NodeTable) -> str:
    """A node with all its properties."""
    return f"CREATE (:{table.name} {{{_values(table.names)}}})"


@cache
def create_many(table: schema.NodeTable, names: tuple[str, ...]) -> str:
    """A node for each of $rows, with these properties: a fifth of the time that one by one takes. Of each
    property at least one value must be there, since the engine tells its type by that.
    """
    values = ", ".join(f"{name}: r.{name}" for name in names)
    return f"UNWIND $rows AS r CREATE (:{table.name} {{{values}}})"


CREATE_NAMED_ENTITY = (
    "CREATE (:Alias {key: $alias, name: $name})-[:NAMES {n: $n}]->"
    f"(:Entity {{{_values(schema.ENTITY.names)}}})"
)


@cache
def create_snapshot(mentions: int, states: int = 0) -> str:
    """A snapshot that mentions the entities $e0, $e1, ... and states the facts $f0, $f1, ... which stand
    already (one statement: half the time).
    """
    entities = [f"(e{i}:Entity {{id: $e{i}}})" for i in range(mentions)]
    facts = [f"(f{i}:Fact {{id: $f{i}}})" for i in range(states)]
    made = [f"(s:Snapshot {{{_values(schema.SNAPSHOT.names)}}})"]
    made += [f"(s)-[:MENTIONS]->(e{i})" for i in range(mentions)]
    made += [f"(s)-[:STATES]->(f{i})" for i in range(states)]
    found = [*entities, *facts]
    start = f"MATCH {', '.join(found)} " if found else ""
    return f"{start}CREATE {', '.join(made)}"


@cache
def create_fact(*, claim: bool, slot: bool, current: bool) -> str:
    """A fact with its subject, its first source and, where it has them, object and slot."""
    found = ["(e:Entity {id: $entity_id})", "(s:Snapshot {id: $source})"]
    made = [
        f"(e)-[:SUBJECT_OF]->(f:Fact {{{_values(schema.FACT.names)}}})",
        "(s)-[:STATES]->(f)",
    ]
    if claim:
        found.append("(o:Entity {id: $object_id})")
        made.append("(f)-[:HAS_OBJECT]->(o)")
        made.append(
            "(e)-[:RELATES {n: $n, predicate: $predicate, polarity: $polarity, state: $state}]->(o)"
        )
    if slot:
        found.append("(t:Slot {id: $slot_id})")
        made.append("(f)-[:FILLS]->(t)")
    if slot and current:
        made.append("(t)-[:CURRENT]->(f)")
    return f"MATCH {', '.join(found)} CREATE {', '.join(made)}"


CREATE_CONFLICT = (
    "MATCH (a:Fact {id: $old_id}), (b:Fact {id: $new_id}) "
    f"CREATE (c:Conflict {{{_values(schema.CONFLICT.names)}}}), "
    "(c)-[:CONCERNS]->(a), (c)-[:CONCERNS]->(b), "
    "(a)-[:MAY_REPLACE {n: $n, relation: $relation, decision: $decision}]->(b)"
)
CREATE_SLOT = (
    "MATCH (e:Entity {id: $entity_id}) "
    "CREATE (e)-[:HAS_SLOT]->(:Slot {id: $id, entity_id: $entity_id, name: $name})"
)


@cache
def change(table: schema.NodeTable, names: tuple[str, ...]) -> str:
    """New values for some properties of a node."""
    sets = ", ".join(f"x.{name} = ${name}" for name in names)
    return f"MATCH (x:{table.name} {{{table.key}: $key}}) SET {sets}"


@cache
def change_many(table: schema.NodeTable, names: tuple[str, ...]) -> str:
    """The same new values for many nodes: one scan of the table for all of them."""
    sets = ", ".join(f"x.{name} = ${name}" for name in names)
    return f"UNWIND $keys AS k MATCH (x:{table.name}) WHERE x.{table.key} = k SET {sets}"


@cache
def detach(table: schema.NodeTable) -> tuple[str, ...]:
    """Statements that take every edge of a node away.

    Not DETACH DELETE: where the process is killed before the log is folded, kuzu 0.11 takes the edges of
    the table's first node away instead, when it reads that log again.
    """
    node = f"(x:{table.name} {{{table.key}: $key}})"
    found = []
    for edge in schema.EDGES:
        if edge.start == table.name:
            found.append(f"MATCH {node}-[r:{edge.name}]->(:{edge.end}) DELETE r")
        if edge.end == table.name:
            found.append(f"MATCH {node}<-[r:{edge.name}]-(:{edge.start}) DELETE r")
    return tuple(found)


@cache
def remove(table: schema.NodeTable) -> str:
    """A node without edges."""
    return f"MATCH (x:{table.name} {{{table.key}: $key}}) DELETE x"


@cache
def link(edge: str, names: tuple[str, ...] = ()) -> str:
    """An edge between two nodes by their keys $from and $to."""
    kind = _EDGES[edge]
    values = f" {{{_values(names)}}}" if names else ""
    return f"MATCH {_ends(kind)} CREATE (a)-[:{edge}{values}]->(b)"


@cache
def unlink(edge: str) -> str:
    """Take the edges between two nodes away."""
    kind = _EDGES[edge]
    start, end = _NODES[kind.start], _NODES[kind.end]
    return (
        f"MATCH (a:{start.name} {{{start.key}: $from}})-[r:{edge}]->(b:{end.name} {{{end.key}: $to}}) "
        "DELETE r"
    )


def _ends(kind: schema.EdgeTable) -> str:
    start, end = _NODES[kind.start], _NODES[kind.end]
    return f"(a:{start.name} {{{start.key}: $from}}), (b:{end.name} {{{end.key}: $to}})"


_EDGES = {edge.name: edge for edge in schema.EDGES}
_NODES = {node.name: node for node in schema.NODES}

# The object's side is searched: objects have few edges, an owner has most of the memory.
_DIRECT = (
    "MATCH (b:Entity {id: $to})<-[r:RELATES]-(a:Entity) WITH a, r WHERE r.n = $n AND a.id = $from "
)
SET_RELATES_STATE = _DIRECT + "SET r.state = $state"
SET_RELATES_STATE_OF_MANY = (
    "UNWIND $numbers AS k MATCH (:Entity)-[r:RELATES]->(:Entity) WHERE r.n = k SET r.state = $state"
)
REMOVE_RELATES = _DIRECT + "DELETE r"
DECIDE_MAY_REPLACE = (
    "MATCH (:Fact {id: $from})-[r:MAY_REPLACE]->(:Fact) WITH r WHERE r.n = $n "
    "SET r.decision = $decision"
)
REMOVE_MAY_REPLACE = (
    "MATCH (:Fact {id: $from})-[r:MAY_REPLACE]->(:Fact) WITH r WHERE r.n = $n DELETE r"
)
REMIND_OF_STATED = (
    "MATCH (t:Trigger {id: $trigger}), (s:Snapshot {id: $snapshot})-[:STATES]->(f:Fact) "
    "CREATE (t)-[:REMINDS_OF]->(f)"
)

# --- the rules that check.py looks after -----------------------------------------------------------

# Each query returns the ids of what breaks the rule that its key states.
RULES = {
    "facts without a subject": (
        "MATCH (f:Fact) WHERE NOT EXISTS { MATCH (:Entity)-[:SUBJECT_OF]->(f) } RETURN f.id"
    ),
    "facts without evidence": (
        "MATCH (f:Fact) WHERE NOT EXISTS { MATCH (:Snapshot)-[:STATES]->(f) } RETURN f.id"
    ),
    "facts whose subject is another entity than they name": (
        "MATCH (e:Entity)-[:SUBJECT_OF]->(f:Fact) WHERE e.id <> f.entity_id RETURN f.id"
    ),
    "facts whose object is another entity than they name": (
        "MATCH (f:Fact)-[:HAS_OBJECT]->(e:Entity) WHERE e.id <> f.object_id RETURN f.id"
    ),
    "facts without the object that they name": (
        "MATCH (f:Fact) WHERE f.object_id <> '' AND NOT EXISTS { MATCH (f)-[:HAS_OBJECT]->(:Entity) } "
        "RETURN f.id"
    ),
    "facts that count their evidence wrongly": (
        "MATCH (s:Snapshot)-[:STATES]->(f:Fact) WITH f, count(s) AS held WHERE held <> f.evidence "
        "RETURN f.id"
    ),
    "facts that fill no slot though they name one": (
        "MATCH (f:Fact) WHERE f.slot IS NOT NULL AND NOT EXISTS { MATCH (f)-[:FILLS]->(:Slot) } "
        "RETURN f.id"
    ),
    "facts pointed to as current which are not": (
        "MATCH (:Slot)-[:CURRENT]->(f:Fact) WHERE f.state <> 'current' RETURN f.id"
    ),
    "current facts to which their slot does not point": (
        "MATCH (f:Fact)-[:FILLS]->(s:Slot) WHERE f.state = 'current' "
        "AND NOT EXISTS { MATCH (s)-[:CURRENT]->(f) } RETURN f.id"
    ),
    "facts that name a replacement without an edge": (
        "MATCH (f:Fact) WHERE f.replaced_by IS NOT NULL "
        "AND NOT EXISTS { MATCH (f)-[:REPLACED_BY]->(:Fact) } RETURN f.id"
    ),
    "facts with a replacement that they do not name": (
        "MATCH (f:Fact)-[:REPLACED_BY]->(:Fact) WHERE f.replaced_by IS NULL RETURN DISTINCT f.id"
    ),
    "direct edges whose state differs from their fact's": (
        "MATCH (a:Entity)-[r:RELATES]->(b:Entity), (a)-[:SUBJECT_OF]->(f:Fact)-[:HAS_OBJECT]->(b) "
        "WHERE r.n = f.n AND r.state <> f.state RETURN f.id"
    ),
    "conflicts without both of their facts": (
        "MATCH (c:Conflict) WHERE NOT EXISTS { MATCH (c)-[:CONCERNS]->(:Fact {id: c.old_id}) } "
        "OR NOT EXISTS { MATCH (c)-[:CONCERNS]->(:Fact {id: c.new_id}) } RETURN c.id"
    ),
}
CLAIMS_WITH_OBJECT = "MATCH (f:Fact) WHERE f.object_id <> '' RETURN count(*)"
DIRECT_EDGES = "MATCH (:Entity)-[r:RELATES]->(:Entity) RETURN count(r)"
NUMBERS = {
    "facts": "MATCH (f:Fact) RETURN max(f.n), count(*), count(DISTINCT f.n)",
    "snapshots": "MATCH (s:Snapshot) RETURN max(s.n), count(*), count(DISTINCT s.n)",
}
EVENT_NUMBERS = "MATCH (v:Event) RETURN count(*), max(v.n)"
