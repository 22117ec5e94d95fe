"""Gives a sentence without a person ("Lives in Paris", "The user is vegan") back to the one who it is about.

It becomes what that person would have said: "I live in Paris", "My name is Ana", "我对花生过敏".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphmem.lexicon import Lexicon

_TAKING_ES = ("sses", "shes", "ches", "xes", "zzes", "oes")


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of lexicons/importing.toml. `first` maps verbs of the third person to the first."""

    user: re.Pattern[str]
    user_zh: re.Pattern[str]
    adverbs: re.Pattern[str]
    first: Mapping[str, str]
    belongings: re.Pattern[str]

    @classmethod
    def of(cls, lexicon: Lexicon) -> Wording:
        """The table "importing" of the lexicon."""
        table = lexicon.table("importing")
        english, chinese = table["en"], table["zh"]
        verbs = {_third(verb): verb for verb in english["plain"]}
        return cls(
            user=re.compile(rf"(?:{_any(english['subjects'])})(?P<owns>['’]s)?\s+", re.IGNORECASE),
            user_zh=re.compile(rf"(?:{_any(chinese['subjects'])})"),
            adverbs=re.compile(rf"(?:(?:{_any(english['adverbs'])})\s+)*", re.IGNORECASE),
            first=verbs | {verb: verb for verb in english["same"]} | dict(english["first"]),
            belongings=re.compile(
                rf"(?:{_any(english['belongings']['words'])})(?:['’]s\s|\s+(?:is|was|are|were)\b)",
                re.IGNORECASE,
            ),
        )

    def first_person(self, text: str) -> str:
        """`text` in the first person where it has no subject or speaks of "the user"; else as it is."""
        sentence = text.strip()
        found = self.user.match(sentence)
        if found and found["owns"]:
            return f"My {sentence[found.end() :]}"
        if found:
            return f"I {self._conjugated(sentence[found.end() :], certain=True)}"
        if self.user_zh.match(sentence):
            return self.user_zh.sub("我", sentence, count=1)
        if self.belongings.match(sentence):
            return f"My {_small(sentence)}"
        told = self._conjugated(sentence, certain=False)
        return f"I {_small(told)}" if told else sentence

    def _conjugated(self, rest: str, *, certain: bool) -> str:
        """`rest` with its verb in the first person; empty where no verb begins it and none must."""
        adverbs = self.adverbs.match(rest)
        start = adverbs.end() if adverbs else 0
        verb = rest[start:].split(maxsplit=1)[0] if rest[start:].strip() else ""
        first = self.first.get(verb.casefold().replace("’", "'"))
        if first is None and certain:
            first = _bare(verb)
        if first is None:
            return ""
        return rest[:start] + first + rest[start + len(verb) :]


def _third(verb: str) -> str:
    """ "live" -> "lives", "study" -> "studies", "teach" -> "teaches", "go" -> "goes"."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if (verb + "es").endswith(_TAKING_ES) else "s")


def _bare(verb: str) -> str:
    """The other way round, for any verb."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(_TAKING_ES):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
