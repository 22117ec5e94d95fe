"""MemoryRetriever against LangChain itself."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from pydantic import ValidationError

from graphmem import Memory
from graphmem.integrations.langchain import MemoryRetriever


def test_it_gives_documents_and_fits_into_a_chain(memory: Memory) -> None:
    memory.remember("I live in London.")
    memory.remember("I am allergic to peanuts.")
    retriever = MemoryRetriever(memory=memory)
    documents = retriever.invoke("What am I allergic to?")
    assert isinstance(documents[0], Document)
    assert documents[0].page_content == "I am allergic to peanuts."
    assert documents[0].metadata["state"] == "current"
    assert documents[0].id == documents[0].metadata["fact_ids"][0]
    assert memory.fact(documents[0].id).text == documents[0].page_content
    assert asyncio.run(retriever.ainvoke("What am I allergic to?")) == documents

    chain = retriever | RunnableLambda(lambda found: found[0].page_content)
    assert chain.invoke("Where do I live?") == "I live in London."


def test_history_is_given_when_wanted(memory: Memory) -> None:
    memory.remember("I live in London.")
    (conflict,) = memory.remember("I moved to Paris.").conflicts
    memory.resolve(conflict.id, "mark_older_as_past")
    now = [one.page_content for one in MemoryRetriever(memory=memory).invoke("Where do I live?")]
    assert now == ["I moved to Paris."]
    both = MemoryRetriever(memory=memory, include=("historical",)).invoke("Where do I live?")
    assert {one.metadata["state"] for one in both} == {"current", "historical"}
    with pytest.raises(ValidationError):
        MemoryRetriever(memory=memory, limit=0)
