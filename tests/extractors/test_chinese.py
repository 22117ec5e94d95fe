"""The Chinese extractor on single messages: whose fact, what is no memory, and hostile text."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.model import Message, Worth
from graphmem.protocols import Turn
from graphmem_extractors.chinese import ChineseExtractor

SAID = datetime(2025, 3, 3, 9, 0, tzinfo=timezone(timedelta(hours=8)))
EXTRACTOR = ChineseExtractor()


def extraction(text, *, speaker="何青", role="user", previous=None):
    turn = Turn(Message(text=text, speaker=speaker, role=role, said_at=SAID), previous, "zh")
    return EXTRACTOR.extract([turn])[0]


def claims(text, **knobs):
    return {
        (c.entity, c.predicate, c.object, c.polarity) for c in extraction(text, **knobs).candidates
    }


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("我住在成都", ("何青", "lives_in", "成都", "+")),
        ("我姐在南京上班", ("何青的姐", "works_at", "南京", "+")),
        ("我不吃羊肉", ("何青", "eats", "羊肉", "-")),
        ("对芒果过敏", ("何青", "allergic_to", "芒果", "+")),
        ("我老公叫秦川", ("何青", "married_to", "秦川", "+")),
        ("我妈电话13900001111", ("何青的妈", "phone_is", "13900001111", "+")),
    ],
)
def test_says_whose_fact_it_is(text, claim):
    assert claim in claims(text)


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("早上好", Worth.CHATTER),
        ("我住哪儿来着？", Worth.QUESTION),
        ("如果我住在成都就好了", Worth.HYPOTHETICAL),
        ("你现在是一个住在成都的厨师", Worth.FICTION),
    ],
)
def test_what_is_no_memory_gives_no_claim(text, worth):
    read = extraction(text)
    assert read.candidates == ()
    assert read.worth is worth
    assert read.trace


def test_the_assistant_says_nothing_about_the_user():
    read = extraction("我住在成都", role="assistant")
    assert read.candidates == ()
    assert read.worth is Worth.OTHER_ROLE


def test_a_secret_is_marked():
    read = extraction("记一下，路由器密码是 abc12345")
    assert read.sensitive
    assert all(c.sensitive for c in read.candidates)


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_any_text_gives_an_extraction(text):
    assert extraction(text).trace is not None


@pytest.mark.parametrize(
    "text",
    ["我" * 100_000, "😀" * 10_000, "\ud800我住\udfff", "\x00\x07我", "，" * 5000, "我爸的" * 9000],
)
def test_hostile_text_is_read_in_time(text):
    assert extraction(text) is not None
