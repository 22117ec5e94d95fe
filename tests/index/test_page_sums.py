"""The checksums of the index database's pages: no false alarm whatever SQLite does, and no changed bit passed over."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.store.index_database import _connect, _Connection
from graphmem.store.page_sums import PageSums

SUFFIXES = ("", "-wal")


def copied(database: Path, to: Path) -> Path:
    """The files as a process that is killed now leaves them."""
    to.mkdir()
    for one in database.parent.iterdir():
        if not one.name.endswith("-shm"):
            shutil.copyfile(one, to / one.name)
    return to / database.name


def opened(database: Path) -> _Connection:
    assert PageSums(database).sound()
    sums = PageSums(database)
    assert sums.sound()
    made = _connect(database, sums)
    made.execute("PRAGMA journal_mode = WAL")
    made.execute("PRAGMA synchronous = OFF")
    made.execute("PRAGMA cache_size = 8")
    made.execute("PRAGMA wal_autocheckpoint = 40")
    made.execute("CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, body TEXT)")
    made.note()
    return made


def flip(file: Path, at: int, bit: int) -> None:
    with file.open("r+b") as held:
        held.seek(at)
        [byte] = held.read(1)
        held.seek(at)
        held.write(bytes([byte ^ 1 << bit]))


def step(db: _Connection, draw: random.Random) -> None:
    """Something that a process does: a change of some size, kept or taken back, or a checkpoint."""
    kind = draw.random()
    if kind < 0.1:
        db.execute(f"PRAGMA wal_checkpoint({draw.choice(('PASSIVE', 'TRUNCATE'))})")
        return
    for _ in range(draw.choice((1, 1, 3, 60))):
        if draw.random() < 0.25:
            db.execute("DELETE FROM t WHERE n % 7 = ?", (draw.randrange(7),))
        else:
            db.execute(
                "INSERT OR REPLACE INTO t VALUES (?, ?)",
                (draw.randrange(400), draw.choice("abc") * draw.choice((10, 900, 9000))),
            )
    if kind < 0.3:
        db.rollback()
    else:
        db.commit()


def rows(database: Path) -> list[tuple[int, str]]:
    with sqlite3.connect(database) as db:
        found = list(db.execute("SELECT n, body FROM t ORDER BY n"))
    db.close()
    return found


@pytest.mark.parametrize("seed", range(8))
def test_whatever_was_done_and_whenever_it_was_killed_there_is_no_alarm(
    tmp_path: Path, seed: int
) -> None:
    draw = random.Random(seed)
    database = tmp_path / "0" / "x.db"
    database.parent.mkdir()
    for number in range(1, 25):
        db = opened(database)
        for _ in range(draw.randrange(12)):
            step(db, draw)
        if draw.random() < 0.6:  # killed
            database = copied(database, tmp_path / str(number))
            db.close()
        else:
            db.close()
            assert PageSums(database).sound()


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_changed_bit_is_noticed_or_changes_nothing(
    tmp_path: Path, seed: int, killed: bool
) -> None:
    draw = random.Random(100 + seed)
    place = tmp_path / "0" / "x.db"
    place.parent.mkdir()
    db = opened(place)
    for _ in range(30):
        step(db, draw)
    database = copied(place, tmp_path / "1")
    db.close()
    whole = rows(copied(database, tmp_path / "read"))
    if not killed:
        database, noticed_always = place, True
    else:
        noticed_always = False
    noticed = 0
    for number in range(60):
        broken = copied(database, tmp_path / f"broken{number}")
        chosen = draw.choice([broken.with_name(broken.name + one) for one in SUFFIXES])
        if not chosen.exists() or not chosen.stat().st_size:
            chosen = broken
        flip(chosen, draw.randrange(chosen.stat().st_size), draw.randrange(8))
        if not PageSums(broken).sound():
            noticed += 1
            continue
        assert not noticed_always
        earlier = rows(broken)  # SQLite reads a log up to the damage: the index then catches up
        if chosen == broken:
            assert earlier == whole
    assert noticed > 20


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-3])


def test_one_that_was_killed_while_it_appended_the_sums_is_sound(tmp_path: Path) -> None:
    place = tmp_path / "0" / "x.db"
    place.parent.mkdir()
    db = opened(place)
    for value in range(200):
        db.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", (value, "a" * 900))
        db.commit()
        database = copied(place, tmp_path / f"killed{value}")
        cut(database.with_suffix(".sums"))
        assert PageSums(database).sound()
        opened(database).close()
        assert PageSums(database).sound()
    db.close()


@pytest.mark.parametrize("harm", [Path.unlink, lambda file: file.write_bytes(b"other")])
def test_without_its_sums_a_database_is_taken_as_it_is(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    database = tmp_path / "x.db"
    db = opened(database)
    step(db, random.Random(1))
    db.execute("INSERT OR REPLACE INTO t VALUES (1, 'kept')")
    db.commit()
    db.close()
    harm(database.with_suffix(".sums"))
    assert PageSums(database).sound()
    assert (1, "kept") in rows(database)


def test_what_appends_grows_into_a_new_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.store.page_sums._APPENDED", 2_000)
    draw = random.Random(5)
    database = tmp_path / "x.db"
    db = opened(database)
    largest = 0
    for _ in range(300):
        step(db, draw)
        largest = max(largest, database.with_suffix(".sums").stat().st_size)
    db.close()
    assert largest < 40_000
    assert PageSums(database).sound()


def test_a_large_file_that_was_closed_well_is_known_by_its_size_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.store.page_sums._READ_WHOLE", 0)
    database = tmp_path / "x.db"
    db = opened(database)
    step(db, random.Random(2))
    db.close()
    read: list[int] = []
    found = PageSums._found
    monkeypatch.setattr(
        PageSums, "_found", lambda self, page: (read.append(page), found(self, page))[1]
    )
    assert PageSums(database).sound()
    assert read == []
    flip(database, 5000, 1)
    assert not PageSums(database).sound()
    assert len(read) == 1
