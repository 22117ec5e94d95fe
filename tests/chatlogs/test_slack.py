from __future__ import annotations

import json
import zipfile

import pytest

from graphmem.chatlogs.registry import detect, open_log, size
from graphmem.errors import UnreadableFile

FILES = {
    "users.json": [
        {"id": "U1", "name": "ana", "profile": {"display_name": "", "real_name": "Ana Silva"}},
        {"id": "U2", "name": "ben", "profile": {"display_name": "Ben"}},
        "broken",
    ],
    "channels.json": [{"id": "C1", "name": "general"}],
    "general/2024-01-02.json": [
        {"type": "message", "user": "U2", "text": "later", "ts": "1704200000.000100"},
    ],
    "general/2024-01-01.json": [
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1704100000.0"},
        {"type": "message", "user": "U1", "text": "<@U2> I live in Porto &amp; like it, see <https://a.b|a site> <!here> <#C1|general>", "ts": "1704100001.0", "files": [{"name": "map.png"}]},
        {"type": "message", "subtype": "bot_message", "username": "deploy", "text": "done", "ts": "1704100002.0"},
        {"type": "message", "user": "U9", "user_profile": {"real_name": "Cleo"}, "text": "<@U7|dan> hi", "ts": "1704100003.0"},
        3,
    ],
    "random/2024-01-01.json": [{"type": "message", "user": "U1", "text": "elsewhere", "ts": "1704100009.0"}],
    "random/canvas.json": {"not": "a day"},
}  # fmt: skip


@pytest.fixture(params=["folder", "zip"])
def export(request, tmp_path):
    if request.param == "zip":
        path = tmp_path / "slack.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, value in FILES.items():
                archive.writestr(name, json.dumps(value))
        return path
    for name, value in FILES.items():
        file = tmp_path / "slack" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    return tmp_path / "slack"


def test_folder_and_archive_read_alike(export):
    assert detect(export).name == "slack"
    items = list(open_log(export, timezone="UTC"))
    messages = [item.message for item in items if item.message]
    assert [(m.conversation, m.speaker, m.role, m.text) for m in messages] == [
        ("general", "Ana Silva", "user", "@Ben I live in Porto & like it, see a site (https://a.b) @here #general\n[file: map.png]"),
        ("general", "deploy", "assistant", "done"),
        ("general", "Cleo", "user", "@dan hi"),
        ("general", "Ben", "user", "later"),
        ("random", "Ana Silva", "user", "elsewhere"),
    ]  # fmt: skip
    assert [item.problem.met for item in items if item.problem] == ["int"]
    assert messages[0].said_at.isoformat() == "2024-01-01T09:06:41+00:00"
    positions = [item.position for item in items]
    assert positions == sorted(positions)
    assert positions[-1] == size(export)


def test_a_directory_without_an_export_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="directory without"):
        detect(tmp_path)
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(UnreadableFile, match="Slack"):
        open_log(tmp_path)
