"""Values behind a noun: phone numbers, passwords, codes, accounts, addresses (门锁密码2290, 她电话13800000151)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphmem_extractors.chinese.segment import Word
from graphmem_extractors.chinese.vocabulary import Attribute, Vocabulary

_LINK = r"\s*(?:[换改]?了|啦)?[，, ]*(?:新的)?(?:现在|已经|就|都|每月|每个月|一个月|一年|每年|每学期|一小时|每小时|一次|一天|每天|每平|涨到|降到)*(?:是|为|改回了?|恢复成|改成了?|改为|换成了?|改到|变成了?|改了?|换了?|叫|发|填|写|用|=|：|:|，(?=\s*[A-Za-z0-9]))?(?:这个)?\s*[：:]?\s*"
_VALUES = {
    "phone": r"\+?[0-9０-９][0-9０-９\- ]{1,18}[0-9０-９]",
    "email": r"[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}",
    "code": r"(?=[A-Za-z·#*!@$%京沪津渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]{0,12}[·\- #*]?[0-9])(?:[京沪津渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z]·?)?[A-Za-z0-9#*@_.!$%&+](?:[A-Za-z0-9#*@_.!$%&+\-]|\s(?=[0-9]{3,4}\b))*(?:[井星]号键?)?|[A-Za-z]{2,}[A-Za-z0-9_#*@!\-]{2,}|[\u4e00-\u9fff]{0,2}[A-Z]{2,}[0-9]*",
    "account": r"[A-Za-z0-9_][A-Za-z0-9_.\-]{3,30}",
    "money": r"(?:[0-9][0-9,.]*|[一二两三四五六七八九十百千万零半]{2,8})(?:多)?(?:块钱?|元|万|千|w|k)?(?:一?[月年天](?![0-9]))?(?<![0-9][月年])(?![0-9.]*[月号日点年时])",
    "address": r"[\u4e00-\u9fffA-Za-z0-9\-（）()#]{5,40}",
}
_WHERE = {"address": r"(?:公司|家里|我家|单位|学校|这里|这个地址|这儿)?(?:吧|哈|啊)?"}
_SHORT_NUMBERS = frozenset({"尾号", "座机", "新号码", "号码", "内线", "分机", "分机号", "短号"})
_SHORT = 6  # so few characters before the noun are its owner
_OWNERS = frozenset({"n", "nz", "ORG", "PER", "r", "s", "LOC"})
_ADDRESS = re.compile(r"[路街巷弄号室栋幢村镇区市县]|小区|单元|楼|大厦|花园")
_MAIL_ALONE = re.compile(_VALUES["email"])


@dataclass(frozen=True, slots=True)
class Value:
    """An attribute's value: where noun and value stand, and the words before the noun."""

    attribute: Attribute
    noun: str
    text: str
    start: int
    end: int
    value_start: int


class Values:
    """Finds the attributes of the lexicon with their values."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        nouns = words.attribute_pattern
        self._noun = re.compile(f"(?:{nouns})")
        self._value = {
            kind: re.compile(_WHERE.get(kind, "") + _LINK + f"(?P<value>{pattern})")
            for kind, pattern in _VALUES.items()
        }

    def find(self, text: str) -> list[Value]:
        """The values in `text`, left to right; a stretch is read once."""
        found: list[Value] = []
        at = 0
        for noun in self._noun.finditer(text):
            if noun.start() < at:
                continue
            attribute = self._words.attributes[noun.group()]
            match = self._value[attribute.value].match(text, noun.end())
            if match is None and attribute.value == "account":
                continue
            if match is None or not _plausible(attribute, noun.group(), match.group("value")):
                continue
            value = match.group("value").strip()
            found.append(
                Value(
                    attribute, noun.group(), value, noun.start(), match.end(), match.start("value")
                )
            )
            at = match.end()
        return found


def owner_start(value: Value, text: str, offset: int, words: Sequence[Word]) -> int:
    """Where the words for the owner of a value begin: after the last mark, or the nouns before it.

    `value` counts in `text`, which stands at `offset` in the message of `words`.
    """
    start = 1 + max(text.rfind(mark, 0, value.start) for mark in "，,：:。；; 、")
    if value.start - start <= _SHORT:
        return start
    begin = value.start
    for word in reversed([w for w in words if offset + start <= w.start < offset + value.start]):
        owner = word.tag in _OWNERS or (word.tag == "u" and word.text == "的")
        if not owner or word.end - offset < begin:
            break
        begin = word.start - offset
    return begin


def _plausible(attribute: Attribute, noun: str, value: str) -> bool:
    digits = sum(char.isdigit() for char in value)
    if attribute.value == "phone":
        return digits >= 5 or (noun in _SHORT_NUMBERS and digits >= 3)
    if attribute.value == "address":
        return bool(_ADDRESS.search(value))
    if attribute.value == "account":
        return not value.isdigit() or digits >= 5
    if attribute.value == "code":
        return digits >= 3 or len(value) >= 4
    return True
