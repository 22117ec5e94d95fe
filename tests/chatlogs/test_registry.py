from __future__ import annotations

import json
import os
import tracemalloc
from datetime import UTC, datetime

import pytest

from graphmem.chatlogs.items import Reader
from graphmem.chatlogs.registry import (
    READERS,
    detect,
    fingerprint,
    open_log,
    reader_named,
    size,
)
from graphmem.errors import InvalidTime, UnknownFormat, UnreadableFile


def test_every_reader_keeps_the_protocol():
    assert set(READERS) == {
        "chatgpt",
        "claude",
        "instagram",
        "openai",
        "signal",
        "sillytavern",
        "slack",
        "telegram",
        "text",
        "wechat",
        "whatsapp",
    }
    for name, reader in READERS.items():
        assert isinstance(reader, Reader)
        assert reader.name == name
        assert reader.looks_for


@pytest.mark.parametrize(
    ("content", "met"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        ("你好：我住在上海\n".encode("gb18030"), "not UTF-8: byte 0"),
        (b"Ana: caf\xe9\n", "byte 8"),
    ],
)
def test_unreadable_files_are_told_with_the_place(tmp_path, content, met):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=met):
        detect(path)


def test_missing_files_and_directories(tmp_path):
    for path in (tmp_path / "no.json", tmp_path):
        for call in (detect, open_log, size):
            with pytest.raises(UnreadableFile):
                call(path)
    with pytest.raises(UnreadableFile):
        fingerprint(tmp_path / "no.json")


def test_a_bad_line_among_good_ones_is_a_problem(read):
    raw = "Ana: café\n".encode() + b"Ana: caf\xe9\n" + "Ben: größer\n".encode()
    messages, problems = read(raw)
    assert [m.text for m in messages] == ["café", "größer"]
    assert problems[0].place.endswith("line 2, byte 11")
    assert "byte 19" in problems[0].met


def test_format_overrides_the_guess(read):
    text = "[2019-12-24, 12:23] Jane: Hello\n"
    assert read(text, format="whatsapp")[0] == read(text, format="signal")[0]
    with pytest.raises(UnknownFormat, match="word"):
        read(text, format="word")
    assert reader_named("text") is READERS["text"]


def test_a_forced_format_that_does_not_fit_raises_nothing(read):
    for name in READERS:
        messages, _ = read("hello\n", format=name)
        assert messages == []


def test_a_pipe_is_refused(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(UnreadableFile, match="not a file on disk"):
        open_log(path)


def test_a_default_time_without_zone_is_refused(read):
    with pytest.raises(InvalidTime, match="no zone"):
        read("Ana: x\nAna: y\n", default_time=datetime(2024, 1, 1))


def test_times_at_the_ends_of_the_calendar_are_no_times(read):
    rows = [
        {"role": "user", "content": "x", "created_at": at}
        for at in ("0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00", 1e300, -5, True)
    ]
    begun = datetime(2024, 1, 1, tzinfo=UTC)
    messages, problems = read(json.dumps(rows), default_time=begun)
    assert not problems
    assert [(m.said_at - begun).total_seconds() for m in messages] == [0, 1, 2, 3, 4]


def test_unknown_zone(read):
    with pytest.raises(InvalidTime, match="Mars"):
        read("Ana: x\nAna: y\n", timezone="Mars/Olympus")


def test_going_on_behind_an_item_gives_the_rest(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [json.dumps({"role": "user", "content": f"n {n}"}) for n in range(20)]
    rows[4] = "{broken"
    path.write_text("\n".join(rows))
    whole = list(open_log(path))
    assert [item.number for item in whole] == list(range(1, 21))
    assert list(open_log(path, after=7)) == whole[7:]
    assert whole[-1].position == size(path) == path.stat().st_size


def test_the_file_time_is_the_default(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Ana: x\nBen: y\n")
    first, second = (item.message.said_at for item in open_log(path))
    changed = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    assert first == changed
    assert (second - first).total_seconds() == 1


FORMATS = {
    "jsonl": lambda n: (
        json.dumps({"role": "user", "content": f"message {n} " + "word " * 300}) + "\n"
    ),
    "txt": lambda n: f"0{n % 9 + 1}/05/2{n % 4}, 10:00 - Ana: message {n} " + "word " * 300 + "\n",
    "md": lambda n: f"Ana: message {n} " + "word " * 300 + "\n",
    "json": lambda n: ("," if n else "[") + json.dumps({"role": "user", "content": "word " * 300}),
    "insta": lambda n: (
        ("," if n else '{"messages": [')
        + json.dumps({"sender_name": "A", "timestamp_ms": 10**12 - n, "content": "word " * 300})
    ),
}


@pytest.mark.parametrize(
    ("kind", "mebibytes"), [("jsonl", 30), ("txt", 8), ("md", 8), ("json", 8), ("insta", 8)]
)
def test_memory_does_not_grow_with_the_file(tmp_path, kind, mebibytes):
    path = tmp_path / f"big.{kind}"
    written = count = 0
    with path.open("w") as file:
        while written < mebibytes << 20:
            written += file.write(FORMATS[kind](count))
            count += 1
        file.write({"json": "]", "insta": "]}"}.get(kind, ""))
    tracemalloc.start()
    try:
        read = sum(item.message is not None for item in open_log(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read == count
    assert peak < 4 << 20
