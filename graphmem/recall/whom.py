"""Tells passages about those the question asks of from passages about others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from graphmem.protocols import GraphStore, Passage
from graphmem.recall.asked import people_asked
from graphmem.recall.candidates import Found
from graphmem.recall.question import Question
from graphmem.recall.rank import Ranked
from graphmem.recall.ties import other_sort
from graphmem.recall.whose import Holders, holders, leading_names
from graphmem.recall.wording import Reading, Wording

_LOOKED_AT = 40  # candidates at most, and how many that stay in their places are enough:
_ENOUGH = 16
_OTHER_SORT = 1.5  # the same for what names another sort of thing than the question: work, not home
_BEHIND = 2.0  # logits by which what is somebody else's falls behind
_IN_THE_CIRCLE = {"en": "'s ", "zh": "的"}  # known as "Ana's dentist": of what concerns Ana
_OWNED = {  # "Mum's dentist ...": the thing is somebody's
    "en": re.compile(r"\W*(?:my |our |the )?[\w-]+(?: [\w-]+)?['’]s? [a-z]"),
    "zh": re.compile(r"\W*我?们?[\u3400-\u9fff]{1,4}(?:家)?的"),
}


class Whom:
    """Looks up persons in the store; decides by the wording."""

    def __init__(self, store: GraphStore, wording: Wording) -> None:
        self._store = store
        self._wording = wording

    def told_apart(self, question: Question, ranked: Sequence[Ranked]) -> list[Ranked]:
        """The order with those that speak of somebody else behind, where the question asks of somebody."""
        if question.talk or question.agenda or _names_a_speaker(question, ranked):
            return list(ranked)
        asked = self._asked(question, ranked)
        wording = self._wording.read(question.text, question.language)
        known = _Once(self._store)
        seen: list[Ranked] = []
        kept = 0
        for one in ranked[:_LOOKED_AT]:
            seen.append(self._placed(question, wording, asked, one, known))
            kept += seen[-1].logit == one.logit
            if kept >= _ENOUGH:  # what stands behind these does not come before them any more
                break
        tail = ranked[len(seen) :]
        return sorted([*seen, *tail], key=lambda one: -one.logit)

    def with_holders(self, found: Sequence[Found]) -> list[Found]:
        """The same, knowing of whom they speak."""
        known = _Once(self._store)
        return [replace(one, holders=self._holders(one.passage, known)) for one in found]

    def _placed(
        self, question: Question, wording: Reading, asked: Holders, one: Ranked, known: _Once
    ) -> Ranked:
        spoken_of = self._holders(one.passage, known)
        another = (
            not one.found.slot
            and spoken_of.strangers_to(asked)
            and ("who" not in question.kinds or _owned(one.passage))
        )
        apart = other_sort(
            wording,
            self._wording.read(one.passage.text, one.passage.language),
        )
        return replace(
            one,
            logit=one.logit
            - _BEHIND * (another and not one.found.of_another)
            - _OTHER_SORT * apart,
            found=replace(one.found, holders=spoken_of, of_another=one.found.of_another or another),
        )

    def _asked(self, question: Question, ranked: Sequence[Ranked]) -> Holders:
        """Of whom the question asks; where it names nobody, of what is the asker's."""
        relatives = self._wording.read(question.text, question.language).relatives
        named = any(entity.kind == "person" for entity in question.entities)
        if not (question.of_self or relatives or named):
            return Holders(self=True, unsaid=True)
        speaker = _asker(ranked)
        askers = {
            entity.id for entity in (() if speaker is None else self._store.entities_named(speaker))
        }
        people = frozenset(people_asked(self._store, question, speaker, sorted(askers)))
        if relatives:
            people -= askers
        return Holders(
            kin=relatives,
            people=people,
            self=question.of_self and not relatives and not named,
        )

    def _holders(self, passage: Passage, known: _Once) -> Holders:
        speaker = {entity.id for entity in known.named(passage.speaker)}
        persons = {
            one
            for one in passage.entity_ids
            if one not in speaker
            and (entity := known.entity(one)) is not None
            and entity.kind == "person"
            and not any(_IN_THE_CIRCLE[passage.language] in name for name in entity.aliases)
        }
        reading = self._wording.read(passage.text, passage.language)
        leading = self._leading(passage, known)
        return holders(reading, persons | leading, passage.text, passage.language)

    def _leading(self, passage: Passage, known: _Once) -> set[str]:
        """The person by whose name a statement begins."""
        for name in leading_names(passage.text, passage.language):
            named = [one for one in known.named(name) if one.kind == "person"]
            if named:
                return {one.id for one in named if one.name != passage.speaker}
        return set()


class _Once:
    """Looks each name and entity up once: the same few stand in most of the candidates."""

    def __init__(self, store: GraphStore) -> None:
        self.named = cache(store.entities_named)
        self.entity = cache(store.entity)


def _owned(passage: Passage) -> bool:
    return _OWNED[passage.language].match(passage.text) is not None


def _asker(ranked: Sequence[Ranked]) -> str | None:
    """Whoever speaks most as the user among the best: the likely asker."""
    counts = Counter(
        one.passage.speaker for one in ranked[:_LOOKED_AT] if one.passage.role == "user"
    )
    return max(counts, key=lambda name: (counts[name], name)) if counts else None


def _names_a_speaker(question: Question, ranked: Sequence[Ranked]) -> bool:
    """Whether it asks of somebody who speaks for himself: all he says may answer."""
    speakers = {one.passage.speaker for one in ranked[:_LOOKED_AT]}
    return any(entity.name in speakers for entity in question.entities)
