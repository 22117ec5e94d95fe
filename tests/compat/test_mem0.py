"""mem0's interface: names, arguments, shapes, and the faults that users of such memories reported."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem.compat.mem0 import AsyncMemory, Memory, MemoryConfig, NotFound, Rejected
from graphmem.testing import FixedClock, TinyEmbedder


def opened(tmp_path: Path, clock: FixedClock, **ours: Any) -> Memory:
    return Memory(
        {"graphmem": {"path": str(tmp_path / "mem0"), **ours}},
        clock=clock,
        embedder=TinyEmbedder(),
    )


@pytest.fixture
def mem0(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with opened(tmp_path, clock) as memory:
        yield memory


def texts(found: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in found["results"]]


ANA = {"user_id": "ana"}


@pytest.mark.parametrize(
    "messages",
    [
        "I live in London.",
        {"role": "user", "content": "I live in London."},
        [{"role": "user", "content": "I live in London."}],
        [{"role": "user", "content": [{"type": "text", "text": "I live in London."}]}],
        [
            {"role": "system", "content": "You are a helpful travel agent."},
            {"role": "user", "content": "I live in London."},
            {"role": "assistant", "content": "London is lovely. You live in Rome?"},
            {"role": "assistant", "content": None, "tool_calls": []},
        ],
    ],
    ids=["text", "dict", "list", "parts", "conversation"],
)
def test_add_takes_each_shape(mem0: Memory, messages: Any) -> None:
    added = mem0.add(messages, user_id="ana", metadata={"topic": "home"})
    assert set(added) == {"results"}
    (one,) = added["results"]
    assert one == {"id": one["id"], "memory": "I live in London.", "event": "ADD"}
    assert mem0.add(messages, user_id="ana")["results"] == []  # nothing twice

    (got,) = mem0.get_all(filters=ANA)["results"]
    assert got == mem0.get(one["id"])
    assert got["id"] == one["id"]
    assert got["memory"] == "I live in London."
    assert got["user_id"] == "ana"
    assert got["metadata"] == {"topic": "home"}
    assert len(got["hash"]) == 32
    assert got["created_at"] == got["updated_at"]


def test_search_by_both_ways_of_naming_a_user(mem0: Memory) -> None:
    mem0.add("I live in London.", user_id="ana")
    mem0.add("I live in Oslo.", user_id="bo")
    mem0.add("I am allergic to peanuts.", user_id="ana")
    new = mem0.search("Where do I live?", filters=ANA)
    old = mem0.search("Where do I live?", user_id="ana", limit=5)
    assert new == old
    assert texts(new)[0] == "I live in London."
    assert "I live in Oslo." not in texts(new)
    assert all(0 <= one["score"] <= 1 for one in new["results"])
    assert len(mem0.search("Where do I live?", filters=ANA, top_k=1)["results"]) == 1
    assert mem0.search("Where do I live?", filters={"user_id": "nobody"})["results"] == []
    why = mem0.search("Where do I live?", filters=ANA, explain=True)["results"][0]
    assert why["score_details"]["why"]
    best = mem0.search("Where do I live?", filters=ANA, threshold=0.9)["results"]
    assert all(one["score"] >= 0.9 for one in best)


def test_scopes_can_be_asked_by_each_id(mem0: Memory) -> None:
    mem0.add("I love sushi.", user_id="ana", agent_id="cook", run_id="r1")
    mem0.add("I love hiking.", user_id="ana", agent_id="guide", run_id="r2")
    mem0.add("I love opera.", user_id="bo", agent_id="guide", run_id="r3")
    mem0.add("I love order.", agent_id="guide")
    for filters, expected in (
        ({"user_id": "ana"}, {"sushi", "hiking"}),
        ({"agent_id": "guide"}, {"hiking", "opera", "order"}),
        ({"run_id": "r1"}, {"sushi"}),
        ({"user_id": "ana", "agent_id": "guide"}, {"hiking"}),
        ({"user_id": "ana", "run_id": "r3"}, set()),
    ):
        found = {
            text.removeprefix("I love ").rstrip(".")
            for text in texts(mem0.get_all(filters=filters))
        }
        assert found == expected, filters
        found = {
            text.removeprefix("I love ").rstrip(".")
            for text in texts(mem0.search("What do I love?", filters=filters))
        }
        assert found == expected, filters


def test_a_statement_of_two_runs_belongs_to_both(mem0: Memory, clock: FixedClock) -> None:
    first = mem0.add("I love sushi.", user_id="ana", run_id="r1")["results"]
    clock.advance(timedelta(hours=1))
    again = mem0.add("I love sushi.", user_id="ana", run_id="r2")["results"]
    assert [one["id"] for one in again] == [one["id"] for one in first]
    for run in ("r1", "r2"):
        (found,) = mem0.get_all(filters={"user_id": "ana", "run_id": run})["results"]
        assert found["run_id"] == run
    mem0.delete_all(user_id="ana", run_id="r1")
    assert texts(mem0.get_all(filters={"user_id": "ana", "run_id": "r1"})) == []
    assert texts(mem0.get_all(filters={"user_id": "ana", "run_id": "r2"})) == ["I love sushi."]


def test_filters_on_metadata(mem0: Memory) -> None:
    for number in range(6):
        mem0.add(
            f"My locker number is {number}.",
            user_id="ana",
            metadata={"n": number, "place": "gym" if number % 2 else "pool", "tags": ["a", number]},
        )
    for condition, expected in (
        ({"n": 3}, {3}),
        ({"n": {"gte": 2, "lt": 4}}, {2, 3}),
        ({"n": {"in": [0, 5]}}, {0, 5}),
        ({"n": {"nin": [0, 5]}}, {1, 2, 3, 4}),
        ({"place": {"ne": "gym"}}, {0, 2, 4}),
        ({"place": {"contains": "ym"}}, {1, 3, 5}),
        ({"place": {"icontains": "GYM"}}, {1, 3, 5}),
        ({"tags": {"contains": 4}}, {4}),
        ({"place": "*"}, set(range(6))),
        ({"missing": "*"}, set()),
        ({"AND": [{"place": "gym"}, {"n": {"gt": 1}}]}, {3, 5}),
        ({"OR": [{"n": 1}, {"n": 2}]}, {1, 2}),
        ({"NOT": [{"place": "gym"}, {"n": 0}]}, {2, 4}),
        ({"n": {"gt": "a text"}}, set()),
    ):
        found = mem0.get_all(filters={**ANA, **condition})["results"]
        assert {one["metadata"]["n"] for one in found} == expected, condition
        found = mem0.search("locker number", filters={**ANA, **condition})["results"]
        assert {one["metadata"]["n"] for one in found} == expected, condition


def test_update_keeps_the_id_and_the_history(mem0: Memory, clock: FixedClock) -> None:
    (one,) = mem0.add("I drive a red Fiat.", user_id="ana", metadata={"a": 1})["results"]
    clock.advance(timedelta(days=1))
    assert mem0.update(one["id"], "I drive a blue Volvo.") == {
        "message": "Memory updated successfully!"
    }
    mem0.update(memory_id=one["id"], data="I drive a green Saab.", metadata={"b": 2})
    got = mem0.get(one["id"])
    assert got is not None
    assert got["memory"] == "I drive a green Saab."
    assert got["metadata"] == {"a": 1, "b": 2}
    assert got["created_at"] < got["updated_at"]
    assert texts(mem0.get_all(filters=ANA)) == ["I drive a green Saab."]
    assert texts(mem0.search("What car do I drive?", filters=ANA)) == ["I drive a green Saab."]
    rows = mem0.history(one["id"])
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in rows] == [
        ("ADD", None, "I drive a red Fiat."),
        ("UPDATE", "I drive a red Fiat.", "I drive a blue Volvo."),
        ("UPDATE", "I drive a blue Volvo.", "I drive a green Saab."),
    ]
    assert set(rows[0]) == {
        *("id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at"),
        *("is_deleted", "actor_id", "role"),
    }


def test_an_unknown_id_never_succeeds(mem0: Memory) -> None:
    mem0.add("I live in London.", user_id="ana")
    assert mem0.get("no-such-id") is None
    assert mem0.history("no-such-id") == []
    for call in (
        lambda: mem0.update("no-such-id", "I live in Rome."),
        lambda: mem0.update("no-such-id", metadata={"a": 1}),
        lambda: mem0.delete("no-such-id"),
    ):
        with pytest.raises(ValueError, match="not found") as caught:
            call()
        assert isinstance(caught.value, NotFound)
    assert texts(mem0.get_all(filters=ANA)) == ["I live in London."]


def test_delete_leaves_no_ghost(mem0: Memory) -> None:
    (one,) = mem0.add("I drive a red Fiat.", user_id="ana", metadata={"secret": "x-77"})["results"]
    mem0.update(one["id"], "I drive a blue Volvo.")
    assert mem0.delete(one["id"]) == {"message": "Memory deleted successfully!"}
    assert mem0.get(one["id"]) is None
    assert mem0.search("Fiat Volvo car", filters=ANA)["results"] == []
    rows = mem0.history(one["id"])
    assert rows[-1]["event"] == "DELETE"
    assert rows[-1]["is_deleted"] is True
    assert all(row["old_memory"] is row["new_memory"] is None for row in rows)
    left = mem0.space(user_id="ana").cypher("MATCH (s:Snapshot) RETURN s.text").rows
    assert not any("Fiat" in text or "Volvo" in text for (text,) in left)


@pytest.mark.parametrize("scope", [{"user_id": "ana"}, {"user_id": "ana", "run_id": "r"}])
def test_delete_all_deletes_all(mem0: Memory, scope: dict[str, str]) -> None:
    mem0.add("My dog is called Rex.", user_id="bo", run_id="r0")
    for start in range(0, 150, 50):
        mem0.add(
            [
                {"role": "user", "content": f"My locker number is {number}."}
                for number in range(start, start + 50)
            ],
            user_id="ana",
            run_id="r",
        )
    mem0.add(
        [
            {"role": "user", "content": "Where is locker 7?"},
            {"role": "assistant", "content": "Locker 7."},
        ],
        user_id="ana",
        run_id="r",
    )
    assert len(mem0.get_all(filters=scope, top_k=1000)["results"]) == 150
    assert len(mem0.get_all(filters=scope)["results"]) == 20
    assert mem0.delete_all(**scope) == {"message": "Memories deleted successfully!"}
    assert mem0.get_all(filters=scope, top_k=1000)["results"] == []
    for number in range(150):
        assert mem0.search(f"locker number {number}", filters=scope)["results"] == []
    assert mem0.space(user_id="ana").status()["snapshots"] == 0
    assert texts(mem0.get_all(filters={"user_id": "bo"})) == ["My dog is called Rex."]


def test_raw_messages_are_memories_as_they_stand(mem0: Memory) -> None:
    added = mem0.add(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Where is the key? I live in Oslo.", "name": "Ana"},
            {"role": "assistant", "content": "Under the mat."},
        ],
        user_id="ana",
        infer=False,
    )["results"]
    assert [(one["memory"], one["role"], one["actor_id"]) for one in added] == [
        ("Where is the key? I live in Oslo.", "user", "Ana"),
        ("Under the mat.", "assistant", None),
    ]
    assert set(texts(mem0.get_all(filters=ANA))) == {one["memory"] for one in added}
    mat = added[1]["id"]
    assert mem0.get(mat)["role"] == "assistant"
    assert texts(mem0.search("under the mat", filters={**ANA, "role": "assistant"})) == [
        "Under the mat."
    ]
    assert texts(mem0.get_all(filters={**ANA, "actor_id": "Ana"})) == [added[0]["memory"]]

    mem0.update(mat, "In the blue bowl.")
    assert mem0.get(mat)["memory"] == "In the blue bowl."
    assert [row["new_memory"] for row in mem0.history(mat)] == [
        "Under the mat.",
        "In the blue bowl.",
    ]
    mem0.update(added[0]["id"], "I live in Bergen.")
    assert mem0.get(added[0]["id"])["memory"] == "I live in Bergen."
    for one in added:
        mem0.delete(one["id"])
    assert mem0.get_all(filters=ANA)["results"] == []
    assert mem0.search("key mat bowl Oslo Bergen", filters=ANA)["results"] == []


def test_what_has_expired_is_hidden(mem0: Memory, clock: FixedClock) -> None:
    mem0.add("I have a guest called Ida.", user_id="ana", expiration_date="2025-06-03")
    (one,) = mem0.get_all(filters=ANA)["results"]
    assert one["expiration_date"] == "2025-06-03"
    clock.advance(timedelta(days=5))
    assert mem0.get_all(filters=ANA)["results"] == []
    assert mem0.search("guest", filters=ANA)["results"] == []
    assert mem0.get_all(filters=ANA, show_expired=True)["results"]
    assert mem0.search("guest", filters=ANA, show_expired=True)["results"]
    mem0.update(one["id"], expiration_date=None)
    assert mem0.get_all(filters=ANA)["results"]
    assert mem0.update(one["id"], metadata={"x": 1})
    assert "expiration_date" not in mem0.get(one["id"])


def test_a_conflict_waits_or_is_decided_as_configured(tmp_path: Path, clock: FixedClock) -> None:
    with opened(tmp_path / "a", clock) as memory:
        memory.add("I live in London.", user_id="ana")
        memory.add("I moved to Paris.", user_id="ana")
        found = {one["memory"]: one["state"] for one in memory.get_all(filters=ANA)["results"]}
        assert found == {"I live in London.": "unsure", "I moved to Paris.": "current"}
        (conflict,) = memory.space(user_id="ana").conflicts()
        memory.space(user_id="ana").resolve(conflict.id, "mark_older_as_past")
        assert texts(memory.get_all(filters=ANA)) == ["I moved to Paris."]
    with opened(tmp_path / "b", clock, conflicts="mark_older_as_past") as memory:
        memory.add("I live in London.", user_id="ana")
        memory.add("I moved to Paris.", user_id="ana")
        assert texts(memory.get_all(filters=ANA)) == ["I moved to Paris."]
        assert len(memory.space(user_id="ana").history("user", "home").stages) == 2


def test_arguments_that_cannot_be_used(mem0: Memory) -> None:
    calls: list[Any] = [
        lambda: mem0.add("I am Ana."),
        lambda: mem0.add("I am Ana.", user_id=" "),
        lambda: mem0.add("I am Ana.", user_id="a b"),
        lambda: mem0.add("", user_id="ana"),
        lambda: mem0.add([], user_id="ana"),
        lambda: mem0.add(7, user_id="ana"),
        lambda: mem0.add([7], user_id="ana"),
        lambda: mem0.add([{"role": "robot", "content": "I am Ana."}], user_id="ana"),
        lambda: mem0.add([{"role": "user", "content": 7}], user_id="ana"),
        lambda: mem0.add("I am Ana.", user_id="ana", metadata={"a": object()}),
        lambda: mem0.add("I am Ana.", user_id="ana", expiration_date="soon"),
        lambda: mem0.add("I am Ana.", user_id="ana", timestamp="soon"),
        lambda: mem0.add("I am Ana.", user_id="ana", memory_type="procedural_memory"),
        lambda: mem0.search("", filters=ANA),
        lambda: mem0.search(7, filters=ANA),  # type: ignore[arg-type]
        lambda: mem0.search("home"),
        lambda: mem0.search("home", filters={"topic": "x"}),
        lambda: mem0.search("home", filters=ANA, top_k=-1),
        lambda: mem0.search("home", filters=ANA, threshold=2),
        lambda: mem0.search("home", filters={**ANA, "n": {"near": 3}}),
        mem0.get_all,
        mem0.delete_all,
        lambda: mem0.update("x"),
        lambda: mem0.update("x", ""),
        lambda: Memory({"graphmem": {"paht": "x"}}),
        lambda: Memory({"vector": {}}),
        lambda: Memory({"graphmem": {"conflicts": "replace_older"}}),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(ValueError, match=r".") as caught:
            call()
        assert isinstance(caught.value, (Rejected, NotFound)), number
    assert mem0.get_all(filters=ANA)["results"] == []


def test_users_with_odd_names_stay_apart(mem0: Memory, tmp_path: Path) -> None:
    names = ["../../etc", "a/b", "a_b", "ANA", "ana", "王", "c:\\x", "x" * 300, 7, "…"]
    for name in names:
        mem0.add(f"My code is {names.index(name)}.", user_id=name)
    for name in names:
        assert texts(mem0.get_all(filters={"user_id": name})) == [
            f"My code is {names.index(name)}."
        ]
    inside = {place.name for place in (tmp_path / "mem0").iterdir()}
    assert len([name for name in inside if name.startswith("user-")]) == len(names)
    assert {place.name for place in tmp_path.iterdir()} == {"mem0"}


def test_it_is_all_there_after_a_restart_and_without_its_labels(
    tmp_path: Path, clock: FixedClock
) -> None:
    with opened(tmp_path, clock) as memory:
        (one,) = memory.add("I live in London.", user_id="ana", metadata={"a": 1})["results"]
        memory.space(user_id="ana").remember("My dog is called Rex.")  # beside mem0's interface
    with opened(tmp_path, clock) as memory:
        assert memory.get(one["id"])["metadata"] == {"a": 1}
        found = {one["memory"]: one["user_id"] for one in memory.get_all(filters=ANA)["results"]}
        assert found == {"I live in London.": "ana", "My dog is called Rex.": "ana"}
        assert texts(memory.search("What is my dog called?", filters=ANA))[0].endswith("Rex.")
    for file in (tmp_path / "mem0").glob("labels.sqlite*"):
        file.unlink()
    with opened(tmp_path, clock) as memory:
        assert len(memory.get_all(filters=ANA)["results"]) == 2


def test_an_interrupted_add_loses_no_label(mem0: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphmem.compat.mem0.labels import Labels

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Labels, "make", stopped)
        with pytest.raises(KeyboardInterrupt):
            mem0.add("I live in London.", user_id="ana", agent_id="guide", metadata={"a": 1})
    (found,) = mem0.get_all(filters={"user_id": "ana", "agent_id": "guide"})["results"]
    assert found["metadata"] == {"a": 1}
    assert mem0.get(found["id"]) == found


def test_reset_and_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path / "home"))
    config = {
        "vector_store": {"provider": "qdrant", "config": {"path": "/nowhere"}},
        "llm": {"provider": "openai", "config": {"model": "x", "api_key": "k"}},
        "history_db_path": "/nowhere/history.db",
        "version": "v1.1",
    }
    with Memory.from_config(config) as memory:
        assert memory.search("anything", user_id="ana") == {"results": []}
        memory.add("I live in London.", user_id="ana")
        memory.add("I live in Oslo.", agent_id="guide")
        assert (tmp_path / "home-mem0").is_dir()
        memory.reset()
        assert memory.get_all(filters=ANA)["results"] == []
        assert memory.get_all(filters={"agent_id": "guide"})["results"] == []
        memory.add("I live in Rome.", user_id="ana")
        assert texts(memory.get_all(filters=ANA)) == ["I live in Rome."]
    memory.close()


def test_secrets_are_masked_in_lists_only(mem0: Memory) -> None:
    (one,) = mem0.add("Remember that my wifi password is hunter2-8731.", user_id="ana")["results"]
    assert "8731" not in json.dumps(mem0.get_all(filters=ANA))
    assert "8731" in mem0.get(one["id"])["memory"]
    assert "8731" in texts(mem0.search("What is my wifi password?", filters=ANA))[0]


def test_many_users_at_once_keep_few_memories_open(mem0: Memory) -> None:
    for number in range(12):
        mem0.add(f"My code is {number}.", user_id=f"u{number}")
    for number in range(12):
        assert texts(mem0.search("code", user_id=f"u{number}")) == [f"My code is {number}."]
    assert len(mem0._spaces._open) <= 8


def test_async_memory(tmp_path: Path, clock: FixedClock) -> None:
    async def session() -> None:
        config = MemoryConfig(graphmem={"path": str(tmp_path / "mem0")})
        async with AsyncMemory(config, clock=clock, embedder=TinyEmbedder()) as memory:
            await asyncio.gather(
                *(memory.add(f"My code is {n}.", user_id=f"u{n}") for n in range(3))
            )
            found = await memory.search("code", filters={"user_id": "u1"})
            assert texts(found) == ["My code is 1."]
            (one,) = found["results"]
            await memory.update(one["id"], "My code is 9.")
            assert (await memory.get(one["id"]))["memory"] == "My code is 9."
            await memory.delete(one["id"])
            with pytest.raises(NotFound):
                await memory.delete(one["id"])
            await memory.delete_all(user_id="u2")
            assert (await memory.get_all(filters={"user_id": "u2"}))["results"] == []
            assert (await memory.history(one["id"]))[-1]["event"] == "DELETE"
            await memory.reset()
        again = await AsyncMemory.from_config({"graphmem": {"path": str(tmp_path / "mem0")}})
        await again.close()

    asyncio.run(session())
