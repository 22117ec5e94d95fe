"""Measures what it takes to ask a memory: recall, history, lineage, Cypher, opening, fresh processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from graphmem.bench.household import questions
from graphmem.bench.timing import each, median, spread, timed
from graphmem.embed.make import make
from graphmem.memory import Memory

QUESTIONS = 200
WARMING = 50  # questions before those that count
STARTS = 5  # of fresh processes
_LINEAGE = 50  # facts, each replaced by the next
_RECIPES = {  # of docs/cypher.md
    "current_facts_of_a_person": (
        "MATCH (:Alias {key: $name})-[:NAMES]->(e:Entity)-[:SUBJECT_OF]->(f:Fact) "
        "WHERE f.state = 'current' RETURN f.predicate, f.object, f.text ORDER BY f.n DESC LIMIT 50"
    ),
    "what_fills_a_slot": (
        "MATCH (:Alias {key: $name})-[:NAMES]->(:Entity)-[:HAS_SLOT]->(s:Slot)-[:CURRENT]->(f:Fact) "
        "WHERE s.name = 'home' RETURN f.object, f.text"
    ),
    "as_of": (
        "MATCH (:Alias {key: $name})-[:NAMES]->(:Entity)-[:SUBJECT_OF]->(f:Fact) "
        "WHERE f.recorded_at <= current_timestamp() AND f.retired_at IS NULL "
        "RETURN f.predicate, f.object ORDER BY f.n LIMIT 50"
    ),
}
_RSS = """
import resource, sys
from graphmem.memory import Memory
with Memory.open(sys.argv[1]) as memory:
    for question in sys.argv[2:]:
        memory.recall(question)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def recalls(place: Path, *, messages: int) -> Mapping[str, Any]:
    """The first recall after opening, then many: wall and CPU, whole and without the question's embedding."""
    asked = questions(WARMING + QUESTIONS, known=messages)
    later = questions(QUESTIONS, known=messages, seed=12)
    with Memory.open(place) as memory:
        first, _ = timed(lambda: memory.recall("Where do I live?"))
        for question in asked[:WARMING]:
            memory.recall(question)
        warm = each([lambda one=one: memory.recall(one) for one in asked[WARMING:]])  # type: ignore[misc]
        cpu = each(
            [lambda one=one: memory.recall(one) for one in later],  # type: ignore[misc]
            time.process_time,
        )
    encoder = make()
    encoder.questions(["."])
    embedding = each([lambda one=one: encoder.questions([one]) for one in asked])  # type: ignore[misc]
    whole = spread(warm)
    return {
        "first_ms": round(first * 1000),
        **whole,
        "cpu_p50_ms": median(cpu),
        "embedding_p50_ms": median(embedding),
        "without_embedding_p50_ms": round(whole["p50_ms"] - median(embedding), 2),
    }


def looking_up(place: Path) -> Mapping[str, Any]:
    """History, a lineage of fifty, and recipes of docs/cypher.md."""
    with Memory.open(place) as memory:
        told = memory.remember("I live in Lisbon.", speaker="Zelda Quist").facts
        for number in range(1, _LINEAGE):
            told = memory.update(told[0].id, f"I live in Town {number}.").facts
        name = "ada albert"
        acts: dict[str, Callable[[], Any]] = {
            "history": lambda: memory.history("Ada Albert"),
            f"lineage_of_{_LINEAGE}": lambda: memory.lineage("Zelda Quist"),
            **{
                recipe: lambda text=text: memory.cypher(text, name=name)  # type: ignore[misc]
                for recipe, text in _RECIPES.items()
            },
        }
        return {what: spread(each([act] * QUESTIONS)) for what, act in acts.items()}


def starting(place: Path, *, messages: int) -> Mapping[str, Any]:
    """Opening, and what a fresh process takes and holds."""
    opening = []
    for _ in range(STARTS):
        took, memory = timed(lambda: Memory.open(place))
        memory.close()
        opening.append(took)
    asked = questions(WARMING, known=messages)
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _RSS, str(place), *asked], check=True, capture_output=True, text=True
    )
    return {
        "open_ms": median(opening),
        "recall_fresh_process_ms": median(
            each([lambda: _run("--memory", str(place), "recall", asked[0])] * STARTS)
        ),
        "help_ms": median(each([lambda: _run("--help")] * STARTS)),
        "recalling_rss_mb": int(done.stdout) // 1024,
    }


def _run(*words: str) -> None:
    subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", "from graphmem.cli import main; main()", *words],
        check=True,
        capture_output=True,
    )
