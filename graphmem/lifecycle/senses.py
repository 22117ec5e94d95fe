"""Which sense a word with several is used in, by the words around it (after Lesk 1986). Pure.

A flat with a landlord is a home, one on a bike is a tyre. Only the words of `lexicons/senses_*.toml` are looked at,
and a sense is told only where the context speaks for it and for no other as much.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from graphmem.lifecycle.phrases import Cue, Normal, stem

Found = Mapping[tuple[Any, ...], list[Cue]]


def senses_in(
    normal: Normal, found: Found, words: Iterable[str], senses: Mapping[str, frozenset[str]]
) -> dict[str, str]:
    """The sense of each of the words that is determined. `senses` names those that a word can have.

    In Chinese a word also counts where it is part of a longer one.
    """
    present = senses.keys() & set(words)
    text = "".join(normal.exact)
    present |= {word for word in senses if not word.isascii() and word in text}
    if not present:
        return {}
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for name, cues in found.items():
        if name[0] == "sense" and name[1] in present:
            votes[name[1]][name[2]] = len({cue.phrase for cue in cues})
    return {word: sense for word, count in votes.items() if (sense := _clear(count))}


def without_other_senses(
    found: Found, determined: Mapping[str, str], senses: Mapping[str, frozenset[str]]
) -> dict[tuple[Any, ...], list[Cue]]:
    """Without the cues of a topic by a word that stands here in another sense than that topic's."""
    kept = {
        name: [
            cue
            for cue in cues
            if name[0] not in {"topic", "member"}
            or (word := _word(cue, determined)) is None
            or name[1] not in senses[word]
            or name[1] == determined[word]
        ]
        for name, cues in found.items()
    }
    return {name: cues for name, cues in kept.items() if cues}


def _word(cue: Cue, determined: Mapping[str, str]) -> str | None:
    word = stem(cue.phrase) if cue.phrase.isascii() else cue.phrase
    return word if word in determined else None


def _clear(count: Counter[str]) -> str | None:
    """The sense with the most votes, None where two have as many."""
    first, *others = count.most_common(2)
    return None if others and others[0][1] == first[1] else first[0]
