"""The optional model check (R3.5), off by default: who is asked, within which bounds, and what follows.

A judge is asked once per new fact, about all facts that it nominated. Whatever goes wrong (no answer in
time, an error, the day's allowance used up), the rules alone decide, and the receipt says so.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from graphmem.errors import GraphmemError, InvalidSettings, ServiceFailed
from graphmem.lexicon import Lexicon
from graphmem.model import Fact, Relation
from graphmem.protocols import Judge

REPLACES_AT = 0.80  # from here on the older fact is history at once
SECONDS = 3.0
PER_DAY = 200
JUDGED = (
    Relation.REPLACES,
    Relation.CONTRADICTS,
    Relation.REFINES,
    Relation.COMPATIBLE,
    Relation.UNRELATED,
)
Act = Literal["replace", "review", "nothing"]
Probabilities = Mapping[Relation, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a judge's answer about one pair means."""

    relation: Relation
    act: Act
    confidence: float

    @property
    def reason(self) -> str:
        """For the receipt and the review."""
        return f"the model check says {self.relation} ({self.confidence:.2f})"


def outcome(probabilities: Probabilities) -> Outcome:
    """Replaces at 0.80 and more: replace at once. Replaces below that, or contradicts: review. Else nothing."""
    relation = max(probabilities, key=lambda each: probabilities[each])
    confidence = probabilities[relation]
    act: Act = "nothing"
    if relation is Relation.REPLACES:
        act = "replace" if confidence >= REPLACES_AT else "review"
    elif relation is Relation.CONTRADICTS:
        act = "review"
    return Outcome(relation, act, round(confidence, 4))


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcomes in the order of the older facts, or None with a remark for the receipt."""

    outcomes: tuple[Outcome, ...] | None
    remark: str = ""


class Allowance:
    """How often a judge may be asked in one day of the owner's zone.

    With a `file` the count outlives the process: a JSON object {"day", "used"}. A count that cannot be
    read or written starts at 0, so that a damaged file never stops the memory.
    """

    def __init__(self, per_day: int = PER_DAY, file: Path | None = None) -> None:
        self._per_day = per_day
        self._file = file
        self._lock = threading.Lock()
        self._day, self._used = self._kept()

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


def ask(
    judge: Judge,
    new: Fact,
    olds: Sequence[Fact],
    *,
    allowance: Allowance,
    now: datetime,
    seconds: float = SECONDS,
) -> Judged:
    """Ask once about all older facts. Never raises for the judge's faults; see `Judged.remark`."""
    if not olds:
        return Judged(())
    if not allowance.take(now):
        return Judged(None, "model check: today's allowance is used up; the rules decided alone")
    answer: list[list[Probabilities]] = []
    fault: list[str] = []

    def work() -> None:
        try:
            answer.append(list(judge.judge(new, olds)))
        except GraphmemError as error:
            fault.append(str(error))

    # A thread, since neither a model on this machine nor a server can be interrupted in the middle.
    thread = threading.Thread(target=work, name="graphmem-judge", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        return _degraded(f"{judge.name} gave no answer within {seconds:g} s")
    if not answer:
        return _degraded(fault[0] if fault else f"{judge.name} broke off")
    if len(answer[0]) != len(olds) or not all(answer[0]):
        return _degraded(f"{judge.name} answered for {len(answer[0])} of {len(olds)} facts")
    return Judged(tuple(map(outcome, answer[0])))


def _degraded(why: str) -> Judged:
    return Judged(None, f"model check: {why}; the rules decided alone")


def made(settings: Mapping[str, Any], lexicon: Lexicon) -> Judge | None:
    """The judge of the configuration's [judge] table; None where it is empty or its kind is "off".

    kind = "openai" (url, model, api_key_env, allow_remote, seconds) or "nli" (model: a folder). Raises
    InvalidSettings, and ExtensionMissing where the extra is not installed.
    """
    kind = settings.get("kind", "off")
    if kind == "off":
        return None
    if kind == "openai":
        from graphmem.lifecycle.judge_http import LogprobJudge  # noqa: PLC0415 - heavy

        return LogprobJudge(
            url=_text(settings, "url"),
            model=_text(settings, "model"),
            api_key=os.environ.get(str(settings.get("api_key_env", "")), ""),
            allow_remote=settings.get("allow_remote") is True,
            seconds=_seconds(settings),
        )
    if kind == "nli":
        from graphmem.lifecycle.judge_nli import NliJudge  # noqa: PLC0415 - heavy

        return NliJudge(Path(_text(settings, "model")), lexicon=lexicon)
    raise InvalidSettings(f"judge.kind is {kind!r}", expected='"off", "openai" or "nli"')


def allowance_of(settings: Mapping[str, Any], folder: Path | None) -> Allowance:
    """The daily allowance of the [judge] table, counted in `folder`. Raises InvalidSettings."""
    per_day = settings.get("per_day", PER_DAY)
    if not isinstance(per_day, int) or isinstance(per_day, bool) or per_day < 0:
        raise InvalidSettings(f"judge.per_day is {per_day!r}", expected="a whole number, 0 or more")
    return Allowance(per_day, folder / "judge-allowance.json" if folder else None)


def _text(settings: Mapping[str, Any], name: str) -> str:
    value = settings.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidSettings(f"judge.{name} is {value!r}", expected="some text")
    return value


def _seconds(settings: Mapping[str, Any]) -> float:
    value = settings.get("seconds", SECONDS)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 60:
        raise InvalidSettings(
            f"judge.seconds is {value!r}", expected="a number of seconds, 0 to 60"
        )
    return float(value)


def failed(name: str, why: str) -> ServiceFailed:
    """A judge did not answer usefully."""
    return ServiceFailed(
        f"{name}: {why}",
        expected="probabilities of the options",
        next_step='see docs/judge.md, or set judge.kind to "off"',
    )
