"""Whose matter a passage speaks of, against whom the question asks of; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from graphmem.recall.wording import Reading

_HAN = re.compile(r"[\u3400-\u9fff]+")
_CAPITALISED = re.compile(r"[A-Z][\w-]+(?=['’ ])")
_MINE = {
    "en": re.compile(r"\b(?:i|me|my|mine|we|us|our)\b", re.IGNORECASE),
    "zh": re.compile("[我咱俺]"),
}
_NO_NAMES = frozenset({"The", "My", "Our", "We", "It", "He", "She", "They"})
# plain words for several people at once: any of them may be meant
_ALL = frozenset({"parents", "grandparents", "kid", "in-laws", "爸妈", "孩子", "亲戚"})
_NOBODY = frozenset({"speaker", "pronoun"})  # by themselves they name nobody else
_SPEAKER = "speaker"


@dataclass(frozen=True, slots=True)
class Holders:
    """`kin`: relatives by a plain word. `people`: ids of persons. `self`: also the speaker. `unsaid`: of a
    question that names nobody.
    """

    kin: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    self: bool = False
    unsaid: bool = False

    def apart(self, other: Holders) -> bool:
        """Whether one side speaks of a relative, and the other of another or of the speaker."""
        if self.kin and other.kin:
            return not self.kin & other.kin
        return bool((self.kin and other.self) or (other.kin and self.self))

    def strangers_to(self, asked: Holders) -> bool:
        """Whether somebody is spoken of, and none of those asked of. Where the question has just a word
        for somebody ("the birthday boy"), only another such word tells them apart.
        """
        if asked.unsaid:
            return bool(self.kin) and not self.self
        if not _ALL.isdisjoint(self.kin | asked.kin) and self.kin and asked.kin:
            return False
        if self.kin & asked.kin or self.people & asked.people or (self.self and asked.self):
            return False
        if asked.self or asked.people:
            return bool(self.kin or self.people)
        return bool(self.kin and asked.kin)


NOBODY = Holders()


def holders(
    reading: Reading, people: Iterable[str], text: str = "", language: str = "en"
) -> Holders:
    """Of whom a statement speaks: the subject of its first clause that has one, and the persons (ids, without
    the speaker) that its facts are about. "Noa moved my lesson" is about the speaker too.
    """
    lead: frozenset[str] = next((one for one in reading.people if one), frozenset())
    kin = lead - _NOBODY
    return Holders(
        kin=kin,
        people=frozenset(people),
        self=_SPEAKER in lead or (not kin and _MINE[language].search(text) is not None),
    )


def leading_names(text: str, language: str) -> list[str]:
    """What a statement begins with that may be somebody's name, longest first."""
    if language == "zh":
        run = _HAN.match(text)
        return [run.group()[:size] for size in (3, 2) if len(run.group()) > size] if run else []
    first = _CAPITALISED.match(text)
    return [] if first is None or first.group() in _NO_NAMES else [first.group()]
