"""Whether a message asks to be remembered. Pure."""

from __future__ import annotations

import re

from graphmem.lexicon import Lexicon

_START = r"(?:^|[.!?,;:。！？，；：\n—–()\"“”-])"


class Asking:
    """Recognises "remember ...", "don't forget", 记住, 记一下; not "I can't remember"."""

    def __init__(self, lexicon: Lexicon) -> None:
        english, chinese = lexicon.table("secrets", "en"), lexicon.table("secrets", "zh")
        before = "|".join(english["before_asking"])
        self._english = re.compile(
            rf"(?:{_START}|\b(?:{before}))\s*(?:{'|'.join(english['asks'])})\b", re.IGNORECASE
        )
        words = "|".join(english["asked_by"])
        self._asked_by = re.compile(
            rf"(?<![\w-])(?:{words})(?![\w-])|{'|'.join(chinese['asked_by'])}", re.IGNORECASE
        )
        refused = "".join(f"(?<!{word})" for word in chinese["not_asking"])
        self._chinese = re.compile(rf"{refused}(?:{'|'.join(chinese['asks'])})")

    def asks(self, text: str) -> bool:
        """True where the words are a request to keep what is said."""
        return bool(self._english.search(text) or self._chinese.search(text))

    def asks_for_one(self, question: str) -> bool:
        """True where a question asks for a secret itself: "what is my password?", 密码是多少."""
        return bool(self._asked_by.search(question))
