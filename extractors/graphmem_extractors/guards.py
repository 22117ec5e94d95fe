"""What is not memory: tells for each sentence of a message what it is worth (shared by the languages).

The words are data: `lexicons/guards_LANG.toml`, lists of regular expressions by kind of guard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.lexicon import Lexicon
from graphmem.model import Worth
from graphmem.protocols import Trace, Turn

Span = tuple[int, int]

_QUOTES = re.compile(
    r"“[^”\n]{2,2000}”|«[^»\n]{2,2000}»|「[^」]{2,2000}」|『[^』]{2,2000}』|\"[^\"\n]{2,2000}\""
    r"|(?<![\w'’])['‘][^\n]{2,2000}?['’](?![\w])"
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{2,300}`", re.DOTALL)
_CODE_LINE = re.compile(
    r"^[ \t]*(?:[{}\[\]();]+|(?:def|class|import|const|let|var|function|public|private|#include) .*[({:;=<\w].*[({:;>]"
    r"|(?:SELECT|INSERT INTO|UPDATE|CREATE TABLE) .*|</?\w+[^>\n]*>.*|[\w.]+\([^)\n]*\);?|\$ .*|>>> .*"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:INFO|WARN|ERROR|DEBUG).*)$",
    re.MULTILINE,
)
_KEPT_QUOTE_WORDS = 2  # a quoted name or title of so few words is the speaker's own words
_HAN = re.compile(r"[\u3400-\u9fff]")

# "changed to Visitor25?": a mark glued to letters with digits belongs to a password
_ENDS_IN_A_CODE = re.compile(r"\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{6,}\?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one sentence is worth. `weight` multiplies the confidence of what is read in it.

    `sarcastic`: what is said means its opposite. `asked`: it is asked to be remembered. `rule` and `reason` say which guard spoke.
    """

    worth: Worth = Worth.STATEMENT
    weight: float = 1.0
    sarcastic: bool = False
    asked: bool = False
    rule: str = ""
    reason: str = ""


class Guards:
    """The guards of one language. Pure; made once from a lexicon."""

    def __init__(self, lexicon: Lexicon, language: str) -> None:
        table = lexicon.table("guards", language)
        self._patterns = {name: _joined(table.get(name, ())) for name in _KINDS}

    def whole(self, turn: Turn) -> Trace | None:
        """A reason why nothing of the message may be learnt (its role), or None."""
        message = turn.message
        if message.role != "user":
            return Trace(
                rule=f"guard.{Worth.OTHER_ROLE}",
                span=(0, len(message.text)),
                reason=f"said by the {message.role}",
            )
        return None

    def masked(self, text: str) -> str:
        """`text` with quoted passages and code blanked out, every character in its place."""
        for pattern in (_CODE, _CODE_LINE, _QUOTES):
            text = pattern.sub(_blank, text)
        return text

    def judge(self, text: str, sentences: Sequence[Span]) -> list[Verdict]:
        """One verdict per sentence of `text` (spans in order, as it was said, not masked)."""
        verdicts: list[Verdict] = []
        open_guard: Verdict | None = None
        for start, end in sentences:
            sentence = text[start:end]
            if open_guard is not None and open_guard.worth is Worth.ECHO and "\n\n" in text[:start]:
                block = text.rfind("\n\n", 0, start)
                if not any(s < block for s, _ in sentences[: len(verdicts)]):
                    open_guard = None
            opened = open_guard or self._opening(sentence, text, start)
            if opened is not None:
                open_guard = opened
                verdicts.append(opened)
            else:
                verdicts.append(self.sentence(sentence))
        return verdicts

    def sentence(self, sentence: str) -> Verdict:
        """The verdict on one sentence that no guard before it covers."""
        bare = sentence.strip().strip("\"'“”‘’*_-–—>•()[]… ,.").lstrip()
        kept = self._found("statement", bare)
        if not kept:
            for kind, worth in _BY_SENTENCE:
                pattern = self._patterns[kind]
                hit = (
                    pattern.fullmatch(bare)
                    if kind == "chatter" and pattern
                    else pattern.match(bare)
                    if pattern
                    else None
                )
                if hit:
                    return Verdict(worth, 0.0, rule=f"guard.{kind}", reason=hit.group()[:60])
            if re.search(r"[?？]\W*$", sentence) and not _ENDS_IN_A_CODE.search(sentence):
                return Verdict(Worth.QUESTION, 0.0, rule="guard.question", reason="?")
        heard = self._found("hearsay", bare)
        if heard:
            return Verdict(Worth.CHATTER, 0.0, rule="guard.hearsay", reason=heard)
        sarcastic = self._found("sarcasm", sentence)
        hedge = self._found("hedge", sentence)
        return Verdict(
            weight=0.7 if hedge else 1.0,
            sarcastic=bool(sarcastic),
            asked=bool(kept),
            rule="guard.sarcasm" if sarcastic else "guard.hedge" if hedge else "",
            reason=sarcastic or hedge,
        )

    def _opening(self, sentence: str, text: str, start: int) -> Verdict | None:
        for kind, worth in _TO_THE_END:
            found = self._found(kind, sentence)
            if found and kind == "paste" and not self._carries(sentence, text, start):
                return Verdict(Worth.REQUEST, 0.0, rule="guard.request", reason=found)
            if found:
                return Verdict(worth, 0.0, rule=f"guard.{kind}", reason=found)
        return None

    def _carries(self, sentence: str, text: str, start: int) -> bool:
        """A pasted text follows: something stands behind the opening words."""
        told = re.search(r"[:：]\s*\S", sentence) or _QUOTES.search(sentence)
        return told is not None or bool(text[start + len(sentence) :].strip())

    def _found(self, kind: str, text: str) -> str:
        pattern = self._patterns[kind]
        hit = pattern.search(text) if pattern else None
        return hit.group()[:60] or kind if hit else ""


_TO_THE_END = (("echo", Worth.ECHO), ("fiction", Worth.FICTION), ("paste", Worth.QUOTED))
_BY_SENTENCE = (
    ("chatter", Worth.CHATTER),
    ("question", Worth.QUESTION),
    ("hypothetical", Worth.HYPOTHETICAL),
    ("request", Worth.REQUEST),
)
_KINDS = (
    *(kind for kind, _ in _TO_THE_END),
    *(kind for kind, _ in _BY_SENTENCE),
    "statement",
    "hedge",
    "sarcasm",
    "hearsay",
)

_RANK = (
    Worth.STATEMENT,
    Worth.OTHER_ROLE,
    Worth.ECHO,
    Worth.FICTION,
    Worth.QUOTED,
    Worth.HYPOTHETICAL,
    Worth.QUESTION,
    Worth.REQUEST,
    Worth.CHATTER,
)


def worth_of(verdicts: Sequence[Verdict]) -> Worth:
    """What a whole message is worth: a statement where one sentence is, else its weightiest kind."""
    kinds = {verdict.worth for verdict in verdicts}
    return next((kind for kind in _RANK if kind in kinds), Worth.CHATTER)


def _joined(patterns: Sequence[str]) -> re.Pattern[str] | None:
    if not patterns:
        return None
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def _blank(hit: re.Match[str]) -> str:
    text = hit.group()
    words = len(_HAN.findall(text)) / 2 if _HAN.search(text) else len(text.split())
    if words <= _KEPT_QUOTE_WORDS:
        return text
    return re.sub(r"\S", " ", text)
