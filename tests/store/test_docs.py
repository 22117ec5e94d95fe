"""The documents say what the code does: every property of the schema, and recipes that run."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from building import NOW, a_plan, home, place, says_home, snapshot

from graphmem.model import Entity, Relation, State, Trigger
from graphmem.plan import (
    AddEntity,
    AddFact,
    AddSnapshot,
    AddTrigger,
    LinkReplaced,
    OpenConflict,
    SetFact,
)
from graphmem.store import schema
from graphmem.when import When

DOCS = Path(__file__).parents[2] / "docs"
RECIPES = dict(
    re.findall(
        r"^## ([^\n]+)\n.*?```cypher\n(.*?)```",
        (DOCS / "cypher.md").read_text(),
        re.MULTILINE | re.DOTALL,
    )
)
VALUES = {
    "name": "ana",
    "slot": "home",
    "id": "f2",
    "at": NOW + timedelta(days=1),
    "from": NOW - timedelta(days=1),
    "to": NOW + timedelta(days=1),
}
EXPECTED = {
    "The facts of a person": ["I live in Bonn"],
    "What fills a slot now": ["I live in Bonn"],
    "The history of a slot": ["Oslo", "Rome", "Bonn", "Nice"],
    "Lineage forward: what took a fact's place": ["I live in Bonn"],
    "Lineage backward: what a fact replaced": ["I live in Oslo"],
    "The evidence of a fact": ["I live in Rome"],
    "Open conflicts, both sides": ["I live in Oslo"],
    "Who is related to whom in two hops": ["Ben"],
    "What was true at a date": ["Bonn"],
    "What was known at a date": ["Bonn"],
    "What was learnt in a month": ["I live in Oslo", "I live in Bonn"],
    "What has faded": ["I live in Nice"],
    "Reminders and what they are about": ["buy milk"],
    "What was said but led to no fact": ["How are you?"],
}


@pytest.fixture
def memory(store):
    retired = {"state": State.HISTORICAL, "retired_at": NOW}
    store.apply(a_plan(*says_home(1, "Oslo"), *says_home(2, "Rome"), *says_home(3, "Bonn")))
    store.apply(a_plan(*says_home(4, "Nice"), AddSnapshot(snapshot(5, "How are you?"))))
    ben = Entity(id="e_ben", name="Ben", kind="person")
    his = home("f6", place("Bonn"), "s3", entity=ben.name, entity_id=ben.id, text="So does Ben")
    store.apply(a_plan(AddEntity(ben), AddFact(his)))
    milk = Trigger(
        id="t1",
        cue="after work",
        action="buy milk",
        at=When.of(NOW),
        created_at=NOW,
        snapshot_id="s3",
    )
    store.apply(
        a_plan(
            SetFact("f1", {}, retired),
            SetFact("f2", {}, retired),
            SetFact("f4", {}, {"state": State.ARCHIVED, "valid_to": When.day(NOW)}),
            LinkReplaced("f1", "f2"),
            LinkReplaced("f2", "f3"),
            OpenConflict("c1", "f1", "f3", Relation.CONTRADICTS, "same slot", "", NOW),
            AddTrigger(milk),
        )
    )
    return store


@pytest.mark.parametrize("title", EXPECTED)
def test_recipes_run(memory, title):
    text = RECIPES[title]
    values = {name: VALUES[name] for name in set(re.findall(r"\$(\w+)", text))}
    cells = [cell for row in memory.query(text, values).rows for cell in row]
    for expected in EXPECTED[title]:
        assert expected in cells


def test_every_recipe_is_tested():
    assert list(RECIPES) == list(EXPECTED)


def test_the_schema_is_documented_whole(store):
    text = (DOCS / "schema.md").read_text()
    for node in schema.NODES:
        section = text.split(f"### {node.name}\n")[1].split("###")[0]
        for column in node.columns:
            assert f"| `{column.name}` | {column.type} |" in section
        found = store.query(f"CALL table_info('{node.name}') RETURN *").rows
        assert [row[1] for row in found] == list(node.names)
    for edge in schema.EDGES:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{edge.name}` "))
        for column in edge.columns:
            assert f"`{column.name}` {column.type}" in row
