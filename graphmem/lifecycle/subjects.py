"""Whom each clause of a statement is about: the speaker, a relative, or somebody named by a pronoun."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from graphmem.lifecycle.wording import Wording

SPEAKER = "speaker"
PRONOUN = "pronoun"
_FIRST_WORDS = 7  # a subject stands among the first words of its clause
_OPENERS = 4


def subjects(clauses: Iterable[str], wording: Wording) -> Iterator[frozenset[str]]:
    """Per clause whom it is about; a clause without a subject goes on with the one before.

    Clauses hold exact words (English: between blanks). Empty where nobody has been named yet.
    """
    last: frozenset[str] = frozenset()
    for clause in clauses:
        person = (
            _chinese(clause, wording)
            if wording.language == "zh"
            else _english(clause.split(), wording)
        )
        if person:
            last = frozenset({person})
        yield last


def _english(words: Sequence[str], wording: Wording) -> str:
    mine = False
    for at, word in enumerate(words[:_FIRST_WORDS]):
        if word in wording.first_person:
            return SPEAKER
        if word in wording.people and (mine or at == 0 or words[at - 1] in wording.openers):
            return wording.people[word]
        if word in wording.pronouns:
            return PRONOUN
        if word in wording.possessive:
            mine = True
        elif word not in wording.openers and word != "s":
            return SPEAKER if mine else ""
    return ""


def _chinese(clause: str, wording: Wording) -> str:
    rest = clause
    for _ in range(_OPENERS):
        person = _leading(rest, wording.people)
        if person:
            return wording.people[person]
        if rest[:1] in wording.pronouns:
            return PRONOUN
        first = _leading(rest, wording.first_person)
        if first:
            person = _leading(rest[len(first) :].removeprefix("的"), wording.people)
            return wording.people[person] if person else SPEAKER
        opener = _leading(rest, wording.openers)
        if not opener:
            return ""
        rest = rest[len(opener) :]
    return ""


def _leading(text: str, words: Collection[str]) -> str:
    """The longest of `words` with which the text begins, or ""."""
    return next((text[:size] for size in range(5, 0, -1) if text[:size] in words), "")
