"""The Chinese time grammar: atoms, joints, and what the words nearby say of tense."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from graphmem_extractors.times.chinese_clocks import ChineseClocks
from graphmem_extractors.times.chinese_dates import ChineseDates
from graphmem_extractors.times.compose import Composer, Idiom
from graphmem_extractors.times.holidays import Holidays
from graphmem_extractors.times.pieces import Anchor, Scanner, Tense

_CLAUSE = re.compile(r"[，。；！？\n,;!?：:\s]")
_ANCHORS: Mapping[str, Anchor] = {
    "从": "since",
    "自": "since",
    "自从": "since",
    "打": "since",
    "打从": "since",
    "到": "until",
    "至": "until",
    "直到": "until",
    "截至": "until",
    "截止": "until",
    "截止到": "until",
    "截止至": "until",
    "一直到": "until",
    "起": "since",
    "开始": "since",
    "以来": "since",
    "至今": "since",
    "到现在": "since",
    "前": "by",
    "之前": "by",
    "以前": "by",
    "为止": "until",
    "止": "until",
}
_FIRST = re.compile(r"^\(\?<?!\S*?\)")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_CLOSING = r"(?:起(?!床|来|飞|身|义|诉)|开始|以来|至今|到现在|之前|以前|前(?![天年台])|为止|止)"


def scanner(table: Mapping[str, Any], routines: Mapping[str, list[str]], holidays: Holidays) -> Scanner:  # fmt: skip
    """All Chinese atoms as one pass."""
    dates, clocks = ChineseDates(table, holidays), ChineseClocks(table, routines)
    first = {"iso", "yearmonthday", "dayrange", "years"}
    head = [atom for atom in dates.atoms() if atom.name in first]
    tail = [atom for atom in dates.atoms() if atom.name not in first]
    return Scanner((*head, *clocks.atoms(), *tail), start=_start(table, routines), flags=re.NOFLAG)


def _start(table: Mapping[str, Any], routines: Mapping[str, list[str]]) -> str:
    """The characters with which a time may begin."""
    words = [*table["openers"], *table["days"], *table["years"], *table["weekdays"]]
    words += [word for row in table["parts"].values() for word in row["words"]]
    words += [pattern for row in table["holidays"].values() for pattern in row]
    openers = {_FIRST.sub("", word)[:1] for word in words}
    openers |= {
        char for row in routines.values() for pattern in row for char in _HAN.findall(pattern)
    }
    return rf"(?<![\d.￥¥$#])[\d{''.join(sorted(char for char in openers if char.isalpha()))}]"


def composer(table: Mapping[str, Any], hours: Mapping[str, tuple[int, int]]) -> Composer:
    """How Chinese joins the parts."""
    change = "|".join(table["change"])
    return Composer(
        Idiom(
            glue=re.compile(r"\s*(?:的|，|,|\(|（)?\s*"),
            to=re.compile(r"\s*(?:到|至|-|–|—|~|～|和(?=周))\s*"),
            opening=re.compile(rf"(?:{change}|从|自从|自|打从|打|一直到|直到|截止到|截止至|截至|截止|(?<![{table['result_verbs']}])到|至|在|于)"),
            closing=re.compile(rf"(?:{_CLOSING})"),
            anchors=_ANCHORS,
            not_range=re.compile(r"(?!)"),
            moved_on=re.compile(rf"[^，。！？\n]{{0,4}}?(?:{change})"),
            evening=re.compile("|".join(table["evening"])),
            morning=re.compile("|".join(table["morning"])),
            hours=hours,
        )
    )  # fmt: skip


class ChineseTense:
    """Whether the words of the clause say that a date lies behind or ahead.

    了 and 过 after a verb count where the verb follows the date (18号提了辆车), not at the end of a
    clause, where 了 marks a change (改到周日了).
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._past = re.compile("|".join(table["past"]))
        self._future = re.compile("|".join(table["future"]))
        self._change = re.compile(rf"(?:{'|'.join(table['change'])}|到)$")

    def of(self, text: str) -> Callable[[int, int], Tense | None]:
        """The reader for one text."""

        def tense(start: int, end: int) -> Tense | None:
            if self._change.search(text, max(0, start - 4), start):
                return "future"
            closing = _CLAUSE.search(text, end, min(len(text), end + 60))
            right = closing.start() if closing else min(len(text), end + 60)
            past = self._past.search(text, end, right)
            ahead = self._future.search(text, end, right)
            if past and not (ahead and ahead.start() < past.start()):
                question = text[right : right + 1] in {"？", "?"} or "吗" in text[end:right]
                final = past.end() == right and text[past.end() - 1] == "了"
                return None if final and not question and right - end > 6 else "past"
            return "future" if ahead else None

        return tense
