"""What a name such as "Ana's boss" or "田甜的老婆" says of whom it means, and whether two such can be one. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from graphmem.lexicon import Lexicon
from graphmem.words import key

# once: one person for ever (a mother). moving: one at a time, or who is meant is the one named last.
# many: several at once, so that the word names nobody.
Holders = Literal["once", "moving", "many"]
_PARTNERS = frozenset({"spouse", "partner"})
_MAY_BE_ONE = (_PARTNERS, frozenset({"partner", "circle"}))


@dataclass(frozen=True, slots=True)
class Role:
    """`owner` is whose, `group` as in the lexicon's roles ("" where the word is not known), `sex` f, m or
    "". `plain` is the name without a qualifier: "Ana's boss" for "Ana's new boss".
    """

    name: str
    plain: str
    owner: str
    group: str
    sex: str
    holders: Holders

    def may_be(self, group: str, sex: str = "") -> bool:
        """False where whoever has this role is somebody else than one of that group and sex."""
        if self.sex and sex and self.sex != sex:
            return False
        pair = frozenset({self.group, group})
        return len(pair) == 1 or "" in pair or any(pair <= each for each in _MAY_BE_ONE)


@dataclass(frozen=True, slots=True)
class _Word:
    group: str
    sex: str
    holders: Holders


class Roles:
    """Reads names by the words for people in both languages."""

    def __init__(self, lexicon: Lexicon) -> None:
        table = lexicon.table("roles")
        self._groups: Mapping[str, str] = table["groups"]
        self._qualifiers = tuple(table["qualifiers"])
        moving = frozenset(map(key, table["moving"]))
        self._words: dict[str, _Word] = {}
        for entry in lexicon.table("family", "en")["kin"]:
            family = entry["predicate"] not in {"friend_of", "colleague_of", "knows", "name_is"}
            for word in entry["words"]:
                self._add(word, entry["predicate"], entry["gender"], moving, family=family)
        chinese = lexicon.table("family", "zh")
        for kind in ("kin", "circle"):
            for entry in chinese[kind].values():
                for word in entry["words"]:
                    sex = entry.get("sex", "")
                    self._add(word, entry["predicate"], sex, moving, family=kind == "kin")

    def group(self, predicate: str) -> str:
        """The group of people whom a predicate relates to somebody; "" for other predicates."""
        return self._groups.get(predicate, "")

    def role(self, name: str) -> Role | None:
        """The role that a name states; None for a name of one's own."""
        for joint in ("'s ", "的"):
            owner, found, word = name.replace("’", "'").rpartition(joint)
            if found and owner and word:
                return self._role(name, owner, joint, word)
        return None

    def _role(self, name: str, owner: str, joint: str, word: str) -> Role:
        bare = word
        for qualifier in self._qualifiers:
            bare = bare.removeprefix(f"{qualifier} " if qualifier.isascii() else qualifier) or bare
        known = self._words.get(key(bare), _Word("", "", "moving"))
        return Role(
            name=name,
            plain=f"{owner}{joint}{bare}",
            owner=owner,
            group=known.group,
            sex=known.sex,
            holders=known.holders,
        )

    def _add(
        self, word: str, predicate: str, sex: str, moving: frozenset[str], *, family: bool
    ) -> None:
        holders: Holders = "moving" if family or key(word) in moving else "many"
        if predicate == "child_of" and sex:
            holders = "once"
        self._words.setdefault(key(word), _Word(self.group(predicate), sex, holders))
