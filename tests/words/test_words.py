from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import words
from graphmem.words import meaningful, passages, sentences, terms

ANY_TEXT = st.text(st.characters(codec=None), max_size=400)
PROSE = st.text(st.sampled_from("ab .,!?\n\"'。，！”我吃3Dr"), max_size=1500)


def test_english_is_stemmed_and_stop_words_are_out():
    assert terms("The cats were running to their houses") == ["cat", "run", "hous"]


@pytest.mark.parametrize(
    "text", ["I do not eat it", "I don't eat it", "I DON’T eat it", "I cannot eat it", "won't eat"]
)
def test_a_negation_is_always_a_term(text):
    assert "not" in terms(text)
    assert meaningful(text) == {"eat"}


def test_no_and_never_are_kept():
    assert {"no", "never"} <= set(terms("no cheese, never"))


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("at 203.0.113.7 now", "203.0.113.7", {"203", "113"}),
        ("code X0000123", "x0000123", {"0000123"}),
        ("plum-Barn-90", "plum-barn-90", {"plum", "barn", "90"}),
        ("ana@example.org", "ana@example.org", {"ana", "exampl", "org"}),
        ("iPhone15", "iphone15", {"iphon", "15"}),
        ("１２３－ＡＢＣ", "123-abc", {"123", "abc"}),
        ("12,500.75 euro", "12500.75", {"12500", "75", "euro"}),
        ("C++", "c++", set()),
    ],
)
def test_codes_are_kept_whole_and_in_parts(text, whole, parts):
    found = terms(text)
    assert whole in found
    assert parts <= set(found)


def test_short_numbers_tell_texts_apart():
    assert "1" in terms("My locker is number 1")
    assert meaningful("locker number 1") != meaningful("locker number 2")


def test_chinese_gives_words_and_characters_without_empty_words():
    found = terms("我对花生过敏")
    assert {"花生", "过敏", "花", "敏"} <= set(found)
    assert "我" not in found
    assert "不" in terms("我不吃鱼")


def test_an_unknown_chinese_name_is_kept_together():
    assert "龘犇" in terms("龘犇来了")
    assert set(terms("车")) <= set(terms("我的汽车很好"))


def test_full_and_half_width_are_the_same():
    assert terms("密码ＡＢＣ１２３，花生") == terms("密码ABC123,花生")


def test_each_script_is_read_in_mixed_text():
    found = terms("我的iPhone 15在London卖了, sold it")
    assert {"15", "london", "sold"} <= set(found)
    assert any(term.startswith("iphon") for term in found)
    assert "sell" not in found


def test_chinese_dates_are_one_term():
    assert {"2023年", "5月", "8日"} <= set(terms("2023年5月8号"))
    assert set(terms("5月8日")) <= set(terms("2023年5月8号"))


def test_the_terms_of_a_day_meet_those_of_questions():
    day = set(words.day_terms(date(2023, 5, 8)))
    for question in ("2023-05-08", "May", "2023", "5月", "五月", "8号", "2023年"):
        assert set(terms(question)) & day, question


def test_accents_do_not_matter():
    assert terms("Café Zoë") == terms("cafe zoe")


def test_generic_words_share_no_topic():
    assert not meaningful("I really like this new thing")
    assert meaningful("我觉得这个东西很好") == frozenset()
    assert meaningful("I drive a Honda") & meaningful("my honda was sold") == {"honda"}


@given(ANY_TEXT)
def test_terms_hold_no_blanks_and_never_raise(text):
    for term in terms(text):
        assert term
        assert not any(letter.isspace() for letter in term)
    meaningful(text)


def test_threads_agree():
    text = "Running cats 我们在北京吃饺子 " * 5
    with ThreadPoolExecutor(8) as pool:
        assert len(set(map(tuple, pool.map(lambda _: terms(text), range(200))))) == 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I met Dr. Smith. He left.", ["I met Dr. Smith.", "He left."]),
        ("See you at 3 p.m. tomorrow. Bye", ["See you at 3 p.m. tomorrow.", "Bye"]),
        ("It is 3.5 km! Really? Yes.", ["It is 3.5 km!", "Really?", "Yes."]),
        ("J. R. Tolkien wrote it. So", ["J. R. Tolkien wrote it.", "So"]),
        ("Well... maybe. Or not", ["Well... maybe.", "Or not"]),
        ("line one\nline two", ["line one", "line two"]),
        ('She said "go." Then left.', ['She said "go."', "Then left."]),
        (
            "你好！我是老王。他说：“走吧。”然后走了",
            ["你好！", "我是老王。", "他说：“走吧。”", "然后走了"],
        ),
        ("你好!我来了?是", ["你好!", "我来了?", "是"]),
        ("open http://a.b/c?d=e now", ["open http://a.b/c?d=e now"]),
        ("  ", []),
    ],
)
def test_sentences(text, parts):
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(PROSE)
def test_nothing_is_lost_between_spans(text):
    for cut in (sentences, passages):
        at = 0
        for start, end in cut(text):
            assert start < end
            assert not text[at:start].strip()
            assert text[start:end] == text[start:end].strip()
            at = end
        assert not text[at:].strip()


@given(PROSE)
def test_passages_keep_their_size(text):
    found = passages(text)
    assert all(end - start <= 480 for start, end in found)
    if len(text.strip()) <= 300:
        assert len(found) <= 1


@pytest.mark.parametrize(
    "text",
    ["a", "我", ". ", "hello there. ", "!?", "\n", "a,", '."', "Dr. ", "don't ", "a-", "\ud800"],
)
def test_long_hostile_text_takes_linear_time(text):
    long = text * (100_000 // len(text))
    started = time.process_time()
    passages(long)
    terms(long)
    meaningful(long)
    assert time.process_time() - started < 2


def test_key_and_language():
    assert words.key("  Ｌao  Wang ") == "lao wang"
    assert words.language_of("我用iPhone") == "zh"
    assert words.language_of("I ate 饺子 with my friends today") == "en"
