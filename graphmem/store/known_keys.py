"""Tells quickly that a key is not there: most ids that a stream of new messages asks for are new.

The engine takes a quarter of a millisecond to say that it has no such node, a set in memory none. To fill
the set costs a scan of the table, so it is filled once as many keys were missed as would have paid for it
(measured: a miss costs as much as 60 keys of a scan), and kept up from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

_PAYS = 60  # keys that can be scanned in the time of one miss
_ASKED = 256  # misses after which it is worth to count the table


class KnownKeys:
    """The keys of one table, by their hashes, once that has paid. Not thread-safe."""

    def __init__(self, count: Callable[[], int], scan: Callable[[], Iterable[str]]) -> None:
        self._count = count
        self._scan = scan
        self._hashes: set[int] | None = None
        self._missed = 0

    def lacks(self, key: str) -> bool:
        """Whether the key is certainly not there; False says nothing."""
        return self._hashes is not None and hash(key) not in self._hashes

    def missed(self) -> None:
        """Count a key that the engine was asked for and did not have."""
        self._missed += 1
        if (
            self._hashes is None
            and self._missed % _ASKED == 0
            and self._count() <= self._missed * _PAYS
        ):
            self._hashes = {hash(key) for key in self._scan()}

    def added(self, key: str) -> None:
        """A node was made."""
        if self._hashes is not None:
            self._hashes.add(hash(key))

    def forget(self) -> None:
        """Others may have written: nothing is certain, and what was missed has paid already."""
        self._hashes = None
        self._missed = 0
