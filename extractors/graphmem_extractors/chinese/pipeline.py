"""The spaCy pipeline of Chinese: blank("zh") on the LAC tagger, and matchers over its tagged words."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from graphmem_extractors.chinese.segment import Segmenter, Word

_NAME_TAGS = {"PER": "person", "LOC": "place", "ORG": "organisation"}
_PLACE_TAGS = ["LOC", "ORG", "s"]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A text's words with what the matchers found: names (text, kind), and phrases 在 + place by their start."""

    words: list[Word] = field(default_factory=list)
    names: tuple[tuple[str, str], ...] = ()
    places_ahead: dict[int, int] = field(default_factory=dict)


class Tokenizer:
    """A spaCy tokenizer that takes words and tags from a segmenter; blanks are words of their own."""

    def __init__(self, vocab: Any, segmenter: Segmenter) -> None:
        self._vocab = vocab
        self._segmenter = segmenter
        self._doc = import_module("spacy.tokens").Doc

    def __call__(self, text: str) -> Any:
        """A Doc whose tokens cover `text` whole."""
        cut = self._segmenter.cut(text)
        return self._doc(
            self._vocab,
            words=[word.text for word in cut],
            spaces=[False] * len(cut),
            tags=[word.tag for word in cut],
        )


class Pipeline:
    """Tags texts and finds names and place phrases in them."""

    def __init__(self, segmenter: Segmenter) -> None:
        spacy = import_module("spacy")
        matching = import_module("spacy.matcher")
        self._nlp = spacy.blank("zh")
        self._nlp.tokenizer = Tokenizer(self._nlp.vocab, segmenter)
        self._matcher = matching.Matcher(self._nlp.vocab)
        for tag in _NAME_TAGS:
            self._matcher.add(tag, [[{"TAG": tag, "OP": "+"}]], greedy="LONGEST")
        place = [{"TEXT": "在"}, {"TAG": {"IN": _PLACE_TAGS}, "OP": "+"}]
        self._matcher.add("place_ahead", [place], greedy="LONGEST")

    def tag(self, text: str) -> Tagged:
        """The words of `text` and what the matchers find in them."""
        doc = self._nlp.tokenizer(text)
        words = [
            Word(token.text, token.tag_, token.idx, token.idx + len(token.text)) for token in doc
        ]
        names: dict[tuple[str, str], None] = {}
        places: dict[int, int] = {}
        for key, start, end in self._matcher(doc):
            label = self._nlp.vocab.strings[key]
            first, last = words[start], words[end - 1]
            if label == "place_ahead":
                places[first.start] = last.end
            elif last.end - first.start > 1:
                names[text[first.start : last.end], _NAME_TAGS[label]] = None
        return Tagged(words, tuple(names), places)
