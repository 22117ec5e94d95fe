"""Backup and restore: everything comes back, later changes win, and a bad file writes nothing."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from graphmem import Memory, Message
from graphmem.backup import file as backup_file
from graphmem.cli.app import app
from graphmem.cli.keep import VARIABLE
from graphmem.errors import (
    BrokenFile,
    ChangeRefused,
    GraphmemError,
    InvalidSettings,
    MemoryUnwritable,
    UnknownFormat,
    UnreadableFile,
    WrongPassphrase,
)
from graphmem.testing import FixedClock, TinyEmbedder

START = datetime(2026, 6, 10, 10, tzinfo=UTC)
SECRET = "hä 小 passphrase"  # noqa: S105
LIFE = (
    "I live in London.",
    "I drive a Golf.",
    "My sister Zelda lives in Oslo.",
    "I moved to Paris for good.",
    "我对花生过敏。",
    "Remind me to call Ben on Friday at 5pm",
    "I like tea",
    "The garage door squeaks a bit when it rains.",
)

Opened = Callable[[str], Memory]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def at(tmp_path: Path, clock: FixedClock) -> Opened:
    return lambda name: Memory.open(tmp_path / name, clock=clock, embedder=TinyEmbedder())


def say(memory: Memory, clock: FixedClock, text: str) -> None:
    clock.advance(timedelta(days=1))
    memory.add(Message(text=text, speaker="Kim", said_at=clock.now()))


def told(memory: Memory, clock: FixedClock) -> None:
    for text in LIFE:
        say(memory, clock, text)
    (conflict,) = memory.conflicts()
    memory.resolve(conflict.id, "mark_older_as_past")
    (golf,) = (fact for fact in memory.facts() if "Golf" in fact.text)
    memory.update(golf.id, "I drive a Tesla now.")
    memory.merge_entities("Zelda", "Oslo")
    memory.tend()


def seen(memory: Memory) -> dict[str, Any]:
    """All that a user can see, without the numbers that a memory gives by itself."""
    facts = memory.facts(states="all", kinds=["claim", "note"])
    memory.tend()
    return {
        "facts": {replace(fact, n=0, tier="") for fact in facts},
        "entities": {replace(one, aliases=tuple(sorted(one.aliases))) for one in memory.entities()},
        "conflicts": {
            (one.id, one.decision, one.old.id, one.new.id, one.reason)
            for one in memory.conflicts(open_only=False)
        },
        "reminders": set(memory.reminders(active_only=False)),
        "home": [(s.fact.object, s.fact.state) for s in memory.history("Kim", "home").stages],
        "lineage": memory.lineage("Kim", "car").mermaid(),
        "recall": [(one.text, one.state) for one in memory.recall("Where do I live?").items],
        "due": [one.trigger.id for one in memory.due(record=False)],
        "evidence": memory.cypher(
            "MATCH (s:Snapshot)-[:STATES]->(f:Fact) RETURN s.id, f.id, s.text ORDER BY s.id, f.id"
        ),
        "mentions": memory.cypher(
            "MATCH (s:Snapshot)-[:MENTIONS]->(e:Entity) RETURN s.id, e.id ORDER BY s.id, e.id"
        ),
    }


@pytest.mark.parametrize("passphrase", [None, SECRET])
def test_everything_comes_back(
    at: Opened, clock: FixedClock, tmp_path: Path, passphrase: str | None
) -> None:
    with at("one") as memory:
        told(memory, clock)
        made = memory.backup(tmp_path / "m.gmb", passphrase)
        before = seen(memory)
    assert made.sealed is (passphrase is not None)
    assert stat.S_IMODE((tmp_path / "m.gmb").stat().st_mode) == 0o600
    done = Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", passphrase, clock=clock)
    assert (done.fresh, done.added, done.kept) == (True, made.counts, {})
    with at("two") as memory:
        assert seen(memory) == before
        assert memory.check().findings == ()
    again = Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", passphrase, clock=clock)
    assert (again.added, again.changed, again.fresh) == ({}, {}, False)
    with at("two") as memory:
        assert seen(memory) == before


def test_what_was_decided_can_still_be_undone(
    at: Opened, clock: FixedClock, tmp_path: Path
) -> None:
    with at("one") as memory:
        told(memory, clock)
        memory.backup(tmp_path / "m.gmb")
        memory.undo()
        memory.undo()
        want = seen(memory)
    Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", clock=clock)
    with at("two") as memory:
        memory.undo()
        memory.undo()
        assert seen(memory) == want


def test_later_changes_win_on_either_side(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I like tea")
        say(memory, clock, "I like jazz.")
        say(memory, clock, "I own a boat.")
        memory.backup(tmp_path / "early.gmb")
        ids = {fact.object: fact.id for fact in memory.facts()}
        clock.advance(timedelta(days=1))
        memory.retire(ids["tea"])
        memory.forget(ids["jazz"])
        say(memory, clock, "I like chess.")
        memory.backup(tmp_path / "late.gmb")
        late = {(fact.object, str(fact.state)) for fact in memory.facts(states="all")}
    # an older backup brings back nothing that was changed or deleted since
    clock.advance(timedelta(days=1))
    done = Memory.restore_backup(tmp_path / "early.gmb", tmp_path / "one", clock=clock)
    assert (done.added, done.changed) == ({}, {})
    # a newer one brings an older memory up to date
    Memory.restore_backup(tmp_path / "early.gmb", tmp_path / "two", clock=clock)
    done = Memory.restore_backup(tmp_path / "late.gmb", tmp_path / "two", clock=clock)
    assert done.changed["fact"] == 1
    with at("two") as memory:
        found = {(fact.object, str(fact.state)) for fact in memory.facts(states="all")}
        assert found == late | {("jazz", "current")}  # a deletion leaves no trace to travel by
        assert memory.check().findings == ()
    # and what was restored counts as changed when it was changed, not when it was restored
    with at("one") as memory:
        boat = next(fact for fact in memory.facts() if fact.object == "boat")
        memory.pin(boat.id)
        memory.backup(tmp_path / "last.gmb")
    done = Memory.restore_backup(tmp_path / "last.gmb", tmp_path / "two", clock=clock)
    with at("two") as memory:
        assert memory.fact(boat.id).pinned


def test_two_memories_meet_and_the_owner_decides(
    at: Opened, clock: FixedClock, tmp_path: Path
) -> None:
    with at("one") as memory:
        say(memory, clock, "I live in London.")
        memory.backup(tmp_path / "m.gmb")
    with at("two") as memory:
        say(memory, clock, "I live in Paris.")
    Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", clock=clock)
    with at("two") as memory:
        (conflict,) = memory.conflicts()
        assert (conflict.old.object, conflict.new.object) == ("London", "Paris")
        assert memory.check().findings == ()


def test_a_sealed_file_shows_only_structure(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        told(memory, clock)
        memory.backup(tmp_path / "m.gmb", SECRET)
        ids = [fact.id for fact in memory.facts(states="all")]
        ids += [entity.id for entity in memory.entities()]
    raw = gzip.decompress((tmp_path / "m.gmb").read_bytes()).decode()
    # no short word: base64 has any three letters somewhere
    for word in ("London", "I drive", "sister", "花生", "garage", "lives_in", "allergic", *ids):
        assert word not in raw
    for wrong in (None, "", "another"):
        with pytest.raises((WrongPassphrase, InvalidSettings)):
            Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", wrong, clock=clock)
    assert not (tmp_path / "two").exists()


def test_sealed_values_cannot_change_places(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I live in London.")
        say(memory, clock, "I like tea")
        memory.backup(tmp_path / "m.gmb", SECRET)
    lines = gzip.decompress((tmp_path / "m.gmb").read_bytes()).decode().splitlines()
    facts = [n for n, line in enumerate(lines) if json.loads(line)["record"] == "fact"]
    one, other = (json.loads(lines[n]) for n in facts)
    one["text"], other["text"] = other["text"], one["text"]
    lines[facts[0]], lines[facts[1]] = json.dumps(one), json.dumps(other)
    (tmp_path / "m.gmb").write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    with pytest.raises(BrokenFile, match="changed since it was sealed"):
        Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", SECRET, clock=clock)


@pytest.mark.parametrize("passphrase", [None, SECRET])
def test_structure_cannot_be_changed_unseen(
    at: Opened, clock: FixedClock, tmp_path: Path, passphrase: str | None
) -> None:
    with at("one") as memory:
        say(memory, clock, "I live in London.")
        memory.backup(tmp_path / "m.gmb", passphrase)
    raw = gzip.decompress((tmp_path / "m.gmb").read_bytes())
    changed = raw.replace(b'"current"', b'"historical"')
    assert changed != raw
    (tmp_path / "m.gmb").write_bytes(gzip.compress(changed))
    with pytest.raises(BrokenFile, match="does not fit"):
        Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", passphrase, clock=clock)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder, clock = tmp_path_factory.mktemp("whole"), FixedClock(START)
    with Memory.open(folder / "m", clock=clock, embedder=TinyEmbedder()) as memory:
        say(memory, clock, "I live in London.")
        memory.backup(folder / "m.gmb", SECRET)
    return (folder / "m.gmb").read_bytes()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_file_writes_nothing(data: st.DataObject, whole: bytes, tmp_path: Path) -> None:
    """Cut, flipped or packed anew: an error of ours, and no memory."""
    place = data.draw(st.integers(0, len(whole) - 1))
    how = data.draw(st.sampled_from(["cut", "flip", "line"]))
    if how == "cut":
        broken = whole[:place]
    elif how == "flip":
        bit = 1 << data.draw(st.integers(0, 7))
        broken = whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :]
    else:
        lines = gzip.decompress(whole).splitlines(keepends=True)
        del lines[data.draw(st.integers(0, len(lines) - 1))]
        broken = gzip.compress(b"".join(lines))
    file = tmp_path / "broken.gmb"
    file.write_bytes(broken)
    try:
        Memory.restore_backup(file, tmp_path / "two", SECRET, clock=FixedClock(START))
    except GraphmemError:
        assert not (tmp_path / "two").exists()
    else:
        # only a bit of gzip's own header may change without harm
        assert how == "flip"
        assert gzip.decompress(broken) == gzip.decompress(whole)
        for one in sorted((tmp_path / "two").rglob("*"), reverse=True):
            one.rmdir() if one.is_dir() else one.unlink()
        (tmp_path / "two").rmdir()
    assert not list(tmp_path.glob(".two*"))


def test_other_files_are_told_from_backups(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    def restore(name: str) -> None:
        Memory.restore_backup(tmp_path / name, tmp_path / "two", clock=clock)

    with pytest.raises(UnreadableFile):
        restore("missing.gmb")
    (tmp_path / "text.gmb").write_text("hello")
    with pytest.raises(UnknownFormat):
        restore("text.gmb")
    (tmp_path / "packed.gmb").write_bytes(gzip.compress(b'{"a": 1}\n'))
    with pytest.raises(UnknownFormat):
        restore("packed.gmb")
    with at("one") as memory:
        say(memory, clock, "I like tea")
        with pytest.raises(ChangeRefused):
            memory.backup(tmp_path / "text.gmb")
        assert (tmp_path / "text.gmb").read_text() == "hello"
        with pytest.raises(MemoryUnwritable):
            memory.backup(tmp_path / "no" / "folder.gmb")
        memory.backup(tmp_path / "m.gmb")
        memory.backup(tmp_path / "m.gmb")  # an older backup is replaced
    newer = gzip.decompress((tmp_path / "m.gmb").read_bytes()).replace(
        b'"version":1', b'"version":9'
    )
    (tmp_path / "newer.gmb").write_bytes(gzip.compress(newer))
    with pytest.raises(UnknownFormat, match="version 9"):
        restore("newer.gmb")
    assert not (tmp_path / "two").exists()


def test_a_backup_that_fails_leaves_the_older_one(
    at: Opened, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at("one") as memory:
        say(memory, clock, "I like tea")
        memory.backup(tmp_path / "m.gmb")
        before = (tmp_path / "m.gmb").read_bytes()
        say(memory, clock, "I like chess.")

        def full(*_: object) -> None:
            raise OSError(28, os.strerror(28))

        monkeypatch.setattr(backup_file.Writer, "end", full)
        with pytest.raises(MemoryUnwritable):
            memory.backup(tmp_path / "m.gmb")
    assert (tmp_path / "m.gmb").read_bytes() == before
    assert not list(tmp_path.glob("*.new"))


def test_a_reader_makes_no_backup(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I like tea")
    with (
        Memory.open(tmp_path / "one", reader="tv", clock=clock, embedder=TinyEmbedder()) as memory,
        pytest.raises(ChangeRefused),
    ):
        memory.backup(tmp_path / "m.gmb")


def test_a_directory_of_others_is_left_alone(at: Opened, clock: FixedClock, tmp_path: Path) -> None:
    with at("one") as memory:
        say(memory, clock, "I like tea")
        memory.backup(tmp_path / "m.gmb")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"meow")
    with pytest.raises(GraphmemError):
        Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "photos", clock=clock)
    assert [one.name for one in (tmp_path / "photos").iterdir()] == ["cat.jpg"]


@pytest.mark.parametrize("name", ["v1.gmb", "v1-sealed.gmb"])
def test_files_of_every_version_are_restored(name: str, at: Opened, tmp_path: Path) -> None:
    """Kept as they were written: a file of an old version must come back for ever."""
    passphrase = "correct horse" if "sealed" in name else None
    file = Path(__file__).parent / "files" / name
    done = Memory.restore_backup(file, tmp_path / "old", passphrase, clock=FixedClock(START))
    assert done.added["event"] > 0
    with at("old") as memory:
        home = memory.history("Kim", "home").stages
        found = [(one.fact.object, str(one.fact.state)) for one in home]
        assert found == [("London", "historical"), ("Paris", "current")]
        assert [one.action for one in memory.reminders()] == ["call Ben"]
        assert memory.check().findings == ()


def test_the_commands(
    at: Opened, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at("one") as memory:
        told(memory, clock)
    run = CliRunner().invoke
    word = tmp_path / "word"
    word.write_text(SECRET + "\n", "utf-8")
    sealed = ["--passphrase-file", str(word)]
    file = str(tmp_path / "m.gmb")
    one, two = (["-m", str(tmp_path / name)] for name in ("one", "two"))
    made = json.loads(run(app, [*one, "backup", file, *sealed, "--json"]).stdout)
    assert (made["sealed"], made["counts"]["trigger"]) == (True, 1)
    assert "sealed with the passphrase" in run(app, [*one, "backup", file, *sealed]).stdout
    assert isinstance(run(app, [*two, "restore", file]).exception, WrongPassphrase)
    monkeypatch.setenv(VARIABLE, SECRET)
    assert "a new memory in" in run(app, [*two, "restore", file]).stdout
    again = json.loads(run(app, [*two, "restore", file, "--json"]).stdout)
    assert (again["fresh"], again["added"], again["changed"]) == (False, {}, {})


def test_what_a_killed_restore_left_is_deleted_by_the_next(
    at: Opened, clock: FixedClock, tmp_path: Path
) -> None:
    with at("one") as memory:
        told(memory, clock)
        memory.backup(tmp_path / "m.gmb")
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], check=True, stdout=-1
    )
    left = tmp_path / f".two.restoring-{int(ended.stdout)}"
    at_work = tmp_path / ".two.restoring-1"
    others = tmp_path / ".other.restoring-notes"
    for one in (left, at_work, others):
        one.mkdir()
        (one / "graph.kuzu").write_bytes(b"half")
    Memory.restore_backup(tmp_path / "m.gmb", tmp_path / "two", clock=clock)
    assert not left.exists()
    assert at_work.exists()
    assert others.exists()
