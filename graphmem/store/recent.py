"""A bounded dictionary that forgets what was longest not asked for."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most `size` values by key. Not thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key_: K) -> bool:
        return key_ in self._held

    def __getitem__(self, key_: K) -> V:
        self._held.move_to_end(key_)
        return self._held[key_]

    def __setitem__(self, key_: K, value: V) -> None:
        self._held[key_] = value
        self._held.move_to_end(key_)
        if len(self._held) > self._size:
            self._held.popitem(last=False)

    def forget(self, key_: K) -> None:
        """No longer hold it; harmless where it is not held."""
        self._held.pop(key_, None)

    def clear(self) -> None:
        """Hold nothing."""
        self._held.clear()
