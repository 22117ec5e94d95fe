"""Hands each message to the extractor of its language, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from graphmem import plugins
from graphmem.lexicon import Lexicon
from graphmem.model import Message, Worth
from graphmem.protocols import Extraction, Extractor, Turn
from graphmem.remember.conversations import Thread, thread
from graphmem.words import language_of

_A_MESSAGE = Message(text=".", said_at=datetime(2000, 1, 1, tzinfo=UTC))


class Extractors:
    """The configured extractors, loaded when the first message of their language comes."""

    def __init__(self, names: Sequence[str], lexicon: Lexicon) -> None:
        self._names = tuple(names)
        self._lexicon = lexicon
        self._by_language: dict[str, Extractor] | None = None
        self._ready: set[str] = set()

    def load(self, languages: Iterable[str]) -> None:
        """Have the models of these languages in memory: they are read at the first message of each."""
        for language in set(languages) - self._ready:
            extractor = self._load().get(language)
            if extractor is not None:
                extractor.extract([Turn(_A_MESSAGE, None, language)])
            self._ready.add(language)

    def extract(
        self, messages: Sequence[Message], *, before: Mapping[Thread, Message] | None = None
    ) -> list[Extraction]:
        """One Extraction per message, in order.

        A message's predecessor is the one before it of the same speaker in the same conversation, in
        `messages` or else in `before`. What other roles say is kept, but nothing is taken from it.
        """
        found = [
            Extraction() if message.role == "user" else Extraction(worth=Worth.OTHER_ROLE)
            for message in messages
        ]
        waiting: dict[str, list[tuple[int, Turn]]] = {}
        last = dict(before or {})
        for place, message in enumerate(messages):
            if message.role != "user":
                continue
            previous = last.get(thread(message))
            if previous is not None and previous.readers not in {(), message.readers}:
                previous = None  # what it says is not for everybody who may see this one
            last[thread(message)] = message
            language = language_of(message.text)
            waiting.setdefault(language, []).append((place, Turn(message, previous, language)))
        for language, turns in waiting.items():
            extractor = self._load().get(language)
            if extractor is None:
                continue
            answers = extractor.extract([turn for _, turn in turns])
            for (place, _), answer in zip(turns, answers, strict=True):
                found[place] = answer
        return found

    def _load(self) -> Mapping[str, Extractor]:
        if self._by_language is None:
            loaded = [
                plugins.shared(plugins.EXTRACTORS, name, self._lexicon) for name in self._names
            ]
            self._by_language = {
                language: extractor for extractor in loaded for language in extractor.languages
            }
        return self._by_language
