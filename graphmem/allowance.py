"""How often a model may be asked, and when to leave it alone for a while."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem.errors import InvalidSettings

PER_DAY = 200
FAILURES, PAUSE_SECONDS = 3, 60.0


class Allowance:
    """How often a model may be asked in one day of the owner's zone.

    With a `file` the count outlives the process: a JSON object {"day", "used"}. A count that cannot be
    read or written starts at 0, so that a damaged file never stops the memory.
    """

    def __init__(self, per_day: int = PER_DAY, file: Path | None = None) -> None:
        self._per_day = per_day
        self._file = file
        self._lock = threading.Lock()
        self._day, self._used = self._kept()

    @classmethod
    def of(cls, table: str, settings: Mapping[str, Any], folder: Path | None) -> Allowance:
        """The daily allowance (`per_day`) of a table of the configuration, counted in `folder`.
        Raises InvalidSettings.
        """
        per_day = settings.get("per_day", PER_DAY)
        if not isinstance(per_day, int) or isinstance(per_day, bool) or per_day < 0:
            raise InvalidSettings(
                f"{table}.per_day is {per_day!r}", expected="a whole number, 0 or more"
            )
        return cls(per_day, folder / f"{table}-allowance.json" if folder else None)

    def take(self, now: datetime) -> bool:
        """Use one up; False where the day's allowance is used up."""
        with self._lock:
            day = now.date().isoformat()
            if day != self._day:
                self._day, self._used = day, 0
            if self._used >= self._per_day:
                return False
            self._used += 1
            self._keep()
            return True

    def _kept(self) -> tuple[str, int]:
        if self._file is None:
            return "", 0
        try:
            kept = json.loads(self._file.read_text("utf-8"))
            return str(kept["day"]), int(kept["used"])
        except (OSError, ValueError, KeyError, TypeError):
            return "", 0

    def _keep(self) -> None:
        if self._file is None:
            return
        beside = self._file.with_suffix(".new")
        try:
            beside.write_text(json.dumps({"day": self._day, "used": self._used}), "utf-8")
            beside.replace(self._file)
        except OSError:
            return  # counted in this process only


class Patience:
    """Leaves a model that failed three times in a row alone for a minute, so that an ingest over a
    server that is down does not wait for it at every message.
    """

    def __init__(self, failures: int = FAILURES, pause: float = PAUSE_SECONDS) -> None:
        self._failures = failures
        self._pause = pause
        self._in_a_row = 0
        self._until = 0.0

    @property
    def worn_out(self) -> bool:
        """True while the model is left alone."""
        return time.monotonic() < self._until

    def note(self, *, answered: bool) -> None:
        """Count an answer or a failure."""
        self._in_a_row = 0 if answered else self._in_a_row + 1
        if self._in_a_row >= self._failures:
            self._in_a_row = 0
            self._until = time.monotonic() + self._pause
