from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from graphmem.chatlogs.registry import detect


def told(messages):
    return [(m.speaker, m.role, m.text) for m in messages]


TURNS = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I live in London"},
    {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]},
    {"role": "tool", "name": "weather", "content": "rain"},
]
TOLD = [
    ("system", "system", "Be kind."),
    ("user", "user", "I live in London"),
    ("assistant", "assistant", "Noted."),
    ("weather", "tool", "rain"),
]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(TURNS),
        json.dumps(TURNS, indent=2),
        json.dumps({"messages": TURNS}),
        json.dumps({"model": "m", "messages": TURNS}, indent=1),
        json.dumps([{"messages": TURNS}]),
        json.dumps([TURNS]),
        "\n".join(map(json.dumps, TURNS)),
        "\r\n".join(map(json.dumps, TURNS)) + "\r\n",
        json.dumps({"messages": TURNS}) + "\n",
        "\ufeff" + json.dumps(TURNS),
    ],
)
def test_every_shape_gives_the_same_messages(read, tmp_path, content):
    messages, problems = read(content)
    assert detect(tmp_path / "chat.txt").name == "openai"
    assert told(messages) == TOLD
    assert not problems


def test_utf16_with_a_mark_is_read(read):
    messages, problems = read(json.dumps(TURNS).encode("utf-16"))
    assert told(messages) == TOLD
    assert not problems


def test_the_owner_has_a_name_and_others_keep_theirs(read):
    turns = [
        {"role": "user", "content": "mine"},
        {"role": "user", "name": "Ben", "content": "his"},
        {"role": "assistant", "name": "helper", "content": "its"},
    ]
    messages, _ = read(json.dumps(turns), me="Ana")
    assert told(messages) == [
        ("Ana", "user", "mine"),
        ("Ben", "user", "his"),
        ("helper", "assistant", "its"),
    ]


def test_times_are_read_in_every_shape_and_filled_where_missing(read):
    turns = [
        {"role": "user", "content": "a", "created_at": "2024-01-01T10:00:00+08:00"},
        {"role": "user", "content": "b"},
        {"role": "user", "content": "c", "timestamp": 1704200000},
        {"role": "user", "content": "d", "timestamp": 1704200000500},
        {"role": "user", "content": "e", "created_at": "2024-01-03 09:00"},
    ]
    messages, _ = read(json.dumps(turns), timezone="Asia/Shanghai")
    offset = timedelta(hours=8)
    assert [m.said_at.utcoffset() for m in messages] == [offset] * 5
    assert [m.said_at.astimezone(UTC) for m in messages] == [
        datetime(2024, 1, 1, 2, 0, tzinfo=UTC),
        datetime(2024, 1, 1, 2, 0, 1, tzinfo=UTC),
        datetime(2024, 1, 2, 12, 53, 20, tzinfo=UTC),
        datetime(2024, 1, 2, 12, 53, 20, 500000, tzinfo=UTC),
        datetime(2024, 1, 3, 1, 0, tzinfo=UTC),
    ]


def test_a_log_without_times_begins_at_the_given_time_and_keeps_its_order(read):
    begun = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)
    messages, _ = read(json.dumps(TURNS), default_time=begun)
    assert [m.said_at for m in messages] == [begun + timedelta(seconds=n) for n in range(4)]


def test_metadata_id_marks_the_source(read):
    turns = [{"role": "user", "content": "x", "metadata": {"id": "D1:3"}}]
    messages, _ = read(json.dumps(turns), name="talk.json")
    assert messages[0].source == "talk.json#D1:3"
    assert messages[0].conversation == "talk"


def test_conversations_of_one_file_are_told_apart(read):
    rows = [{"id": "a", "messages": TURNS[1:2]}, {"messages": TURNS[1:2]}]
    messages, _ = read("\n".join(map(json.dumps, rows)), name="many.jsonl")
    assert [m.conversation for m in messages] == ["a", "many:2"]


def test_broken_lines_are_reported_with_their_place_and_skipped(read):
    lines = [
        '{"role": "user", "content": "one"}',
        '{"role": "user", "content": bro',
        "",
        '{"role": "king", "content": "?"}',
        '["x"]',
        '{"role": "user", "content": "two"}',
    ]
    messages, problems = read("\n".join(lines), name="l.jsonl")
    assert [m.text for m in messages] == ["one", "two"]
    assert [p.place for p in problems] == [
        "l.jsonl, line 2, byte 35",
        "l.jsonl, line 4, byte 68",
        "l.jsonl, line 5, byte 101, message 1",
    ]
    assert "'king'" in problems[1].met


def test_what_is_no_text_is_named(read):
    content = [
        {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
        {"type": "file", "file": {"filename": "tax.pdf"}},
        {"type": "input_audio", "input_audio": {"transcript": "I moved to Porto"}},
        {"type": "output_text", "text": "seen"},
    ]
    messages, _ = read(json.dumps([{"role": "user", "content": content}]))
    assert messages[0].text == "[image]\n[file: tax.pdf]\nI moved to Porto\nseen"


def test_messages_without_words_are_passed_over(read):
    turns = [
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user", "content": " \u200b\n"},
        {"role": "user", "content": "yes"},
    ]
    messages, problems = read(json.dumps(turns))
    assert [m.text for m in messages] == ["yes"]
    assert not problems


def test_text_is_kept_but_for_marks_and_lone_surrogates(read):
    turns = [
        {"role": "user", "content": "  \u202aa\u202c  b\n\tc \ud83d \U0001f469\u200d\U0001f467  "}
    ]
    messages, _ = read(json.dumps(turns))
    assert messages[0].text == "a  b\n\tc \ufffd \U0001f469\u200d\U0001f467"


def test_json_that_breaks_off_delivers_what_came_before(read):
    whole = json.dumps(TURNS)
    messages, problems = read(whole[: whole.index("weather")])
    assert told(messages) == TOLD[:3]
    assert len(problems) == 1
    assert f"byte {whole.index('weather')}" in problems[0].place
