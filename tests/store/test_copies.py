"""The copies in the index database: asked while they are complete, never believed otherwise."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.model import Entity, Fact, Snapshot
from graphmem.store.copies import Copies, CopiesUnreadable
from graphmem.store.reading import Reader
from graphmem.testing import FixedClock, TinyEmbedder


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[[], Memory]]:
    memories: list[Memory] = []

    def open_() -> Memory:
        for one in memories:
            one.close()
        memories.append(Memory.open(tmp_path / "m", clock=clock, embedder=TinyEmbedder()))
        return memories[-1]

    yield open_
    for one in memories:
        one.close()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 3, 1, 12, tzinfo=UTC))


def lived(memory: Memory) -> None:
    """A few statements, one of them said twice, one changed, one deleted, a name given away."""
    for text in (
        "I live in Lisbon.",
        "I live in Lisbon.",
        "My sister Zelda lives in Oslo.",
        "I work at Alder Labs.",
        "I like tea.",
        "我喜欢爬山。",
    ):
        memory.remember(text, speaker="Ana")
    memory.remember("I moved to Porto, not Lisbon anymore.", speaker="Ana")
    [tea] = [fact for fact in memory.facts(states="all") if "tea" in fact.text]
    memory.forget(tea.id)
    memory.merge_entities("Zelda", "Oslo")
    work = next(fact for fact in memory.facts() if fact.predicate == "works_at")
    done = memory.retire(work.id)
    memory.undo(done.event)


def same(memory: Memory) -> int:
    """Compare every copy with what the engine says; how many there were."""
    copies: Copies = memory._search.copies  # type: ignore[attr-defined]
    store = memory._whole
    assert copies.upto == store.last_event()
    facts: list[Fact] = list(store.scan_facts())
    snapshots: list[Snapshot] = list(store.scan_snapshots())
    entities: tuple[Entity, ...] = store.entities()
    for fact in facts:
        assert copies.fact(fact.id) == fact
        assert copies.facts_of(
            fact.entity_id, slot=None, predicate=fact.predicate, states=None, limit=50
        ) == Reader.facts_of(store, fact.entity_id, predicate=fact.predicate, limit=50)
        if fact.slot is not None:
            assert copies.current(fact.entity_id, fact.slot) == Reader.slot_current(
                store, fact.entity_id, fact.slot
            )
    for snapshot in snapshots:
        assert copies.snapshot(snapshot.id) == snapshot
    for entity in entities:
        assert copies.entity(entity.id) == Reader.entity(store, entity.id)
        named = {one.id for one in Reader.entities_named(store, entity.name)}
        assert set(copies.ids_named(entity.name.casefold())) == named
        out, into = copies.edges(entity.id, 50)
        edges = Reader.neighbourhood(store, [entity.id], hops=1, limit=100)
        assert {n for n, _ in (*out, *into)} == {n for _, _, n in edges}
    return len(facts) + len(snapshots) + len(entities)


def test_they_are_what_the_engine_says(opened: Callable[[], Memory]) -> None:
    memory = opened()
    lived(memory)
    assert same(memory) > 12
    assert memory.check().findings == ()
    assert same(opened()) > 12


def test_of_a_memory_without_them_they_are_made_at_opening(
    opened: Callable[[], Memory], tmp_path: Path
) -> None:
    lived(opened())
    opened().close()
    with sqlite3.connect(tmp_path / "m" / "index" / "passages.db") as db:
        for table in ("fact_copies", "snapshot_copies", "entity_copies", "name_copies"):
            db.execute(f"DROP TABLE {table}")
        db.execute("DELETE FROM meta WHERE name = 'copies'")
    db.close()
    assert same(opened()) > 12


def test_a_damaged_copy_is_passed_over_and_found_by_check(
    opened: Callable[[], Memory], tmp_path: Path
) -> None:
    memory = opened()
    lived(memory)
    right = {fact.id: fact for fact in memory.facts(states="all")}
    memory.close()
    with sqlite3.connect(tmp_path / "m" / "index" / "passages.db") as db:
        db.execute("UPDATE fact_copies SET body = replace(body, 'Porto', 'Paris')")
    db.close()
    (tmp_path / "m" / "index" / "passages.sums").unlink()  # else it is made anew at opening
    memory = opened()
    assert {fact.id: fact for fact in memory.facts(states="all")} == right
    assert "Paris" not in memory.recall("Where does Ana live?").context()


def test_what_something_else_changed_in_them_is_made_anew_at_opening(
    opened: Callable[[], Memory], tmp_path: Path
) -> None:
    lived(opened())
    opened().close()
    with sqlite3.connect(tmp_path / "m" / "index" / "passages.db") as db:
        db.execute("DELETE FROM fact_copies WHERE n = 1")
    db.close()
    memory = opened()
    assert memory.check().findings == ()
    assert same(memory) > 12


def test_a_copy_that_is_missing_is_found_by_check(opened: Callable[[], Memory]) -> None:
    memory = opened()
    lived(memory)
    memory._search.copies._db.execute("DELETE FROM fact_copies WHERE n = 1")  # type: ignore[attr-defined]
    assert any("cop" in finding for finding in memory.check().findings)
    memory.repair()
    assert memory.check().findings == ()
    assert same(memory) > 12


def test_what_was_rolled_back_is_not_in_them(
    opened: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    lived(memory)
    before = memory._whole.last_event()
    with monkeypatch.context() as patch:
        patch.setattr(memory._whole, "_commit", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.remember("I live in Madrid.", speaker="Ana")
    assert memory._whole.last_event() == before
    assert same(memory) > 12
    memory.remember("I live in Madrid.", speaker="Ana")
    assert same(memory) > 12


def test_they_are_not_asked_before_they_have_followed(opened: Callable[[], Memory]) -> None:
    memory = opened()
    lived(memory)
    store, [city, *_] = memory._whole, memory.facts()
    done = memory.update(city.id, "I live in Braga.")
    memory._search.copies.upto = done.event - 1  # type: ignore[attr-defined]
    assert store._beside() is None
    assert Reader.fact(store, city.id) == store.fact(city.id)


def test_a_state_that_is_none_has_the_graph_asked(opened: Callable[[], Memory]) -> None:
    memory = opened()
    lived(memory)
    copies: Copies = memory._search.copies  # type: ignore[attr-defined]
    [fact, *_] = memory.facts()
    copies._db.execute("UPDATE fact_copies SET state = 'cursent' WHERE id = ?", (fact.id,))
    with pytest.raises(CopiesUnreadable):
        copies.listed(fact.entity_id, slot=None, predicate=fact.predicate)
    assert memory._whole._beside() is None
    copies._db.rollback()


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ("UPDATE entity_copies SET crc = crc, id = id || 'x' WHERE body LIKE '%Lisbon%'", "entity"),
        ("UPDATE name_copies SET key = 'zorro' WHERE key = 'ana'", "names of entity"),
        ("DELETE FROM name_copies WHERE key = 'ana'", "names of entity"),
        ("DELETE FROM entity_copies WHERE body LIKE '%Lisbon%'", "entity copies"),
        ("UPDATE entity_copies SET id = 'elsewhere' WHERE body LIKE '%Lisbon%'", "entity"),
    ],
)
def test_a_wrong_copy_of_an_entity_is_found_by_check(
    opened: Callable[[], Memory], change: str, finding: str
) -> None:
    memory = opened()
    lived(memory)
    assert memory.check().findings == ()
    copies: Copies = memory._search.copies  # type: ignore[attr-defined]
    assert copies._db.execute(change).rowcount
    assert any(finding in one for one in memory.check().findings)
    assert memory.repair().findings == ()
    assert same(memory) > 12
