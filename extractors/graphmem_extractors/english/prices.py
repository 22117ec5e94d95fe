"""Prices and network addresses: what costs what, what is reached where."""

from __future__ import annotations

import re

from graphmem_extractors.english.owners import NOT_MODIFIERS
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named
from graphmem_extractors.numbers import ValueSpan

_PER = re.compile(
    r" ?(?:per|a|an|each|/) ?(session|class|lesson|visit|hour|ticket|night|course|treatment|appointment)\b",
    re.IGNORECASE,
)
_PAID = re.compile(r"\b(?:paid|pay|paying|spent|spend)\b[^.;]{0,12}$", re.IGNORECASE)
_FOR = re.compile(
    r"^[^,.;\n]{0,12}?\b(?:for|on) (?:the |a |an |my |our |this |that )?(?P<thing>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)(?=$|[,.;!]| at | in | and | but | yesterday| today| last | this )",
    re.IGNORECASE,
)
_BARE = re.compile(r",\s*(?:only |just |for )?$")


class PriceReader:
    """Reads values whose thing is told by the sentence, not by a label."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def place_of(self, reading: Reading, before: str, value: ValueSpan) -> None:
        """The address of a thing: "the printer is at 10.0.0.7"."""
        found = re.search(r"(?:\bthe |\bour |\bmy )?((?:[\w-]+ ){0,2}[\w-]+)(?:\s+(?:is|runs|sits|lives|moved|listens|now))*\s*(?:at|on|to|:|,|=|is)\s*(?:new address\s*)?$", before, re.IGNORECASE)  # fmt: skip
        if found and not found.group(1).lower().endswith((" up", " out", " see", " this")):
            words = [w for w in found.group(1).split() if w.lower() not in NOT_MODIFIERS]
            if words:
                reading.add(Named(" ".join(words), "thing"), "address_is", value.text, rule="value.address", confidence=0.8, kind="value")  # fmt: skip

    def paid(self, reading: Reading, before: str, value: ValueSpan) -> bool:
        """What was paid for what: "paid 45 for the haircut", "bought a lamp, 30"."""
        after = reading.said[value.end - reading.sentence.start :]
        thing = _FOR.match(after) if _PAID.search(before) else None
        if thing:
            reading.add(Named(thing.group("thing"), "thing"), "costs", value.text, rule="value.paid", confidence=0.8, kind="value")  # fmt: skip
            return True
        bought = [c for c in reading.candidates if c.predicate in {"bought", "ordered"}]
        if bought and re.search(r"\bfor(?: just| only)?\s*$", before):
            reading.add(Named(bought[-1].object, "thing"), "costs", value.text, rule="value.paid", confidence=0.8, kind="value")  # fmt: skip
            return True
        closed = not after.strip() or after.lstrip()[:1] in {",", ".", "!"}
        if bought and closed and _BARE.search(before) and len(value.text) > 1:
            reading.add(Named(bought[-1].object, "thing"), "costs", value.text, rule="value.paid", confidence=0.8, kind="value")  # fmt: skip
            return True
        return False

    def price(self, reading: Reading, before: str, value: ValueSpan) -> None:
        """The price of a thing: "a day ticket is 12 euros"."""
        after = reading.said[value.end - reading.sentence.start :]
        per = _PER.match(after)
        if per:
            reading.add(Named(per.group(1).lower(), "thing"), "costs", value.text, rule="value.price", confidence=0.82, kind="value")  # fmt: skip
            return
        found = re.search(r"(?:^|[,;:]|\band\b|\bbut\b)\s*(?:(?:a|an|the|my|our|one|this) )?((?:[\w'-]+ ){0,5}?[\w'-]+?)(?:'s| is| are| costs?| was| were|:|,| goes for| sets you back| comes to| for| now| runs (?:me|us)| at)+\s*(?:now |only |about |around |like |me |us |up to )*$", before, re.IGNORECASE)  # fmt: skip
        if not found:
            return
        words = found.group(1).strip()
        first = words.split()[0].lower() if words else ""
        if (
            not re.search(r"[A-Za-z]{3}", words)
            or first in self._vocabulary.words("elided_verbs")
            or first.endswith("ed")
        ):
            return
        if not words or words.split()[0].lower() in {
            "i",
            "we",
            "he",
            "she",
            "they",
            "you",
            "it",
            "that",
            "this",
            "paid",
            "lent",
            "got",
            "spent",
            "owe",
            "there",
            "bought",
            "sold",
        }:
            return
        reading.add(
            Named(words, "thing"),
            "costs",
            value.text,
            rule="value.price",
            confidence=0.8,
            kind="value",
        )
