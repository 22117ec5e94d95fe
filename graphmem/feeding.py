"""Chat logs into a memory, with how far it is: what the command line and the memory page both do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from graphmem.chatlogs import registry
from graphmem.memory import Memory
from graphmem.model import Message, Receipt


@dataclass(slots=True)
class Feed:
    """One file on its way into a memory. `counts` are messages, stored, facts, notes, reminders and
    conflicts so far; `problems` what was skipped and why; `place` of `size` is how far it was read.
    """

    file: Path
    size: int = 0
    place: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def into(
        self,
        memory: Memory,
        *,
        format: str | None = None,
        me: str | None = None,
        timezone: str | None = None,
    ) -> Iterator[None]:
        """Yields after each message that is kept. Raises what the readers and `ingest` raise."""
        self.size = registry.size(self.file)
        for receipt in memory.ingest(self._messages(memory, format, me, timezone)):
            self._count(receipt)
            yield

    def _messages(
        self, memory: Memory, format: str | None, me: str | None, timezone: str | None
    ) -> Iterator[Message]:
        for item in registry.open_log(
            self.file,
            format=format,
            me=me or memory.settings.owner or None,
            timezone=timezone or memory.settings.timezone or None,
        ):
            self.place = item.position
            if item.message is None:
                self.problems.append(str(item.problem))
            else:
                yield item.message

    def _count(self, receipt: Receipt) -> None:
        self.counts["messages"] += 1
        self.counts["stored"] += receipt.stored
        for name in ("facts", "notes", "reminders", "conflicts"):
            self.counts[name] += len(getattr(receipt, name))
