"""mem0's `AsyncMemory`: the same methods, awaitable."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Self

from graphmem.asynchronous import Asynchronous, over
from graphmem.compat.mem0.memory import Memory
from graphmem.compat.mem0.options import MemoryConfig


@over(Memory)
class AsyncMemory(Asynchronous[Memory]):
    """The methods of `Memory`, awaitable; calls are carried out in their order beside the event loop."""

    def __init__(
        self, config: MemoryConfig | Mapping[str, Any] | None = None, **given: Any
    ) -> None:
        super().__init__(Memory(config, **given))

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """As `Memory.from_config`; it may be awaited, as programs for mem0 1 do."""
        return cls(MemoryConfig(**config_dict))

    def __await__(self) -> Generator[Any, None, Self]:
        yield from ()
        return self
