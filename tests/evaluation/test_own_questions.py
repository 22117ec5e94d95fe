"""An owner's questions: reading the file, the figures, the command, and the questions that are shipped."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphmem.cli.app import app
from graphmem.errors import BrokenFile, ExtensionMissing, UnreadableFile
from graphmem.evaluation.cases import read_questions
from graphmem.evaluation.measure import evaluate

SHIPPED = Path(__file__).parents[2] / "data" / "eval"
LINES = """
# what Ana said
{"memory": "I live in Porto", "id": "old", "speaker": "Ana", "at": "2024-01-01"}
{"memory": "I moved to Lisbon for good", "id": "new", "speaker": "Ana", "at": "2025-01-01T10:00:00+01:00"}
{"memory": "I play the viola", "speaker": "Ana", "at": "2024-06-01"}
{"question": "Where do I live?", "expected": "new", "replaced": "old"}
{"question": "Which instrument do I play?", "expected": ["viola", "no such thing"]}
"""


@pytest.fixture
def file(tmp_path):
    where = tmp_path / "questions.jsonl"
    where.write_text(LINES, "utf-8")
    return where


def test_a_file_is_read(file):
    questions = read_questions(file)
    assert questions.memories[0].text == "I live in Porto"
    assert questions.memories[0].said_at.isoformat() == "2024-01-01T00:00:00+00:00"
    first = questions.cases[0]
    assert (first.expected, first.replaced, first.line) == (
        ("I moved to Lisbon for good",),
        ("I live in Porto",),
        6,
    )


def test_figures_count_places(file):
    (found,) = evaluate(read_questions(file))
    assert found.questions == 2
    assert found.newest_first == 1.0
    assert found.recall == {1: 0.75, 5: 0.75, 10: 0.75}  # "no such thing" is never found
    assert found.mrr == 1.0
    assert found.answers[1].ranks == (1, None)
    assert found.milliseconds > 0


def test_a_memory_of_ones_own_is_asked_and_not_changed(memory, file):
    memory.remember("I live in Faro", speaker="Ana")
    events = memory.status()["last_event"]
    file.write_text('{"question": "Where do I live?", "expected": "Faro"}', "utf-8")
    questions = read_questions(file)
    ids = file.with_name("ids.jsonl")
    fact = memory.facts("Ana")[0]
    ids.write_text(
        json.dumps({"question": "Where do I live?", "expected": [fact.id, *fact.sources]}), "utf-8"
    )
    for one in (*evaluate(questions, memory=memory), *evaluate(read_questions(ids), memory=memory)):
        assert one.recall[1] == 1.0
    trials = evaluate(questions, memory=memory, embedders=["use-multilingual", "use-multilingual"])
    assert [one.embedder for one in trials] == ["use-multilingual"] * 2
    assert all(one.recall[1] == 1.0 for one in trials)
    assert memory.status()["last_event"] == events
    assert memory.check().findings == ()


def test_questions_without_memories_need_a_memory(file):
    file.write_text('{"question": "q", "expected": "a"}', "utf-8")
    with pytest.raises(ValueError, match="need a memory"):
        evaluate(read_questions(file))


@pytest.mark.parametrize(
    ("line", "met"),
    [
        ("{", "line 1"),
        ("[]", "neither a question nor a memory"),
        ('{"expected": "x"}', "neither"),
        ('{"question": "q"}', "nothing is expected"),
        ('{"question": "", "expected": "x"}', "question is ''"),
        ('{"question": "q", "expected": 3}', "expected is 3"),
        ('{"question": "q", "expected": "x", "at": "soon"}', "at is 'soon'"),
        ('{"question": "q", "expected": "x", "answer": "x"}', "unknown key 'answer'"),
        ('{"memory": "m", "role": "king"}', "role is 'king'"),
        ('{"memory": "m"}', "holds no question"),
        ("", "holds no question"),
    ],
)
def test_broken_files_say_where_and_what(file, line, met):
    file.write_text(line, "utf-8")
    with pytest.raises(BrokenFile, match=met) as caught:
        read_questions(file)
    assert caught.value.expected


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UnreadableFile):
        read_questions(tmp_path / "missing.jsonl")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFile, match="not UTF-8"):
        read_questions(binary)


def test_the_command_compares_embedders(file):
    run = CliRunner().invoke
    told = run(app, ["eval", str(file), "--misses"])
    assert told.exit_code == 0
    assert told.output.splitlines()[0].split("\t")[2:] == [
        "R@1",
        "R@5",
        "R@10",
        "MRR",
        "newest first",
        "ms",
    ]
    assert "Which instrument do I play? (1, not found)" in told.output
    as_json = run(app, ["eval", str(file), "-e", "use-multilingual", "--json"])
    (row,) = json.loads(as_json.output)
    assert row["embedder"] == "use-multilingual"
    assert row["recall@1"] == 0.75
    assert isinstance(run(app, ["eval", str(file), "-e", "none"]).exception, ExtensionMissing)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_questions_reach_what_is_asked(language):
    questions = read_questions(SHIPPED / f"questions_{language}.jsonl")
    assert len(questions.cases) == 50
    texts = {one.text for one in questions.memories}
    for case in questions.cases:
        assert set(case.expected) | set(case.replaced) <= texts
    (found,) = evaluate(questions)
    assert found.newest_first is not None
    assert found.newest_first >= 0.6
    assert found.recall[5] >= 0.85
