"""Explained, by date, and word for word: R4.7, R4.8 and R4.9, asked of a whole memory in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory, Message

NOW = datetime(2026, 5, 14, 10, tzinfo=UTC)  # a Thursday
TOLD = (
    "I have dinner with Priya on Saturday at 7 pm.",
    "The plumber comes tomorrow at 9 am.",
    "My sister Anna lives in Oslo and works at Statoil.",
    "My locker code is QX-7741-b.",
    "I paid 1,249.50 euros for the sofa.",
    "My dentist is Dr. O'Neill-Strauß.",
    "I will renew my passport in June.",
    "周六晚上七点我和小雨吃饭。",
    "水管工明天上午九点来。",
    "我姐姐安娜住在奥斯陆，在石油公司上班。",
    "我的储物柜编号是ZK-0093-丙。",
    "书架花了3680.40元。",
    "我的会计是欧阳娜娜女士。",
    "我六月要换护照。",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder: Path = tmp_path_factory.mktemp("promises")
    with Memory.open(folder / "memory") as opened:
        for place, text in enumerate(TOLD):
            opened.add(Message(text=text, said_at=NOW - timedelta(minutes=60 - place)))
        yield opened


@pytest.mark.parametrize(
    ("question", "told", "channels"),
    [
        ("Where does Anna work?", "Statoil", ("keywords: BM25", "meaning: cosine", "graph: ")),
        ("安娜在哪里工作？", "石油公司", ("keywords: BM25", "meaning: cosine", "graph: ")),
        ("What is my locker code?", "QX-7741-b", ("graph: locker - code_is - QX-7741-b",)),
        ("我的储物柜编号是多少？", "ZK-0093", ("keywords: BM25", "meaning: cosine")),
        ("What's on tomorrow?", "plumber", ("happens in the time asked for",)),
        ("明天有什么事？", "水管工", ("happens in the time asked for",)),
    ],
)
def test_each_result_says_by_which_channel_and_from_which_message_it_came(
    memory: Memory, question: str, told: str, channels: tuple[str, ...]
) -> None:
    """R4.7."""
    items = memory.recall(question, at=NOW).items
    assert all(item.why and item.sources for item in items)
    found = next(item for item in items if told in item.text)
    for channel in channels:
        assert any(reason.startswith(channel) for reason in found.why), found.why
    assert found.text in {source.text for source in found.sources}


@pytest.mark.parametrize(
    ("question", "planned"),
    [
        ("What's on this weekend?", ("Priya", "小雨")),
        ("Anything happening on Saturday?", ("Priya", "小雨")),
        ("What have I got on tomorrow?", ("plumber", "水管工")),
        ("What do I have to do next month?", ("passport", "护照")),
        ("这个周末有什么安排？", ("小雨", "Priya")),
        ("周六有安排吗？", ("小雨", "Priya")),
        ("星期六有活动吗？", ("小雨", "Priya")),
        ("明天有事吗？", ("水管工", "plumber")),
        ("下个月我要做什么？", ("护照", "passport")),
    ],
)
def test_what_happens_in_the_time_asked_for_is_told_though_no_word_matches(
    memory: Memory, question: str, planned: tuple[str, ...]
) -> None:
    """R4.8."""
    items = memory.recall(question, at=NOW).items
    for one in planned:
        found = next(item for item in items if one in item.text)
        assert "happens in the time asked for" in found.why, found.why
    assert any(one in items[0].text for one in planned)


@pytest.mark.parametrize(
    ("question", "exact"),
    [
        ("What is my locker code?", "QX-7741-b"),
        ("How much was the sofa?", "1,249.50 euros"),
        ("Who is my dentist?", "Dr. O'Neill-Strauß"),
        ("我的储物柜编号是多少？", "ZK-0093-丙"),
        ("书架多少钱？", "3680.40元"),
        ("我的会计是谁？", "欧阳娜娜"),
    ],
)
def test_numbers_names_and_codes_come_back_as_they_were_said(
    memory: Memory, question: str, exact: str
) -> None:
    """R4.9."""
    found = memory.recall(question, at=NOW)
    assert exact in found.items[0].text
    assert exact in found.context()
    assert any(exact in record["text"] for record in found.card())
