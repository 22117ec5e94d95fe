from __future__ import annotations

import json
import zipfile

import pytest

from graphmem.chatlogs import archive
from graphmem.chatlogs.registry import detect, fingerprint, open_log, size
from graphmem.errors import UnknownFormat, UnreadableFile

TURN = json.dumps([{"role": "user", "content": "I live in London"}])


def packed(path, files, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


def read_all(path, **knobs):
    items = list(open_log(path, timezone="UTC", **knobs))
    return [i.message for i in items if i.message], [i.problem for i in items if i.problem]


def test_every_known_member_is_read_and_others_are_left(tmp_path):
    path = packed(
        tmp_path / "export.zip",
        {
            "conversations.json": TURN,
            "chat.html": "<html>",
            "user.json": '{"id": 1}',
            "photo.txt": b"\x00\x01",
            "notes/talk.md": "**User:** hi\n**Assistant:** hello\n",
            "__MACOSX/._conversations.json": TURN,
        },
    )
    assert detect(path).name == "openai"
    messages, problems = read_all(path)
    assert [(m.text, m.source) for m in messages] == [
        ("I live in London", "export.zip/conversations.json"),
        ("hi", "export.zip/notes/talk.md"),
        ("hello", "export.zip/notes/talk.md"),
    ]
    assert not problems
    assert [i.position for i in open_log(path)][-1] == size(path)


def test_the_chat_in_a_phone_archive_is_named_after_it(tmp_path):
    text = "[31/12/2023, 23:00:00] Ana: hi\n"
    path = packed(tmp_path / "WhatsApp Chat - Ben.zip", {"_chat.txt": text, "1.jpg": b"\xff\xd8"})
    assert read_all(path)[0][0].conversation == "Ben"


def test_pages_of_a_thread_come_oldest_first(tmp_path):
    def page(text, time):
        message = {"sender_name": "A", "timestamp_ms": time, "content": text}
        return json.dumps({"messages": [message], "thread_path": "inbox/a"})

    files = {f"inbox/a/message_{n}.json": page(f"page {n}", 10**12 - n) for n in (1, 2, 10)}
    messages, _ = read_all(packed(tmp_path / "i.zip", files))
    assert [m.text for m in messages] == ["page 10", "page 2", "page 1"]


def test_a_path_out_of_the_archive_is_reported_and_nothing_written(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    files = {"../evil.json": TURN, "/etc/evil.json": TURN, "c:/evil.json": TURN, "ok.json": TURN}
    messages, problems = read_all(packed(inside / "x.zip", files))
    assert [m.source for m in messages] == ["x.zip/ok.json"]
    assert [p.met for p in problems] == ["a path that leads out of the archive"] * 3
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["x.zip"]


def test_bombs_are_refused(tmp_path, monkeypatch):
    bomb = {"big.json": "[" + " " * (8 << 20) + "]", "ok.json": TURN}
    messages, problems = read_all(packed(tmp_path / "bomb.zip", bomb))
    assert len(messages) == 1
    assert "packed into" in problems[0].met
    monkeypatch.setattr(archive, "MOST_ENTRIES", 3)
    with pytest.raises(UnreadableFile, match="4 entries"):
        open_log(packed(tmp_path / "many.zip", {f"{n}.json": TURN for n in range(4)}))
    monkeypatch.setattr(archive, "MOST_BYTES", 10)
    with pytest.raises(UnreadableFile, match="bytes when unpacked"):
        open_log(packed(tmp_path / "total.zip", {"a.json": TURN}))


def test_broken_archives_and_members(tmp_path):
    path = packed(tmp_path / "a.zip", {"a.json": TURN, "b.json": TURN}, zipfile.ZIP_STORED)
    raw = path.read_bytes()
    (tmp_path / "flipped.zip").write_bytes(raw.replace(b"London", b"Londin", 1))
    messages, problems = read_all(tmp_path / "flipped.zip")
    assert [m.source for m in messages] == ["flipped.zip/b.json"]
    assert "CRC" in problems[0].met
    cut = tmp_path / "cut.zip"
    cut.write_bytes(raw[:-30])
    with pytest.raises((UnreadableFile, UnknownFormat)):
        open_log(cut)


def test_an_archive_without_a_log_is_told(tmp_path):
    with pytest.raises(UnknownFormat, match="holds no chat log"):
        detect(packed(tmp_path / "p.zip", {"a.txt": "prose without names"}))


def test_fingerprint_tells_content_apart(tmp_path):
    one = packed(tmp_path / "1.zip", {"a.json": TURN})
    two = packed(tmp_path / "2.zip", {"a.json": TURN + " "})
    assert fingerprint(one) == fingerprint(one)
    assert fingerprint(one) != fingerprint(two)
