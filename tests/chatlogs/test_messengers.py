from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from graphmem.chatlogs.registry import detect, open_log


def target_of(folder):
    rows = json.loads((folder / "target.json").read_text("utf-8"))
    return sorted((row["timestamp"], row["author"], row["message"]) for row in rows)


@pytest.mark.parametrize(
    ("folder", "name", "reader"),
    [
        ("telegram", "test_single_export.json", "telegram"),
        ("telegram", "test_batch_export.json", "telegram"),
        ("signal", "test_export.txt", "signal"),
        ("instagram", "test_export.json", "instagram"),
    ],
)
def test_samples_against_their_targets(fixtures, read, folder, name, reader):
    path = fixtures / folder / name
    assert detect(path).name == reader
    messages, problems = read(path)
    assert not problems
    got = [
        (m.said_at.replace(tzinfo=None).isoformat(), m.speaker, " ".join(m.text.split()))
        for m in messages
    ]
    assert got == target_of(fixtures / folder)  # oldest first, whatever the file's order


TELEGRAM = {
    "name": "Ben",
    "type": "personal_chat",
    "id": 4711,
    "messages": [
        {"id": 1, "type": "service", "actor": "Ben", "action": "phone_call", "text": ""},
        {
            "id": 2,
            "type": "message",
            "date": "2024-03-01T12:00:00",
            "date_unixtime": "1709290800",
            "from": "Ana",
            "text": ["I moved to ", {"type": "bold", "text": "Lisbon"}, "."],
        },
        {"id": 3, "type": "message", "date": "2024-03-01T12:01:00", "from": None, "text": "hi"},
        {"id": 4, "type": "message", "date": "2024-03-01T12:02:00", "from": "Ana", "text": "", "photo": "p.jpg"},
        {"id": 5, "type": "message", "date": "2024-03-01T12:03:00", "from": "Ana", "forwarded_from": "Cleo", "text": "I live in Oslo"},
        {"id": 6, "type": "message", "date": "2024-03-01T12:04:00", "from": "Ben", "text": "", "file_name": "tax.pdf"},
        "broken",
    ],
}  # fmt: skip


def test_telegram_chat(read):
    messages, problems = read(json.dumps(TELEGRAM), name="result.json")
    assert [(m.speaker, m.text) for m in messages] == [
        ("Ana", "I moved to Lisbon."),
        ("Deleted Account", "hi"),
        ("Ana", "[photo: p.jpg]"),
        ("Cleo", "I live in Oslo"),
        ("Ben", "[file: tax.pdf]"),
    ]
    assert {m.conversation for m in messages} == {"4711"}
    assert "message 7 of 'Ben'" in problems[0].place


def test_telegram_tells_the_zone_of_the_machine_that_exported(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(TELEGRAM))
    first = next(open_log(path)).message
    assert first.said_at.isoformat() == "2024-03-01T12:00:00+01:00"
    named = next(open_log(path, timezone="Asia/Shanghai")).message
    assert named.said_at.isoformat() == "2024-03-01T19:00:00+08:00"


def test_telegram_account_with_several_chats(read):
    chats = [{**TELEGRAM, "id": n, "name": None} for n in (1, 2)]
    chats.append({"type": "saved_messages", "messages": TELEGRAM["messages"][1:2]})
    whole = {"about": "x", "chats": {"about": "y", "list": chats}, "left_chats": {"list": []}}
    messages, problems = read(json.dumps(whole), name="result.json")
    assert [m.conversation for m in messages] == ["1"] * 5 + ["2"] * 5 + ["result:3"]
    assert len(problems) == 2


def test_telegram_account_with_long_lists_before_its_chats(read):
    whole = {"about": "x", "personal_information": {}, "contacts": {"list": ["y" * 100] * 2000}}
    messages, _ = read(json.dumps({**whole, "chats": {"list": [TELEGRAM]}}))
    assert len(messages) == 5


def test_claude_export(read, tmp_path):
    first = {
        "text": "I am vegan",
        "content": [{"type": "text", "text": "I am vegan"}],
        "sender": "human",
        "created_at": "2024-01-01T10:00:01.5Z",
        "attachments": [{"file_name": "diet.pdf", "extracted_content": "a long text"}],
        "files": [{"file_name": "me.png"}],
    }
    second = {
        "text": "placeholder",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "tool_use", "name": "web"},
            {"type": "text", "text": "Good."},
        ],
        "sender": "assistant",
    }
    talk = {"uuid": "u1", "name": "Diet", "created_at": "2024-01-01T10:00:00Z"}
    whole = [{**talk, "chat_messages": [first, second, {"sender": "robot"}]}, "x"]
    messages, problems = read(json.dumps(whole), me="Ana")
    assert detect(tmp_path / "chat.txt").name == "claude"
    assert [(m.speaker, m.role, m.text, m.conversation) for m in messages] == [
        ("Ana", "user", "I am vegan\n[attachment: diet.pdf]\n[attachment: me.png]", "u1"),
        ("assistant", "assistant", "Good.", "u1"),
    ]
    assert messages[0].said_at == datetime(2024, 1, 1, 10, 0, 1, 500000, tzinfo=UTC)
    assert messages[1].said_at - messages[0].said_at == timedelta(seconds=1)
    assert ["message 3" in problems[0].place, "conversation 2" in problems[1].place] == [True, True]


def test_sillytavern_reads_every_shape_of_time(read, tmp_path):
    rows = [
        {
            "user_name": "Ana",
            "character_name": "Sera",
            "create_date": "2024-1-5 @13h 05m 10s 123ms",
        },
        {"name": "Ana", "is_user": True, "mes": "a", "send_date": "January 5, 2024 1:06pm"},
        {"name": "Sera", "is_user": False, "mes": "b", "send_date": "2024-1-5 @13h 07m 11s 5ms"},
        {"name": "You", "is_user": True, "mes": "c", "send_date": 1704460200000},
        {"name": "Ana", "is_user": True, "mes": "d", "send_date": "2024-01-05T14:00:00.000Z"},
        {"name": "Ana", "is_user": True, "mes": "e", "send_date": "2024-1-5@15h01m02s"},
        {"name": "Ana", "is_user": True, "mes": "f", "send_date": "Smarch 99, 2024 1:06pm"},
        {"name": "Ana", "is_user": True, "is_system": True, "mes": "g"},
    ]
    messages, problems = read("\n".join([*map(json.dumps, rows), "{bad", "[1]"]), me="Zoe")
    assert detect(tmp_path / "chat.txt").name == "sillytavern"
    assert [(m.text, m.speaker, m.role, m.said_at.strftime("%H:%M:%S")) for m in messages] == [
        ("a", "Ana", "user", "13:06:00"),
        ("b", "Sera", "assistant", "13:07:11"),
        ("c", "Zoe", "user", "13:10:00"),
        ("d", "Ana", "user", "14:00:00"),
        ("e", "Ana", "user", "15:01:02"),
        ("f", "Ana", "user", "15:01:03"),
        ("g", "Ana", "system", "15:01:04"),
    ]
    assert {m.conversation for m in messages} == {"Sera 2024-1-5 @13h 05m 10s 123ms"}
    assert [p.place.split(",")[1] for p in problems] == [" line 9", " line 10"]


def test_instagram_is_read_oldest_first_block_by_block_and_mended(read):
    def row(n):
        return {
            "sender_name": "J\u00c3\u00bcrgen",
            "timestamp_ms": 1577186580000 + n * 1000,
            "content": f"n {n}",
        }

    rows = [row(n) for n in range(1000)][::-1]
    rows[3] = {"sender_name": "A", "timestamp_ms": 1, "content": "gone", "is_unsent": True}
    rows[5] = 7
    whole = {
        "participants": [],
        "messages": rows,
        "title": "J\u00c3\u00bcrgen",
        "thread_path": "inbox/j_1",
    }
    messages, problems = read(json.dumps(whole))
    assert [m.text for m in messages] == [f"n {n}" for n in range(1000) if n not in {996, 994}]
    assert {m.speaker for m in messages} == {"Jürgen"}
    assert {m.conversation for m in messages} == {"inbox/j_1"}
    assert "message 6," in problems[0].place
