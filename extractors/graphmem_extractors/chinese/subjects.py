"""Whose fact it is: reads the subject at the head of a clause and remembers it for the clauses after."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from graphmem.protocols import TimeSpan
from graphmem_extractors.chinese.clauses import Piece
from graphmem_extractors.chinese.vocabulary import Kin, Vocabulary, alternatives

_SELF = re.compile(
    r"(?:我们俩?|咱们俩?|我俩|咱俩|我|俺|咱|本人|偶|老子|老娘(?=[我就]))(?!国|校|司)(?:自己|这人|这个人|这边)?"
)
_HOME = re.compile(r"(?:我们家|我家|咱家|俺家|家里|家中|自家)(?:的|那只|那条|那个|这只|这条)?")
_PRONOUN = re.compile(r"(?:他|她|它)(?:们)?(?:自己|俩)?")
_NICK = re.compile(
    r"(?:[小老阿大][^\W的A-Za-z0-9_了是也都在](?:子)?|[\u4e00-\u9fff]{1,2}(?:姐|哥|总|工|师傅|老师|阿姨|叔|医生|经理|老板|同学|教练|主任|姨|伯|嫂|奶奶|爷爷|大夫|律师))"
)
_LATIN = re.compile(r"[A-Z][A-Za-z]{1,15}(?![A-Za-z0-9])")
_OWNED = re.compile(r"(?:的|家的?|家里的?)")
_DOCTOR = re.compile(
    r"(?:医生|大夫|专家|主任|体检|检查|化验|报告|医嘱)(?:说|讲|建议|叮嘱|嘱咐|交代|让|给|显示|提示|查出)*(?:我|他|她)?(?:是|的)?(?=开了|换了|加了|停了|减了|不能|别|忌|要|少|多|得|有|是|说|查|血|尿|.{2,8}(?:炎|症|病|高|低))"
)
_OWN = re.compile(
    r"(?:我们|咱们|我|咱|俺)(?:还|就)?有(?:一|俩|两)?[个位](?:[\u4e00-\u9fff]{0,4}?)(?=[\u4e00-\u9fff])|(?:我们|咱们|我|咱|俺)(?:家里?)?的?"
)
_OWN_NOUN = re.compile(
    r"全家|一家|老家|生日|血型|[小大网笔艺全真本学英外乳]文?名|名字|昵称|外号|绰号|花名|微信名|家乡|专业|职业|工作|年龄|爱好|兴趣|方向|研究方向|星座|属相|籍贯|学历|身高|体重|过敏|户口|母语|偶像|最爱|研究生|本科|大学|高中|初中|小学|硕士|博士|坐标|职位|岗位|目标|梦想|愿望|目前|现居"
)
_OWN_MODIFIER = re.compile(
    r"(?:最好的|最要好的|最铁的|关系最好的|那个|这个|大学|高中|初中|小学|研究生|公司的?|部门的?|单位的?|组里的?|班里的?|隔壁(?:组|班|宿舍|部门|家|屋)?的?|楼上的?|楼下的?|对门|健身房的?|驾校的?|同城的?|双胞胎|龙凤胎|远房|乡下|亲|前|新|老|合租的?|这边的?|家里的?|国内的?|线上的?)+"
)
_HOUSEHOLD = re.compile(
    r"(?:一家[三四五六]口|一大家子|一家子|一家人?(?!公司|店|餐)|全家|夫妻俩|夫妇俩?|两口子|小两口)(?=.)"
)
_GOES_ON = frozenset({"v", "d", "p", "ad", "vd", "TIME", "t"})
_GLUED = re.compile(
    r"(?<=[\u4e00-\u9fff]{2})(?:天天|每天|今天|昨天|明天|今年|去年|前天|刚刚|经常|一直|总是|老是)$"
)
_CAUSED = re.compile(r"(?:又|非|还|就|都)?(?:让|叫|要求|催|派|安排|通知|逼)我(?=[\u4e00-\u9fff])")
_CHAIN = re.compile("的|他(?=[\u4e00-\u9fff])|她(?=[\u4e00-\u9fff])|家(?=[\u4e00-\u9fff])")
_WITH = re.compile("跟|和|与|还有")
_BOTH = re.compile("(?:我们?|他们|俩|两个人?|两人|全|也)*都|俩(?!都)")
_RELATION = re.compile("是")
_OUR_HOME = re.compile(
    r"家(?:里)?(?=以前|之前|曾经|原来|现在|目前|刚|还|又|也|都|一直|最近|今年|去年|没|从来|从不|一般)"
)
_IS_NAMED = re.compile(r"是[A-Za-z\u4e00-\u9fff]")
_NAMING = re.compile(r"[大小全真本学英外乳](?:文)?名|昵称|外号|网名")
_MODIFIER = re.compile(
    r"(?:家里的?|新来的|[^，我你他她\s]{1,4}的|新|前|大学|高中|初中)(?=[\u4e00-\u9fffA-Za-z])"
)
_COPULA_AFTER = re.compile(
    r"\s*(?:身体|腿|眼|耳|牙|心脏|血压|血糖|膝|腰|胃|肝|肺|肾|颈|视力|听力|记性|俩|两个|叫|姓|是|在|有|住|搬|对|养|开|不|没|也|都|还|已经|从|去|来|今年|今天|明天|昨天|下|上|这|每|最|很|特别|喜欢|爱|讨厌|怕|要|想|打算|准备|会|能|说|给|跟|和|把|被|刚|就|又|才|现在|学|读|做|当|考|退休|生|属|吃|喝|用|买|卖|带|负责|推荐|安利|小名|大名|的|电话|微信|倒是|一直|前年|去年|结婚|离婚|怀|病|出|患|得|周|星期|月|过|身体|辞|总|经常|只|真|[0-9一二三四五六七八九十])"
)


_SHORT_THINGS = frozenset("车包表伞书琴证")
_NOUNS = frozenset({"n", "nz", "nw", "LOC", "ORG", "vn", "s", "an"})
_NO_NAME = frozenset({"v", "p", "d", "r", "c", "u", "m"})
_ATTRIBUTIVE = frozenset({"备用", "二手", "公用"})
_LONGEST_TOPIC = 10


@dataclass(frozen=True, slots=True)
class Subject:
    """Who or what a clause is about. `aliases` are pairs of names that the text says are one."""

    name: str
    kind: str  # self, person, animal, thing
    kin: Kin | None = None
    given: str = ""
    role_name: str = ""  # "<speaker>的<term>" where a name was given besides
    explicit: bool = True

    @property
    def is_family(self) -> bool:
        """Whether it is kin of somebody."""
        return self.kin is not None and self.kin.family


@dataclass(slots=True)
class Thread:
    """What the clauses so far were about."""

    speaker: str
    subject: Subject | None = None  # the last explicit subject of this sentence
    person: Subject | None = None  # the last other person
    thing: Subject | None = None  # the last thing or animal
    event: Subject | None = None  # the last scheduled thing
    coming: tuple[TimeSpan, ...] = ()  # the last times to come that were told
    predicate: str = ""  # of the last claim
    sentence: int = -1
    aliases: dict[tuple[str, str], None] = field(default_factory=dict)
    seen: list[Subject] = field(default_factory=list)

    def enter(self, sentence: int) -> None:
        """A new sentence begins: an omitted subject is the speaker again."""
        if sentence != self.sentence:
            self.sentence = sentence
            self.subject = None

    def note(self, subject: Subject) -> None:
        """Remember a subject that was named."""
        self.subject = subject
        other = subject.kind == "self" or subject.is_family
        if other and self.thing and self.thing.kind == "thing":
            self.thing = None
        if subject.kind == "person":
            self.person = subject
        elif subject.kind in {"thing", "animal"}:
            self.thing = subject
        self.seen.append(subject)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a clause: its subject (None: omitted), its topic, and where the rest begins."""

    subject: Subject | None
    rest: int
    topic: str = ""
    others: tuple[Subject, ...] = ()  # who shares what is said (我跟大奇都...)


class Subjects:
    """Reads subjects with a vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._kin = re.compile(words.kin_pattern)
        self._pet = re.compile(words.pet_pattern)
        self._belonging = re.compile(alternatives(words.kinds["belongings"]))

    def read(self, piece: Piece, thread: Thread) -> Head:
        """The subject at the head of a clause, with the topic that stands before it."""
        topic, at = self._topic(piece)
        subject, rest = self._subject(piece, at, thread)
        if subject is None and not topic and len(piece.tagged) > 1:
            first = piece.tagged[0]
            named = first.tag == "PER" and first.start == piece.offset and len(first.text) > 1
            topic, rest = (first.text, len(first.text)) if named else ("", rest)
            at = rest
        if subject is not None and subject.kind == "thing" and not topic:
            topic = subject.name.rpartition("的")[2]
        others: tuple[Subject, ...] = ()
        if subject is not None and subject.kind in {"self", "person"}:
            others, rest = self._sharing(piece, rest, thread)
        return Head(subject, rest if subject else at, topic, others)

    def _sharing(self, piece: Piece, at: int, thread: Thread) -> tuple[tuple[Subject, ...], int]:
        """Who else the clause is about: a person after 跟 or 和, with 都 or 俩 behind (我跟大奇都不吃香菇)."""
        link = _WITH.match(piece.text, at)
        if link is None:
            return (), at
        other, end = self._subject(piece, link.end(), thread)
        both = _BOTH.match(piece.text, end)
        if other is None or other.kind != "person" or both is None:
            return (), at
        related = _RELATION.match(piece.text, both.end())
        if related and self._kin.search(piece.text, related.end()):
            return (), at
        return (other,), both.end()

    def _topic(self, piece: Piece) -> tuple[str, int]:
        """The nouns at the head of a clause that are not its subject (咖啡我只喝手冲, 烟早戒了)."""
        owned = self._belonging.match(piece.text)
        if owned and owned.end() < len(piece.text):
            return owned.group(), owned.end()
        end, last = 0, ""
        for word in piece.tagged:
            of = end and word.tag == "u" and word.text == "的"
            inside = word.tag in _NOUNS or of or word.text in _ATTRIBUTIVE
            if max(word.start - piece.offset, 0) != end or not inside:
                break
            if (
                self._words.attributes.get(word.text)
                or _OWN_NOUN.match(word.text)
                or word.tag == "PER"
            ):
                return "", 0
            end, last = word.end - piece.offset, word.tag
        topic = piece.text[:end]
        spoken = topic[:1] in "我你他她它咱俺"  # the tagger sometimes joins a pronoun to a noun
        if spoken or end >= len(piece.text) or last == "u" or len(topic) > _LONGEST_TOPIC:
            return "", 0
        home = _HOME.match(topic)
        if home and self._pet.match(topic, home.end()):
            return "", 0
        own = self._kin.match(topic) or self._pet.fullmatch(topic)
        if own and not (own.end() < len(topic) and topic[own.end()] in "的家"):
            return "", 0
        return topic, end

    def _subject(self, piece: Piece, at: int, thread: Thread) -> tuple[Subject | None, int]:
        for read in (
            self._of_doctor,
            self._of_kin,
            self._of_pet,
            self._of_self,
            self._of_pronoun,
            self._of_name,
        ):
            found = read(piece, at, thread)
            if found is not None:
                subject, rest = found
                household = _HOUSEHOLD.match(piece.text, rest) if subject.kind == "person" else None
                return subject, household.end() if household else rest
        return None, at

    def _of_doctor(self, piece: Piece, at: int, thread: Thread) -> tuple[Subject, int] | None:
        """A doctor's word is about the patient: the one who was spoken of, else the speaker."""
        match = _DOCTOR.match(piece.text, at)
        if not match:
            return None
        patient = thread.subject
        if patient is None or patient.kind != "person":
            patient = Subject(thread.speaker, "self", explicit=False)
        return patient, match.end()

    def _of_kin(self, piece: Piece, at: int, thread: Thread) -> tuple[Subject, int] | None:
        owner, position = thread.speaker, at
        own = _OWN.match(piece.text, at)
        other = re.compile(r"(?:他|她)(?:的|家)?").match(piece.text, at)
        adjective = None
        if own:
            position = self._after_own(piece, own)
        elif other and self._kin.match(piece.text, other.end()):
            if thread.person is None:
                return None
            owner, position = thread.person.name, other.end()
        else:
            named = self._name_at(piece, at)
            if named:
                link = re.compile("的|他|她|家").match(piece.text, at + len(named))
                if link and self._kin.match(piece.text, link.end()):
                    owner, position = named, link.end()
            adjective = _MODIFIER.match(piece.text, at)
            if adjective:
                position = adjective.end()
        match = self._kin.match(piece.text, position)
        if not match:
            return None
        kin = self._words.kin[match.group()]
        end = match.end()
        explicit_owner = position > at
        called = match.group() in self._words.kinds["vocatives"]  # 哥们, 我搬家了
        if not explicit_owner and (called or not piece.begins_word(at)):
            return None
        name = f"{owner}的{kin.word}"
        while True:
            chain = _CHAIN.match(piece.text, end)
            linked = chain.end() if chain else end
            after = self._kin.match(piece.text, linked)
            if after is None or (linked == end and len(after.group()) < 2):
                break
            kin = self._words.kin[after.group()]
            name, end = f"{name}的{kin.word}", after.end()
        given = self._given_name(piece, end)
        if given:
            end += len(given)
        elif not explicit_owner and not self._goes_on(piece, end) and end < len(piece.text):
            return None
        if end < len(piece.text) and re.match(r"[们家]", piece.text[end:]) and not given:
            return (Subject(f"{name}家", "thing"), end + 1) if piece.text[end] == "家" else None
        if end >= len(piece.text) and own and "有" in own.group():
            return None
        caused = _CAUSED.match(piece.text, end)
        if caused:
            return Subject(thread.speaker, "self"), caused.end()
        subject = Subject(given or name, "person", kin, given, name if given else "")
        return subject, end

    def _after_own(self, piece: Piece, own: re.Match[str]) -> int:
        """Where the word for a relative begins after 我(的), 我有个; a short modifier may stand between."""
        if "有" not in own.group():
            modified = _OWN_MODIFIER.match(piece.text, own.end())
            plain = self._kin.match(piece.text, own.end())
            after = modified is not None and self._kin.match(piece.text, modified.end())
            return modified.end() if modified and after and not plain else own.end()
        for position in range(own.end(), min(own.end() + 5, len(piece.text))):
            if self._kin.match(piece.text, position):
                return position
        return own.end()

    def _goes_on(self, piece: Piece, at: int) -> bool:
        """Whether what stands at `at` may follow a subject: a verb, an adverb, a time, a household (老马两口子)."""
        if _COPULA_AFTER.match(piece.text[at:]) or _HOUSEHOLD.match(piece.text, at):
            return True
        return any(word.tag in _GOES_ON for word in piece.words_at(at))

    def _of_pet(self, piece: Piece, at: int, thread: Thread) -> tuple[Subject, int] | None:
        home = re.compile(_HOME.pattern + r"|(?:我的?|我养的)").match(piece.text, at)
        position = home.end() if home else at
        match = self._pet.match(piece.text, position)
        if not match:
            return None
        named = self._given_name(piece, match.end())
        if not named and not _COPULA_AFTER.match(piece.text[match.end() :] or "是"):
            return None
        if not home and not piece.begins_word(at):
            return None
        called = f"{thread.speaker}的{match.group()}"
        role = called if named else ""
        pet = Subject(named or called, "animal", given=named, role_name=role)
        return pet, match.end() + len(named)

    def _of_self(self, piece: Piece, at: int, thread: Thread) -> tuple[Subject, int] | None:
        match = _SELF.match(piece.text, at)
        if not match:
            return None
        end = match.end()
        thing = self._thing_of(piece, end)
        if thing:
            return Subject(f"{thread.speaker}的{thing[0]}", "thing"), thing[1]
        home = _OUR_HOME.match(piece.text, end)  # 我家以前养过鸽子
        return Subject(thread.speaker, "self"), home.end() if home else end

    def _thing_of(self, piece: Piece, at: int) -> tuple[str, int] | None:
        """A possession after 我(的): nouns up to the verb (我的备用钥匙放在...)."""
        link = re.compile(r"家?的|家(?=[\u4e00-\u9fff])").match(piece.text, at)
        begin = link.end() if link else at
        end = begin
        for word in piece.tagged:
            if word.end - piece.offset <= begin:
                continue
            if word.start - piece.offset != end or word.tag not in {"n", "nz", "a", "ORG", "vn"}:
                break
            end = word.end - piece.offset
        thing = piece.text[begin:end]
        if (
            not (1 < len(thing) <= 8 or thing in _SHORT_THINGS)
            or thing in self._words.words["unclear"]
            or end >= len(piece.text)
        ):
            return None
        named = thing in self._words.attributes and not _IS_NAMED.match(piece.text, end)
        if named or _OWN_NOUN.search(thing):
            return None
        if not link and not re.match(
            r"(?:放|在|是|坏|丢|叫|停|修|买|搁|藏|存|搬|迁|从)", piece.text[end:]
        ):
            return None
        return thing, end

    def _of_pronoun(self, piece: Piece, at: int, thread: Thread) -> tuple[Subject, int] | None:
        match = _PRONOUN.match(piece.text, at)
        if not match:
            return None
        known = thread.thing if match.group().startswith("它") else thread.person
        if known is None or "们" in match.group():
            return Subject("", "unknown"), match.end()
        return known, match.end()

    def _of_name(self, piece: Piece, at: int, thread: Thread) -> tuple[Subject, int] | None:
        lead = re.compile(
            r"(?:我们?(?:部门|公司|组|班|团队|学校|单位|小区|楼里?)的?(?=[\u4e00-\u9fffA-Z])|[^的，\s]{1,4}的(?=[\u4e00-\u9fffA-Z]))"
        ).match(piece.text, at)
        for begin in (at, lead.end()) if lead else (at,):
            name = self._name_at(piece, begin)
            if name and self._goes_on(piece, begin + len(name)):
                if any(s.name == name for s in thread.seen):
                    known = next(s for s in thread.seen if s.name == name)
                    return known, begin + len(name)
                return Subject(name, "person"), begin + len(name)
        return None

    def _name_at(self, piece: Piece, at: int) -> str:
        """A person's name that begins at `at`, or nothing."""
        if _NAMING.match(piece.text, at):
            return ""
        for word in piece.tagged:
            if (
                word.start - piece.offset == at
                and word.tag == "PER"
                and word.text not in self._words.kin
            ):
                return _GLUED.sub("", word.text) if word.text[0] not in "我你他她" else ""
        match = _NICK.match(piece.text, at) or _LATIN.match(piece.text, at)
        if not match or match.group() in self._words.kinds["not_people"]:
            return ""
        if any(piece.text[at:].startswith(word) for word in self._words.kinds["not_people"]):
            return ""
        lead = next(piece.words_at(at), None)
        if lead is not None and lead.tag in _NO_NAME and lead.end - lead.start < 2:
            return ""
        first = match.group()[0]
        if (
            first in "我你他她它这那不在是有叫请找让给跟和带见问说帮把被对从去来到"
            or not piece.begins_word(at)
        ):
            return ""
        return match.group() if piece.ends_word(at + len(match.group())) else ""

    def _given_name(self, piece: Piece, at: int) -> str:
        for word in piece.tagged:
            named = word.tag == "PER" and word.text not in self._words.kinds["conditions"]
            if word.start - piece.offset == at and named and not word.text.islower():
                return _GLUED.sub("", word.text)
            if word.start - piece.offset < at < word.end - piece.offset and word.tag == "PER":
                return piece.text[at : word.end - piece.offset]
        match = re.compile(
            r"[小阿老][\u4e00-\u9fff](?=[^\u4e00-\u9fff]|$|[是在有叫对倒也])|[A-Z][A-Za-z]{1,15}"
        ).match(piece.text, at)
        return (
            match.group() if match and match.group() not in self._words.kinds["not_people"] else ""
        )
