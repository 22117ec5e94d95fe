"""Words of a text, in both languages: normal forms, language, sentences, index terms."""

from __future__ import annotations

import re
import unicodedata

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """`text` with lone surrogates replaced by U+FFFD and NULs by blanks, so that every layer below takes it."""
    return _SURROGATE.sub("\ufffd", text).replace("\x00", " ")


def key(name: str) -> str:
    """The normal form under which names are looked up: NFKC, case-folded, blanks squeezed."""
    folded = unicodedata.normalize("NFKC", name).casefold().replace("’", "'")
    return _SPACES.sub(" ", folded).strip()


def language_of(text: str) -> str:
    """ "zh" where Han characters carry the text, else "en" (a script count beats libraries on short text)."""
    han = len(_HAN.findall(text))
    return "zh" if han and han * 2 >= len(_LATIN_WORD.findall(text)) else "en"
