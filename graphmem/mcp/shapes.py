"""What the tools give back: the output schemas that clients see, and how they are made from our values."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from graphmem.model import Conflict, Decision, Fact, Recalled, Receipt, Snapshot, State, Trigger
from graphmem.plain import MASK, plain
from graphmem.recall.lineage import History, Stage
from graphmem.remind.schedule import Due
from graphmem.secrecy.masking import shown_text, shown_words

LONGEST_TEXT = 4000  # characters of one recalled statement; fetch gives the whole
URL = "graphmem://memory/"
MESSAGE = "s_"  # how the ids of messages begin

Status = Annotated[
    Literal["learnt", "kept", "known", "changed", "unchanged"],
    Field(
        description="learnt: new facts; kept: stored as it was said, with no fact taken from it; known: "
        "the memory had this message already; changed, unchanged: what a decision did."
    ),
]
Flag = Annotated[
    State,
    Field(
        description="current: held to be true; unsure: may be outdated and waits for the owner; "
        "historical: was true once; expired: its time has passed; archived: faded."
    ),
]


class FactShape(BaseModel):
    """One fact: entity, predicate, object, the sentence that says it, and how it stands."""

    id: str
    text: str
    entity: str
    predicate: str
    object: str
    negated: bool
    state: Flag
    topic: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    happens_at: str | None = None
    expires_at: str | None = None
    said_at: datetime
    replaced_by: str | None = None


class PairShape(BaseModel):
    """A fact that is past now, and the one that took its place."""

    old: FactShape
    new: FactShape


class ConflictShape(BaseModel):
    """A newer fact that may replace an older one; the owner decides."""

    conflict_id: str
    older: FactShape
    newer: FactShape
    relation: str
    reason: str
    decision: Decision | None = None


class ReminderShape(BaseModel):
    """A reminder; `at` is the moment it is for, where it is due."""

    id: str
    action: str
    when: str
    repeat: str | None = None
    at: datetime | None = None
    late: bool = False


class NotLearnt(BaseModel):
    """A part of a message that was not learnt, and why."""

    text: str
    reason: str


class Written(BaseModel):
    """What a write did."""

    status: Status
    message_id: str | None = None
    facts: list[FactShape] = []
    notes: list[FactShape] = []
    said_again: list[FactShape] = []
    replaced: list[PairShape] = []
    conflicts: list[ConflictShape] = []
    reminders: list[ReminderShape] = []
    brought_up: list[ReminderShape] = []
    not_learnt: list[NotLearnt] = []
    remarks: list[str] = []
    open_conflicts: int = 0


class ItemShape(BaseModel):
    """One recalled statement; `id` is what update, confirm, forget and fetch take."""

    id: str
    text: str
    state: Flag
    said_at: datetime
    speaker: str
    score: float
    why: list[str]
    fact_ids: list[str]


class RecallShape(BaseModel):
    """What was recalled, best first; `context` is the same as text in labelled blocks."""

    context: str
    items: list[ItemShape]
    reminders: list[ReminderShape]
    conflicts: list[ConflictShape]


class EvidenceShape(BaseModel):
    """A sentence as somebody said it."""

    id: str
    text: str
    speaker: str
    role: str
    said_at: datetime
    source: str


class StageShape(BaseModel):
    """A fact in a history, and the sentences that said it."""

    fact: FactShape
    evidence: list[EvidenceShape]


class HistoryShape(BaseModel):
    """How a topic went, oldest first; `text` says it in words."""

    entity: str
    topic: str
    text: str
    stages: list[StageShape]


class ConflictsShape(BaseModel):
    """Conflicts, oldest first."""

    conflicts: list[ConflictShape]


class DueShape(BaseModel):
    """Reminders that are due, earliest first."""

    reminders: list[ReminderShape]


class ResultShape(BaseModel):
    """One search hit."""

    id: str
    title: str
    url: str


class ResultsShape(BaseModel):
    """Search hits, best first."""

    results: list[ResultShape]


class DocumentShape(BaseModel):
    """A whole document."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


def fact_shape(fact: Fact, *, state: State | None = None) -> FactShape:
    """A fact; a sensitive one masked."""
    return FactShape(
        id=fact.id,
        text=MASK if fact.sensitive else short(fact.text),
        entity=short(fact.entity),
        predicate=fact.predicate,
        object=MASK if fact.sensitive and fact.object else short(fact.object),
        negated=fact.polarity == "-",
        state=state or fact.state,
        topic=fact.slot,
        said_at=fact.said_at,
        replaced_by=fact.replaced_by,
        **{
            name: plain(getattr(fact, name))
            for name in ("valid_from", "valid_to", "happens_at", "expires_at")
        },
    )


def fact_shapes(facts: Iterable[Fact]) -> list[FactShape]:
    """Each of them."""
    return [fact_shape(fact) for fact in facts]


def conflict_shape(conflict: Conflict) -> ConflictShape:
    """A conflict with both sides."""
    return ConflictShape(
        conflict_id=conflict.id,
        older=fact_shape(conflict.old),
        newer=fact_shape(conflict.new),
        relation=conflict.relation.value,
        reason=conflict.reason,
        decision=conflict.decision,
    )


def reminder_shape(trigger: Trigger) -> ReminderShape:
    """A reminder."""
    return ReminderShape(
        id=trigger.id,
        action=trigger.action,
        when=str(trigger.at or trigger.routine or ", ".join(trigger.keywords) or trigger.cue),
        repeat=trigger.repeat,
    )


def due_shape(due: Due) -> ReminderShape:
    """A reminder that is due."""
    return reminder_shape(due.trigger).model_copy(update={"at": due.at, "late": due.late})


def written(receipt: Receipt) -> Written:
    """What `remember` did."""
    if receipt.facts or receipt.replaced or receipt.merged or receipt.reminders:
        status: Status = "learnt"
    else:
        status = "kept" if receipt.stored else "known"
    return _written(receipt, status)


def changed(receipt: Receipt) -> Written:
    """What a decision did."""
    return _written(receipt, "unchanged" if receipt.event is None else "changed")


def _written(receipt: Receipt, status: Status) -> Written:
    return Written(
        status=status,
        message_id=receipt.snapshot.id if receipt.snapshot else None,
        facts=fact_shapes(receipt.facts),
        notes=fact_shapes(receipt.notes),
        said_again=fact_shapes(receipt.merged),
        replaced=[
            PairShape(old=fact_shape(old), new=fact_shape(new)) for old, new in receipt.replaced
        ],
        conflicts=[conflict_shape(one) for one in receipt.conflicts],
        reminders=[reminder_shape(one) for one in receipt.reminders],
        brought_up=[reminder_shape(one) for one in receipt.brought_up],
        not_learnt=[
            NotLearnt(text=short(one.text), reason=short(one.reason)) for one in receipt.refused
        ],
        remarks=list(receipt.remarks),
        open_conflicts=receipt.open_conflicts,
    )


def id_of(item: Recalled) -> str:
    """The fact's id where a fact was taken from a statement, else the message's."""
    if item.facts:
        return item.facts[0].id
    return item.sources[0].id if item.sources else ""


def item_shape(item: Recalled) -> ItemShape:
    """One recalled statement."""
    return ItemShape(
        id=id_of(item),
        text=short(item.text),
        state=item.state,
        said_at=item.said_at,
        speaker=item.speaker,
        score=round(item.score, 4),
        why=list(item.why),
        fact_ids=[fact.id for fact in item.facts],
    )


def result_shape(item: Recalled) -> ResultShape:
    """A recalled statement as a search hit."""
    secret = any(fact.sensitive for fact in item.facts)
    return ResultShape(
        id=id_of(item), title=MASK if secret else title(item.text), url=URL + id_of(item)
    )


def evidence_shape(snapshot: Snapshot) -> EvidenceShape:
    """A sentence as it was said; a secret masked."""
    return EvidenceShape(
        id=snapshot.id,
        text=MASK if snapshot.sensitive else short(snapshot.text),
        speaker=snapshot.speaker,
        role=snapshot.role,
        said_at=snapshot.said_at,
        source=snapshot.source,
    )


def stage_shape(stage: Stage) -> StageShape:
    """A stage of a history."""
    return StageShape(
        fact=fact_shape(stage.fact, state=stage.state),
        evidence=[evidence_shape(one) for one in stage.evidence],
    )


def history_shape(history: History) -> HistoryShape:
    """A history; its words only where they hold no secret."""
    secret = any(stage.fact.sensitive for stage in history.stages)
    return HistoryShape(
        entity=history.entity.name,
        topic=history.topic,
        text=MASK if secret else history.text(),
        stages=[stage_shape(stage) for stage in history.stages],
    )


def fact_document(fact: Fact, evidence: Iterable[Snapshot]) -> DocumentShape:
    """A fact with the sentences that said it, as one document. Secrets are masked: an id is no question."""
    told = shown_text(fact)
    said = [
        f"[{one.said_at:%Y-%m-%d}] {one.speaker}: {told if one.sensitive else one.text}"
        for one in evidence
        if one.text.strip()
    ]
    known: dict[str, Any] = fact_shape(fact).model_dump(mode="json", exclude_none=True)
    return DocumentShape(
        id=fact.id,
        title=title(told),
        text="\n".join(said) or told,
        url=URL + fact.id,
        metadata={
            name: str(value)
            for name, value in known.items()
            if name not in {"id", "text", "object"} or (name == "object" and value != MASK)
        },
    )


def message_document(snapshot: Snapshot) -> DocumentShape:
    """A message as a document; one that holds a secret is masked."""
    told = shown_words(snapshot)
    return DocumentShape(
        id=snapshot.id,
        title=title(told),
        text=told,
        url=URL + snapshot.id,
        metadata={
            "speaker": snapshot.speaker,
            "role": snapshot.role,
            "said_at": snapshot.said_at.isoformat(),
            "worth": snapshot.worth.value,
        },
    )


def title(text: str) -> str:
    """The first words of a text."""
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"


def short(text: str) -> str:
    """A text that a tool's answer can hold."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
