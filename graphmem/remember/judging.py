"""The optional model check (R3.5) as the memory uses it: three seconds a message, a daily allowance, and a
pause after failures.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem.allowance import Allowance, Patience
from graphmem.endpoint import known_only, seconds_of
from graphmem.lexicon import Lexicon
from graphmem.lifecycle.judge import SECONDS, TABLE, Judged, ask, made
from graphmem.model import Fact
from graphmem.protocols import Judge

_KNOWN = ("kind", "url", "model", "api_key_env", "allow_remote", "seconds", "per_day")


class JudgeStep:
    """Asks a judge once per new fact about all that it nominated, within `seconds` a message."""

    def __init__(self, judge: Judge, *, allowance: Allowance, seconds: float = SECONDS) -> None:
        self._judge = judge
        self._allowance = allowance
        self._seconds = seconds
        self._patience = Patience()

    @classmethod
    def of(
        cls, settings: Mapping[str, Any], lexicon: Lexicon, folder: Path | None
    ) -> JudgeStep | None:
        """The step of the configuration's [judge] table; None where it is empty or its kind is "off".
        Raises InvalidSettings, ExtensionMissing.
        """
        known_only(TABLE, settings, _KNOWN)
        judge = made(settings, lexicon)
        if judge is None:
            return None
        return cls(
            judge,
            allowance=Allowance.of(TABLE, settings, folder),
            seconds=seconds_of(TABLE, settings, SECONDS),
        )

    def begin(self) -> float:
        """When the time of a message starts (time.monotonic)."""
        return time.monotonic()

    def ask(self, new: Fact, olds: Sequence[Fact], *, begun: float, now: datetime) -> Judged:
        """How `new` stands to `olds`; see graphmem.lifecycle.judge.ask. Never raises for the judge's faults."""
        left = begun + self._seconds - time.monotonic()
        if left <= 0:
            return Judged(None, "model check: no time is left; the rules decided alone")
        if self._patience.worn_out:
            return Judged(None, "model check: it failed several times; the rules decided alone")
        judged = ask(self._judge, new, olds, allowance=self._allowance, now=now, seconds=left)
        self._patience.note(answered=judged.outcomes is not None)
        return judged
