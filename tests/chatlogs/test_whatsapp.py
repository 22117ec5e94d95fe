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
