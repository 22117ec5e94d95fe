"""Foreign Cypher: what writes is refused whatever it is wrapped in, what reads is let through."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from building import NOW, a_plan, says_home
from hypothesis import given, settings
from hypothesis import strategies as some

from graphmem.errors import InvalidQuery
from graphmem.store import readonly

WRITES = [
    "CREATE (:Fact {id: 'x'})",
    "match (f:Fact) set f.state = 'x'",
    "MATCH (f:Fact) DeTaCh/**/DELETE f",
    "MERGE (:Entity {id: 'x'})",
    "MATCH (f:Fact) REMOVE f.slot",
    "DROP TABLE Fact",
    "ALTER TABLE Fact ADD x STRING",
    "COPY Fact FROM 'x.csv'",
    "COPY (MATCH (f:Fact) RETURN f) TO 'x.csv'",
    "EXPORT DATABASE '/tmp/x'",
    "IMPORT DATABASE '/tmp/x'",
    "LOAD FROM '/etc/passwd' RETURN *",
    "LOAD EXTENSION fts",
    "INSTALL httpfs",
    "ATTACH 'x.db' AS x (dbtype sqlite)",
    "DETACH x",
    "USE x",
    "CHECKPOINT",
    "BEGIN TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "CALL threads=5",
    "CALL auto_checkpoint=true",
    "CALL create_fts_index('Fact', 'i', ['text'])",
    "CALL PROJECT_GRAPH('g', ['Fact'], [])",
    "/* MATCH */ CREATE (:X)",
    "// hello\nCREATE (:X)",
    "MATCH (f:Fact) RETURN f; CREATE (:X)",
    "MATCH (f:Fact) // '\n SET f.state = 'x'",
    "RETURN 'it\\'s'; DROP TABLE Fact",
    "RETURN nextval('s')",
    "CREATE MACRO m(x) AS x",
    "COMMENT ON TABLE Fact IS 'x'",
    "",
    " ;; ",
    "/* only a comment */",
    "hello",
]
READS = [
    "MATCH (f:Fact) WHERE f.text = 'SET; DELETE' RETURN f.id",
    'RETURN "CREATE (:X) // no comment" AS x',
    "MATCH (f:Fact) RETURN f.id AS `create`;",
    "/* CREATE */ MATCH (f:Fact) // DELETE\n RETURN count(*)",
    "UNWIND [1, 2] AS x RETURN x",
    "WITH 1 AS x RETURN x",
    "OPTIONAL MATCH (f:Fact {id: 'none'}) RETURN f.id",
    "CALL show_tables() RETURN *",
    "CALL table_info('Fact') RETURN *",
    "EXPLAIN MATCH (f:Fact) RETURN f",
]


@pytest.mark.parametrize("text", WRITES)
def test_writes_are_refused(text):
    with pytest.raises(InvalidQuery):
        readonly.check(text, {})


@pytest.mark.parametrize("text", READS)
def test_reads_run(store, text):
    before = store.last_event()
    store.apply(a_plan(*says_home(1, "Oslo")))
    table = store.query(text)
    assert table.columns
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert store.last_event() == before + 1


@settings(deadline=None)
@given(some.text(max_size=60), some.sampled_from(["CREATE", "SET", "DELETE", "DROP", "MERGE"]))
def test_no_text_in_quotes_hides_what_follows(text, word):
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    readonly.check(f"RETURN {quoted}", {})
    with pytest.raises(InvalidQuery):
        readonly.check(f"WITH {quoted} AS x {word} (x)", {})


def test_values_are_plain_and_parameters_are_taken(store):
    store.apply(a_plan(*says_home(1, "Oslo")))
    node = store.query("MATCH (f:Fact) WHERE f.said_at = $at RETURN f", {"at": NOW}).rows[0][0]
    assert node["_label"] == "Fact"
    assert node["said_at"] == NOW
    assert node["said_at"].tzinfo is UTC
    assert not {"_id", "_ID"} & node.keys()
    path = store.query("MATCH p = (:Entity)-[:SUBJECT_OF]->(:Fact) RETURN p").rows[0][0]
    assert [one["_label"] for one in path["nodes"]] == ["Entity", "Fact"]
    assert [one["_label"] for one in path["edges"]] == ["SUBJECT_OF"]
    row = store.query("RETURN $a, $b, $c, $d", {"a": [1, 2], "b": "é\ud800", "c": None, "d": 1.5})
    assert row.rows == (([1, 2], "é\ufffd", None, 1.5),)
    assert store.query("RETURN $d", {"d": date(2025, 1, 2)}).rows == ((date(2025, 1, 2),),)
    for wrong in (datetime(2025, 1, 1), b"x", object(), {"a": 1}):
        with pytest.raises(InvalidQuery, match="parameter"):
            store.query("RETURN $x", {"x": wrong})


def test_errors_leave_the_store_usable(store):
    for text in (
        "MATCH (f:Fact RETURN f",
        "MATCH (f:Fact) RETURN f.nothing",
        "RETURN $missing",
        "UNWIND ['a'] AS x RETURN CAST(x AS INT64)",
    ):
        with pytest.raises(InvalidQuery):
            store.query(text)
    store.apply(a_plan(*says_home(1, "Oslo")))
    with store.transaction():
        store.apply(a_plan(*says_home(2, "Rome")))
        with pytest.raises(InvalidQuery):
            store.query("MATCH (f:Fact RETURN f")
        store.apply(a_plan(*says_home(3, "Bonn")))
    assert store.last_event() == 3


def test_a_long_query_is_stopped(store):
    store._query_seconds = 0.2
    with pytest.raises(InvalidQuery):
        store.query(
            "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b UNWIND range(1, 3000) AS c "
            "RETURN sum(a * b * c)"
        )
    store._query_seconds = 30
    store.apply(a_plan(*says_home(1, "Oslo")))


@pytest.mark.parametrize(
    "text",
    [
        "UNWIND range(1, 1000000000) AS x RETURN sum(x)",
        "UNWIND range(1, 1000 * 1000 * 1000) AS x RETURN x",
        "UNWIND range(1, $n) AS x RETURN x",
        "UNWIND range(1, toInteger('1000000000')) AS x RETURN x",
        "RETURN `range`(1, 1000000000)",
        "RETURN repeat('a', 1000000000)",
        "RETURN lpad('a', 2000000000, 'b')",
    ],
)
def test_nothing_endless_is_made(text):
    with pytest.raises(InvalidQuery, match="too much"):
        readonly.check(text, {"n": 1_000_000_000})


@pytest.mark.parametrize(
    "text",
    [
        "UNWIND range(1, 1000) AS x RETURN x",
        "UNWIND range(-3, $n, 2) AS x RETURN x",
        "RETURN repeat('ab', 3)",
    ],
)
def test_a_few_are_made(text):
    readonly.check(text, {"n": 10})
