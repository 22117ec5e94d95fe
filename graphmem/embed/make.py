"""An embedder or a reranker by its name in the configuration."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from graphmem import plugins
from graphmem.embed.cached import RecentTexts
from graphmem.errors import GraphmemError, InvalidSettings
from graphmem.protocols import Embedder, Reranker

DEFAULT = "use-multilingual"


def make(
    name: str = DEFAULT,
    settings: Mapping[str, Any] | None = None,
    *,
    allow_download: bool = False,
) -> Embedder:
    """The embedder called `name`, with a cache of recent questions; nothing is loaded yet.

    `name` is that of a plugin ("use-multilingual"), with a model after a colon where it takes one
    ("sentence-transformers:intfloat/multilingual-e5-small"). `settings` go to the plugin as they
    are, but for `same_topic` and `unrelated`, which replace its thresholds; `allow_download` goes to
    those that can fetch a model. Raises ExtensionMissing for an unknown name, InvalidSettings for
    settings that the plugin does not take.
    """
    chosen = dict(settings or {})
    limits = {key: chosen.pop(key) for key in ("same_topic", "unrelated") if key in chosen}
    embedder: Embedder = _made(
        plugins.EMBEDDERS,
        name,
        chosen,
        allow_download=allow_download,
        expected="a name such as use-multilingual or sentence-transformers:MODEL, and its settings",
    )
    return RecentTexts(embedder, thresholds=replace(embedder.thresholds, **limits))


def loading(embedder: Embedder) -> threading.Thread:
    """Load an embedder in a thread, while other things are done; what goes wrong is told at its first use."""

    def load() -> None:
        with suppress(GraphmemError):
            embedder.questions(["."])

    thread = threading.Thread(target=load, name="graphmem-embedder")
    thread.start()
    return thread


def make_reranker(name: str, *, allow_download: bool = False) -> Reranker:
    """The reranker called `name` ("cross-encoder:FOLDER"); nothing is loaded yet.

    Raises ExtensionMissing for an unknown name, InvalidSettings for one without its model.
    """
    reranker: Reranker = _made(
        plugins.RERANKERS,
        name,
        {},
        allow_download=allow_download,
        expected="a name such as cross-encoder:FOLDER",
    )
    return reranker


def _made(
    group: str, name: str, chosen: dict[str, Any], *, allow_download: bool, expected: str
) -> Any:
    kind, _, model = name.partition(":")
    factory = plugins.factory(group, kind)
    if "allow_download" in inspect.signature(factory).parameters:
        chosen.setdefault("allow_download", allow_download)
    try:
        return factory(model, **chosen) if model else factory(**chosen)
    except TypeError as cause:
        what = group.removeprefix("graphmem.").removesuffix("s")
        raise InvalidSettings(
            f"{what} {name!r} cannot be made: {cause}", expected=expected
        ) from cause
