"""The same again is evidence; numbers, codes and negations are never merged away."""

import pytest
from facts import claim, note
from hypothesis import given
from hypothesis import strategies as st

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.merge import same_claim
from graphmem.when import When

LEXICON = Lexicon.load()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I eat peanuts.", "I do not eat peanuts."),
        ("My locker is number 1.", "My locker is number 2."),
        ("The code is plum-90.", "The code is plum-91."),
        ("The rent is 900 euros.", "The rent is 980 euros."),
        ("I live in Leeds.", "I no longer live in Leeds."),
        ("我吃花生。", "我不吃花生。"),
        ("柜子是1号。", "柜子是2号。"),
        ("周五三点开会。", "周五四点开会。"),
        ("I love Rome.", "My sister loves Rome."),
    ],
)
def test_these_are_two_statements(one, other):
    assert not same_claim(note(one), note(other, id="f_2", day=1), LEXICON)
    assert not same_claim(note(other), note(one, id="f_2", day=1), LEXICON)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Leeds.", "i live in  Leeds."),
        ("My dentist is Dr. Falk.", "Dr. Falk is my dentist."),
        ("我对花生过敏。", "我对花生过敏"),
    ],
)
def test_these_are_one(one, other):
    assert same_claim(note(one), note(other, id="f_2", day=1), LEXICON)


def test_claims_are_compared_part_by_part():
    one = claim("owns", "Red Bike")
    assert same_claim(one, claim("owns", "red  bike", id="f_2", day=3), LEXICON)
    for other in (
        claim("owns", "red bike", id="f_2", polarity="-"),
        claim("sold", "red bike", id="f_2"),
        claim("owns", "blue bike", id="f_2"),
        claim("owns", "red bike", id="f_2", tense="past"),
        claim("owns", "red bike", id="f_2", entity_id="e_mia"),
        claim("owns", "red bike", id="f_2", happens_at=When("2025-03-04")),
        note("I own a red bike", id="f_2"),
    ):
        assert not same_claim(one, other, LEXICON)


def test_recurrence_is_told_apart_by_its_times():
    first = claim("lives_in", "Berlin", valid_from=When("2018"), valid_to=When("2020"))
    again = claim("lives_in", "Berlin", id="f_2", valid_from=When("2024"))
    assert not same_claim(first, again, LEXICON)


texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=60)


@given(texts, texts)
def test_sameness_is_mutual_and_never_raises(one, other):
    a, b = note(one), note(other, id="f_2")
    assert same_claim(a, b, LEXICON) == same_claim(b, a, LEXICON)
    assert same_claim(a, note(one, id="f_3"), LEXICON)
