"""The second step of extraction, where the owner has configured a model (R2.2): when it is asked, and what
the receipt says of it. Whatever goes wrong, the rules' own reading stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem import plugins
from graphmem.allowance import Allowance, Patience
from graphmem.endpoint import known_only
from graphmem.errors import ExtensionError, InvalidSettings
from graphmem.lexicon import Lexicon
from graphmem.model import Message, Worth
from graphmem.protocols import Extraction, ModelReader, Trace, Turn
from graphmem.remember.facts import plainly_said
from graphmem.words import language_of

TABLE = "model"
THRESHOLD = 0.6
LONGEST_TEXT = 4_000
REMARK = "model"
_KNOWN = frozenset(
    {"kind", "url", "model", "api_key_env", "allow_remote", "seconds", "per_day", "threshold"}
)


class ModelStep:
    """Asks a model once about a message in which the rules are sure of nothing."""

    def __init__(
        self,
        reader: ModelReader,
        *,
        allowance: Allowance,
        patience: Patience | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        self._reader = reader
        self._allowance = allowance
        self._patience = patience or Patience()
        self._threshold = threshold

    @classmethod
    def of(
        cls, settings: Mapping[str, Any], lexicon: Lexicon, folder: Path | None
    ) -> ModelStep | None:
        """The step of the configuration's [model] table; None where it is empty or its kind is "off".
        Raises InvalidSettings, ExtensionMissing.
        """
        kind = settings.get("kind", "openai" if settings else "off")
        if kind == "off":
            return None
        known_only(TABLE, settings, _KNOWN)
        threshold = settings.get("threshold", THRESHOLD)
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
            raise InvalidSettings(f"{TABLE}.threshold is {threshold!r}", expected="0 to 1")
        return cls(
            plugins.factory(plugins.MODELS, kind)(lexicon=lexicon, settings=settings),
            allowance=Allowance.of(TABLE, settings, folder),
            threshold=float(threshold),
        )

    def complete(self, message: Message, found: Extraction, *, now: datetime) -> Extraction:
        """What the rules found, with what the model adds to it and a trace of how that went."""
        if not self._wanted(message, found):
            return found
        if len(message.text) > LONGEST_TEXT:
            return _remarked(found, f"not asked: longer than {LONGEST_TEXT} characters")
        if self._patience.worn_out:
            return _remarked(found, "not asked: it failed several times in a row")
        if not self._allowance.take(now):
            return _remarked(found, "not asked: today's allowance is used up")
        turn = Turn(message, None, language_of(message.text))
        try:
            answer = self._reader.read(turn, found.candidates)
        except ExtensionError as error:
            self._patience.note(answered=False)
            return _remarked(found, f"{error.met}; the rules read alone")
        except InvalidSettings as error:
            self._patience.note(answered=False)
            return _remarked(found, f"refused: {error}; the rules read alone")
        self._patience.note(answered=True)
        return _remarked(_with(found, answer), _told(self._reader.name, answer))

    def _wanted(self, message: Message, found: Extraction) -> bool:
        """Only where the message plainly asserts something, holds no secret and is no order."""
        if message.role != "user" or found.worth is not Worth.STATEMENT:
            return False
        if found.command or found.sensitive or not plainly_said(found):
            return False
        if any(one.sensitive for one in found.candidates):
            return False
        best = max((one.confidence for one in found.candidates), default=0.0)
        return best < self._threshold


def remarks(extraction: Extraction) -> tuple[str, ...]:
    """What the receipt says of the model."""
    return tuple(f"{REMARK}: {trace.reason}" for trace in extraction.trace if trace.rule == REMARK)


def _with(found: Extraction, answer: Extraction) -> Extraction:
    return replace(
        found,
        candidates=(*found.candidates, *answer.candidates),
        aliases=(*found.aliases, *answer.aliases),
        trace=(*found.trace, *answer.trace),
    )


def _remarked(found: Extraction, told: str) -> Extraction:
    return replace(found, trace=(*found.trace, Trace(rule=REMARK, span=(0, 0), reason=told)))


def _told(name: str, answer: Extraction) -> str:
    dropped = [one.reason for one in answer.trace if one.rule.endswith(".dropped")]
    count = len(answer.candidates)
    facts = f"{count} fact{'' if count == 1 else 's'}"
    why = f", {len(dropped)} dropped ({'; '.join(dict.fromkeys(dropped))})" if dropped else ""
    return f"asked {name}: {facts}{why}"
