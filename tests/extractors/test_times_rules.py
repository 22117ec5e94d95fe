from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from times_written import GRAMMAR, written

from graphmem.errors import InvalidTime
from graphmem.lexicon import Lexicon
from graphmem_extractors.times import Grammar
from graphmem_extractors.times.calendar import easter, nth_weekday, shift_months
from graphmem_extractors.times.holidays import Holidays

BERLIN = ZoneInfo("Europe/Berlin")
WORDS = st.sampled_from(
    [*["the", "we", "may", "in", "at", "on", "5", "12", "2024", "30th", "monday", "every", "next", "last", "of", "to", "and", "-", ":", ".", ",", "/", "am", "pm", "o'clock", "half", "quarter"],
     *["周", "一", "二", "三", "点", "半", "月", "年", "日", "号", "上", "下", "午", "早", "晚", "明", "天", "今", "前", "后", "每", "了", "从", "到", "起", "十", "两", "0", "9", "：", "，", "提醒我", "下班"],
     "99999999999 years ago", "in 999 years", "31 February", "€5", "\x00", "\ud800", "🎉"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=14), st.sampled_from(["en", "zh"]), st.datetimes(timezones=st.sampled_from([UTC, BERLIN, timezone(timedelta(hours=-9))])))  # fmt: skip
@settings(max_examples=250, deadline=None)
def test_any_text_is_read_into_spans_in_order(words, language, said_at):
    text = " ".join(words)
    spans = GRAMMAR.find(text, said_at=said_at, language=language)
    reached = 0
    for span in spans:
        assert reached <= span.start < span.end <= len(text)
        assert span.text == text[span.start : span.end]
        assert span.when or span.rule or span.routine
        assert span.until is None or span.when is not None
        reached = span.end


@given(st.text(max_size=60), st.sampled_from(["en", "zh"]))
@settings(max_examples=150, deadline=None)
def test_arbitrary_text_is_read(text, language):
    for span in GRAMMAR.find(text, said_at=datetime(2025, 5, 14, tzinfo=UTC), language=language):
        assert span.text == text[span.start : span.end]


def test_a_naive_moment_is_refused():
    with pytest.raises(InvalidTime):
        GRAMMAR.find("tomorrow", said_at=datetime(2025, 5, 14), language="en")


def test_yesterday_is_of_the_speakers_zone():
    said = datetime(2025, 7, 25, 2, 0, tzinfo=UTC).astimezone(timezone(timedelta(hours=8)))
    assert written("昨天", "zh", said) == "2025-07-24"
    late = datetime(2025, 7, 25, 2, 0, tzinfo=UTC).astimezone(timezone(timedelta(hours=-7)))
    assert written("yesterday", "en", late) == "2025-07-23"


def test_a_zone_with_summer_time_gives_the_offset_of_the_day_named():
    said = datetime(2025, 3, 20, 12, tzinfo=BERLIN)
    (span,) = GRAMMAR.find("on 3 April at 14:30", said_at=said, language="en")
    assert span.when is not None
    assert span.when.iso == "2025-04-03T14:30:00+02:00"
    (day,) = GRAMMAR.find("on 3 April", said_at=said, language="en")
    assert day.when is not None
    assert day.when.start.utcoffset() == timedelta(hours=2)


def test_an_hour_that_a_clock_change_skips_is_read_an_hour_later():
    said = datetime(2025, 3, 29, 12, tzinfo=BERLIN)
    assert written("tomorrow at 2:30 am", "en", said) == "2025-03-30T03:30"


def test_minutes_are_counted_across_a_clock_change():
    said = datetime(2025, 3, 30, 1, 50, tzinfo=BERLIN)
    (span,) = GRAMMAR.find("in 20 minutes", said_at=said, language="en")
    assert span.when is not None
    assert span.when.iso == "2025-03-30T03:10:00+02:00"


@pytest.mark.parametrize(
    ("text", "language", "said", "expected"),
    [
        ("in one month", "en", "2025-01-31T10:00:00+00:00", "2025-02-28"),
        ("a month ago", "en", "2025-03-31T10:00:00+00:00", "2025-02"),
        ("tomorrow", "en", "2025-12-31T10:00:00+00:00", "2026-01-01"),
        ("next month", "en", "2025-12-31T10:00:00+00:00", "2026-01"),
        ("on the 31st", "en", "2025-04-10T10:00:00+00:00", "2025-05-31"),
        ("下个月", "zh", "2025-12-31T10:00:00+08:00", "2026-01"),
        ("月底", "zh", "2024-02-10T10:00:00+08:00", "2024-02-29"),
        ("next Friday", "en", "2025-05-18T10:00:00+00:00", "2025-05-23"),
        ("这周六", "zh", "2025-05-18T10:00:00+08:00", "2025-05-17"),
        ("on 5/6", "en", "2025-05-14T10:00:00-05:00", "2026-05-06"),
        ("on 5/6", "en", "2025-05-14T10:00:00+01:00", "2025-06-05"),
        ("last Sunday", "en", "2025-05-18T10:00:00+00:00", "2025-05-11"),
        ("at 8", "en", "2025-05-14T10:00:00+00:00", "2025-05-14T20:00"),
        ("at 8", "en", "2025-05-14T07:00:00+00:00", "2025-05-14T08:00"),
        ("八点", "zh", "2025-05-14T21:00:00+08:00", "2025-05-15T08:00"),
        ("十二点了", "zh", "2025-05-14T23:50:00+08:00", "2025-05-15T00:00"),
    ],
)
def test_borders_of_months_years_weeks_and_days(text, language, said, expected):
    assert written(text, language, datetime.fromisoformat(said)) == expected


def test_the_owners_hours_and_words_come_from_the_lexicon():
    lexicon = Lexicon.load(
        {"routines": {"hours": {"after_work": "21:15"}}, "times_en": {"months": {"thermidor": 7}}}
    )
    grammar = Grammar(lexicon)
    said = datetime(2025, 5, 14, 10, tzinfo=UTC)
    (span,) = grammar.find("after work", said_at=said, language="en")
    assert span.when is not None
    assert span.when.iso == "2025-05-14T21:15:00+00:00"
    (month,) = grammar.find("in Thermidor 2024", said_at=said, language="en")
    assert month.when is not None
    assert month.when.iso == "2024-07"


def test_dates_of_holidays():
    holidays = Holidays(Lexicon.load().table("times"))
    assert [easter(year).isoformat() for year in (2024, 2025, 2026, 2038)] == ["2024-03-31", "2025-04-20", "2026-04-05", "2038-04-25"]  # fmt: skip
    assert str(holidays.on("mid_autumn", 2025)) == "2025-10-06"
    assert str(holidays.on("spring_festival", 2026)) == "2026-02-17"
    assert str(holidays.on("qingming", 2024)) == "2024-04-04"
    assert str(holidays.on("qingming", 2023)) == "2023-04-05"
    assert str(holidays.on("thanksgiving", 2025)) == "2025-11-27"
    assert holidays.on("mid_autumn", 2050) is None


@given(st.dates(), st.integers(-1200, 1200))
def test_months_shift_and_clamp(day, months):
    try:
        moved = shift_months(day, months)
    except ValueError:
        return
    assert (moved.year * 12 + moved.month) - (day.year * 12 + day.month) == months
    assert moved.day <= day.day


@given(
    st.integers(1, 9998), st.integers(1, 12), st.sampled_from([1, 2, 3, 4, -1]), st.integers(0, 6)
)
def test_the_nth_weekday_is_one_of_its_month(year, month, which, weekday):
    day = nth_weekday(year, month, which, weekday)
    assert (day.month, day.weekday()) == (month, weekday)


def test_both_languages_in_one_text():
    assert written("下周三 meeting at 3pm", "zh") == "2025-05-21 | 2025-05-14T15:00"
    assert written("see you 明天下午三点", "en") == "2025-05-15T15:00"


@pytest.mark.parametrize(
    "piece", ["周一到", "monday and ", "every ", "5 to ", "'", "一", "2024-", "since "]
)
def test_long_texts_are_read_in_bounded_time(piece):
    text = piece * (100_000 // len(piece))
    started = time.process_time()
    GRAMMAR.find(
        text,
        said_at=datetime(2025, 5, 14, tzinfo=UTC),
        language="zh" if ord(piece[0]) > 255 else "en",
    )
    assert time.process_time() - started < 2
