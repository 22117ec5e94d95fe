"""The graph's invariants: what must agree with what, and what does not."""

from __future__ import annotations

from graphmem.protocols import Health
from graphmem.store import cypher, schema
from graphmem.store.graph import Graph

_SHOWN = 5  # ids named per finding


def check(store: Graph) -> Health:
    """Look through the whole graph (it scans every table); what disagrees, in plain words."""
    findings = []
    for rule, query in cypher.RULES.items():
        wrong = [str(row[0]) for row in store.query(query).rows]
        if wrong:
            more = ", ..." if len(wrong) > _SHOWN else ""
            findings.append(f"{len(wrong)} {rule}: {', '.join(wrong[:_SHOWN])}{more}")
    claims, direct = (
        store.query(cypher.CLAIMS_WITH_OBJECT).rows[0][0],
        store.query(cypher.DIRECT_EDGES).rows[0][0],
    )
    if claims != direct:
        findings.append(f"{claims} claims with an object have {direct} direct edges")
    findings += _numbers(store)
    return Health(tuple(findings))


def _numbers(store: Graph) -> list[str]:
    findings = []
    held, last = store.query(cypher.EVENT_NUMBERS).rows[0]
    if held != (last or 0):
        findings.append(f"{held} events are numbered up to {last}")
    highest = store.highest()
    for name, query in cypher.NUMBERS.items():
        top, rows, numbers = store.query(query).rows[0]
        if (top or 0) > highest[name]:
            findings.append(
                f"the last event counts {highest[name]} {name}, but one has number {top}"
            )
        if rows != numbers:
            findings.append(f"{rows - numbers} {name} share a number with another")
    version = store.schema_version()
    if version != schema.VERSION:
        findings.append(f"the graph names schema {version} instead of {schema.VERSION}")
    return findings
