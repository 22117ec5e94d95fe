"""How questions are read."""

from datetime import UTC, datetime

import pytest

from graphmem import plugins
from graphmem.lexicon import Lexicon
from graphmem.model import Entity, When
from graphmem.protocols import TimeSpan
from graphmem.recall.question import QuestionReader

AT = datetime(2025, 6, 1, 12, tzinfo=UTC)
READER = QuestionReader(
    Lexicon.load(), None, lambda name: (Entity(id="e", name=name),) if name == "Mei" else ()
)


def read(text):
    return READER.read(text, at=AT)


@pytest.mark.parametrize(
    ("text", "tense", "previous"),
    [
        ("Where do I live?", "present", False),
        ("Where did I live before?", "past", True),
        ("What was my previous phone number?", "past", True),
        ("Which bank did I use to be with?", "past", True),
        ("How much did we spend on paint?", "past", False),
        ("What am I doing tomorrow?", "future", False),
        ("Am I still a member?", "present", False),
        ("我现在住哪？", "present", False),
        ("我以前住哪？", "past", True),
        ("我曾经在哪上班？", "past", True),
        ("明天有什么安排？", "future", False),
        ("牙医约的哪天？", "future", False),
    ],
)
def test_tense(text, tense, previous):
    question = read(text)
    assert (question.tense, question.previous) == (tense, previous)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who fixed the tap?", "who"),
        ("When is the exam?", "when"),
        ("Where is the spare key?", "where"),
        ("How many chairs do we need?", "amount"),
        ("What's the door code?", "code"),
        ("谁修的水管？", "who"),
        ("考试几点开始？", "when"),
        ("备用钥匙在哪里？", "where"),
        ("椅子要多少把？", "amount"),
        ("门锁密码呢？", "code"),
    ],
)
def test_kind_of_answer(text, kind):
    assert kind in read(text).kinds


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Where do I live?", "home"),
        ("What car do I drive?", "car"),
        ("who is my employer?", "job"),
        ("am I married?", "relationship"),
        ("我住在哪里？", "home"),
        ("我开什么车？", "car"),
        ("我的生日是几号？", "birthday"),
        ("What's for dinner?", None),
    ],
)
def test_slot(text, slot):
    assert read(text).slot == slot


def test_names_are_looked_up():
    assert [entity.name for entity in read("Where does Mei work?").entities] == ["Mei"]
    assert read("Where does Bo work?").entities == ()


def test_the_first_person():
    assert read("my number").of_self
    assert read("我的号码").of_self
    assert not read("Bo's number").of_self


class Times:
    """A grammar that reads "in 2023" and "on Friday"."""

    def find(self, text, *, said_at, language):
        spans = []
        if "2023" in text:
            spans.append(TimeSpan(start=0, end=4, text="2023", kind="date", when=When("2023")))
        if "Friday" in text:
            when = When("2025-06-06")
            spans.append(TimeSpan(start=0, end=6, text="Friday", kind="date", when=when))
        return tuple(spans)


def test_a_named_time_gives_window_and_tense():
    reader = QuestionReader(Lexicon.load(), Times(), lambda name: ())
    past = reader.read("who visits in 2023", at=AT)
    assert past.tense == "past"
    assert past.window == When("2023").interval
    ahead = reader.read("what is on Friday", at=AT)
    assert ahead.tense == "future"
    assert ahead.window == When("2025-06-06").interval


@pytest.mark.parametrize(
    ("text", "limited"),
    [
        ("What did I buy this year?", False),
        ("What did I buy only this year?", True),
        ("What is the only thing I bought?", False),
        ("只看今年，我买了什么？", True),
        ("今年我买了什么？", False),
    ],
)
def test_a_stretch_of_time_may_be_a_limit(text, limited):
    times = plugins.shared(plugins.TIMES, "grammar", Lexicon.load())
    reader = QuestionReader(Lexicon.load(), times, lambda _: ())
    assert reader.read(text, at=AT).limited is limited


def test_talk_sets_no_limit():
    times = plugins.shared(plugins.TIMES, "grammar", Lexicon.load())
    reader = QuestionReader(Lexicon.load(), times, lambda _: ())
    read = reader.read("我今年只想休息\n今天好累", at=AT)
    assert read.talk
    assert not read.limited
