"""Many memories below one folder, a space each: opened by name, the latest used ones kept open."""

from __future__ import annotations

import shutil
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

from graphmem.config import Settings, load
from graphmem.embed.make import make
from graphmem.memory import Memory
from graphmem.protocols import Clock, Embedder

MOST_OPEN = 8
_GOING = ".going-"


class Spaces:
    """Opens memories by the name of their space, with one embedder for all. `settings` go to each memory.
    Not for several threads at once.
    """

    def __init__(
        self,
        path: Path,
        *,
        settings: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._settings = settings or {}
        self._clock = clock
        self._embedder = embedder
        self._open: OrderedDict[str, Memory] = OrderedDict()
        for left in path.glob(_GOING + "*"):  # a deletion that was interrupted
            shutil.rmtree(left)

    def memory(self, space: str) -> Memory:
        """The memory of a space, made where there is none."""
        if space in self._open:
            self._open.move_to_end(space)
            return self._open[space]
        while len(self._open) >= MOST_OPEN:
            self._open.popitem(last=False)[1].close()
        place = self._path / space
        settings = load(place, arguments=self._settings)
        opened = Memory.open(
            place, clock=self._clock, embedder=self._shared(settings), config=settings
        )
        self._open[space] = opened
        return opened

    def there(self, space: str) -> bool:
        """Whether the space has a memory."""
        return space in self._open or (self._path / space).is_dir()

    def every(self) -> list[str]:
        """The spaces that there are."""
        return sorted(
            place.name
            for place in self._path.glob("*-*")
            if place.is_dir() and not place.name.startswith(".")
        )

    def remove(self, space: str) -> None:
        """Delete a space with its folder; a deletion that is interrupted is finished at the next start."""
        if space in self._open:
            self._open.pop(space).close()
        place = self._path / space
        if place.is_dir():
            going = place.rename(place.with_name(_GOING + token_hex(8)))
            shutil.rmtree(going)

    def likeness(self, question: str, texts: Sequence[str]) -> list[float]:
        """How near each text is to a question, 0 to 1: comparable across memories, whose own scores say
        only what is best in each. One memory must have been opened before.
        """
        if self._embedder is None or not texts:
            return [0.0] * len(texts)
        [asked] = self._embedder.questions([question])
        return [max(0.0, float(row @ asked)) for row in self._embedder.passages(texts)]

    def close(self) -> None:
        """Close all."""
        while self._open:
            self._open.popitem()[1].close()

    def _shared(self, settings: Settings) -> Embedder:
        """One embedder for all spaces: its model is loaded once."""
        if self._embedder is None:
            self._embedder = make(settings.embedder, allow_download=settings.allow_download)
        return self._embedder
