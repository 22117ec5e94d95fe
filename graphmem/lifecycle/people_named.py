"""Who is named in a statement as the one it is about, and who as company. Pure.

A lone word with a capital at the head of a sentence may be any word, so it is taken for a name only before a
verb that is said of people.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

from graphmem.words import meaningful

_NAME = r"[A-Z][\w’-]*[a-zà-ÿ][\w’-]*"
_KIN = r"(?:[Mm]y|[Oo]ur)(?P<part>(?: [a-z-]+){1,2}),? "
_NO_NAMES = (
    "Landlord|Landlady|Mum|Mom|Mummy|Dad|Daddy|Papa|Grandma|Grandpa|Gran|Granny|Nana|Boss|Doctor|Dentist|Everyone|Everybody|Nobody"
    "|Somebody|Someone|It|He|She|That|This|There|Who|What"
)
_VERB = (
    r"(?:lives|works|likes|loves|hates|enjoys|adores|studies|drives|eats|drinks|speaks|plays|wants|prefers|moved|teaches"
    r"|comes|collects|owns|married|says|said|thinks|knows|graduated|retired|is (?:allergic|into|really|still|married|single"
    r"|vegan|vegetarian|from|in|a|an)\b|has (?:a|an|two|three|her|his)\b|celebrates|turns|turned)"
)
_SUBJECT_EN = re.compile(
    rf"^(?:(?:So|And|But|Also|Oh|Well|Btw),? )?(?:{_KIN}({_NAME}(?: {_NAME})*)(?!,? and I\b)"
    rf"|({_NAME}(?: {_NAME})+)(?:['’]s \w+ (?:is|was)\b|(?= [a-z]))(?!,? and I\b)"
    rf"|(?!(?:{_NO_NAMES})\b)({_NAME})(?:['’]s (?:birthday|number|phone|email|address|car|dog|cat|job|wife|husband|favou?rite)\b| {_VERB}))"
)
_COMPANY_EN = re.compile(
    rf"\b(?:[Ww]ith|[Mm]eet|[Mm]eeting|[Ss]eeing) ({_NAME}(?: {_NAME})*)|({_NAME}(?: {_NAME})*) and I\b"
)
_TIES_ZH = (
    "我",
    "我的",
    "我们",
    "朋友",
    "同事",
    "同学",
    "邻居",
    "室友",
    "闺蜜",
    "哥们",
    "哥们儿",
    "的",
)
_WITH_ZH = frozenset({"和", "跟", "与", "同"})


@dataclass(frozen=True, slots=True)
class Named:
    """The words of the name of whom a statement is about, of those who are with somebody in it, and of what the
    subject is to the speaker ("our dog Rex").
    """

    subject: frozenset[str] = frozenset()
    company: frozenset[str] = frozenset()
    part: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        """All of them."""
        return self.subject | self.company

    def other_than(self, older: Named) -> bool:
        """True where both are about somebody who is named, and it is not the same one."""
        if not self.subject or not older.subject:
            return False
        return not (self.subject <= older.subject or older.subject <= self.subject)


NOBODY = Named()


@lru_cache(maxsize=8192)
def named_in(text: str, language: str) -> Named:
    """The people whom a statement names, in normal form as in graphmem.words.meaningful."""
    return _chinese(text) if language == "zh" else _english(text)


def _english(text: str) -> Named:
    subject = _SUBJECT_EN.match(text)
    name = part = ""
    if subject:
        part = subject.group("part") or ""
        name = next((each for each in subject.groups() if each and each != part), "")
    company = " ".join(each for match in _COMPANY_EN.findall(text) for each in match if each)
    if not name and not company:
        return NOBODY
    return Named(meaningful(name, "en"), meaningful(company, "en"), meaningful(part, "en"))


def _chinese(text: str) -> Named:
    import rjieba  # noqa: PLC0415  (loaded with the first Chinese text)

    tagged = rjieba.tag(text)
    subject = frozenset[str]()
    for word, tag in tagged:
        if tag == "nr" and len(word) > 1:
            subject = frozenset({word})
        if word not in _TIES_ZH:
            break
    company = frozenset(
        word
        for (before, _), (word, tag) in itertools.pairwise(tagged)
        if before in _WITH_ZH and tag == "nr"
    )
    return Named(subject, company)
