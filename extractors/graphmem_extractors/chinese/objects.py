"""Cleans what a frame caught as its object and checks that it is of the right kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from graphmem_extractors.chinese.segment import Word
from graphmem_extractors.chinese.vocabulary import Vocabulary

_PLACE_END = re.compile(
    r"(?:市|区|县|镇|乡|村|路|街|巷|弄|号|楼|室|层|小区|花园|家园|公寓|宿舍|院|园|里|边|附近|旁边|隔壁|对面|山|湖|岛|国|省|州|城|家|老家|城中村|这儿|那儿|那边|楼上|楼下|郊区|乡下|农村|校区|校内|国外|新区|开发区|庄|屯|湾|港|坊|苑|府|广场|大厦|中心|站|桥|环|公园|酒店|民宿|房|出租屋|地下室|顶楼|单元|栋|座|馆|店|厅|塘|坡|沟|口|坝|寨|岭|洲|江|河|海)$"
)
_NO_WORKPLACE = re.compile(r"[我你他她这那给跟]|家$|外面|外地|一起|线上|晚上|白天")
_UNMEASURED = frozenset(
    {
        "age",
        "date",
        "birth",
        "value",
        "money",
        "name",
        "pet",
        "spot",
        "place",
        "known_place",
        "title",
    }
)
_SLIP = re.compile(r".*(?:不对|哦不|啊不是?|说错了)[，, ]*(?=.{2})")
_BODY = re.compile(
    r"^(?:[左右双]?(?:膝盖?|腿|脚踝?|手腕?|肩膀?|腰|颈|眼|耳|肺|胃|肝|肾|乳房?|甲状腺|手|脚))(?=.{2})"
)
_NO_SPOT = re.compile(r"[周月点日天年]|号$|下午|上午|晚上|终于|了")
_SPOT = re.compile(
    r"里|[上下左右前后中内外]边?面?|旁|柜|箱|盒|包|抽屉|袋|桌|架|床|门|口|角|排|座|层|格|处|公司|家|手里|那儿|这儿|那里|这里|U盘|网盘|云盘|文件夹|会议室"
)
_TRAIT_END = re.compile(
    r"[奴控党迷族狂盲]$|老兵$|党员$|二代$|独生子女?$|独生女$|双胞胎$|军人$|单亲妈妈$|单亲爸爸$|爱好者$|达人$"
)
_NO_TRAIT = re.compile(
    r"时候|问题|事情?$|意思|感觉|情况|话$|真相|结果|原因|样子|地方|东西|家里|缘分|心情|玩笑|笑话|惊喜|重点|奇迹|好事|坏事|月份|周末|今天|系列|节奏|人才$"
)
_NO_FIELD = re.compile(
    r"书$|研$|博$|大[一二三四]|年级|[初高][一二三]|本科|硕士|博士|研究生|班$|[我你他她]"
)
_NO_TRADE = re.compile(
    r"作业|手术|检查|核酸|家务|手工|瑜伽|客$|梦|饭|菜$|运动|活动|任务|笔记|车$|会$|[我你他她]|志愿者"
)
_GRADE = re.compile(r"(?<=[\u4e00-\u9fff])[0-9][A-Ca-c]?(?:类|级|期|型)?$")
_ROLE_TAGS = frozenset({"n", "nz", "vn", "nw"})
_NO_ROLE = re.compile(
    r"[人事饭爸妈娘爹生]$|朋友|礼物|借口|笑话|回事|玩笑|习惯|办法|关系|房|车|学|中学|班$|级$|薪|院|公司|部门?$|工作|岗位?|钱|会儿"
)
_NO_SCHOOL = re.compile(r"公务员|编|证$|驾照|研$|票$|岗|研究生|博士|[我你他她]")
_DOOR = re.compile(r"[0-9A-Za-z一二三四五六七八九十]+(?:栋|号|幢|室|单元|楼|座|弄|-)[0-9A-Za-z]*")
_ORG_END = re.compile(
    r"(?:公司|厂|医院|学校|大学|学院|中学|小学|高中|幼儿园|银行|集团|工作室|研究所|研究院|设计院|律所|事务所|店|餐厅|饭店|酒店|超市|局|所|院|部|中心|机构|出版社|报社|电视台|科技|物流|传媒|网络|投行|券商|外企|国企|央企|大厂|[国央外私民德日韩美法]企|单位|工地|社区|街道办|酒吧|咖啡馆|工厂|车间|法院|检察院|派出所|部队|剧院|博物馆|图书馆|驿站|保险|地产|软件|互联网|广告|电商|汽车|食品|医药|一中|二中|附中|实验室|产业园|园区|茶馆|网吧|健身房|俱乐部|美容院|理发店|药房|药店|诊所|基金|证券|律师事务所|平台|体制内|乙方|甲方|供电局|税务局)$"
)
_BAD = re.compile(
    r"[谁啥?？□]|什么|怎么|哪|多少|^(?:的|得|着)|^[在跟和把被]|不是|就是|还是|的时候|了个|因为|所以"
)
_LEADING = re.compile(r"^(?:了|着|过|到|的是|是|一下|点儿?)(?=.{1,})")
_TRAILING = re.compile(r"(?:这件事|这种|那种|之类的?|什么的|等等|等|的东西)$")
_LATIN = re.compile(r"[A-Za-z][\w .+#&'/-]*")
_VERBISH = re.compile(r"[了过着]|不|没|把|被|给|让|叫")


def _anything(_: Caught) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Span:
    """What a frame caught: its words as they stand in the message, and where."""

    text: str
    start: int
    end: int


def _corrected(caught: Span) -> Span:
    """What stands after a slip that the speaker takes back (第二层不对第三层)."""
    slip = _SLIP.search(caught.text)
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
        self._role_end = re.compile(
            "(?:" + "|".join(sorted(kinds["role_endings"], key=len, reverse=True)) + ")$"
        )
        self._condition_end = re.compile(
            "(?:" + "|".join(sorted(kinds["condition_endings"], key=len, reverse=True)) + ")$"
        )
        self._medicine_end = re.compile(
            "(?:" + "|".join(sorted(kinds["medicine_endings"], key=len, reverse=True)) + ")$"
        )
        self._checks: Mapping[str, Callable[[Caught], bool]] = {
            "place": self._place,
            "known_place": self._known_place,
            "workplace": self._workplace,
            "workplace_said": self._workplace_said,
            "organisation": self._workplace,
            "school": lambda c: 2 <= len(c.text) <= 14 and not _NO_SCHOOL.search(c.text),
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
            "known_condition": lambda c: _BODY.sub("", c.text) in kinds["conditions"],
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
            "quit_smokes": lambda c: c.text in {"烟", "电子烟", "烟酒"},
            "quit_drinks": lambda c: c.text[-1] in "酒茶" or c.text in kinds["drinks"],
            "quit_eats": lambda c: c.text[-1] in "糖食肉辣水" or c.text in kinds["foods"],
            "quit_uses": lambda c: bool(
                re.search(r"游戏|抖音|购|视频|微博|书|淘宝|王者|手游", c.text)
            ),
            "known_field": lambda c: c.text in kinds["fields"],
            "hobby": lambda c: (
                c.text in kinds["hobbies"] or (c.text[0] == "爬" and c.text[-1] in "山岭峰")
            ),
            "trait": self._trait,
            "fixed": _anything,
        }

    def clean(self, kind: str, caught: Span, tagged: list[Word]) -> Span | None:
        """The span without particles and measure words, if it is of the kind; `tagged` are its words."""
        span = self._tidy(_corrected(caught), kind)
        if span is not None and kind == "condition":
            graded = _GRADE.search(span.text)  # 甲状腺结节4a
            cut = graded.start() if graded else len(span.text)
            span = Span(span.text[:cut], span.start, span.start + cut)
        if span is None or len(span.text) > 24 or span.text in self._words.words["unclear"]:
            return None
        if kind not in {"age", "birth", "fixed", "money", "date", "told", "work"} and _BAD.search(
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
            text = _TRAILING.sub("", text) or text
            stripped = text.lstrip(' \t，,：:“"「')
            start += len(text) - len(stripped)
            text = stripped.rstrip('”"」')
            lead = _LEADING.match(text)
            if lead and kind not in {"name", "work"}:
                start += lead.end()
                text = text[lead.end() :]
        if kind not in _UNMEASURED:
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
        if not 2 <= len(c.text) <= 20 or _VERBISH.search(c.text):
            return False
        if c.text in self._words.kinds["places"]:
            return True
        return (
            bool(_PLACE_END.search(c.text) or _DOOR.search(c.text))
            or any(word.tag in {"LOC", "s"} for word in c.tagged)
            or bool(_LATIN.fullmatch(c.text))
        )

    def _brand(self, c: Caught) -> bool:
        known = any(word.tag in {"ORG", "nz"} for word in c.tagged)
        return (
            known
            or bool(_LATIN.fullmatch(c.text))
            or any(car in c.text for car in self._words.kinds["cars"])
        )

    def _trait(self, c: Caught) -> bool:
        """A noun for what somebody is: one word to the tagger, and no pronoun, place or talk."""
        one = len(c.tagged) == 1 and c.tagged[0].tag in {"n", "nz"} and c.tagged[0].start == c.start
        return (one or bool(_TRAIT_END.search(c.text))) and not _NO_TRAIT.search(c.text)

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
        if not 2 <= len(c.text) <= 20 or _NO_SPOT.search(c.text):
            return False
        known = any(word.tag in {"LOC", "ORG", "s", "PER"} for word in c.tagged)
        return known or bool(
            _SPOT.search(c.text) or _PLACE_END.search(c.text) or _DOOR.search(c.text)
        )

    def _known_place(self, c: Caught) -> bool:
        if c.text in self._words.kinds["places"]:
            return True
        if c.tagged and len(c.text) <= 8 and all(word.tag == "LOC" for word in c.tagged):
            return True
        return len(c.tagged) == 1 and c.tagged[0].tag == "LOC" and c.tagged[0].start == c.start

    def _workplace(self, c: Caught) -> bool:
        if not 2 <= len(c.text) <= 16 or c.text in self._words.words["unclear"]:
            return False
        if _ORG_END.search(c.text) or any(word.tag in {"ORG", "LOC"} for word in c.tagged):
            return not re.search(r"[我你他她]", c.text)
        return bool(_LATIN.fullmatch(c.text)) or (
            len(c.text) <= 6 and any(word.tag in {"nz", "PER"} for word in c.tagged)
        )

    def _workplace_said(self, c: Caught) -> bool:
        """Where somebody is said to work: any noun phrase that may be a place of work."""
        if self._workplace(c):
            return True
        if _NO_WORKPLACE.search(c.text) or not 2 <= len(c.text) <= 12:
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
        nouns = bool(c.tagged) and all(word.tag in _ROLE_TAGS for word in c.tagged)
        known = c.text in self._words.kinds["fields"]
        return known or (nouns and not _NO_FIELD.search(c.text))

    def _trade(self, c: Caught) -> bool:
        """What somebody does for a living: nouns, perhaps after one verb (做小商品批发)."""
        tags = [word.tag for word in c.tagged]
        verb = bool(tags) and tags[0] == "v" and len(tags) > 1
        nouns = bool(tags) and all(tag in _ROLE_TAGS for tag in tags[verb:])
        return nouns and not _NO_TRADE.search(c.text)

    def _role_said(self, c: Caught) -> bool:
        """What somebody is said to have become: a role, or a short noun that may be one."""
        if self._role(c):
            return True
        nouns = all(word.tag in _ROLE_TAGS for word in c.tagged) and bool(c.tagged)
        return nouns and 2 <= len(c.text) <= 6 and not _NO_ROLE.search(c.text)

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
                    r"开车|游泳|做饭|弹|拉|吹|打(?!算)|骑|滑|编程|写代码|画|唱|跳|织|修|烤|下棋|围棋|书法|PS|ps|剪辑|摄影|潜水|冲浪|钓|烘焙|包饺子|炒菜|喝酒|抽烟",
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
