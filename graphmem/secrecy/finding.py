"""Finds secrets in a text: by their shape in any language, by the word before them in English and Chinese.

Pure. The words are in the lexicons `secrets`, `secrets_en` and `secrets_zh`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from graphmem.lexicon import Lexicon, Table

_LONGEST = 200_000  # characters; what lies behind is cut into passages and not told in one piece
_HINT = re.compile(
    r"\d{4}|A[KSGIR][PIDSO]A|AIza|gh[opsur]_|_pat|glpat|npm_|hf_|[spr]k[-_]|SG\.|re_|ya29|passw|passc|passp|\bpwd\b|\bpin\b|key|token|secret|phrase|code|cvv|cvc|eyJ|xox|bearer|"
    r"://|密码|口令|密钥|秘钥|私钥|令牌|助记词|安全码|pin码",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)")
_NO_CARD = re.compile(
    r"(?:order|track|parcel|imei|serial|isbn|ean|invoice|ticket|booking|订单|单号|快递|运单|序列号|编号)"
    r"[^.;!?。；！？\n]{0,24}$",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[\"'“‘`]?(?P<v>[^\s\"'“”‘’`，。；！？、]{3,128})")
_HAN_VALUE = re.compile(r"[\"'“‘「]?(?P<v>[A-Za-z0-9!@#$%^&*_~+.=/-]{4,128})")
_WORDS_VALUE = re.compile(
    r"[\"'“‘`]?(?P<v>[a-z]+(?: [a-z]+){2,24})(?=[\"'”’`.,;!?\n]|$)", re.IGNORECASE
)
_CLAUSE = re.compile(r"[.;!?\n:,。；！？：，]")
_ENDS = re.compile(r"[\"'”’`]?\s*(?:[.,;!?)\n]|$|and\b|but\b)", re.IGNORECASE)
_TRAILING = ".,;:!?)"
_OF = r"(?:\s+(?:for|of|on|at|to)\s+(?P<of>[^.,;:!?\n]{1,40}?))?"
_LINK = r"(?:\s*(?:is now|is|are|was|=|:|->|changed to|has changed to|set to|is set to)\s*:?\s*|[.?!]?\s+(?:it is|it['’]s)\s+|\s+to\s+|\s+(?=\S*\d))"
_HAN_LINK = r"\s*(?:是|为|：|:|=|改成了?|改为|换成了?|设成|设为|就是|还是|is)?\s*"
MASK = "••••••"  # stands where a secret was


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret at text[start:end]. `shared` is one of a thing that people share, such as the wifi."""

    start: int
    end: int
    kind: str
    shared: bool = False


class Secrets:
    """The secrets of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._shapes = [
            (kind, re.compile(pattern))
            for kind, patterns in lexicon.table("secrets")["shapes"].items()
            for pattern in patterns
        ]
        self._labels = (_English(lexicon), _Chinese(lexicon))

    def find(self, text: str) -> tuple[Secret, ...]:
        """The secrets of a text, left to right, without overlaps."""
        if _HINT.search(text) is None:
            return ()
        looked = text[:_LONGEST]
        found: list[Secret] = []
        for one in self._all(looked):
            if not any(one.start < other.end and other.start < one.end for other in found):
                found.append(one)
        return tuple(sorted(found, key=lambda one: one.start))

    def _all(self, text: str) -> Iterator[Secret]:
        for kind, pattern in self._shapes:
            for match in pattern.finditer(text):
                start, end = match.span("v" if "v" in pattern.groupindex else 0)
                yield Secret(start, end, kind)
        for match in _CARD.finditer(text):
            if _is_card(match[0]) and not _NO_CARD.search(text, 0, match.start()):
                yield Secret(match.start(), match.end(), "card number")
        for labels in self._labels:
            yield from labels.find(text)


def _is_card(written: str) -> bool:
    """Whether digits are the number of a payment card: its length, its first digits, its check digit
    (Luhn's formula, ISO/IEC 7812-1).
    """
    digits = [int(one) for one in written if one.isdigit()]
    head = int("".join(map(str, digits[:4])))
    lengths: Sequence[int] = ()
    if head // 1000 == 4:
        lengths = (13, 16, 19)
    elif 51 <= head // 100 <= 55 or 2221 <= head <= 2720 or 3528 <= head <= 3589:
        lengths = (16,)
    elif head // 100 in {34, 37}:
        lengths = (15,)
    elif head // 100 in {36, 38, 39} or 300 <= head // 10 <= 305:
        lengths = (14,)
    elif head // 100 == 62 or head == 6011 or head // 100 in {64, 65}:
        lengths = (16, 17, 18, 19)
    doubled = [one * 2 - 9 * (one > 4) for one in digits[-2::-2]]
    return len(digits) in lengths and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


class _English:
    """Values behind an English label."""

    def __init__(self, lexicon: Lexicon) -> None:
        table = lexicon.table("secrets", "en")
        self._patterns = _by_kind(table, rf"{_OF}{_LINK}")
        self._own = _any_word(table["own"])
        self._shared = _any_word(table["shared"])
        self._empty = frozenset(table["empty"])
        self._innocent = frozenset(table["innocent"])

    def find(self, text: str) -> Iterator[Secret]:
        for always, kind, pattern in self._patterns:
            for match in pattern.finditer(text):
                value = self._value(text, match, kind)
                if value is None:
                    continue
                shared = not always and self._is_shared(text, match)
                yield Secret(*value, kind, shared)

    def _value(self, text: str, label: re.Match[str], kind: str) -> tuple[int, int] | None:
        words = _WORDS_VALUE.match(text, label.end()) if _holds_words(label["label"]) else None
        if words is not None:
            return words.span("v")
        found = _VALUE.match(text, label.end())
        if found is None:
            return None
        start, value = found.start("v"), found["v"].rstrip(_TRAILING)
        end = start + len(value)
        quoted = found.start("v") > found.start()
        return (start, end) if self._is_secret(value, kind, text[end:], quoted=quoted) else None

    def _is_secret(self, value: str, kind: str, after: str, *, quoted: bool) -> bool:
        low = value.casefold()
        if kind in {"pin", "security code"}:
            return value.isdigit() and 3 <= len(value) <= 12
        if low in self._innocent or len(value) < 3 or MASK in value:
            return False
        if any(not char.isalpha() for char in value.strip("-'’")) or not (
            value.islower() or value.istitle()
        ):
            return True
        told_of = low.endswith(("ed", "ing", "ly", "able", "ible"))
        return quoted or (kind == "password" and not told_of and bool(_ENDS.match(after)))

    def _is_shared(self, text: str, label: re.Match[str]) -> bool:
        before = text[max(0, label.start() - 60) : label.start()]
        clause = _CLAUSE.split(before)[-1]
        of = label.groupdict().get("of") or ""
        scope = f"{re.split(_DETERMINER, clause)[-1]} {of}".casefold()
        if self._own.search(f"{clause} {of}"):
            return False
        words = [word for word in re.findall(r"[\w'’-]+", scope) if not word.endswith(("'s", "’s"))]
        if any(word not in self._empty for word in words):
            return True
        return self._shared.search(text, 0, label.start()) is not None


class _Chinese:
    """Values behind a Chinese label."""

    def __init__(self, lexicon: Lexicon) -> None:
        table = lexicon.table("secrets", "zh")
        self._patterns = _by_kind(table, _HAN_LINK, before="")
        self._own = tuple(table["own"])
        self._shared = tuple(table["shared"])
        self._empty = re.compile(
            "|".join(map(re.escape, sorted(table["empty"], key=len, reverse=True)))
        )

    def find(self, text: str) -> Iterator[Secret]:
        for always, kind, pattern in self._patterns:
            for match in pattern.finditer(text):
                value = _HAN_VALUE.match(text, match.end())
                if value is None or not any(char.isdigit() for char in value["v"]):
                    continue
                shared = not always and self._is_shared(text, match.start())
                yield Secret(value.start("v"), value.end("v"), kind, shared)

    def _is_shared(self, text: str, label: int) -> bool:
        scope = _CLAUSE.split(text[max(0, label - 16) : label])[-1]
        if any(word in scope for word in self._own) and not any(
            word in scope for word in self._shared
        ):
            return False
        if self._empty.sub("", scope).strip():
            return True
        return any(word in text[:label] for word in self._shared)


_DETERMINER = re.compile(r"\b(?:my|our|the|his|her|their|your|an?)\b|'s\b|’s\b", re.IGNORECASE)


def _by_kind(
    table: Table, link: str, *, before: str = r"(?<![\w-])"
) -> list[tuple[bool, str, re.Pattern[str]]]:
    patterns = []
    for always, name in ((True, "always"), (False, "personal")):
        for kind, words in table[name].items():
            label = f"(?P<label>{'|'.join(words)})"
            after = r"(?![\w-])" if before else ""
            patterns.append(
                (always, str(kind), re.compile(f"{before}{label}{after}{link}", re.IGNORECASE))
            )
    return patterns


def _any_word(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)


def _holds_words(label: str) -> bool:
    return "phrase" in label.casefold()


@cache
def shipped() -> Secrets:
    """The secrets of the shipped lexicon."""
    return Secrets(Lexicon.load())
