"""What a message is worth that gave no claim: kept as a note where it tells something, else what its guards said."""

from __future__ import annotations

import re

from graphmem.model import Worth
from graphmem_extractors.chinese.clauses import Clause
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work

_RANK = (
    Worth.STATEMENT,
    Worth.HYPOTHETICAL,
    Worth.QUESTION,
    Worth.REQUEST,
    Worth.QUOTED,
    Worth.CHATTER,
)
_SHORT, _LONG = 5, 9  # Han characters: below, a clause tells nothing by itself; above, it may
_HAN = re.compile(r"[\u4e00-\u9fff]")
_OWN = re.compile(r"[我俺咱]|[0-9]{3,}")
_TELLING = frozenset({"PER", "LOC", "ORG", "TIME", "nz"})


class Judge:
    """Decides the worth of a message once its clauses are read."""

    def __init__(self, words: Vocabulary) -> None:
        self._kin = re.compile(words.kin_pattern)
        self._attribute = re.compile(words.attribute_pattern)
        self._remark = words.guards["remark"]
        self._remember = words.guards["remember"]
        self._answer = words.guards["answer"]

    def worth(self, work: Work) -> Worth:
        """A statement where a claim or reminder was read or a clause tells something."""
        if work.candidates or work.reminders:
            return Worth.STATEMENT
        if self._answers(work.text):
            return Worth.CHATTER
        if work.statements and self._remember.search(work.text):
            return Worth.STATEMENT
        worths = set(work.worths)
        if not any(self._tells(work, clause) for clause in work.statements):
            worths.discard(Worth.STATEMENT)
        return next((worth for worth in _RANK if worth in worths), Worth.CHATTER)

    def _answers(self, text: str) -> bool:
        """Whether the message only answers the other (会，比上海还贵一点): nothing of one's own after it."""
        opened = self._answer.match(text)
        return opened is not None and not _OWN.search(text, opened.end())

    def _tells(self, work: Work, clause: Clause) -> bool:
        """Whether a clause without a claim is still something a person may want remembered."""
        text = clause.text
        if self._remark.search(text):
            return False
        named = any(
            word.tag in _TELLING and len(word.text) > 1
            for word in work.tagged.words
            if clause.start <= word.start < clause.end
        )
        size = len(_HAN.findall(text))
        if size < _SHORT:
            return named and re.search(r"\d", text) is not None
        about = (
            re.search(r"我|咱|\d", text) or self._kin.search(text) or self._attribute.search(text)
        )
        return named or bool(about) or size >= _LONG
