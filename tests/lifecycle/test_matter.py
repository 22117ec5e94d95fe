"""Statements about other people, other things and other events put nothing in doubt (R3.2, R3.9)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphmem import Memory, Message
from graphmem.lifecycle.matter import same_thing
from graphmem.lifecycle.people_named import named_in

DAY = datetime(2024, 3, 4, 9, tzinfo=UTC)

APART = [
    ("My friend Nadia lives in Lyon now.", "My friend Ebba lives in Lisbon now."),
    ("My colleague Oda works for Tarn Optics.", "My colleague Piet works for Vole Games."),
    ("I bought a folding mirror for 33 euros.", "I bought a folding kettle for 21 euros."),
    ("The folding drill is in the attic.", "The folding ladder is in the cellar."),
    ("Dinner with Ebba Lund on Thursday at 7.", "Dinner with Piet Haas on Tuesday at 8."),
    ("Dinner with Ebba Lund on Thursday at 7.", "Dinner with Ebba Lund on Sunday at 7."),
    ("Ebba Lund is really into bowling.", "Ebba Lund is allergic to walnuts."),
    ("I visited Bologna with Ebba Lund in 1998.", "I visited Bologna with Piet Haas in 2006."),
    ("Ebba Lund comes over on 5 October.", "Ebba Lund's birthday is October 26."),
    ("我买了一个新台灯,花了379块。", "我买了一个新书架,花了732块。"),
    ("My birthday's on 3 March.", "Ebba has her birthday on 9 March."),
    ("My office is on the third floor.", "Our flat's on the fifth floor."),
    ("我办公室在三楼", "我家在五楼"),
    ("今天搬到昆明了", "读书会改到周四"),
    ("周六晚上9点和王伟吃饭。", "周四晚上9点和陈芳吃饭。"),
    ("我2014年和王伟去过青岛。", "我2009年和陈芳去过西安。"),
]
TOGETHER = [
    ("My friend Nadia lives in Lyon.", "My friend Nadia has moved to Ghent."),
    ("Dinner with Ebba Lund on Thursday at 7.", "Dinner with Ebba is moved to Sunday."),
    ("Nadia is our team lead.", "Ebba took over as our team lead."),
    ("The folding drill is in the attic.", "The folding drill is in the cellar now."),
    ("Kai and I have been together since school.", "Kai and I aren't a couple any more."),
    ("Choir rehearsal is on Mondays at eight.", "Choir rehearsals are Wednesdays now."),
    ("We have a dog.", "Our dog Sorrel is a three-year-old spaniel mix."),
    ("My mum is from Zadar.", "Mum was born and raised in Pula."),
    ("跟薛教练练瑜伽,周二周四晚七点", "课时间变成周一周三早六点"),
    ("周六晚上和王伟吃饭。", "和王伟吃饭改到周日了。"),
]


def conflicts(memory: Memory, older: str, newer: str) -> int:
    memory.add(Message(text=older, speaker="Marit", said_at=DAY))
    return len(
        memory.add(Message(text=newer, speaker="Marit", said_at=DAY + timedelta(hours=1))).conflicts
    )


@pytest.mark.parametrize(("older", "newer"), APART)
def test_another_matter_puts_nothing_in_doubt(older: str, newer: str, memory: Memory) -> None:
    assert conflicts(memory, older, newer) == 0


@pytest.mark.parametrize(("older", "newer"), TOGETHER)
def test_the_same_matter_is_put_before_the_owner(older: str, newer: str, memory: Memory) -> None:
    assert conflicts(memory, older, newer) >= 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("folding mirror", "folding kettle", False),
        ("red teapot", "green teapot", False),
        ("teapot", "the red teapot", True),
        ("printer", "second-hand printer", True),
        ("mum's place", "my mother's house", True),
        ("新台灯", "新书架", False),
        ("备用钥匙", "钥匙", True),
    ],
)
def test_things_are_told_apart_by_head_and_modifier(one: str, other: str, same: bool) -> None:
    assert same_thing(one, other, {"place", "hous"}) is same


@pytest.mark.parametrize(
    ("text", "language", "subject", "company"),
    [
        ("My friend Nadia lives in Lyon now.", "en", {"nadia"}, set()),
        ("Sold the blue printer.", "en", set(), set()),
        ("Dinner is at seven.", "en", set(), set()),
        ("Ebba Lund and I split up.", "en", set(), {"ebba", "lund"}),
        ("Dinner with Ebba Lund on Thursday.", "en", set(), {"ebba", "lund"}),
        ("王伟喜欢爬山。", "zh", {"王伟"}, set()),
        ("周六和王伟吃饭。", "zh", set(), {"王伟"}),
        ("我搬到青岛了。", "zh", set(), set()),
    ],
)
def test_who_is_named(text: str, language: str, subject: set[str], company: set[str]) -> None:
    named = named_in(text, language)
    assert (set(named.subject), set(named.company)) == (subject, company)
