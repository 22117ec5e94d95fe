"""What is limited to some readers, how it opens again, and that a reader's memory is as if it held no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from readers_scene import HIDDEN, NOW, OPEN, SECRETS, filled, opened, said

from graphmem import Memory, Message
from graphmem.errors import (
    InvalidMessage,
    InvalidQuery,
    InvalidSettings,
    ReaderRefused,
    UnknownId,
)
from graphmem.plain import plain

ABOUT_ITSELF = {"score", "why", "id", "entity_id", "object_id", "path", "event", "sources"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("whole") / "memory")


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("half") / "memory", hidden=False)


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole memory without what puts open statements in doubt."""
    return filled(tmp_path_factory.mktemp("rest") / "memory", doubting=False)


def bare(value: Any) -> Any:
    """A shown value without what tells of no content: scores and ids."""
    if isinstance(value, dict):
        return {name: bare(one) for name, one in value.items() if name not in ABOUT_ITSELF}
    if isinstance(value, list):
        return [bare(one) for one in value]
    return value


def all_that(memory: Memory) -> dict[str, Any]:
    """Everything that a reader can list."""
    shown = {
        "facts": memory.facts(states="all", kinds=("claim", "note")),
        "entities": memory.entities(),
        "conflicts": memory.conflicts(open_only=False),
        "reminders": memory.reminders(active_only=False),
        "due": memory.due(record=False),
        "history": memory.history("Ana"),
        "sister": memory.history("Mia"),
        "lineage": memory.lineage("Ana", "sushi"),
        "calendar": memory.calendar().splitlines(),
        "status": {
            name: value
            for name, value in memory.status().items()
            if name not in {"states", "tiers", "path"}
        },
    }
    return {name: bare(plain(value)) for name, value in shown.items()}


def test_the_owner_and_a_named_reader_see_it(whole: Path) -> None:
    for reader in (None, "phone"):
        with opened(whole, reader=reader) as memory:
            facts = memory.facts(states="all", kinds=("claim", "note"))
            told = memory.recall("Does my lover like sushi?", limit=50).items
            shown = repr((facts, told, memory.entities(), memory.reminders())).casefold()
            assert [word for word in SECRETS if word not in shown] == []


def test_a_reader_sees_a_memory_that_never_held_the_rest(rest: Path, half: Path) -> None:
    with opened(half, reader="tv") as memory:
        expected = all_that(memory)
    with opened(rest, reader="tv") as memory:
        found = all_that(memory)
    for what in expected:
        assert found[what] == expected[what], what


@pytest.mark.parametrize(
    "question",
    ["Where do I live?", "Who is my therapist?", "What do I like?", "What is on tomorrow?"],
)
def test_a_reader_recalls_as_if_there_were_no_more(rest: Path, half: Path, question: str) -> None:
    told = []
    for place in (half, rest):
        with opened(place, reader="tv") as memory:
            found = memory.recall(question, limit=50)
            told.append(
                (
                    sorted((one.text, one.state, one.said_at) for one in found.items),
                    [one.action for one in found.reminders],
                    found.conflicts,
                )
            )
    assert told[0] == told[1]


def test_the_receipt_of_what_was_said_in_secret_is_that_of_something_new(
    whole: Path, half: Path, tmp_path: Path
) -> None:
    import shutil

    for text, hour in [
        ("My therapist is Doctor Xanthos.", 5),
        ("I moved from Paris to Zagreb.", 20),
    ]:
        told = []
        for place in (half, whole):
            copy = tmp_path / f"{place.parent.name}-{hour}"
            shutil.copytree(place, copy)
            with opened(copy, reader="tv") as memory:
                receipt = memory.add(said(text, hour))
                assert receipt.event == 0
                told.append(bare(plain(receipt)))
        for one in told:
            one["snapshot"].pop("n", None)
        assert told[0] == told[1], text


def test_what_is_said_openly_is_open_and_what_was_whispered_with_it_is_not(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.add(said("I like sushi.", 0, "phone"))
        memory.add(said("I love opera, and Zelda does too.", 1, "phone"))
        [sushi] = memory.add(said("I like sushi.", 2)).merged
        assert memory.fact(sushi.id).readers == ()
        assert len(memory.fact(sushi.id).sources) == 2
        again = memory.add(said("I love opera.", 3))
        assert [fact.readers for fact in again.facts] == [()]
        assert again.conflicts == ()
        assert memory.conflicts() == ()
    with opened(tmp_path / "m", reader="tv") as memory:
        assert {fact.object for fact in memory.facts()} == {"sushi", "opera"}
        assert [len(fact.sources) for fact in memory.facts()] == [1, 1]
        assert "Zelda" not in repr(memory.recall("What do I love?", limit=50))
        [shown] = [fact for fact in memory.facts() if fact.object == "sushi"]
        assert shown.said_at == said("x", 2).said_at  # not when it was whispered


def test_said_to_another_device_both_may_see_it(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.add(said("I like sushi.", 0, "phone"))
        memory.add(said("I like sushi.", 1, "tv"))
        [fact] = memory.facts()
        assert fact.readers == ("phone", "tv")
    with opened(tmp_path / "m", reader="fridge") as memory:
        assert memory.facts() == ()


def test_an_open_fact_said_again_in_private_stays_open(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.add(said("I like sushi.", 0))
        memory.add(said("I like sushi. My lover Quorra likes it too.", 1, "phone"))
    with opened(tmp_path / "m", reader="tv") as memory:
        [fact] = memory.facts()
        assert fact.object == "sushi"
        assert "Quorra" not in repr(memory.lineage("Ana", "sushi"))
        assert "Quorra" not in repr(memory.recall("sushi"))


def test_limit_and_open_and_undo(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        [fact] = memory.add(said("I like sushi.", 0)).facts
        receipt = memory.limit(fact.id, ("phone", "laptop"))
        assert receipt.event is not None
        assert memory.fact(fact.id).readers == ("laptop", "phone")
        assert memory.limit(fact.id, ["laptop", "phone"]).event is None
        assert memory.check().findings == ()
    with opened(tmp_path / "m", reader="tv") as memory:
        assert memory.facts(states="all") == ()
        assert memory.recall("sushi").items == ()
        assert memory.status()["snapshots"] == 0
        with pytest.raises(UnknownId):
            memory.fact(fact.id)
    with opened(tmp_path / "m") as memory:
        memory.limit(fact.id)
    with opened(tmp_path / "m", reader="tv") as memory:
        assert [one.id for one in memory.facts()] == [fact.id]
    with opened(tmp_path / "m") as memory:
        memory.undo()
        assert memory.fact(fact.id).readers == ("laptop", "phone")


def test_the_new_text_of_a_limited_fact_is_as_limited(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        [fact] = memory.add(said("I live in Zurich.", 0, "phone")).facts
        memory.update(fact.id, "I live in Zagreb.")
    with opened(tmp_path / "m", reader="tv") as memory:
        assert memory.status()["snapshots"] == 0
        assert "Zagreb" not in repr(memory.recall("Zagreb").items)
        assert memory.entities() == ()


def test_an_appointment_moved_aloud_stays_as_limited_as_it_was(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.add(said("I have an appointment at the Vexley clinic tomorrow at 5 pm.", 0, "phone"))
        assert memory.add(said("Move the appointment tomorrow to Friday.", 1)).replaced
    with opened(tmp_path / "m", reader="tv") as memory:
        assert "Vexley" not in repr(memory.facts(states="all"))


def test_a_reader_changes_what_it_sees_and_nothing_else(whole: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(whole, tmp_path / "m")
    with opened(tmp_path / "m") as memory:
        hidden = [fact.id for fact in memory.facts(states="all") if fact.readers]
        before = [memory.fact(one) for one in hidden]
        conflict = next(one for one in memory.conflicts(open_only=False) if one.new.readers)
    with opened(tmp_path / "m", reader="tv") as memory:
        for one in hidden:
            for change in (
                lambda one=one: memory.update(one, "x"),
                lambda one=one: memory.edit(one, "x"),
                lambda one=one: memory.confirm(one),
                lambda one=one: memory.retire(one),
                lambda one=one: memory.restore(one),
                lambda one=one: memory.pin(one),
                lambda one=one: memory.forget(one),
            ):
                with pytest.raises(UnknownId):
                    change()
        with pytest.raises(UnknownId):
            memory.resolve(conflict.id, "keep_both")
        mine = next(fact for fact in memory.facts() if fact.object == "sushi")
        assert memory.pin(mine.id).event == 0
    with opened(tmp_path / "m") as memory:
        assert [memory.fact(one) for one in hidden] == before
        assert memory.fact(mine.id).pinned


@pytest.mark.parametrize(
    "verb",
    [
        lambda memory: memory.undo(),
        lambda memory: memory.tend(),
        lambda memory: memory.check(),
        lambda memory: memory.repair(),
        lambda memory: memory.merge_entities("Ana", "Mia"),
        lambda memory: memory.split_entity("Ana", "Mia"),
        lambda memory: memory.limit(memory.facts()[0].id, ("tv",)),
    ],
)
def test_what_concerns_the_whole_memory_is_the_owners(whole: Path, verb: Any) -> None:
    with opened(whole, reader="tv") as memory, pytest.raises(ReaderRefused, match="'tv'"):
        verb(memory)


def test_cypher_is_the_owners(whole: Path) -> None:
    with opened(whole, reader="tv") as memory, pytest.raises(InvalidQuery, match="'tv'"):
        memory.cypher("MATCH (f:Fact) RETURN f.text")


@pytest.mark.parametrize("readers", ["phone", ("",), ("  ",), (3,), ["phone"]])
def test_a_limit_that_is_none_is_refused(readers: Any) -> None:
    with pytest.raises(InvalidMessage, match="readers"):
        Message(text="x", said_at=NOW, readers=readers)


def test_a_reader_without_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="reader"):
        opened(tmp_path / "m", reader=" ")
    with opened(tmp_path / "m") as memory:
        [fact] = memory.add(said("I like sushi.", 0)).facts
        with pytest.raises(InvalidMessage, match="readers"):
            memory.limit(fact.id, "phone")
        with pytest.raises(InvalidMessage, match="readers"):
            memory.remember("I like tea.", readers="phone")


def test_the_scene_is_what_it_says() -> None:
    assert not any(word in " ".join(OPEN).casefold() for word in SECRETS)
    assert all(word in text.casefold() for text, words in HIDDEN for word in words)
