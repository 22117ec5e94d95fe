"""The words of the page in each of its languages, from catalogue/*.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

LANGUAGES = ("en", "zh")


@lru_cache(maxsize=len(LANGUAGES))
def words(language: str) -> Mapping[str, str]:
    """Every word of one language by its key."""
    text = (files("graphmem.web") / "catalogue" / f"{language}.toml").read_text("utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


def chosen(cookie: str | None, accepted: str) -> str:
    """The language of a visitor: what was chosen, else what the browser asks for first, else English."""
    if cookie in LANGUAGES:
        return str(cookie)
    for part in accepted.split(","):
        wanted = part.split(";")[0].strip().lower()[:2]
        if wanted in LANGUAGES:
            return wanted
    return LANGUAGES[0]
