"""Values in a text: phones, mails, money, measures, codes, accounts; each exactly as said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from graphmem.lexicon import Lexicon
from graphmem_extractors.numbers_patterns import Rule, rules_for

ValueKind = Literal[
    "phone",
    "email",
    "url",
    "ip",
    "money",
    "measure",
    "percent",
    "code",
    "account",
    "card",
    "plate",
    "address",
    "number",
    "password",
]
_HINT = re.compile(
    r"[\d@]|://|\.[a-z]{2}|[半一二两三四五六七八九十百千]|passw|\bkey\b|code|密码|口令|车牌",
    re.IGNORECASE,
)
_LONGEST = 40_000  # characters; what lies behind is not read


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSpan:
    """A value at text[start:end]; `text` is exactly that stretch.

    `kind` tells what it is, `normal` is its normal form: digits with a leading + for a phone,
    "EUR 80" or "80" for money, "0.15" for a percentage, plain digits for numbers and cards, the text
    itself for codes, passwords and addresses. `partial` marks the last digits of a number only.
    """

    start: int
    end: int
    text: str
    kind: ValueKind
    normal: str
    partial: bool = False


def find_values(
    text: str, language: str, *, lexicon: Lexicon | None = None
) -> tuple[ValueSpan, ...]:
    """All values of a text, left to right, without overlaps: the most specific kind wins.

    `language` is "en" or "zh". Any text is accepted; only its first 40,000 characters are read.
    """
    if _HINT.search(text) is None:
        return ()
    rules = _shipped_rules(language) if lexicon is None else rules_for(lexicon, language)
    taken: list[ValueSpan] = []
    busy = bytearray(min(len(text), _LONGEST))
    for rule in rules:
        for found in rule.pattern.finditer(text, 0, len(busy)):
            span = _value(rule, found)
            if span is None or any(busy[span.start : span.end]):
                continue
            busy[span.start : span.end] = b"\x01" * (span.end - span.start)
            taken.append(span)
    return tuple(sorted(taken, key=lambda span: span.start))


def _value(rule: Rule, found: re.Match[str]) -> ValueSpan | None:
    group = "v" if "v" in rule.pattern.groupindex else 0
    start, end = found.span(group)
    normal = rule.normal(found)
    if normal is None or start == end:
        return None
    kind: ValueKind = rule.kind  # type: ignore[assignment]
    return ValueSpan(
        start=start, end=end, text=found[group], kind=kind, normal=normal, partial=rule.partial
    )


@lru_cache(maxsize=2)
def _shipped_rules(language: str) -> tuple[Rule, ...]:
    return rules_for(Lexicon.load(), "zh" if language == "zh" else "en")
