"""Chores on a set day or hour, and what is to be done once something is over: reminders without "remind me"."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.lexicon import Lexicon
from graphmem_extractors.reminders import find_reminders
from graphmem_extractors.times import Grammar

MONDAY = datetime(2025, 3, 3, 9, tzinfo=UTC)
LEXICON = Lexicon.load()
TIMES = Grammar(LEXICON)


def found(text: str, language: str):
    return find_reminders(text, said_at=MONDAY, language=language, times=TIMES, lexicon=LEXICON)


ASKED = [
    ("Every Thursday at 7 take the recycling out", "en", "take the recycling out", "BYDAY=TH;BYHOUR=7"),
    ("Give the cat his drops every day at 9am and 9pm.", "en", "Give the cat his drops", "BYHOUR=9,21"),
    ("Every first of the month: pay the nanny", "en", "pay the nanny", "BYMONTHDAY=1"),
    ("On the fifth of each month transfer the deposit", "en", "transfer the deposit", "BYMONTHDAY=5"),
    ("每月10号还车贷", "zh", "还车贷", "BYMONTHDAY=10"),
    ("每周二早上7点倒垃圾", "zh", "倒垃圾", "BYDAY=TU;BYHOUR=7"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "language", "action", "rule"), ASKED)
def test_a_chore_that_comes_round(text: str, language: str, action: str, rule: str) -> None:
    (one,) = found(text, language)
    assert one.action == action
    assert one.rule is not None
    assert rule in one.rule


CUED = [
    ("The evening before our trip, charge the camera.", "en", "charge the camera", ("trip",)),
    ("Once the plumber has left, mop the bathroom.", "en", "mop the bathroom", None),
    ("孩子睡了以后，把奶瓶洗了", "zh", "把奶瓶洗了", ("孩子",)),
]


@pytest.mark.parametrize(("text", "language", "action", "words"), CUED)
def test_what_to_do_before_or_after(
    text: str, language: str, action: str, words: tuple[str, ...] | None
) -> None:
    (one,) = found(text, language)
    assert one.action == action
    assert words is None or one.keywords == words


def test_the_moment_is_no_part_of_the_action() -> None:
    (one,) = found("提醒我下班后去取干洗的衣服", "zh")
    assert (one.routine, one.action) == ("after_work", "去取干洗的衣服")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Every Sunday I call my mum", "en"),
        ("I take my pills every day at 8am.", "en"),
        ("Every Tuesday my sister takes the kids", "en"),
        ("Once the kids left, we ran the dishwasher", "en"),
        ("每天早上7点喝一杯咖啡", "zh"),
        ("他走了以后，我把门关了", "zh"),
        ("每周三部门开例会", "zh"),
    ],
)
def test_habits_and_tales_are_none(text: str, language: str) -> None:
    assert found(text, language) == ()
