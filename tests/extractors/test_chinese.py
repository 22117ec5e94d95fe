"""The Chinese extractor on single messages: whose fact, what is no memory, and hostile text."""

from datetime import datetime, timedelta, timezone
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.lexicon import Lexicon
from graphmem.model import Message, Worth
from graphmem.protocols import Turn
from graphmem_extractors.chinese import ChineseExtractor
from graphmem_extractors.chinese.segment import Jieba, Lac

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


def test_a_pronoun_points_to_the_message_before():
    before = Message(text="我弟在无锡当老师", speaker="何青", said_at=SAID)
    assert ("何青的弟", "allergic_to", "海鲜", "+") in claims("他对海鲜过敏", previous=before)
    assert claims("他对海鲜过敏") == set()


def test_a_name_told_once_is_an_alias():
    aliases = {(a.name, a.alias) for a in extraction("我闺女小名叫豆豆，今年六岁").aliases}
    assert ("何青的闺女", "豆豆") in aliases
    assert ("何青的闺女", "何青的女儿") in aliases


def test_owners_can_add_frames():
    lexicon = Lexicon.load(
        {
            "extract_zh": {
                "frames": {
                    "collects": {
                        "predicate": "collects",
                        "object": "thing",
                        "patterns": ["收藏(?P<o>.{1,8})$"],
                    }
                }
            }
        }
    )
    turn = Turn(Message(text="我爸收藏邮票", speaker="何青", said_at=SAID), None, "zh")
    (read,) = ChineseExtractor(lexicon).extract([turn])
    assert [(c.entity, c.predicate, c.object) for c in read.candidates] == [
        ("何青的爸", "collects", "邮票")
    ]


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("我不吃香菜", "-"),
        ("我从不喝酒", "-"),
        ("我从恒通物流离职了", "-"),
        ("我在恒通物流上班", "+"),
    ],
)
def test_not_always_counts(text, polarity):
    assert {c.polarity for c in extraction(text).candidates} == {polarity}


def test_plans_are_no_facts_and_events_carry_their_day():
    (plan,) = extraction("我打算明年搬去杭州").candidates
    assert (plan.predicate, plan.slot) == ("plans_to", None)
    (event,) = extraction("明天下午三点我妈做白内障手术").candidates
    assert str(event.happens_at) == "2025-03-04T15:00:00+08:00"
    assert str(event.expires_at) == "2025-03-04"
    assert event.importance == 5


@pytest.mark.parametrize("segmenter", [Lac, Jieba])
def test_segmenters_cover_the_text(segmenter):
    text = "我妹在杭州上班 😀 ok"
    words = segmenter().cut(text)
    assert "".join(word.text for word in words) == text
    assert all(text[word.start : word.end] == word.text for word in words)


@pytest.mark.parametrize("word", ["在", "是", "把", "我", "的", "跟我"])
def test_a_word_said_over_and_over_is_read_at_once(word):
    began = process_time()
    extraction(word * 1500)
    assert process_time() - began < 5


def test_what_lies_beyond_the_limit_is_traced():
    assert any(trace.rule == "limit.length" for trace in extraction("我住在北京。" * 2000).trace)
