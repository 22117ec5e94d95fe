"""The optional model check (R3.5), off by default: who is asked, within which bounds, and what follows.

A judge is asked once per new fact, about all facts that it nominated. Whatever goes wrong (no answer in
time, an error, the day's allowance used up), the rules alone decide, and the receipt says so.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from graphmem.allowance import Allowance
from graphmem.endpoint import Endpoint, text_of
from graphmem.errors import GraphmemError, InvalidSettings, ServiceFailed
from graphmem.lexicon import Lexicon
from graphmem.model import Fact, Relation
from graphmem.protocols import Judge

REPLACES_AT = 0.80  # from here on the older fact is history at once
SECONDS = 3.0
TABLE = "judge"
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
        return _degraded(f"{judge.name} gave no answer within {seconds:.2g} s")
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
        from graphmem.lifecycle.judge_http import LogprobJudge  # noqa: PLC0415 - imports this

        endpoint = Endpoint.of(TABLE, settings, seconds=SECONDS)
        return LogprobJudge(endpoint, model=text_of(TABLE, settings, "model"))
    if kind == "nli":
        from graphmem.lifecycle.judge_nli import NliJudge  # noqa: PLC0415 - heavy

        return NliJudge(Path(text_of(TABLE, settings, "model")), lexicon=lexicon)
    raise InvalidSettings(f"judge.kind is {kind!r}", expected='"off", "openai" or "nli"')


def failed(name: str, why: str) -> ServiceFailed:
    """A judge did not answer usefully."""
    return ServiceFailed(
        f"{name}: {why}",
        expected="probabilities of the options",
        next_step='see docs/judge.md, or set judge.kind to "off"',
    )
