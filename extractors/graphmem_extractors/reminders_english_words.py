"""The English patterns of reminders, built once from the lexicon."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphmem_extractors.reminders_base import any_of

_I = re.IGNORECASE
_AMOUNT = r"(?:(?P<n>\d{1,3}|an?|one|two|three|four|five|six|ten|half an?|a couple of|a few)\s+(?P<unit>minute|min|hour|day|week|month|year)s?|the\s+(?P<near>night|day|evening|morning|week))\s+"
_SOFT = r"(?:(?:please|pls|then|just|also|quickly)\s+)*"
_DEFINITE = r"(?:the|my|a|an|our|some|mum|mom|dad|up|back|out|off|in|for|to|about|him|her|them|whether|(?-i:[A-Z])\w+)\b"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnglishWords:
    """What each pattern finds: `order` "remind me", `with_cue` those orders that need a cue, `wake`
    "wake me", `before` what may stand before an order, `condition` the head of "when I ...", `body`
    the rest of it, `over` one that tells of the past, `action` an order's verb, `definite` what makes
    a verb sure, `note` "don't forget to", `offset` "a week before", `after` an afterthought, `lead`
    "I have to", `keyword` the last noun of a cue, `question` what asks for an answer now,
    `alarm` an order that needs no action.
    """

    order: re.Pattern[str]
    with_cue: re.Pattern[str]
    wake: re.Pattern[str]
    before: re.Pattern[str]
    condition: re.Pattern[str]
    body: re.Pattern[str]
    over: re.Pattern[str]
    action: re.Pattern[str]
    definite: re.Pattern[str]
    note: re.Pattern[str]
    offset: re.Pattern[str]
    after: re.Pattern[str]
    lead: re.Pattern[str]
    keyword: re.Pattern[str]
    question: re.Pattern[str]
    alarm: re.Pattern[str]
    habit: re.Pattern[str]
    fiction: re.Pattern[str]
    may: re.Pattern[str]

    @classmethod
    def of(cls, table: Mapping[str, Any], past_verbs: list[str]) -> EnglishWords:
        """The patterns of a lexicon's table `reminders_en`."""
        orders, needs = any_of([*table["orders"], *table["with_cue"]]), any_of(table["needs"])
        notes, actions = any_of(table["notes"]), any_of(table["actions"])
        condition = any_of([word for word in table["conditions"] if word != "if"])
        if_clause = rf"if\s+{any_of(table['if_bodies'])}"
        past = any_of([*past_verbs, r"\w{3,}ed"])
        verb = rf"(?<!\bthe)(?<!\bmy)(?<!\ba)(?<!\bour)(?<!\ban)\s+{_SOFT}{actions}\s"
        afterthought = any_of(table["afterthoughts"])
        return cls(
            order=re.compile(rf"(?<![\w']){orders}(?!\w)", _I),
            with_cue=re.compile(any_of(table["with_cue"]), _I),
            wake=re.compile(any_of(table["wake"]), _I),
            before=re.compile(rf"(?:^|\s){any_of(table['before_order'])}$", _I),
            condition=re.compile(rf"(?<!\w)(?:{condition}\s+{any_of(table['subjects'])}(?=\s)|{if_clause}(?=\s))", _I),
            body=re.compile(rf"[^,:;.!?\n–—]{{1,70}}?(?=\s*[,:;.!?\n–—]|\s+-+\s|\s+to\s+{actions}\b|{verb}|\s+{orders}|\s+{notes}\b|\s+{needs}\b|\s+i need\s|\s*$)", _I),
            over=re.compile(rf"\S+(?:\s+\S+)?\s+(?:i|we|he|she|they|you|my \w+|it)\s+(?!got\b|put\b|need){past}\b", _I),
            action=re.compile(rf"{_SOFT}(?:(?:{needs}|{notes})\s+)?(?P<verb>{actions})\s+(?:(?<=ask )|(?!me\b))(?=\S)", _I),
            definite=re.compile(_DEFINITE, _I),
            note=re.compile(rf"(?:^|[.!?;,\n]\s*|\b(?:and|but|so)\s+|please\s+|pls\s+){notes}\s*:?\s*(?=\S)", _I),
            offset=re.compile(_AMOUNT + any_of(table["offset_words"]) + r"\b", _I),
            after=re.compile(rf"\s*(?:[,;(]|\s[-–—]+\s|\.\.+)\s*(?:and\s+|but\s+)?{afterthought}(?!\w).*$|\s+(?:because|otherwise|or else|or i'll|please|pls|thanks|thx|lol|haha)\b.*$", _I | re.DOTALL),
            lead=re.compile(rf"^(?:i\s+(?:still\s+)?)?{needs}\s+|^(?:so|and|ok|hey|oh|but|also)[, ]+", _I),
            keyword=re.compile(rf"\b{any_of(table['keyword_verbs'])}\s+(?:the|my|our|a|an|your|his|her|some|that|this)?\s*(?P<it>\w[\w'’&-]*(?:\s+\w[\w'’&-]*){{0,2}})$", _I),
            question=re.compile(rf"\s*{any_of(table['not_wished'])}\b", _I),
            alarm=re.compile(any_of(table["alarm"]), _I),
            habit=re.compile(rf"\b{any_of(table['habits'])}\b", _I),
            fiction=re.compile("|".join(table["not_orders"]), _I),
            may=re.compile(rf"{orders}|{condition}|{if_clause}|{notes}|after|before|lunch|work|home|bed|when|tomorrow|tonight|every|each|first of", _I),
        )  # fmt: skip
