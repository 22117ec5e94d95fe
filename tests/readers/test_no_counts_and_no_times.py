"""Numbers and times tell a reader nothing of what it may not see: all of it is as in a memory that never held that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from graphmem import Memory, Message
from graphmem.cli.app import app
from graphmem.plain import plain
from graphmem.readers.hidden import Numbers
from graphmem.testing import FixedClock, TinyEmbedder

START = datetime(2024, 6, 1, 9, tzinfo=UTC)
TOLD = (
    ("My therapist is Doctor Xanthos.", "phone"),
    ("I like sushi.",),
    ("I live in Paris.",),
    ("I like sushi.", "phone"),  # again, where the reader does not hear it
    ("I live in Paris.", "phone"),
    ("Never forget: I like sushi.", "phone"),
    ("I have a cat.",),
    ("I like sushi.",),
    ("Remind me to call Obadiah when I get home.", "phone"),
    ("I visited my aunt.",),
)


def opened(path: Path, reader: str | None = None) -> Memory:
    clock = FixedClock(START + timedelta(days=1))
    return Memory.open(path, clock=clock, embedder=TinyEmbedder(), reader=reader)


def filled(path: Path, *, hidden: bool) -> Path:
    clock = FixedClock(START)
    with Memory.open(path, clock=clock, embedder=TinyEmbedder()) as memory:
        for hour, (text, *readers) in enumerate(TOLD):
            clock.set(START + timedelta(hours=hour))
            if hidden or not readers:
                memory.add(
                    Message(text=text, speaker="Ana", said_at=clock.now(), readers=tuple(readers))
                )
    return path


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("both")
    return filled(folder / "whole", hidden=True), filled(folder / "half", hidden=False)


def listed(memory: Memory) -> dict[str, Any]:
    facts = memory.facts(states="all", kinds=("claim", "note"))
    found = memory.recall("What do I like, and where do I live?")
    status = memory.status()
    return {
        "facts": [(fact.n, plain(fact)) for fact in facts],
        "each": [(memory.fact(one.id).n, memory.snapshot(one.sources[0]).n) for one in facts],
        "recalled": {source.n for item in found.items for source in item.sources},
        "history": [stage.fact.n for stage in memory.history("Ana").stages],
        "status": {name: status[name] for name in status if name != "path"},
        "stats": plain(memory.stats()),
        "due": plain(memory.due(record=False)),
        "reminders": plain(memory.reminders(active_only=False)),
        "calendar": memory.calendar(),
        "graph": plain(memory.graph("Ana", depth=2)),
        "picture": memory.graph("Ana", depth=2).tree(),
        "lineage": memory.lineage("Ana").mermaid(),
    }


def test_what_a_reader_lists_is_what_a_memory_without_the_rest_lists(
    both: tuple[Path, Path],
) -> None:
    whole, half = both
    with opened(whole, "tv") as memory:
        seen = listed(memory)
    with opened(half, "tv") as memory:
        wanted = listed(memory)
    for name in wanted:
        assert seen[name] == wanted[name], name
    assert [n for n, _ in seen["facts"]] == [4, 3, 2, 1]
    with opened(whole) as memory:  # the owner's numbers are the memory's own
        assert max(one.n for one in memory.facts()) > 4


def test_exports_and_pages_go_by_those_numbers(both: tuple[Path, Path], tmp_path: Path) -> None:
    whole, half = both
    files = []
    for place, name in ((whole, "whole"), (half, "half")):
        with opened(place, "tv") as memory:
            pages, before = [], None
            while page := memory.facts(states="all", limit=2, before=before):
                pages.append([(one.n, one.text) for one in page])
                before = page[-1].n
            files.append(pages)
            for form in ("jsonl", "graphml"):
                memory.export(tmp_path / f"{name}.{form}")
                files.append(set((tmp_path / f"{name}.{form}").read_text("utf-8").splitlines()))
    assert files[:3] == files[3:]
    assert [len(page) for page in files[0]] == [2, 2]


@given(away=st.sets(st.integers(1, 60)), shown=st.integers(1, 80))
def test_numbers_are_places_among_what_is_left(away: set[int], shown: int) -> None:
    hidden = Numbers(sorted(away))
    left = [n for n in range(1, 200) if n not in away]
    assert hidden.meant(shown) == left[shown - 1]
    assert hidden.shown(left[shown - 1]) == shown


def test_a_reader_restores_no_backup(both: tuple[Path, Path], tmp_path: Path) -> None:
    with opened(both[0]) as memory:
        memory.backup(tmp_path / "m.gmb")
    place = str(tmp_path / "two")
    done = CliRunner().invoke(
        app, ["-m", place, "--reader", "tv", "restore", str(tmp_path / "m.gmb")]
    )
    assert done.exit_code != 0
    assert not Path(place).exists()


def test_how_rare_a_word_is_tells_nothing_of_hidden_statements(tmp_path: Path) -> None:
    """A reader that says a word, and asks for it, could else count it in what others have said."""
    found, scores = {}, []
    for name, hidden in (("whole", True), ("half", False)):
        with opened(tmp_path / name) as memory:
            for hour in range(12):
                said_at = START + timedelta(hours=hour)
                memory.add(
                    Message(text=f"The river was at mark {hour}.", speaker="Ana", said_at=said_at)
                )
                if hidden:
                    text = f"The therapist spoke of mark {hour}."
                    memory.add(
                        Message(text=text, speaker="Ana", said_at=said_at, readers=("phone",))
                    )
        with opened(tmp_path / name, "tv") as memory:
            memory.add(Message(text="My therapist likes rain.", speaker="Tom", said_at=START))
            index = memory._recaller._search
            terms = ["therapist", "river"]
            ((_, score),) = index.keywords(["therapist"], limit=5)
            found[name] = (dict(index.frequencies(terms)), index.size())
            scores.append(score)
            if hidden:  # it would tell: the owner's index has it otherwise
                assert memory._search.frequencies(terms)["therapist"] == 13
                assert memory._search.keywords(["therapist"], limit=1)[0][1] < score / 2
    assert found["whole"] == found["half"]
    assert scores[0] == pytest.approx(scores[1], rel=0.1)  # the mean length differs
    assert found["half"][0] == {"therapist": 1, "river": 12}
