"""`AsyncMemory`: the memory for programs with an event loop. Its types are in `aio.pyi`, which
`tools/async_types.py` makes from `Memory`.
"""

from __future__ import annotations

from pathlib import Path

from graphmem.asynchronous import Asynchronous, over
from graphmem.config import Settings
from graphmem.memory import Memory


@over(Memory)
class AsyncMemory(Asynchronous[Memory]):
    """The verbs of `Memory`, awaitable: see `graphmem.asynchronous` for what is promised.

    `async with AsyncMemory.open(path) as memory:`, or `memory = await AsyncMemory.open(path)`.
    """

    @property
    def path(self) -> Path | None:
        """The memory's directory."""
        return self.blocking.path

    @property
    def settings(self) -> Settings:
        """The settings in use."""
        return self.blocking.settings
