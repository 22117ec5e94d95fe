"""The system's clock; tests pass `graphmem.testing.FixedClock` instead."""

from __future__ import annotations

from datetime import datetime


class SystemClock:
    """The present instant in the machine's zone."""

    def now(self) -> datetime:
        """The present instant, aware."""
        return datetime.now().astimezone()
