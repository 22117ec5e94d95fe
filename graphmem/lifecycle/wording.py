"""The words of the lexicon, compiled for reading statements of one language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.phrases import Book, Denial, stem

# Marks of an end or a change: a denied one ("almost sold it") says that nothing changed.
DENIABLE = ("over", "switch", "reschedule", "cancel")
# Of what sort a matter is: an event, a meeting, a part that passes from one to another.
MATTER_MARKS = ("done", "social", "role")
_CHANGE_MARKS = (
    *DENIABLE,
    "now",
    "correct",
    "add",
    "same",
    "negation",
    "back",
    "multi",
    "single",
    "repeats",
    *MATTER_MARKS,
)
_DOUBT_MARKS = (
    "plan",
    "wish",
    "visit",
    "stay",
    "past",
    "quoted",
    "sarcasm",
    "question",
    "others",
    "addressed",
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The lexicon of one language.

    `book` holds its phrases under ("mark", name), ("topic", name), ("member", topic), ("side", pair,
    side), ("kind", group, which), ("sense", word, sense) and ("person", who); `senses` are the senses of
    each word that has several.
    """

    language: str
    book: Book
    denial: Denial
    negation: Denial
    single: frozenset[str]
    generic: frozenset[str]
    irregular: Mapping[str, str]
    senses: Mapping[str, frozenset[str]]
    heads: frozenset[str]
    people: Mapping[str, str]
    partners: frozenset[str]
    first_person: frozenset[str]
    possessive: frozenset[str]
    pronouns: frozenset[str]
    openers: frozenset[str]
    dwellings: frozenset[str]


@lru_cache(maxsize=8)
def wording_of(lexicon: Lexicon, language: str) -> Wording:
    """The compiled wording of "zh", or else of "en"; a lexicon is told from others by identity."""
    language = "zh" if language == "zh" else "en"
    change = lexicon.table("change", language)
    topics = lexicon.table("topics", language)
    generic = lexicon.words("generic", language, "words")
    return Wording(
        language=language,
        book=Book(_lists(lexicon, language), language),
        denial=Denial(change["denial"], language),
        negation=Denial([*change["denial"], *change["negated"]], language),
        single=frozenset(name for name, table in topics.items() if table.get("single")),
        generic=frozenset(_base(word, language) for word in generic),
        irregular=MappingProxyType(
            {_base(word, language): base for word, base in change["irregular"].items()}
        ),
        senses=MappingProxyType(
            {
                _base(word, language): frozenset(senses)
                for word, senses in lexicon.table("senses", language).items()
            }
        ),
        heads=frozenset(change["heads"]),
        people=MappingProxyType(
            {word: group.split("|")[0] for group in change["people"] for word in group.split("|")}
        ),
        partners=frozenset(change["partners"]),
        first_person=frozenset(change["first_person"]),
        possessive=frozenset(change["possessive"]),
        pronouns=frozenset(change["pronouns"]),
        openers=frozenset(change["openers"]),
        dwellings=frozenset(_base(word, language) for word in change["dwellings"]),
    )


def _lists(lexicon: Lexicon, language: str) -> dict[tuple[Any, ...], Iterable[str]]:
    change = lexicon.table("change", language)
    doubt = lexicon.table("temporary", language)
    lists: dict[tuple[Any, ...], Iterable[str]] = {
        ("mark", name): change[name] for name in _CHANGE_MARKS
    }
    lists |= {("mark", name): doubt[name] for name in _DOUBT_MARKS}
    for name, table in lexicon.table("topics", language).items():
        lists["topic", name] = table["words"]
        lists["member", name] = table.get("members", ())
    for number, pair in enumerate(change["opposites"]):
        for side, words in enumerate(pair):
            lists["side", number, side] = words.split("|")
    for number, group in enumerate(change["kinds"]):
        for which, words in enumerate(group):
            lists["kind", number, which] = words.split("|")
    for word, senses in lexicon.table("senses", language).items():
        for sense, context in senses.items():
            lists["sense", _base(word, language), sense] = context
    for group in change["people"]:
        words = group.split("|")
        lists["person", words[0]] = [f"={word}" for word in words]
    return lists


def _base(word: str, language: str) -> str:
    return word if language == "zh" else stem(word)
