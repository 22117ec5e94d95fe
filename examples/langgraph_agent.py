"""A LangGraph agent whose memory outlives the conversation: recall, answer, remember as nodes of a graph.

Run it: python examples/langgraph_agent.py (needs the extra `langgraph`)
"""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from graphmem.integrations.langgraph import GraphmemStore


class Turn(TypedDict, total=False):
    """What goes through the graph: who says what, what is known, the answer."""

    user: str
    text: str
    known: list[str]
    reply: str


def memories(runtime: Runtime[Any]) -> BaseStore:
    """The store that the graph was compiled with."""
    assert runtime.store is not None  # noqa: S101 - it was
    return runtime.store


def recall(turn: Turn, runtime: Runtime[Any]) -> Turn:
    """Look up what the user told earlier."""
    found = memories(runtime).search(("memories", turn["user"]), query=turn["text"], limit=3)
    return {"known": [item.value["text"] for item in found]}


def answer(turn: Turn) -> Turn:
    """Stands for a language model."""
    return {"reply": f"(to {turn['text']!r}, knowing {turn['known']})"}


def remember(turn: Turn, runtime: Runtime[Any]) -> Turn:
    """Keep what the user said."""
    text = turn["text"]
    memories(runtime).put(("memories", turn["user"]), text[:60], {"text": text})
    return {}


def main() -> None:
    """Two users, two conversations."""
    graph = StateGraph(Turn)
    for node in (recall, answer, remember):
        graph.add_node(node.__name__, node)
    for start, end in (
        (START, "recall"),
        ("recall", "answer"),
        ("answer", "remember"),
        ("remember", END),
    ):
        graph.add_edge(start, end)
    with GraphmemStore("examples-memory/langgraph") as store:
        agent = graph.compile(store=store)
        for user, text in (
            ("ana", "I'm allergic to peanuts."),
            ("ben", "I love peanut butter."),
            ("ana", "I live in Lisbon."),
            ("ana", "What am I allergic to?"),
            ("ben", "What do I love?"),
        ):
            print(f"{user}:", agent.invoke({"user": user, "text": text})["reply"])


if __name__ == "__main__":
    main()
