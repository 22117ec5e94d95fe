"""Any sentence-transformers model, by name or folder, as an embedder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.embed.here import folder_of
from graphmem.errors import ExtensionMissing
from graphmem.protocols import Thresholds, Vectors
from graphmem.words import clean

_LONGEST = 4000  # characters read of one text; models cut at 256 to 512 tokens anyway


@dataclass(frozen=True, slots=True)
class Family:
    """What the models of one family want and how their cosines are to be read.

    The prefixes are those of the model cards. `thresholds` of MiniLM and e5 were measured on pairs
    of statements; the others keep the default, which an owner can change in the configuration.
    """

    question: str = ""
    passage: str = ""
    thresholds: Thresholds = field(default_factory=Thresholds)


_FAMILIES = (
    ("e5", Family("query: ", "passage: ", Thresholds(same_topic=0.90, unrelated=0.84))),
    ("bge-", Family("Represent this sentence for searching relevant passages: ")),
    ("nomic-embed", Family("search_query: ", "search_document: ")),
    ("mxbai-embed", Family("Represent this sentence for searching relevant passages: ")),
    ("snowflake-arctic-embed", Family("query: ")),
    ("minilm", Family(thresholds=Thresholds(same_topic=0.60, unrelated=0.32))),
)
_WITHOUT_PREFIX = ("bge-m3", "-zh")  # members of the families above that take none


def family(model: str) -> Family:
    """The family of a model by its name ("intfloat/multilingual-e5-small"); a plain one if unknown."""
    name = Path(model).name.lower()
    if any(part in name for part in _WITHOUT_PREFIX):
        return Family()
    return next((known for part, known in _FAMILIES if part in name), Family())


class TransformerEmbedder:
    """Loads the model on first use. Nothing is fetched unless `allow_download` is set.

    `model` is a folder or a model's name. `question_prefix`, `passage_prefix` and `thresholds`
    override what the model's family suggests. `name` and `dimension` identify the vectors: reading
    `dimension` loads the model. Raises ExtensionMissing where the package, or the model, is absent.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        name: str | None = None,
        question_prefix: str | None = None,
        passage_prefix: str | None = None,
        thresholds: Thresholds | None = None,
        device: str = "cpu",
        batch: int = 32,
        allow_download: bool = False,
    ) -> None:
        known = family(name or str(model))
        self.name = f"sentence-transformers:{name or model}"
        self.thresholds = thresholds or known.thresholds
        self._question = known.question if question_prefix is None else question_prefix
        self._passage = known.passage if passage_prefix is None else passage_prefix
        self._path = str(model)
        self._device = device
        self._batch = batch
        self._allow_download = allow_download
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self._loaded().get_embedding_dimension())

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit rows, shape (len(texts), dimension)."""
        return self._encode([self._passage + clean(text[:_LONGEST]) for text in texts])

    def questions(self, texts: Sequence[str]) -> Vectors:
        """The same for questions, with the prefix that the model wants there."""
        return self._encode([self._question + clean(text[:_LONGEST]) for text in texts])

    def _encode(self, texts: list[str]) -> Vectors:
        model = self._loaded()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        with self._lock:
            rows = model.encode(
                texts,
                batch_size=self._batch,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return np.asarray(rows, dtype=np.float32)

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._load()
        return self._model

    def _load(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415
            from transformers.utils import logging as loading  # noqa: PLC0415
        except ImportError as cause:
            raise ExtensionMissing(
                f"the embedder {self.name!r} needs the package sentence-transformers",
                next_step=(
                    'pip install "graphmem[sentence-transformers]" or'
                    ' uv add "graphmem[sentence-transformers]"'
                ),
            ) from cause
        quiet: Any = loading.disable_progress_bar
        quiet()  # of loading weights; our own progress is shown by the faces
        try:
            path = self._path if self._allow_download else folder_of(self._path)
            return SentenceTransformer(
                path, device=self._device, local_files_only=not self._allow_download
            )
        except (OSError, ValueError) as cause:
            raise ExtensionMissing(
                f"the model {self._path!r} is not on this machine: {cause}",
                expected="a folder with a sentence-transformers model, or one fetched earlier",
                next_step="give its folder, or set allow_download = true to fetch it once",
            ) from cause
