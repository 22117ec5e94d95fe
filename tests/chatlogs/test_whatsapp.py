from __future__ import annotations

import json
from datetime import datetime

import pytest

from graphmem.chatlogs.registry import detect


@pytest.mark.parametrize(
    "name",
    [
        "test_[mmddyy]_24hrs.txt",
        "test_ddmmyy_24hrs.txt",
        "test_mmddyy_24hrs.txt",
        "test_mmddyyyy_12hrs.txt",
        "test_yyyymmdd_24hrs.txt",
    ],
)
def test_every_date_style_gives_the_same_chat(fixtures, read, name):
    path = fixtures / "whatsapp" / name
    target = json.loads((fixtures / "whatsapp" / "target.json").read_text("utf-8"))
    assert detect(path).name == "whatsapp"
    messages, problems = read(path)
    assert not problems
    got = [(m.said_at.replace(tzinfo=None), m.speaker, " ".join(m.text.split())) for m in messages]
    want = [
        (datetime.fromisoformat(t["timestamp"]), t["author"], t["message"]) for t in target[::-1]
    ]
    # The target leaves out the message that is a single full stop.
    assert [entry for entry in got if entry[2] != "."] == [e for e in want if e[2] != "."]


def lines(*texts):
    return "\n".join(texts) + "\n"


@pytest.mark.parametrize(
    ("header", "moment"),
    [
        ("31/12/2023, 23:59 - ", "2023-12-31T23:59:00"),
        ("12/31/23, 11:59\u202fPM - ", "2023-12-31T23:59:00"),
        ("[31/12/23, 11:59:07\u202fPM] ", "2023-12-31T23:59:07"),
        ("\u200e[31.12.23, 23:59:07] ", "2023-12-31T23:59:07"),
        ("31.12.2023 23:59 - ", "2023-12-31T23:59:00"),
        ("2023-12-31 23:59 - ", "2023-12-31T23:59:00"),
        ("31-12-2023 23:59 - ", "2023-12-31T23:59:00"),
        ("31/12/2023, 11:59 p. m. - ", "2023-12-31T23:59:00"),
        ("31/12/2023, 11:59\xa0p.\xa0m. - ", "2023-12-31T23:59:00"),
        ("12/31/23, 12:05 AM - ", "2023-12-31T00:05:00"),
        ("12/31/23, 12:05 pm - ", "2023-12-31T12:05:00"),
        ("2023/12/31 下午11:59 - ", "2023-12-31T23:59:00"),
        ("[2023/12/31 上午12:05:06] ", "2023-12-31T00:05:06"),
        ("2023年12月31日 凌晨1:05 - ", "2023-12-31T01:05:00"),
        ("31/12/23 às 23.59 - ", "2023-12-31T23:59:00"),
        ("31. 12. 23, 23:59 - ", "2023-12-31T23:59:00"),
        ("٣١/١٢/٢٠٢٣، ٢٣:٥٩ - ", "2023-12-31T23:59:00"),
    ],
)
def test_headers_of_many_phones(read, header, moment):
    messages, problems = read(f"{header}Ana: I live in London\n", name="wa.txt")
    assert not problems
    assert [(m.said_at.replace(tzinfo=None).isoformat(), m.speaker, m.text) for m in messages] == [
        (moment, "Ana", "I live in London")
    ]


def test_the_last_line_decides_the_order_for_the_first(read):
    ambiguous = [f"0{n % 9 + 1}/05/21, 10:00 - Ana: day {n}" for n in range(3000)]
    messages, _ = read(lines(*ambiguous, "05/25/21, 10:00 - Ana: last"), format="whatsapp")
    assert (messages[0].said_at.month, messages[0].said_at.day) == (1, 5)
    messages, _ = read(lines(*ambiguous, "25/05/21, 10:00 - Ana: last"), format="whatsapp")
    assert (messages[0].said_at.month, messages[0].said_at.day) == (5, 1)


def test_order_by_progress_and_by_density(read):
    steps = ["01/02/23", "01/03/23", "01/04/23", "02/01/23"]  # backwards if the day came first
    messages, _ = read(lines(*(f"{day}, 10:00 - Ana: x" for day in steps)))
    assert [m.said_at.month for m in messages] == [1, 1, 1, 2]
    dense = ["01/02/23", "02/02/23", "03/02/23"]  # three days in February, not three months
    messages, _ = read(lines(*(f"{day}, 5:00 pm - Ana: x" for day in dense)))
    assert {m.said_at.month for m in messages} == {2}


def test_a_quoted_header_with_an_impossible_date_does_not_turn_the_order(read):
    text = lines(
        "13/01/23, 10:00 - Ana: one",
        "14/01/23, 10:00 - Ben: as it says:",
        "01/25/23, 10:00 - nobody: quoted",
        "15/01/23, 10:00 - Ana: two",
    )
    messages, _ = read(text)
    assert [m.text.splitlines()[0] for m in messages] == ["one", "as it says:", "two"]
    assert "quoted" in messages[1].text


def test_notices_and_omitted_media_are_passed_over(read):
    text = lines(
        "[31/12/2023, 23:00:00] Group: \u200eMessages and calls are end-to-end encrypted.",
        "[31/12/2023, 23:01:00] Ana created group “Trip: Rome”",
        "[31/12/2023, 23:02:00] Ana: \u200eimage omitted",
        "[31/12/2023, 23:03:00] Ana: <Media omitted>",
        "[31/12/2023, 23:03:30] Ana: This message was deleted",
        "[31/12/2023, 23:04:00] ~\u202fBen: I was added to the team \u200e<This message was edited>",
        "[31/12/2023, 23:05:00] Ana: IMG-1.jpg (file attached)",
        "our new car",
    )
    messages, problems = read(text, name="WhatsApp Chat with Ben.txt")
    assert not problems
    assert [(m.speaker, m.text) for m in messages] == [
        ("Ben", "I was added to the team"),
        ("Ana", "[attachment: IMG-1.jpg]\nour new car"),
    ]
    assert {m.conversation for m in messages} == {"Ben"}


def test_local_times_get_the_named_zone_in_winter_and_summer(read):
    text = lines("13/01/23, 10:00 - Ana: one", "13/07/23, 10:00 - Ana: two")
    messages, _ = read(text, timezone="Europe/Paris")
    assert [m.said_at.isoformat()[-6:] for m in messages] == ["+01:00", "+02:00"]


def test_chinese_chat_in_utf16(read):
    text = lines("2024/5/1 下午3:05 - 周伟: 我住在上海", "第二行", "2024/5/1 下午3:06 - 我: 你好")
    messages, _ = read(text.encode("utf-16"), me="王芳")
    assert [(m.speaker, m.text) for m in messages] == [
        ("周伟", "我住在上海\n第二行"),
        ("王芳", "你好"),
    ]


def test_a_bot_among_people_is_an_assistant(read):
    messages, _ = read(lines("13/01/23, 10:00 - Meta AI: hello", "13/01/23, 10:01 - Ana: hi"))
    assert [m.role for m in messages] == ["assistant", "user"]


def test_blanks_inside_a_text_stay_as_they_were(read):
    messages, _ = read("13/01/23,\u202f10:00\xa0- Ana: 5\u202fkm\xa0far\n")
    assert messages[0].text == "5\u202fkm\xa0far"
