"""GraphmemStore against LangGraph itself: its base class, its own store as the measure, a compiled graph."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from graphmem.errors import GraphmemError
from graphmem.integrations.langgraph import GraphmemStore
from graphmem.testing import FixedClock, TinyEmbedder

ANA = ("memories", "ana")
BO = ("memories", "bo")


def opened(tmp_path: Path, clock: FixedClock, **given: Any) -> GraphmemStore:
    return GraphmemStore(tmp_path / "store", clock=clock, embedder=TinyEmbedder(), **given)


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[GraphmemStore]:
    with opened(tmp_path, clock) as made:
        yield made


def keys(items: Any) -> list[str]:
    return [item.key for item in items]


def filled(store: BaseStore) -> BaseStore:
    store.put(ANA, "home", {"text": "I live in London.", "kind": "place", "n": 1})
    store.put(ANA, "food", {"text": "I am allergic to peanuts.", "kind": "health", "n": 2})
    store.put(ANA, "pet", {"text": "My dog is called Rex.", "kind": "family", "n": 3})
    store.put(BO, "home", {"text": "I live in Oslo.", "kind": "place", "n": 4})
    store.put(("notes",), "x", {"n": 5})
    store.put((*ANA, "deep", "down"), "y", {"list": ["a", {"b": None}], "n": 6})
    return store


@pytest.mark.parametrize(
    "op",
    [
        GetOp(ANA, "home"),
        GetOp(ANA, "none"),
        GetOp(("none",), "home"),
        SearchOp(()),
        SearchOp(ANA),
        SearchOp(("memories",), limit=2),
        SearchOp(("memories",), limit=2, offset=3),
        SearchOp(("mem",)),
        SearchOp((), {"kind": "place"}),
        SearchOp((), {"n": {"$gt": 2, "$lte": 5}}),
        SearchOp((), {"n": {"$ne": 2}}, offset=1),
        SearchOp((), {"kind": {"$eq": "health"}}),
        ListNamespacesOp(),
        ListNamespacesOp(max_depth=1),
        ListNamespacesOp(max_depth=3, limit=2, offset=1),
        ListNamespacesOp((MatchCondition("prefix", ("memories",)),)),
        ListNamespacesOp((MatchCondition("prefix", ("memories", "*", "deep")),)),
        ListNamespacesOp((MatchCondition("suffix", ("bo",)),)),
        ListNamespacesOp((MatchCondition("suffix", ("deep", "*")),)),
    ],
    ids=str,
)
def test_it_answers_as_langgraphs_own_store(store: GraphmemStore, op: Any) -> None:
    [ours] = filled(store).batch([op])
    [theirs] = filled(InMemoryStore()).batch([op])
    assert plain(ours) == plain(theirs)


def plain(result: Any) -> Any:
    """An answer without its times."""
    if isinstance(result, list):
        return [plain(one) for one in result]
    if hasattr(result, "dict"):
        return {k: v for k, v in result.dict().items() if k not in {"created_at", "updated_at"}}
    return result


def test_search_by_a_question(store: GraphmemStore) -> None:
    filled(store)
    found = store.search(ANA, query="Where do I live?")
    assert found[0].key == "home"
    assert found[0].score is not None
    assert found[0].value["text"] == "I live in London."
    assert all(item.namespace[:2] == ANA for item in found)
    everywhere = store.search(("memories",), query="Where do I live?", limit=2)
    assert {item.namespace for item in everywhere} == {ANA, BO}
    health = store.search((), query="Where do I live?", filter={"kind": "health"})
    assert set(keys(health)) <= {"food"}


def test_what_is_indexed_is_chosen(tmp_path: Path, clock: FixedClock) -> None:
    with opened(tmp_path, clock, fields=["facts[*].said"]) as store:
        store.put(
            ANA, "a", {"facts": [{"said": "I love sushi."}, {"said": "I own a boat."}], "x": "tea"}
        )
        store.put(ANA, "b", {"facts": [{"said": "I love opera."}]}, index=False)
        store.put(ANA, "c", {"title": "I love hiking."}, index=["title"])
        assert keys(store.search(ANA, query="boat"))[0] == "a"
        assert keys(store.search(ANA, query="hiking"))[0] == "c"
        assert "b" not in keys(store.search(ANA, query="opera"))
        assert store.get(ANA, "b").value == {"facts": [{"said": "I love opera."}]}


def test_other_words_under_a_key_are_an_update(store: GraphmemStore, clock: FixedClock) -> None:
    store.put(ANA, "home", {"text": "I live in London."})
    made = store.get(ANA, "home").created_at
    store.put(ANA, "home", {"text": "I live in London.", "seen": True})
    assert store.memory(ANA).status()["snapshots"] == 1
    store.put(ANA, "home", {"text": "I live in Paris."})
    assert store.get(ANA, "home").created_at == made
    assert [item.value["text"] for item in store.search(ANA, query="Where do I live?")] == [
        "I live in Paris."
    ]
    stages = store.memory(ANA).history("user", "home").stages
    assert [stage.state for stage in stages] == ["historical", "current"]

    store.delete(ANA, "home")
    assert store.get(ANA, "home") is None
    assert store.search(ANA, query="Where do I live?") == []
    assert store.memory(ANA).status()["snapshots"] == 0
    assert store.list_namespaces() == []
    store.delete(ANA, "home")


def test_reads_of_a_batch_see_what_was_before(store: GraphmemStore) -> None:
    results = store.batch(
        [
            PutOp(ANA, "a", {"text": "I love tea."}),
            GetOp(ANA, "a"),
            PutOp(ANA, "a", {"text": "I love coffee."}),
        ]
    )
    assert results == [None, None, None]
    assert store.get(ANA, "a").value == {"text": "I love coffee."}
    assert store.memory(ANA).status()["snapshots"] == 1


def test_async_calls(store: GraphmemStore) -> None:
    async def session() -> None:
        await asyncio.gather(
            *(store.aput(ANA, str(n), {"text": f"My locker number is {n}."}) for n in range(6))
        )
        assert (await store.aget(ANA, "3")).value["text"].endswith("3.")
        assert len(await store.asearch(ANA)) == 6
        assert await store.asearch(ANA, query="locker number 4")
        assert await store.alist_namespaces(prefix=("memories",)) == [ANA]
        await store.adelete(ANA, "3")
        assert await store.aget(ANA, "3") is None

    asyncio.run(session())


def test_it_is_all_there_after_a_restart(tmp_path: Path, clock: FixedClock) -> None:
    with opened(tmp_path, clock) as store:
        filled(store)
    with opened(tmp_path, clock) as store:
        assert store.get(ANA, "home").value["n"] == 1
        assert keys(store.search(ANA, query="Where do I live?"))[0] == "home"
        assert len(store.list_namespaces()) == 4


def test_values_and_arguments_that_cannot_be_used(store: GraphmemStore) -> None:
    with pytest.raises(GraphmemError):
        store.put(ANA, "a", {"x": object()})
    assert store.get(ANA, "a") is None
    with pytest.raises(GraphmemError):
        store.search(ANA, limit=-1)
    store.put(ANA, "a", {"n": 1})
    with pytest.raises(GraphmemError):
        store.search(ANA, filter={"n": {"$near": 1}})
    with pytest.raises(ValueError, match="amespace"):
        store.put((), "a", {"n": 1})


class Talk(TypedDict):
    text: str
    reply: str


def test_a_graph_remembers_across_threads(store: GraphmemStore) -> None:
    def node(state: Talk, runtime: Runtime[Any]) -> dict[str, str]:
        kept = runtime.store
        assert kept is not None
        known = kept.search(ANA, query=state["text"])
        kept.put(ANA, state["text"], {"text": state["text"]})
        return {"reply": "; ".join(item.value["text"] for item in known)}

    graph = StateGraph(Talk)
    graph.add_node("answer", node)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    compiled = graph.compile(store=store)
    compiled.invoke({"text": "I am allergic to peanuts.", "reply": ""})
    answer = compiled.invoke({"text": "What am I allergic to?", "reply": ""})
    assert "peanuts" in answer["reply"]
