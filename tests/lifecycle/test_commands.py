"""Spoken orders: which event is meant, and when it is to be."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from facts import DAY, note

from graphmem.lifecycle.commands import command
from graphmem.model import State
from graphmem.protocols import TimeSpan
from graphmem.when import When

ZONE = timezone(timedelta(hours=1))


def day(number: int) -> When:
    return When.day(datetime(2025, 3, number, tzinfo=ZONE))


def clock(number: int, hour: int, minute: int = 0) -> When:
    return When.of(datetime(2025, 3, number, hour, minute, tzinfo=ZONE))


def span(text: str, words: str, when: When) -> TimeSpan:
    start = text.index(words)
    return TimeSpan(start=start, end=start + len(words), text=words, kind="date", when=when)


MEETING = note("Meeting with Kai tomorrow at 3 pm", id="f_meeting", happens_at=clock(4, 15))
DENTIST = note("Dentist on Thursday at 10", id="f_dentist", happens_at=clock(6, 10))
LATER = note("I have a meeting with the bank on Friday", id="f_bank", happens_at=day(7))
EVENTS = [MEETING, DENTIST, LATER]
STANDUP = note("明天下午三点和小陈开会", id="f_周会", happens_at=clock(4, 15))
TEETH = note("周四上午十点看牙医", id="f_牙医", happens_at=clock(6, 10))
AGENDA = [STANDUP, TEETH]


@pytest.mark.parametrize(
    ("text", "times", "order", "meant", "when"),
    [
        ("Move tomorrow's meeting to Friday", {"tomorrow": day(4), "Friday": day(7)}, "reschedule", "f_meeting", day(7)),
        ("Please push the dentist to Monday", {"Monday": day(10)}, "reschedule", "f_dentist", day(10)),
        ("can you reschedule the dentist for Tuesday at 9", {"Tuesday at 9": clock(11, 9)}, "reschedule", "f_dentist", clock(11, 9)),
        ("Let's move the dentist to 4 pm", {"4 pm": clock(3, 16)}, "reschedule", "f_dentist", clock(6, 16)),
        ("Cancel the dentist", {}, "cancel", "f_dentist", None),
        ("please cancel tomorrow's meeting", {"tomorrow": day(4)}, "cancel", "f_meeting", None),
        ("Call off the meeting with the bank", {}, "cancel", "f_bank", None),
        ("Sorry, I got that wrong: the dentist is at 11, not 10", {}, "correct", "f_dentist", clock(6, 11)),
    ],
)  # fmt: skip
def test_english_orders(lexicon, text, times, order, meant, when):  # noqa: PLR0917
    spans = [span(text, words, at) for words, at in times.items()]
    found = command(text, EVENTS, language="en", lexicon=lexicon, spans=spans)
    assert found is not None
    assert (found.order, found.fact.id, found.when) == (order, meant, when)


@pytest.mark.parametrize(
    ("text", "times", "order", "meant", "when"),
    [
        ("把明天的会议改到后天", {"明天": day(4), "后天": day(5)}, "reschedule", "f_周会", day(5)),
        ("牙医改到周五吧", {"周五": day(7)}, "reschedule", "f_牙医", day(7)),
        ("帮我把看牙医推迟到下周一", {"下周一": day(10)}, "reschedule", "f_牙医", day(10)),
        ("取消周四的牙医", {"周四": day(6)}, "cancel", "f_牙医", None),
        ("把明天的会取消", {"明天": day(4)}, "cancel", "f_周会", None),
        ("不好意思说错了，看牙医是十一点，不是十点", {}, "correct", "f_牙医", clock(6, 11)),
    ],
)
def test_chinese_orders(lexicon, text, times, order, meant, when):  # noqa: PLR0917
    spans = [span(text, words, at) for words, at in times.items()]
    found = command(text, AGENDA, language="zh", lexicon=lexicon, spans=spans)
    assert found is not None
    assert (found.order, found.fact.id, found.when) == (order, meant, when)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The dentist got moved to Friday", "en"),
        ("Could you cancel the dentist?", "en"),
        ("I moved to Friday Harbour", "en"),
        ("Cancel my gym membership", "en"),
        ("Move the sofa to the garage", "en"),
        ("公司把会议改到周五了", "zh"),
        ("我想把工作换成远程", "zh"),
        ("取消健身房会员", "zh"),
    ],
)
def test_what_is_no_order_about_a_known_event(lexicon, text, language):
    events = AGENDA if language == "zh" else EVENTS
    assert command(text, events, language=language, lexicon=lexicon) is None


def test_an_event_that_fits_as_well_as_another_is_not_guessed(lexicon):
    text = "Move the meeting to Monday"
    spans = [span(text, "Monday", day(10))]
    assert command(text, EVENTS, language="en", lexicon=lexicon, spans=spans) is None


def test_a_pronoun_means_the_event_said_last(lexicon):
    text = "Cancel it"
    found = command(text, [DENTIST, MEETING], language="en", lexicon=lexicon)
    assert found is not None
    assert found.fact is MEETING


def test_what_is_over_is_not_moved(lexicon):
    past = [replace(DENTIST, state=State.HISTORICAL, retired_at=DAY)]
    assert command("Cancel the dentist", past, language="en", lexicon=lexicon) is None
