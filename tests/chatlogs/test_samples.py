from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from graphmem.chatlogs.registry import detect, open_log

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "data" / "samples"

EXPECTED = {
    "ana.jsonl": ("openai", 48, {"Ana", "assistant"}),
    "chatgpt_conversations.json": ("chatgpt", 8, {"user", "assistant"}),
    "claude_conversations.json": ("claude", 6, {"user", "assistant"}),
    "dialogue_zh.txt": ("text", 9, {"吴桐", "assistant"}),
    "instagram_message_1.json": ("instagram", 5, {"Zoë Laurent", "Hugo Petit"}),
    "messages_zh.json": ("openai", 9, {"陈静", "assistant"}),
    "signal.txt": ("signal", 7, {"Nadia Kern", "Felix Brandt"}),
    "sillytavern.jsonl": ("sillytavern", 6, {"Iris", "Quill"}),
    "slack": ("slack", 5, {"Marco", "Priya", "standup"}),
    "talk.md": ("text", 8, {"user", "assistant"}),
    "telegram_result.json": ("telegram", 7, {"Nina Vogel", "Leo Hartmann"}),
    "wechat_zh.txt": ("wechat", 8, {"孙悦", "何亮"}),
    "whatsapp_en.txt": ("whatsapp", 10, {"Grace Miller", "Owen Reed"}),
    "zhouwei_whatsapp.txt": ("whatsapp", 46, {"周伟", "林晓"}),
}


def test_every_sample_is_listed():
    assert {path.name for path in SAMPLES.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_are_recognised_and_read_without_a_problem(name):
    reader, count, speakers = EXPECTED[name]
    assert detect(SAMPLES / name).name == reader
    items = list(open_log(SAMPLES / name, timezone="Asia/Shanghai"))
    assert [item.problem for item in items if item.problem] == []
    assert len(items) == count
    assert {item.message.speaker for item in items} == speakers
    times = [item.message.said_at for item in items]
    assert times == sorted(times)


def _tool():
    spec = importlib.util.spec_from_file_location(
        "locomo_to_chat", ROOT / "tools" / "locomo_to_chat.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi!"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red kite"},
        ],
        "session_2_date_time": "12:05 am on 1 June, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Back"}],
    },
}


def test_locomo_becomes_a_log_that_the_reader_takes(tmp_path, capsys, read):
    source = tmp_path / "locomo10.json"
    source.write_text(json.dumps([SAMPLE]))
    assert _tool().main([str(source), "--conversation", "0"]) == 0
    messages, problems = read(capsys.readouterr().out, name="out.jsonl")
    assert not problems
    assert [(m.said_at.isoformat(), m.speaker, m.text, m.source, m.conversation) for m in messages] == [
        ("2023-05-08T13:56:00+00:00", "Ann", "Hi!", "out.jsonl#D1:1", "conv-1:session_1"),
        ("2023-05-08T13:57:00+00:00", "Bob", "Look [shares a photo: a red kite]", "out.jsonl#D1:2", "conv-1:session_1"),
        ("2023-06-01T00:05:00+00:00", "Ann", "Back", "out.jsonl#D2:1", "conv-1:session_2"),
    ]  # fmt: skip


def test_locomo_tells_what_is_wrong(tmp_path, capsys):
    source = tmp_path / "x.json"
    source.write_text(json.dumps([SAMPLE]))
    assert _tool().main([str(source), "--conversation", "7"]) == 2
    source.write_text("[{}]")
    assert _tool().main([str(source)]) == 2
    assert _tool().main([str(tmp_path / "no.json")]) == 2
    assert "conversation" in capsys.readouterr().err
