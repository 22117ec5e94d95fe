"""A memory asked through another embedder, by an index made for it and thrown away afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem.protocols import Embedder, GraphStore
from graphmem.recall.engine import Recaller
from graphmem.recall.result import Recall
from graphmem.store.search import open_search

Ask = Callable[..., Recall]


@contextmanager
def trial(
    store: GraphStore,
    recaller: Recaller,
    embedder: Embedder,
    lock: AbstractContextManager[Any],
    *,
    reader: str | None,
) -> Iterator[Ask]:
    """Yields `ask(question, at=, limit=)`. The graph is only read; `lock` is held for each reading."""
    with tempfile.TemporaryDirectory(prefix="graphmem-trial-") as folder:
        with lock:
            search = open_search(Path(folder), embedder)
            search.catch_up(store)
        other = recaller.through(search, embedder)

        def ask(question: str, *, at: datetime | None = None, limit: int = 10) -> Recall:
            with lock:
                return other.recall(question, at=at, limit=limit, reader=reader)

        with closing(search), closing(other.embedding):
            yield ask
