"""The Chinese lexicon, compiled once: word lists as regular expressions, kin terms, frames, attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.lexicon import Lexicon
from graphmem_extractors.frame import Maker


@dataclass(frozen=True, slots=True)
class Kin:
    """A word for a person by what they are to the speaker. `family`: kin, not a friend or colleague."""

    word: str
    predicate: str
    slot: str | None
    family: bool
    sex: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What a clause may say: patterns tried after the adverbs, and what a match means.

    `topic_patterns` take the topic before the subject as their object. `since`: a time beside it says
    from when. `denies`: always negative. `named`: the subject must be said. `across`: read beyond the
    clause to the end of its sentence. `timed`: holds with a time to come too (a birthday).
    `own`: with no subject it is about the speaker, unless family is the topic.
    `affirmed`: never where it is negated. `close`: not where another topic stands before it. `after`: only where the claim before it has this predicate.
    """

    name: str
    predicate: str
    patterns: tuple[re.Pattern[str], ...]
    object: str
    about: str
    confidence: float
    tense: str
    negated: str
    needs_negation: bool
    split: bool
    value: str
    topic_patterns: tuple[re.Pattern[str], ...]
    since: bool
    denies: bool
    named: bool
    across: bool
    timed: bool
    own: bool
    close: bool
    affirmed: bool
    after: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A noun that asks for a value, such as a phone number."""

    predicate: str
    value: str
    slot: str | None
    sensitive: bool


class Vocabulary:
    """Everything the Chinese rules know about words. Built from a lexicon; read-only."""

    def __init__(self, lexicon: Lexicon) -> None:
        extract, family, guards = (
            lexicon.table(topic, "zh") for topic in ("extract", "family", "guards")
        )
        self.predicates: Mapping[str, Any] = lexicon.table("predicates")
        self.maker = Maker(lexicon)
        self.kin = {word.word: word for word in _kin(family)}
        self.pets = frozenset(family["pets"]["words"])
        self.same: dict[str, str] = {
            word: names[0] for names in family["same"]["names"] for word in names
        }
        self.kin_pattern = alternatives(self.kin)
        self.pet_pattern = alternatives(self.pets)
        words = extract["words"]
        self.words: dict[str, frozenset[str]] = {
            name: frozenset(entries) for name, entries in words.items()
        }
        self.kinds: dict[str, frozenset[str]] = {
            name: frozenset(entries) for name, entries in extract["kinds"].items()
        }
        self.particles = re.compile(f"(?:{alternatives(words['particles'])}|的?[\\s~～]+)+$")
        self.openers = re.compile(
            f"(?:{alternatives(words['openers'])})(?:[啊哈哦呀](?=.)|(?=[\\s,，:：、!！。…]|$|[我俺咱他她它这那]))[\\s,，:：、!！。…]*"
        )
        self.adverbs = re.compile(alternatives(words["adverbs"]))
        self.past = re.compile(f"(?:{alternatives(words['past'])})(?:我)?(?:都|也)?")
        self.negations = re.compile(
            f"(?:{alternatives(words['negations'])})(?:太|大|怎么)?(?:能|可以|敢|让|准)?"
        )
        self.measures = re.compile(alternatives(words["measures"]))
        self.patterns = {
            name: re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
            for name, patterns in lexicon.table("events", "zh").items()
        }
        self.languages = re.compile(alternatives(self.kinds["languages"]))
        self.guards = {
            name: re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
            for name, patterns in guards.items()
        }
        macros = {name: str(text) for name, text in extract["macros"].items()}
        macros["kin"] = f"(?:{self.kin_pattern})"
        macros["car"] = f"(?:{alternatives(self.kinds['cars'])})"
        macros["pet"] = f"(?:{self.pet_pattern})"
        self.frames = tuple(
            _frame(name, entry, macros) for name, entry in extract["frames"].items()
        )
        self.attributes: dict[str, Attribute] = {
            word: Attribute(
                entry["predicate"], entry["value"], entry.get("slot"), entry.get("sensitive", False)
            )
            for entry in extract["attributes"].values()
            for word in entry["words"]
        }
        self.attribute_pattern = alternatives(self.attributes)


def alternatives(words: Iterable[str]) -> str:
    """A regular expression for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda w: (-len(w), w)))


def _kin(family: Mapping[str, Any]) -> Iterable[Kin]:
    for group in ("kin", "circle"):
        for entry in family[group].values():
            for word in entry["words"]:
                yield Kin(
                    word,
                    entry["predicate"],
                    entry.get("slot"),
                    group == "kin",
                    entry.get("sex", ""),
                )


def _frame(name: str, entry: Mapping[str, Any], macros: Mapping[str, str]) -> Frame:
    return Frame(
        name=name,
        predicate=entry["predicate"],
        patterns=tuple(re.compile(_expanded(text, macros)) for text in entry["patterns"]),
        object=entry["object"],
        about=entry.get("about", "person"),
        confidence=float(entry.get("confidence", 0.8)),
        tense=entry.get("tense", "present"),
        negated=entry.get("negated", ""),
        needs_negation=bool(entry.get("needs_negation", False)),
        split=bool(entry.get("split", False)),
        value=entry.get("value", ""),
        topic_patterns=tuple(
            re.compile(_expanded(text, macros)) for text in entry.get("topic_patterns", ())
        ),
        since=bool(entry.get("since", False)),
        denies=bool(entry.get("denies", False)),
        named=bool(entry.get("named", False)),
        across=bool(entry.get("across", False)),
        timed=bool(entry.get("timed", False)),
        own=bool(entry.get("own", False)),
        close=bool(entry.get("close", False)),
        affirmed=bool(entry.get("affirmed", False)),
        after=entry.get("after", ""),
    )


def _expanded(text: str, macros: Mapping[str, str]) -> str:
    for _ in range(2):  # a macro may use another one
        for name, pattern in macros.items():
            text = (
                text.replace(f"<{name}>", pattern)
                if f"P<{name}>" not in text
                else _outside_groups(text, name, pattern)
            )
    return text


def _outside_groups(text: str, name: str, pattern: str) -> str:
    return re.sub(rf"(?<!P)<{name}>", lambda _: pattern, text)
