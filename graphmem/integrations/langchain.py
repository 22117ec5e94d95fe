"""A LangChain retriever over a memory (extra `langchain`)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from graphmem.integrations import extra
from graphmem.memory import Memory
from graphmem.model import Recalled, State

with extra("langchain"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict, Field

__all__ = ["MemoryRetriever"]


class MemoryRetriever(BaseRetriever):
    """Gives what a memory recalls for a question as documents, best first.

    A document's text is the statement as it was said; its metadata hold the id, `state`, speaker, time,
    score, the reasons, and where it came from. `about` limits to a person or thing, `include` adds states
    such as "historical", `as_of` asks the memory as it stood then.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    limit: int = Field(default=8, ge=1, le=1000)
    about: str | None = None
    include: tuple[State, ...] = ()
    as_of: datetime | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        found = self.memory.recall(
            query, limit=self.limit, about=self.about, include=self.include, as_of=self.as_of
        )
        return [
            _document(item) for place, item in enumerate(found.items) if place not in found.aside
        ]


def _document(item: Recalled) -> Document:
    metadata: dict[str, Any] = {
        "state": item.state.value,
        "speaker": item.speaker,
        "said_at": item.said_at.isoformat(),
        "score": item.score,
        "why": list(item.why),
        "fact_ids": [fact.id for fact in item.facts],
        "message_ids": [snapshot.id for snapshot in item.sources],
        "source": item.sources[0].source if item.sources else "",
    }
    identity = (*metadata["fact_ids"], *metadata["message_ids"], None)[0]
    return Document(id=identity, page_content=item.text, metadata=metadata)
