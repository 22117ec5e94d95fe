"""A judge on this machine: an NLI cross-encoder by sentence-transformers, read from a local folder.

Entailment both ways is the same fact; the new entailing only the old refines it; a contradiction on one
slot replaces it where the wording tells of a change, and else contradicts it; the rest is compatible.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmem.errors import ExtensionMissing, InvalidSettings, UnreadableFile
from graphmem.lexicon import Lexicon
from graphmem.lifecycle.judge import Probabilities, failed
from graphmem.lifecycle.reading import read
from graphmem.model import Fact, Kind, Relation

_CHANGES = ("over", "switch", "correct", "reschedule", "cancel")
_LABELS = ("entailment", "neutral", "contradiction")


class NliJudge:
    """Loads the model with the first question. `folder` holds a sentence-transformers or
    transformers cross-encoder with three labels; nothing is downloaded.
    """

    def __init__(self, folder: Path, *, lexicon: Lexicon) -> None:
        self._folder = folder
        self._lexicon = lexicon
        self._lock = threading.Lock()
        self._model: Any = None
        self._places: Mapping[str, int] = {}
        self.name = f"judge {folder.name}"
        if not (folder / "config.json").is_file():
            raise UnreadableFile(
                f"{folder} holds no model",
                expected="a folder with config.json and weights",
                next_step="set judge.model to the folder of an NLI cross-encoder",
            )

    def judge(self, new: Fact, olds: Sequence[Fact]) -> list[Probabilities]:
        """Per older fact the probability of each relation. Raises ServiceFailed, ExtensionMissing."""
        with self._lock:
            self._load()
            pairs = [(new.text, old.text) for old in olds] + [(old.text, new.text) for old in olds]
            try:
                rows = self._model.predict(pairs, apply_softmax=True, show_progress_bar=False)
            except (RuntimeError, ValueError, IndexError) as cause:
                raise failed(self.name, f"the model broke off ({type(cause).__name__})") from cause
        forward, backward = rows[: len(olds)], rows[len(olds) :]
        changes = bool(set(_CHANGES) & set(read(new.text, new.language, self._lexicon).marks))
        return [
            relations(
                self._named(there),
                self._named(back),
                changes=changes,
                one_topic=_one_topic(new, old),
            )
            for there, back, old in zip(forward, backward, olds, strict=True)
        ]

    def _named(self, row: Any) -> Mapping[str, float]:
        return {label: float(row[place]) for label, place in self._places.items()}

    def _load(self) -> None:
        if self._model is not None:
            return
        try:
            from sentence_transformers import CrossEncoder  # noqa: PLC0415 - heavy
        except ImportError as cause:
            raise ExtensionMissing(
                "the NLI judge needs sentence-transformers",
                next_step="pip install 'graphmem[sentence-transformers]'",
            ) from cause
        try:
            model = CrossEncoder(str(self._folder), local_files_only=True, device="cpu")
        except (OSError, ValueError, RuntimeError, KeyError) as cause:
            raise failed(
                self.name, f"the model cannot be loaded ({type(cause).__name__})"
            ) from cause
        self._places = places(model.config.id2label, self._folder)
        self._model = model


def places(id2label: Mapping[Any, str], folder: Path) -> Mapping[str, int]:
    """Where each label stands in the model's output; the order differs between models.

    Raises InvalidSettings where the model does not name the three labels.
    """
    found = {
        label: int(place)
        for place, name in id2label.items()
        for label in _LABELS
        if str(name).casefold().startswith(label[:7])
    }
    if set(found) != set(_LABELS):
        raise InvalidSettings(
            f"the model in {folder} has the labels {', '.join(map(str, id2label.values()))}",
            expected="entailment, neutral and contradiction in its config's id2label",
            next_step="choose a model trained for natural language inference",
        )
    return found


def relations(
    there: Mapping[str, float], back: Mapping[str, float], *, changes: bool, one_topic: bool
) -> Probabilities:
    """From the labels of (new, old) and (old, new) to relations; the values add up to 1."""
    same = there["entailment"] * back["entailment"]
    refines = there["entailment"] * (1 - back["entailment"])
    against = max(there["contradiction"], back["contradiction"]) if one_topic else 0.0
    ruled = same + refines
    against = min(against, 1 - ruled)
    return {
        Relation.REPLACES: against if changes else 0.0,
        Relation.CONTRADICTS: 0.0 if changes else against,
        Relation.REFINES: refines,
        Relation.COMPATIBLE: max(0.0, 1 - ruled - against),
        Relation.DUPLICATE: same,
    }


def _one_topic(new: Fact, old: Fact) -> bool:
    """False where two claims are known to be about different things."""
    if new.entity_id != old.entity_id:
        return False
    if new.slot is not None or old.slot is not None:
        return new.slot == old.slot or Kind.NOTE in {new.kind, old.kind}
    return True
