"""Of whom a question asks, and what fills the slot that it asks for: of him, and of others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.model import Fact, Kind, State
from graphmem.protocols import Filter, GraphStore, SearchIndex
from graphmem.recall.question import Question

_FILLERS = 4  # of one person
_OTHERS = 60  # newest facts of the slot, whoever they belong to
_KIN = {
    "en": re.compile(r"(?<![\w'])(?:my|our)\s+([\w-]+(?:\s+[\w-]+){0,2})", re.IGNORECASE),
    "zh": re.compile(r"[我咱俺]们?(?:家)?的?([\u3400-\u9fff]{1,5})"),
}
_POSSESSIVE = {"en": "'s ", "zh": "的"}
_STANDING = frozenset({State.CURRENT, State.UNSURE})


@dataclass(frozen=True, slots=True)
class Asked:
    """`people`: ids of those of whom alone is asked. Numbers of passages: `fillers` state what fills the slot now, `older`
    what filled it before, as far as one knows, `others` what fills it for somebody else, and `said`
    is whatever of theirs speaks of it, `named` what names a filler.
    """

    people: tuple[str, ...] = ()
    fillers: frozenset[int] = frozenset()
    older: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()
    said: frozenset[int] = frozenset()
    named: frozenset[int] = frozenset()


def people_asked(
    store: GraphStore, question: Question, speaker: str | None, askers: Sequence[str]
) -> tuple[str, ...]:
    """Whom the question names, whom it calls by what they are to the asker ("my sister"), else the asker."""
    named = [entity.id for entity in question.entities if entity.kind == "person"]
    kin = [] if speaker is None else _kin(store, question, speaker)
    if kin or named:
        return tuple(dict.fromkeys([*kin, *named]))
    return tuple(askers)


def asked(
    store: GraphStore, search: SearchIndex, question: Question, people: Sequence[str], only: Filter
) -> Asked:
    """What the memory holds of the slot; nothing where the question asks for none."""
    if question.slot is None:
        return Asked()
    named = question.of_self or any(one.id in people for one in question.entities)
    all_of = store.newest_facts(states=_STANDING, slot=question.slot, limit=_OTHERS)
    now = [fact for one in people for fact in store.slot_current(one, question.slot)[:_FILLERS]]
    theirs = [fact for fact in all_of if fact.entity_id in people]
    older = [fact for fact in theirs if _before(fact, now)]
    others = [fact for fact in all_of if fact.entity_id not in people] if named else []
    where = search.of_facts([fact.id for fact in (*now, *theirs, *others)], only=only)
    places = [
        frozenset(where[fact.id] for fact in facts if fact.id in where)
        for facts in (now, older, others, theirs)
    ]
    fillers, before, elsewhere, said = places
    return Asked(
        tuple(people) if named else (),
        fillers,
        before - fillers,
        elsewhere - fillers - before,
        said | fillers,
        frozenset(
            where[fact.id]
            for fact in (*now, *theirs)
            if fact.id in where and fact.kind is Kind.CLAIM
        ),
    )


def _before(fact: Fact, now: Sequence[Fact]) -> bool:
    """Whether it is unsure and what fills the slot of the same person was said later."""
    return fact.state is State.UNSURE and any(
        fact.entity_id == other.entity_id
        and fact.said_at < other.said_at
        and other.object  # of a note it is not known what exactly it says
        for other in now
    )


def _kin(store: GraphStore, question: Question, speaker: str) -> list[str]:
    """Entities known as "SPEAKER's sister" and the like, by the most words that name one."""
    found: list[str] = []
    for match in _KIN[question.language].finditer(question.text):
        for name in _beginnings(match.group(1), question.language):
            known = store.entities_named(f"{speaker}{_POSSESSIVE[question.language]}{name}")
            if known:
                found += [entity.id for entity in known]
                break
    return found


def _beginnings(text: str, language: str) -> list[str]:
    """The first one, two, three words (characters in Chinese), longest first."""
    parts = list(text) if language == "zh" else text.split()
    glue = "" if language == "zh" else " "
    return [glue.join(parts[:size]) for size in range(len(parts), 0, -1)]
