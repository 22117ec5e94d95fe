"""Words with several senses: a word used in two senses is no word in common."""

from __future__ import annotations

import pytest

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.reading import read, shared_terms

LEXICON = Lexicon.load()


@pytest.mark.parametrize(
    ("language", "word", "one", "other"),
    [
        ("en", "bank", "My bank charges a fee for the card", "We sat on the bank of the river"),
        ("en", "crane", "A crane operator at the building site", "The crane built its nest"),
        ("en", "python", "I write Python code", "My python has a new terrarium"),
        ("zh", "苹果", "我的手机是苹果的", "我每天吃一个苹果"),
        ("zh", "粉丝", "我的账号有一万粉丝", "晚饭做了蒜蓉粉丝"),
    ],
)
def test_two_senses_are_no_word_in_common(language: str, word: str, one: str, other: str) -> None:
    first, second = (read(text, language, LEXICON) for text in (one, other))
    assert word in first.terms
    assert word in second.terms
    assert first.senses[word] != second.senses[word]
    assert word not in shared_terms(second, first)
    assert word not in shared_terms(first, second)


@pytest.mark.parametrize(
    ("language", "word", "one", "other"),
    [
        ("en", "bank", "My bank charges a fee for the card", "I opened an account at the bank"),
        ("en", "bank", "My bank charges a fee for the card", "The bank was closed today"),
        ("zh", "苹果", "我的手机是苹果的", "我换掉了苹果电脑"),
        ("zh", "苹果", "我的手机是苹果的", "我很喜欢苹果"),
    ],
)
def test_one_sense_or_an_open_one_stays_in_common(
    language: str, word: str, one: str, other: str
) -> None:
    first, second = (read(text, language, LEXICON) for text in (one, other))
    assert word in shared_terms(second, first)


def test_as_much_for_two_senses_tells_neither() -> None:
    assert not read("A bank by the river with a loan", "en", LEXICON).senses


def test_a_topic_is_spoken_of_in_its_own_sense_only() -> None:
    rented = read("The flat has a balcony", "en", LEXICON)
    rolled = read("Had a flat and fixed the puncture with a pump", "en", LEXICON)
    assert "home" in rented.topics
    assert "home" not in rolled.topics


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_word_of_the_table_has_senses_to_tell_apart(language: str) -> None:
    table = LEXICON.table("senses", language)
    assert len(table) >= 24
    for word, senses in table.items():
        assert len(senses) > 1, word
        contexts = [each for words in senses.values() for each in words]
        assert len(contexts) == len(set(contexts)), word
