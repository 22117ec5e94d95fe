"""One value in other letters, a class and its instances, doses, and what comes round again."""

from __future__ import annotations

import pytest

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.detail import bare, is_instance, names_instance, same_value
from graphmem.lifecycle.values import values_in

LEXICON = Lexicon.load()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("GP", "general practitioner"),
        ("NHS", "National Health Service"),
        ("北大", "北京大学"),
        ("浙二院", "浙江大学第二医院"),
        ("老师", "教师"),
        ("lawyer", "attorney"),
    ],
)
def test_two_ways_to_write_one_name(one: str, other: str) -> None:
    assert same_value(one, other, LEXICON)
    assert same_value(other, one, LEXICON)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("西安", "西安交大"),
        ("Leeds", "Leeds University"),
        ("nurse", "chef"),
        ("1", "2"),
        ("上海", "北京"),
        ("BBC", "Bristol"),
    ],
)
def test_two_values_stay_two(one: str, other: str) -> None:
    assert not same_value(one, other, LEXICON)


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        ("an old beagle", "a dog"),
        ("pistachios", "nuts"),
        ("柯基", "条狗"),
        ("龙虾", "海鲜"),
        ("Touran", "VW"),
    ],
)
def test_instances(thing: str, kind: str) -> None:
    assert is_instance(thing, kind, LEXICON)
    assert not is_instance(kind, kind, LEXICON)


def test_a_text_names_instances_of_a_class_that_is_listed() -> None:
    assert "prawns" in names_instance("Prawns twice a week.", "seafood", LEXICON)
    assert names_instance("Prawns twice a week.", "stamps", LEXICON) == frozenset()
    assert bare("my dog") == "dog"
    assert bare("养了一只猫") == "猫"


@pytest.mark.parametrize(
    ("text", "language", "kind", "values"),
    [
        ("twice a day, after meals", "en", "often:day", {"2"}),
        ("three times per week", "en", "often:week", {"3"}),
        ("一天吃三回", "zh", "often:day", {"3"}),
        ("早晚各一片", "zh", "often:day", {"2"}),
        ("每天25微克", "zh", "n:微克", {"25"}),
        ("我属兔", "zh", "zodiac", {"兔"}),
        ("the eleventh floor", "en", "n:floor", {"11"}),
    ],
)
def test_values(text: str, language: str, kind: str, values: set[str]) -> None:
    assert values_in(text, language)[kind] == values
