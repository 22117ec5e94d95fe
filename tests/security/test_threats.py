"""SECURITY.md: what it names exists; texts steer neither a terminal nor a query."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.cli.show import safe
from graphmem.testing import TinyEmbedder

TOP = Path(__file__).parents[2]
NAMED = re.findall(r"`(tests/[\w/.]+)::(\w+)`", (TOP / "SECURITY.md").read_text("utf-8"))
STEERING = "I like \x1b[31mred\x1b[0m tea \x07\x9b2J\u202e\u2066 and \rcake."


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED)))
def test_each_proof_that_is_named_exists(file: str, name: str) -> None:
    assert re.search(rf"^def {name}\(", (TOP / file).read_text("utf-8"), re.MULTILINE)


def test_each_threat_has_a_proof() -> None:
    text = (TOP / "SECURITY.md").read_text("utf-8")
    table = text.split("| Threat |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(table) > 15
    assert all("::" in line for line in table)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("steering") / "m"
    with Memory.open(place, embedder=TinyEmbedder()) as memory:
        memory.remember(STEERING, speaker="An\x1b[1ma")
        memory.remember("Remind me to \x1b[5mblink tomorrow.", speaker="Ana")
    return place


@pytest.mark.parametrize(
    "arguments",
    [
        ["facts", "--all", "--notes"],
        ["recall", "what tea do I like?", "--all", "--why"],
        ["context", "what tea do I like?"],
        ["entities", "list"],
        ["remind", "list"],
        ["cypher", "MATCH (s:Snapshot) RETURN s.text, s.speaker"],
        ["facts", "No\x1b[31mbody"],
        ["facts", "--json", "--notes"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_text_steers_the_terminal(home: Path, arguments: list[str]) -> None:
    line = [sys.executable, "-m", "graphmem.cli", "--memory", str(home), *arguments]
    done = subprocess.run(
        line,
        capture_output=True,
        check=False,
        timeout=120,
        env={**os.environ, "NO_COLOR": "1"},
    )
    shown = (done.stdout + done.stderr).decode("utf-8")
    assert shown.strip()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


@given(st.text(max_size=200))
def test_what_is_printed_has_no_control_characters(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", safe(text))


@pytest.mark.parametrize(
    "text",
    [
        "x'}) DETACH DELETE n //",
        '" RETURN 1; MATCH (n) DELETE n; //',
        "$id}) SET f.text = 'owned' //",
        "\\'; DROP TABLE Fact; --",
        "`) CALL force_checkpoint() //",
    ],
)
def test_no_text_becomes_part_of_a_query(tmp_path: Path, text: str) -> None:
    with Memory.open(tmp_path / "m", embedder=TinyEmbedder()) as memory:
        memory.remember("I live in Paris.", speaker="Ana")
        receipt = memory.remember(f"I like {text}", speaker=text, conversation=text)
        assert receipt.snapshot is not None
        assert memory.snapshot(receipt.snapshot.id).text == f"I like {text}"
        memory.recall(text)
        found = memory.cypher(
            "MATCH (s:Snapshot) WHERE s.text = $t RETURN s.text", t=f"I like {text}"
        )
        assert found.rows == ((f"I like {text}",),)
        assert [fact.object for fact in memory.facts("Ana")] == ["Paris"]
        assert memory.check().findings == ()
