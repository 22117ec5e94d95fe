"""Cleans what a frame caught as its object and checks that it is of the right kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from graphmem_extractors.chinese.object_patterns import (
    BAD,
    BODY,
    DOOR,
    GRADE,
    LATIN,
    LEADING,
    NO_FIELD,
    NO_ROLE,
    NO_SCHOOL,
    NO_SPOT,
    NO_TRADE,
    NO_TRAIT,
    NO_WORKPLACE,
    ORG_END,
    PLACE_END,
    ROLE_TAGS,
    SLIP,
    SPOT,
    TRAILING,
    TRAIT_END,
    UNMEASURED,
    VERBISH,
)
from graphmem_extractors.chinese.segment import Word
from graphmem_extractors.chinese.vocabulary import Vocabulary


def _anything(_: Caught) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Span:
    """What a frame caught: its words as they stand in the message, and where."""

    text: str
    start: int
    end: int


def _ending(words: Iterable[str]) -> re.Pattern[str]:
    """One of the words at the end, the longest first."""
    return re.compile("(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")$")


def _listed(kinds: Mapping[str, frozenset[str]]) -> dict[str, Callable[[Caught], bool]]:
    """What is told by lists of words, and what one gives up by its last character."""
    return {
        "quit_smokes": lambda c: c.text in {"烟", "电子烟", "烟酒"},
        "quit_drinks": lambda c: c.text[-1] in "酒茶" or c.text in kinds["drinks"],
        "quit_eats": lambda c: c.text[-1] in "糖食肉辣水" or c.text in kinds["foods"],
        "quit_uses": lambda c: bool(re.search(r"游戏|抖音|购|视频|微博|书|淘宝|王者|手游", c.text)),
        "known_field": lambda c: c.text in kinds["fields"],
        "hobby": lambda c: (
            c.text in kinds["hobbies"] or (c.text[0] == "爬" and c.text[-1] in "山岭峰")
        ),
    }


def _corrected(caught: Span) -> Span:
    """What stands after a slip that the speaker takes back (第二层不对第三层)."""
    slip = SLIP.search(caught.text)
    if slip is None:
        return caught
    return Span(caught.text[slip.end() :], caught.start + slip.end(), caught.end)


@dataclass(frozen=True, slots=True)
class Caught:
    """A tidied catch to be checked: its text, where it begins, and the tagged words in it."""

    text: str
    start: int
    tagged: list[Word]


class Objects:
    """The checks by kind. `clean` gives a tidy span or None where the catch is of the wrong kind."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        kinds = words.kinds
        self._role_end = _ending(kinds["role_endings"])
        self._condition_end = _ending(kinds["condition_endings"])
        self._medicine_end = _ending(kinds["medicine_endings"])
        self._checks: Mapping[str, Callable[[Caught], bool]] = {
            "place": self._place,
            "known_place": self._known_place,
            "workplace": self._workplace,
            "workplace_said": self._workplace_said,
            "organisation": self._workplace,
            "school": lambda c: 2 <= len(c.text) <= 14 and not NO_SCHOOL.search(c.text),
            "role": self._role,
            "field_said": self._field_said,
            "trade": self._trade,
            "role_said": self._role_said,
            "work": lambda c: (
                not re.search(r"了|再|的$|会儿|[我你他她是]|到$|认识|出来", c.text)
                and not (c.text[0] not in "开搞做管" and re.search(r"[店铺馆厂坊]$", c.text))
                and (2 <= len(c.text) <= 12 and not re.search(r"饭|玩笑|作业|快乐|开心", c.text))
            ),
            "business": lambda c: 2 <= len(c.text) <= 12,
            "name": self._name,
            "age": _anything,
            "birth": _anything,
            "date": lambda c: (
                bool(re.search(r"[月日号0-9]|十|初|中秋|除夕|元旦|端午|冬至", c.text))
                and len(c.text) <= 16
            ),
            "value": lambda c: 1 <= len(c.text) <= 14,
            "field": lambda c: (
                c.text in kinds["fields"]
                or (
                    bool(re.search(r"(?:学|工程|专业|科学|设计|管理)$", c.text))
                    and len(c.text) <= 8
                )
            ),
            "condition": self._condition,
            "known_condition": lambda c: BODY.sub("", c.text) in kinds["conditions"],
            "told": _anything,
            "medicine": self._medicine,
            "food": self._food,
            "car": self._car,
            "pet": _anything,
            "language": self._language,
            "skill": self._skill,
            "habit": _anything,
            "transport": _anything,
            "money": lambda c: bool(re.search(r"\d{2,}|块|元|万|千|刀", c.text)),
            "spot": self._spot,
            "goods": self._goods,
            "thing": self._thing,
            "topic": self._thing,
            "person": self._person,
            "brand": self._brand,
            "title": lambda c: 1 <= len(c.text) <= 12,
            "fixed_word": _anything,
            **_listed(kinds),
            "trait": self._trait,
            "fixed": _anything,
        }

    def clean(self, kind: str, caught: Span, tagged: list[Word]) -> Span | None:
        """The span without particles and measure words, if it is of the kind; `tagged` are its words."""
        span = self._tidy(_corrected(caught), kind)
        if span is not None and kind == "condition":
            graded = GRADE.search(span.text)  # 甲状腺结节4a
            cut = graded.start() if graded else len(span.text)
            span = Span(span.text[:cut], span.start, span.start + cut)
        if span is None or len(span.text) > 24 or span.text in self._words.words["unclear"]:
            return None
        if kind not in {"age", "birth", "fixed", "money", "date", "told", "work"} and BAD.search(
            span.text
        ):
            return None
        inside = [word for word in tagged if word.start < span.end and word.end > span.start]
        return span if self._checks[kind](Caught(span.text, span.start, inside)) else None

    def _tidy(self, caught: Span, kind: str) -> Span | None:
        text, start = caught.text, caught.start
        before = None
        while before != text:
            before = text
            text = text.rstrip(" \t，,。.!！；;、")
            text = self._words.particles.sub("", text)
            text = TRAILING.sub("", text) or text
            stripped = text.lstrip(' \t，,：:“"「')
            start += len(text) - len(stripped)
            text = stripped.rstrip('”"」')
            lead = LEADING.match(text)
            if lead and kind not in {"name", "work"}:
                start += lead.end()
                text = text[lead.end() :]
        if kind not in UNMEASURED:
            measure = re.match(
                rf"(?:[一两二三四五六七八九十几半0-9]+|这|那)?(?:{self._words.measures.pattern})(?=.)(?!半|钟|多|以)",
                text,
            )
            if (
                measure
                and (measure.end() > 1 or len(text) > 2)
                and not text.startswith(
                    (
                        "家里",
                        "点心",
                        "件事",
                        "条件",
                        "头孢",
                        "家电",
                        "台钓",
                        "场地",
                        "门口",
                        "片子",
                        "节目",
                        "支架",
                        "头发",
                        "头疼",
                        "家人",
                        "家务",
                        "部队",
                        "本地",
                        "本田",
                        "本科",
                        "条纹",
                        "把妹",
                        "只狗",
                    )
                )
            ):
                start += measure.end()
                text = text[measure.end() :]
        if kind in {"thing", "topic", "food", "goods"}:
            text = re.sub(r"(?:的)$", "", text)
        return Span(text, start, start + len(text)) if text else None

    def _place(self, c: Caught) -> bool:
        if not 2 <= len(c.text) <= 20 or VERBISH.search(c.text):
            return False
        if c.text in self._words.kinds["places"]:
            return True
        return (
            bool(PLACE_END.search(c.text) or DOOR.search(c.text))
            or any(word.tag in {"LOC", "s"} for word in c.tagged)
            or bool(LATIN.fullmatch(c.text))
        )

    def _brand(self, c: Caught) -> bool:
        known = any(word.tag in {"ORG", "nz"} for word in c.tagged)
        return (
            known
            or bool(LATIN.fullmatch(c.text))
            or any(car in c.text for car in self._words.kinds["cars"])
        )

    def _trait(self, c: Caught) -> bool:
        """A noun for what somebody is: one word to the tagger, and no pronoun, place or talk."""
        one = len(c.tagged) == 1 and c.tagged[0].tag in {"n", "nz"} and c.tagged[0].start == c.start
        return (one or bool(TRAIT_END.search(c.text))) and not NO_TRAIT.search(c.text)

    def _person(self, c: Caught) -> bool:
        kin = c.text in self._words.kin or c.text in self._words.kinds["not_people"]
        if kin or re.search(r"[我你他她的了]|大家|别人", c.text):
            return False
        named = any(word.tag == "PER" for word in c.tagged)
        return named or bool(
            re.fullmatch(r"[小老阿][\u4e00-\u9fff]|[A-Z][a-zA-Z]+|.{1,2}[姐哥总]", c.text)
        )

    def _spot(self, c: Caught) -> bool:
        """Where a thing lies: short, no time, and something that holds or bears things."""
        if not 2 <= len(c.text) <= 20 or NO_SPOT.search(c.text):
            return False
        known = any(word.tag in {"LOC", "ORG", "s", "PER"} for word in c.tagged)
        return known or bool(SPOT.search(c.text) or PLACE_END.search(c.text) or DOOR.search(c.text))

    def _known_place(self, c: Caught) -> bool:
        if c.text in self._words.kinds["places"]:
            return True
        if c.tagged and len(c.text) <= 8 and all(word.tag == "LOC" for word in c.tagged):
            return True
        return len(c.tagged) == 1 and c.tagged[0].tag == "LOC" and c.tagged[0].start == c.start

    def _workplace(self, c: Caught) -> bool:
        if not 2 <= len(c.text) <= 16 or c.text in self._words.words["unclear"]:
            return False
        if ORG_END.search(c.text) or any(word.tag in {"ORG", "LOC"} for word in c.tagged):
            return not re.search(r"[我你他她]", c.text)
        return bool(LATIN.fullmatch(c.text)) or (
            len(c.text) <= 6 and any(word.tag in {"nz", "PER"} for word in c.tagged)
        )

    def _workplace_said(self, c: Caught) -> bool:
        """Where somebody is said to work: any noun phrase that may be a place of work."""
        if self._workplace(c):
            return True
        if NO_WORKPLACE.search(c.text) or not 2 <= len(c.text) <= 12:
            return False
        tags = {word.tag for word in c.tagged}
        return bool(tags & {"n", "nz", "s", "vn"}) and not tags & {"r", "p", "d", "c", "TIME", "w"}

    def _role(self, c: Caught) -> bool:
        if c.text in self._words.kinds["roles"]:
            return True
        if "大学" in c.text and c.text[-1] in "生士":
            return False
        if re.search(r"[我你他她这那]|个", c.text) or not 2 <= len(c.text) <= 12:
            return False
        return bool(self._role_end.search(c.text)) or any(
            c.text.endswith(role) for role in self._words.kinds["roles"]
        )

    def _field_said(self, c: Caught) -> bool:
        """What is read at a school: a known field, or nouns that are no grade or degree."""
        nouns = bool(c.tagged) and all(word.tag in ROLE_TAGS for word in c.tagged)
        known = c.text in self._words.kinds["fields"]
        return known or (nouns and not NO_FIELD.search(c.text))

    def _trade(self, c: Caught) -> bool:
        """What somebody does for a living: nouns, perhaps after one verb (做小商品批发)."""
        tags = [word.tag for word in c.tagged]
        verb = bool(tags) and tags[0] == "v" and len(tags) > 1
        nouns = bool(tags) and all(tag in ROLE_TAGS for tag in tags[verb:])
        return nouns and not NO_TRADE.search(c.text)

    def _role_said(self, c: Caught) -> bool:
        """What somebody is said to have become: a role, or a short noun that may be one."""
        if self._role(c):
            return True
        nouns = all(word.tag in ROLE_TAGS for word in c.tagged) and bool(c.tagged)
        return nouns and 2 <= len(c.text) <= 6 and not NO_ROLE.search(c.text)

    def _name(self, c: Caught) -> bool:
        if re.search(r"[我你他她的了吗呢是在不]|[0-9]{3,}|起床|醒|外卖|车|一声|一下|号", c.text):
            return False
        return 1 <= len(c.text) <= 6 or bool(re.fullmatch(r"[A-Za-z][\w .'·-]{0,24}", c.text))

    def _condition(self, c: Caught) -> bool:
        bare = re.sub(
            r"^(?:点儿?|些|轻微的?|轻度|中度|重度|严重的?|早期|慢性|先天性|遗传性|一点)", "", c.text
        )
        kinds = self._words.kinds["conditions"]
        return (
            bare in kinds
            or any(c.text.endswith(name) for name in kinds)
            or bool(self._condition_end.search(bare) and len(bare) >= 2)
        )

    def _medicine(self, c: Caught) -> bool:
        if c.text in self._words.kinds["medicines"]:
            return True
        if re.search(r"[一二两半0-9]", c.text[:1]) or len(c.text) < 3:
            return False
        return bool(self._medicine_end.search(c.text)) and not re.search(
            r"饭|薯片|肉|面|麻将|游戏|照片|名片|唱片", c.text
        )

    def _food(self, c: Caught) -> bool:
        if re.search(
            r"饭$|东西|亏|苦$|醋|惊|瘪|药|酒店|得|下$|完|早饭|一口|气|力|他那套|这套|软|硬", c.text
        ):
            return c.text in {"醋", "米饭", "中药"}
        if len(c.tagged) > 1 and any(word.tag in {"TIME", "r", "d", "c"} for word in c.tagged):
            return False
        return 1 <= len(c.text) <= 8 and not re.search(r"[我你他她了就]|不着|不好", c.text)

    def _car(self, c: Caught) -> bool:
        return (
            not re.search(r"[我他她]|一", c.text)
            and any(name in c.text for name in self._words.kinds["cars"])
            and len(c.text) <= 14
        )

    def _language(self, c: Caught) -> bool:
        return bool(self._words.languages.search(c.text)) and len(c.text) <= 12

    def _skill(self, c: Caught) -> bool:
        return (
            1 < len(c.text) <= 8
            and bool(c.tagged)
            and c.tagged[0].tag in {"v", "vn", "n", "nz"}
            and bool(
                re.match(
                    r"开车|游泳|做饭|弹|拉|吹|打(?!算)|骑|滑|编程|写代码|画|唱|跳|织|修|烤|下棋|围棋|书法|PS|ps|剪辑|摄影|潜水|冲浪|钓|烘焙|包饺子|炒菜|包饺子",
                    c.text,
                )
            )
        )

    def _goods(self, c: Caught) -> bool:
        return self._thing(c) and not re.search(r"票$|气$|单$|[我你他她]", c.text)

    def _thing(self, c: Caught) -> bool:
        if re.match(r"拿|去|送去|带去|跑|找|让|叫|给", c.text):
            return False
        if not 1 <= len(c.text) <= 14 or re.search(
            r"[你他她它了吧吗]|我(?!的)|^(?:说|问|看看|想|来|去|死|一个)", c.text
        ):
            return False
        return not (
            len(c.text) == 1 and c.tagged and c.tagged[0].tag in {"r", "d", "u", "c", "p", "f"}
        )
