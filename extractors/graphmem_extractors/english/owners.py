"""Whose a labelled value is, and what it is for, by the words before the label."""

from __future__ import annotations

import re

from graphmem_extractors.english.names import shown
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named

NOT_MODIFIERS = frozenset(
    [
        "my",
        "our",
        "your",
        "his",
        "her",
        "their",
        "its",
        "the",
        "a",
        "an",
        "new",
        "old",
        "this",
        "that",
        "and",
        "or",
        "but",
        "is",
        "are",
        "was",
        "were",
        "be",
        "to",
        "for",
        "of",
        "at",
        "on",
        "in",
        "with",
        "i",
        "we",
        "you",
        "he",
        "she",
        "it",
        "they",
        "me",
        "us",
        "from",
        "has",
        "have",
        "had",
        "now",
        "so",
        "also",
        "remember",
        "note",
        "changed",
        "set",
        "reset",
        "use",
        "save",
        "please",
        "just",
        "no",
        "as",
        "if",
        "when",
        "till",
        "until",
        "here",
        "there",
        "update",
        "updated",
        "correct",
        "right",
        "current",
        "real",
        "actual",
        "home-made",
    ]
)


class Owners:
    """Finds the owner and the purpose in the words before a label."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        kin = "|".join(sorted(vocabulary.kin, key=len, reverse=True))
        self._kin_owner = re.compile(
            rf"\b(?:(?P<of>[A-Z][\w-]+)'s |my |our |the )?(?P<kin>{kin})(?:'s|s'|'| is)?\s*(?:(?:new|work|private|home|office|old|mobile|cell|current|real|full) )*$",
            re.IGNORECASE,
        )
        self._name_owner = re.compile(
            r"\b(?P<name>[A-Z][\w-]+(?: [A-Z][\w-]+)?)(?:'s|s'|')\s+(?:[a-z]\w*\s+){0,2}$"
        )

    def owner(self, reading: Reading, before: str) -> Named | None:
        """Whose, by what stands before the label."""
        before = before.rstrip() + " "
        speaker = reading.speaker
        kin = self._kin_owner.search(before)
        if kin and kin.group(0).strip():
            whose = kin.group("of") or speaker.name
            return Named(f"{whose}'s {shown(kin.group('kin').lower())}", "person")
        name = self._name_owner.search(before)
        if name:
            return Named(name.group("name"), "person")
        pronoun = re.search(r"\b(his|her|their|its)\b[^,;]*$", before, re.IGNORECASE)
        if pronoun:
            low = pronoun.group(1).lower()
            context = reading.namer.context
            found = context.thing() if low == "its" else context.people() if low == "their" else context.person("m" if low == "his" else "f")  # fmt: skip
            return Named(*found) if found else None
        if re.search(r"\b(?:my|our|new)\s+(?:\w+\s+){0,2}$", before, re.IGNORECASE):
            return speaker
        return None

    def modifiers(self, before: str) -> str:
        """The words right before a label that say what it is for: "wifi" password."""
        found = re.search(r"(?:^|[\s,;:(])((?:[\w&.+-]+(?:'s)?\s+){1,3})$", before)
        if not found:
            return ""
        words = found.group(1).split()
        kept: list[str] = []
        for word in reversed(words):
            if word.lower() in NOT_MODIFIERS or word.lower().rstrip("'s") in self._vocabulary.kin:
                break
            if word.endswith("'s") and word[:1].isupper():
                break
            kept.insert(0, word.removesuffix("'s") if not kept else word)
        return " ".join(kept)
