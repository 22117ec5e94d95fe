"""What wiping leaves alone: remembered strings that lie side by side may spell what was deleted."""

from __future__ import annotations

import pytest

from graphmem.store.erase import Erasure

BEFORE = b"\x00\x01head"


@pytest.mark.parametrize(
    ("held", "pattern", "live", "left"),
    [
        (b"41026-141026-2", b"41026-14", {b"41026-1", b"41026-2"}, b"41026-141026-2"),
        (b"41026-1441026-2", b"41026-14", {b"41026-1", b"41026-2"}, b"        41026-2"),
        (b"roomABCbeds", b"mABCb", {b"room", b"ABC", b"beds"}, b"roomABCbeds"),
        (b"roomABCbeds", b"mABCb", {b"room"}, b"roomABCbeds"),
        (b"roomABCbeds", b"mABCb", {b"beds"}, b"roomABCbeds"),
        (b"roomABCbeds", b"mABCb", {b"Ana"}, b"roo     eds"),
        (b"Ana lives in Oslo", b"Ana lives in Oslo", {b"Ana", b"Oslo"}, b" " * 17),
        (b"aaaaaa", b"aaaaa", set(), b"     a"),
        ("住在北京上海".encode(), "北京上".encode(), {"住在北京".encode(), "上海".encode()}, "住在北京上海".encode()),
    ],
)  # fmt: skip
def test_only_what_is_nobodys_is_wiped(tmp_path, held, pattern, live, left):
    file = tmp_path / "graph"
    file.write_bytes(BEFORE + held)
    erasure = Erasure(file)
    erasure.wipe([pattern], live)
    assert file.read_bytes() == BEFORE + left
    assert not erasure.waits
