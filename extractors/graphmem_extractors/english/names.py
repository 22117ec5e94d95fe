"""Names and nouns in a parse: what is a proper name, and the whole of it."""

from __future__ import annotations

import re
from typing import Any

TITLES = frozenset(["dr", "mr", "mrs", "ms", "prof", "miss", "aunt", "auntie", "uncle", "grandma", "grandpa", "gran", "nana", "nan", "sir", "father", "sister", "brother", "cousin", "professor", "doctor", "coach"])  # fmt: skip
_DAYS = frozenset(
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "christmas",
        "easter",
        "ramadan",
        "diwali",
        "thanksgiving",
        "hanukkah",
    ]
)
_NOT_NAMES = frozenset(
    [
        "ok",
        "lol",
        "omg",
        "btw",
        "tv",
        "ai",
        "api",
        "pc",
        "gps",
        "dna",
        "atm",
        "faq",
        "pdf",
        "usb",
        "wifi",
        "vpn",
        "covid",
        "god",
        "internet",
        "english",
    ]
)


def shown(kin: str) -> str:
    """A kin word as it is written: "brotherinlaw" stands for "brother-in-law" while parsing."""
    return re.sub(
        r"(\w+?)inlaw(s?)\b", r"\1\2-in-law", re.sub(r"\bex(?=wife|husband|girlf|boyf)", "ex-", kin)
    )


def is_name(token: Any) -> bool:
    """A proper name by its tag, or a capitalised noun inside a sentence."""
    low = token.lower_
    if low in _DAYS or low in _NOT_NAMES or not token.text[:1].isalpha():
        return False
    if token.tag_ in {"NNP", "NNPS"}:
        return bool(token.text[:1].isupper())
    return bool(
        token.i > 0
        and token.text[:1].isupper()
        and token.pos_ in {"NOUN", "X", "ADJ"}
        and not token.text.isupper()
    )


def full_name(token: Any) -> str:
    """The whole name that `token` heads: titles, first names, initials."""
    parts = [
        child
        for child in token.children
        if child.i < token.i and child.dep_ in {"compound", "nmod"} and (child.tag_.startswith("NNP") or child.lower_ in TITLES or child.text == ".")
    ]  # fmt: skip
    first = min([*parts, token], key=lambda t: t.i)
    last = token
    while last.i + 1 < len(token.doc):
        following = last.nbor(1)
        if (
            following.tag_ in {"NNP", "NNPS"}
            and following.head.i in {token.i, last.i}
            and following.dep_ in {"flat", "compound", "appos"}
            and following.i == last.i + 1
            and following.text[:1].isupper()
        ):
            last = following
        else:
            break
    return str(token.doc[first.i : last.i + 1].text).strip(" .,'\"")


def name_without(token: Any, kin: Any) -> str:
    """The name after its kin word: "my brother Tom" gives "Tom"."""
    return str(token.doc[kin.i + 1 : token.i + 1].text).strip(" .,'\"")


def noun_words(token: Any) -> str:
    """A noun with what stands before it, without determiner and possessor."""
    left = [
        child.i
        for child in token.children
        if child.i < token.i and child.dep_ in {"compound", "amod", "nummod", "nmod", "npadvmod"}
    ]
    first = min([*left, token.i])
    return str(token.doc[first : token.i + 1].text)


def in_a_place(token: Any) -> bool:
    """Whether the phrase stands where a place is expected."""
    return token.dep_ == "pobj" and token.head.lower_ in {
        "in",
        "at",
        "to",
        "near",
        "from",
        "en",
        "into",
    }
