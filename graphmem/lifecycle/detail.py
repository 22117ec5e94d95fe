"""How two claims' objects stand to each other: one value in other letters, or a class and an instance of it. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.lexicon import Lexicon
from graphmem.model import Fact
from graphmem.words import key, meaningful

_HAN = re.compile(r"[\u4e00-\u9fff]+")
_LEADING = re.compile(
    r"^(?:(?:an?|some|my|the|any) )+|^(?:对|某些|一些|有些|某种|怕|爱|吃|喝|养|玩|[一两几]?[条只个缸匹头群窝]|了|着)+(?=.)"
)
_WORD = re.compile(r"[^\W\d_]+")
_SHORT_HAN = 2
_NAMING = frozenset({"name_is", "alias_is", "is_a", "made_by"})
_MINOR = frozenset({"of", "the", "and", "for", "in", "at"})


def bare(thing: str) -> str:
    """The words of a thing without verb, article and measure word: "a dog", 条狗, 喝茶."""
    return _LEADING.sub("", key(thing))


def same_value(one: str, other: str, lexicon: Lexicon) -> bool:
    """True for two ways to say one thing: "GP" and "general practitioner", 北大 and 北京大学, 老师 and 教师."""
    groups = _synonyms(lexicon)
    if groups.get(key(one), 0) == groups.get(key(other), 1):
        return True
    short, long = sorted((key(one), key(other)), key=len)
    if not short or short == long:
        return False
    if _HAN.fullmatch(short) and _HAN.fullmatch(long):
        spread = short not in long and short[0] == long[0]
        return len(short) >= _SHORT_HAN and spread and _within(short, long)
    words = [word for word in _WORD.findall(long) if word not in _MINOR]
    letters = short.replace(".", "")
    return len(words) > 1 and letters == "".join(word[0] for word in words)


def tells_more(new: Fact, old: Fact, lexicon: Lexicon) -> bool:
    """True where the newer claim says which one the older meant: a dog, a setter called Rufus; nuts, cashews.

    Both are held to be true. Either the newer one names or describes what the older one said somebody has,
    or it claims the same with an instance of the older one's class.
    """
    if new.polarity != old.polarity or not old.object:
        return False
    if new.entity_id != old.entity_id:
        thing = bare(old.object)
        owned = {key(f"{old.entity}'s {thing}"), key(f"{old.entity}的{thing}")}
        return new.predicate in _NAMING and key(new.entity) in owned
    if new.predicate != old.predicate:
        return False
    if key(new.object) == key(old.object):
        return (
            names_instance(new.text, old.object, lexicon)
            - names_instance(old.text, old.object, lexicon)
            != frozenset()
        )
    return is_instance(new.object, old.object, lexicon)


def names_instance(text: str, kind: str, lexicon: Lexicon) -> frozenset[str]:
    """The instances of the class `kind` that a text names."""
    listed = _classes(lexicon).get(bare(kind), frozenset())
    if not listed:
        return frozenset()
    said = key(text)
    words = {*_WORD.findall(said), *meaningful(text)}
    return frozenset(
        each
        for each in listed
        if each in words or ((" " in each or not each.isascii()) and each in said)
    )


def is_instance(thing: str, kind: str, lexicon: Lexicon) -> bool:
    """True where `thing` is, or names, something that the lexicon lists under the class `kind`."""
    return key(thing) != key(kind) and bool(names_instance(thing, kind, lexicon))


@lru_cache(maxsize=8)
def _synonyms(lexicon: Lexicon) -> dict[str, int]:
    """The number of the group of words for one thing, by word."""
    groups = [
        row for language in ("en", "zh") for row in lexicon.table("instances", language)["same"]
    ]
    return {word: number for number, row in enumerate(groups, 2) for word in row.split("|")}


@lru_cache(maxsize=8)
def _classes(lexicon: Lexicon) -> dict[str, frozenset[str]]:
    """Instances by the words of their class, in both languages."""
    found: dict[str, frozenset[str]] = {}
    for language in ("en", "zh"):
        for row in lexicon.table("instances", language)["classes"]:
            names, _, instances = row.partition(":")
            members = frozenset(each.strip() for each in instances.split("|"))
            found |= {name.strip(): members for name in names.split("|")}
    return found


def _within(short: str, long: str) -> bool:
    """True where the characters of `short` stand in `long` in this order."""
    rest = iter(long)
    return all(char in rest for char in short)
