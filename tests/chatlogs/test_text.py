from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.chatlogs.registry import detect
from graphmem.errors import UnknownFormat


def told(messages):
    return [(m.speaker, m.role, m.text) for m in messages]


def test_name_and_text_with_further_lines(read, tmp_path):
    text = "Ana: I live in London\nand like it.\n\nNote: small flat\nhttps://x.y\nBen: Nice!\nAna: bye\nBen: bye"
    messages, problems = read(text)
    assert detect(tmp_path / "chat.txt").name == "text"
    assert not problems
    assert told(messages) == [
        ("Ana", "user", "I live in London\nand like it.\n\nNote: small flat\nhttps://x.y"),
        ("Ben", "user", "Nice!"),
        ("Ana", "user", "bye"),
        ("Ben", "user", "bye"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n**User:** hello\n\n**Assistant:** hi\n",
        "**User**: hello\n\n**Assistant**: hi\n",
        "__User:__ hello\n__Assistant:__ hi\n",
        "## User\n\nhello\n\n## Assistant\n\nhi\n",
        "### You:\nhello\n\n### ChatGPT:\nhi\n",
        "- Human: hello\n- AI: hi\n",
        "Human: hello\n\nClaude: hi\n",
        "> User: hello\n\n> Bot: hi\n",
        "用户：hello\n助手：hi\n",
    ],
)
def test_role_names_in_many_dresses(read, text):
    messages, problems = read(text, name="log.md", me="Ana")
    assert not problems
    assert [(m.role, m.text) for m in messages] == [("user", "hello"), ("assistant", "hi")]
    assert messages[0].speaker == "Ana"


def test_a_person_called_claude_stays_a_person(read):
    messages, _ = read("Ana: hello\nClaude: salut\n")
    assert [m.role for m in messages] == ["user", "user"]


def test_times_before_the_name(read):
    text = (
        "2024-05-20T10:01:30+02:00 Ben: two\n"
        "[2024-05-20 10:00] Ana: one\n"
        "2024/5/20 9:05 - Ana: three\n"
        "2024年5月20日 王芳：四\n"
        "Ben: five\n"
    )
    messages, problems = read(text, timezone="UTC")
    assert not problems
    assert [m.said_at.astimezone(UTC).strftime("%d %H:%M:%S") for m in messages] == [
        "20 08:01:30",
        "20 10:00:00",
        "20 09:05:00",
        "20 00:00:00",
        "20 00:00:01",
    ]
    assert [m.speaker for m in messages] == ["Ben", "Ana", "Ana", "王芳", "Ben"]


def test_chinese_names_and_full_width_colons(read):
    messages, _ = read(
        "王芳：我住在上海\n李雷：好的，10:30见\n王芳（同事）：还有\n我：我养了一只猫\n", me="周伟"
    )
    assert [(m.speaker, m.text) for m in messages] == [
        ("王芳", "我住在上海"),
        ("李雷", "好的，10:30见"),
        ("王芳（同事）", "还有"),
        ("周伟", "我养了一只猫"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Just a letter.\nIt has lines, and ends: here.\nNothing more.\n" * 3,
        "name,age\nana,3\n",
        "",
        " \n\t\n",
        '{"a": 1}',
        "[1, 2, 3]",
        '[{"name": "x"}]',
    ],
)
def test_what_is_no_chat_is_refused_and_the_formats_named(read, text):
    with pytest.raises(UnknownFormat) as caught:
        read(text)
    for word in ("mapping", "chat_messages", "WhatsApp", "Telegram", "Slack", "Name: text"):
        assert word in caught.value.expected


WECHAT = """张三 2024-05-20 10:00:01
我住在上海
会议 2024-05-21 15:00

李四(wxid_abc) 2024/5/20 下午3:01
好的
第二行

我 2024年5月20日 16:00
[图片]

我 2024年5月20日 星期一 16:01
生日是
1990-05-20
"""


def test_wechat_name_lines(read, tmp_path):
    messages, problems = read(WECHAT, me="王芳")
    assert detect(tmp_path / "chat.txt").name == "wechat"
    assert not problems
    assert [(m.said_at.strftime("%H:%M"), m.speaker, m.text) for m in messages] == [
        ("10:00", "张三", "我住在上海\n会议 2024-05-21 15:00"),
        ("15:01", "李四", "好的\n第二行"),
        ("16:01", "王芳", "生日是\n1990-05-20"),
    ]


def test_wechat_mail_with_days_above(read, tmp_path):
    text = "Dear:\n\n聊天记录如下:\n\n—————  2016-03-24  —————\n\n张三  14:02\n\n我在北京\n\n李四  14:03\n\n[图片]\n\n—————  2016-03-25  —————\n\n张三  9:02\n\n早\n"
    messages, problems = read(text)
    assert detect(tmp_path / "chat.txt").name == "wechat"
    assert not problems
    assert [(m.said_at.replace(tzinfo=None), m.speaker, m.text) for m in messages] == [
        (datetime(2016, 3, 24, 14, 2), "张三", "我在北京"),
        (datetime(2016, 3, 25, 9, 2), "张三", "早"),
    ]


def test_qq_order_of_time_and_name(read, tmp_path):
    text = "消息记录\n\n2024-05-20 10:00:01 小明(12345678)\n我养了一只猫\n\n2024-05-20 10:00:09 小红<hong@example.com>\n真好\n"
    messages, _ = read(text)
    assert detect(tmp_path / "chat.txt").name == "wechat"
    assert [(m.speaker, m.text) for m in messages] == [("小明", "我养了一只猫"), ("小红", "真好")]
