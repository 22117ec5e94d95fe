"""The clock."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time; tests pass a fixed one."""

    def now(self) -> datetime:
        """The present instant, aware, in the owner's zone."""
        ...
