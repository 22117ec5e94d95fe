"""What ties a newer statement to an older one, and of whom a statement speaks; pure."""

import pytest

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.reading import Reader
from graphmem.recall.ties import Pair, other_sort, strength
from graphmem.recall.whose import Holders, holders, leading_names

WORDING = Reader(Lexicon.load())


def tie(older, newer, question, *, kinds=(), cosine=0.5, language="en", **more):
    old, new = WORDING.read(older, language), WORDING.read(newer, language)
    pair = Pair(
        older=old,
        newer=new,
        shared=WORDING.shared(new, old),
        cosine=cosine,
        asked=more.pop("asked", 0.4),
        asked_older=0.4,
        better=more.pop("better", 0.0),
        **more,
    )
    return strength(pair, WORDING.read(question, language), frozenset(kinds))


RENT = "the rent is 880 with heating"
HOW_MUCH = "How much is my rent?"


def test_words_values_and_topic_tie():
    assert tie(RENT, "the rent goes up to 925", HOW_MUCH, kinds=["amount"]) > 1
    assert tie(RENT, "I like plums", HOW_MUCH, kinds=["amount"], cosine=0.1, asked=0.0) < -1


@pytest.mark.parametrize(
    "more", [{"cosine": 0.8}, {"conflict": True}, {"slot": True}, {"better": 2.0}, {"asked": 0.8}]
)
def test_each_sign_adds(more):
    plain = tie(RENT, "925 from now on", HOW_MUCH)
    assert tie(RENT, "925 from now on", HOW_MUCH, **more) > plain


def test_what_says_of_the_same_thing_that_it_is_over_need_not_fit_the_question():
    older, newer = "listening to the audiobook of Emma", "Emma is through, on to Ivanhoe"
    plain = tie(older, newer, "Which audiobook is it?", better=-7.0)
    assert tie(older, newer, "Which audiobook is it?", better=-7.0, ended=True) > plain + 2


def test_a_code_outlives_what_changes_around_it():
    older, newer = "door code of the studio is 3817", "we moved the studio upstairs"
    asked = {"kinds": ["code"], "better": -4.0}
    assert tie(older, newer, "the door code?", **asked) == tie(
        older, newer, "the door code?", **asked, ended=True
    )


def test_a_sum_of_now_stands_in_for_the_one_before():
    plain = tie(RENT, "925 for the flat", HOW_MUCH, kinds=["amount"])
    assert tie(RENT, "925 for the flat now", HOW_MUCH, kinds=["amount"]) > plain + 1


def test_an_answer_that_gets_lost_counts_against_it():
    kept = tie(RENT, "925 for the flat", HOW_MUCH, kinds=["amount"])
    assert tie(RENT, "cash for the flat", HOW_MUCH, kinds=["amount"]) < kept - 1
    assert tie(RENT, "925 for the flat", HOW_MUCH, kinds=["amount"], lost=True) < kept - 1


def test_sorts_told_apart_in_words():
    home, work = "the wifi at home is fox-1", "the wifi at the office is owl-2"
    assert other_sort(WORDING.read(home, "en"), WORDING.read(work, "en"))
    assert not other_sort(WORDING.read(home, "en"), WORDING.read("wifi: elk-3", "en"))
    assert tie(home, work, "my wifi?") < tie(home, "the home wifi is elk-3", "my wifi?") - 2


def of(text, language="en", people=()):
    return holders(WORDING.read(text, language), people, text, language)


@pytest.mark.parametrize(
    ("text", "language", "kin"),
    [
        ("my sister moved to Oslo", "en", {"sister"}),
        ("I moved to Oslo", "en", set()),
        ("我哥住在洛阳", "zh", {"哥哥"}),
        ("我住在洛阳", "zh", set()),
    ],
)
def test_whom_a_statement_speaks_of(text, language, kin):
    assert of(text, language).kin == kin
    assert of(text, language).self == (not kin)


def test_strangers_to_a_question():
    sister, mine = of("my sister moved to Oslo"), of("I moved to Oslo")
    bo = of("Bo moved to Oslo", people=["e_bo"])
    me = Holders(people=frozenset({"e_me"}), self=True)
    nobody = Holders(self=True, unsaid=True)
    about_sister = Holders(kin=frozenset({"sister"}))
    assert sister.strangers_to(me)
    assert bo.strangers_to(me)
    assert not mine.strangers_to(me)
    assert sister.strangers_to(nobody)
    assert not bo.strangers_to(nobody)
    assert not sister.strangers_to(about_sister)
    assert of("my brother moved").strangers_to(about_sister)
    assert not bo.strangers_to(about_sister)  # she may be called Bo
    assert not of("my parents moved").strangers_to(about_sister)


def test_apart():
    assert of("my sister moved").apart(of("my brother moved"))
    assert of("my sister moved").apart(of("I moved"))
    assert not of("moved at last").apart(of("my sister moved"))


def test_names_in_front():
    assert leading_names("Ines weighs 58 kilos", "en") == ["Ines"]
    assert leading_names("The weight is 58", "en") == []
    assert leading_names("reading Emma", "en") == []
    assert "依依" in leading_names("依依才胖呢", "zh")
