"""A cross-encoder by sentence-transformers, from a local folder, as a reranker."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.embed.here import folder_of
from graphmem.errors import ExtensionMissing, ServiceFailed
from graphmem.words import clean

_LONGEST = 2000  # characters of one text; models cut at 512 tokens anyway


class CrossEncoderReranker:
    """Reads question and text together. The model is loaded with the first question, and nothing is
    fetched unless `allow_download` is set.

    `model` is a folder or a model's name. A model with one output is taken through the logistic
    function, of one with several the last class is taken for "answers it" (as in MS MARCO models with
    two). Raises ExtensionMissing where the package, or the model, is absent; ServiceFailed where the
    model breaks off.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        device: str = "cpu",
        batch: int = 16,
        allow_download: bool = False,
    ) -> None:
        self.name = f"cross-encoder {Path(model).name}"
        self._path = str(model)
        self._device = device
        self._batch = batch
        self._allow_download = allow_download
        self._lock = threading.Lock()
        self._model: Any = None

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score in 0..1 per text."""
        if not texts:
            return []
        asked = clean(question[:_LONGEST])
        pairs = [(asked, clean(text[:_LONGEST])) for text in texts]
        with self._lock:
            model = self._loaded()
            try:
                raw = model.predict(
                    pairs,
                    batch_size=self._batch,
                    activation_fn=_unchanged,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            except (RuntimeError, ValueError, IndexError) as cause:
                raise ServiceFailed(
                    f"{self.name} broke off ({type(cause).__name__}: {cause})",
                    next_step="check the folder that `reranker` names",
                ) from cause
        return _shares(np.asarray(raw, dtype=np.float64))

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = self._load()
        return self._model

    def _load(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder  # noqa: PLC0415
            from transformers.utils import logging as loading  # noqa: PLC0415
        except ImportError as cause:
            raise ExtensionMissing(
                f"{self.name} needs the package sentence-transformers",
                next_step='pip install "graphmem[sentence-transformers]"',
            ) from cause
        quiet: Any = loading.disable_progress_bar
        quiet()
        try:
            path = self._path if self._allow_download else folder_of(self._path)
            return CrossEncoder(
                path, device=self._device, local_files_only=not self._allow_download
            )
        except (OSError, ValueError, RuntimeError, KeyError) as cause:
            raise ExtensionMissing(
                f"the cross-encoder {self._path!r} cannot be read: {cause}",
                expected="a folder with a sentence-transformers cross-encoder, or one fetched earlier",
                next_step="give its folder, or set allow_download = true to fetch it once",
            ) from cause


def _unchanged(scores: Any) -> Any:
    """The model's own numbers: `_shares` brings them to 0..1 whatever the folder says."""
    return scores


def _shares(raw: np.ndarray[Any, np.dtype[np.float64]]) -> list[float]:
    """Logits, shape (n,), (n, 1) or (n, classes), as numbers in 0..1."""
    if raw.ndim > 1 and raw.shape[1] > 1:
        powers = np.exp(raw - raw.max(axis=1, keepdims=True))
        return [float(row[-1] / row.sum()) for row in powers]
    return [float(1.0 / (1.0 + np.exp(-min(max(one, -60.0), 60.0)))) for one in raw.reshape(-1)]
