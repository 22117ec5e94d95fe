"""A statement that the engine refuses in the middle of a plan, a full disk, and migrations."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import pytest
from building import a_plan, says_home, snapshot

from graphmem.errors import MemoryDamaged, MemoryUnwritable, WriteFailed
from graphmem.plan import AddSnapshot
from graphmem.store import cypher, migrations, schema
from graphmem.store.check import check
from graphmem.store.engine import Engine, EngineRefused
from graphmem.store.home import open_store
from graphmem.store.migrations import Step


def failing_after(monkeypatch, engine, writes: int) -> None:
    change, left = engine._change, [writes]

    def changed(text, values):
        left[0] -= 1
        if left[0] < 0:
            engine._run("MATCH (nothing:Nothing) RETURN nothing", {})
        change(text, values)

    monkeypatch.setattr(engine, "_change", changed)
    monkeypatch.setattr(engine._behind, "_run", changed)


@pytest.mark.parametrize("writes", range(4))
def test_an_engine_error_in_the_middle_leaves_nothing(store, monkeypatch, writes):
    store.apply(a_plan(*says_home(1, "Oslo")))
    with monkeypatch.context() as patch:
        failing_after(patch, store._engine, writes)
        with pytest.raises(WriteFailed, match="refused the write"):
            store.apply(a_plan(*says_home(2, "Rome")))
    assert store.snapshot("s2") is None
    assert store.last_event() == 1
    assert store.apply(a_plan(*says_home(2, "Rome"))).n == 2
    assert store.fact("f2").n == 2
    assert check(store).findings == ()


def test_a_swallowed_error_does_not_let_a_transaction_commit(store, monkeypatch):
    def swallow() -> None:
        with store.transaction():
            store.apply(a_plan(*says_home(1, "Oslo")))
            store._engine.settle()
            with monkeypatch.context() as patch:
                failing_after(patch, store._engine, 1)
                store.apply(a_plan(*says_home(2, "Rome")))  # the engine works beside
                with pytest.raises(WriteFailed, match="refused the write"):
                    store.events()
            with pytest.raises(WriteFailed, match="earlier statement"):
                store.fact("f1")

    with pytest.raises(WriteFailed, match="earlier statement"):
        swallow()
    assert store.last_event() == 0
    store.apply(a_plan(*says_home(1, "Oslo")))


def test_what_runs_beside_and_is_refused_refuses_the_whole_transaction(store, monkeypatch):
    def two() -> None:
        with store.transaction():
            store.apply(a_plan(*says_home(1, "Oslo")))
            store._engine.settle()
            with monkeypatch.context() as patch:
                failing_after(patch, store._engine, 1)
                store.apply(a_plan(*says_home(2, "Rome")))
                store._engine._behind._waiting[-1].exception()  # it is done

    with pytest.raises(WriteFailed, match="refused the write"):
        two()
    assert store.last_event() == 0
    assert store.snapshot("s1") is None
    store.apply(a_plan(*says_home(2, "Rome")))
    assert check(store).findings == ()


def test_a_full_disk_is_refused_before_writing(store, monkeypatch):
    nearly_full = SimpleNamespace(total=1 << 40, used=1 << 40, free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: nearly_full)
    with pytest.raises(MemoryUnwritable, match="1 MiB are free"):
        store.apply(a_plan(AddSnapshot(snapshot(1))))
    assert store.last_event() == 0


def test_a_broken_invariant_is_found(store):
    store.apply(a_plan(*says_home(1, "Oslo")))
    store._engine.run(cypher.change(schema.FACT, ("state",)), {"key": "f1", "state": "historical"})
    store._engine.run(cypher.unlink("STATES"), {"from": "s1", "to": "f1"})
    findings = "\n".join(check(store).findings)
    for words in ("without evidence", "pointed to as current", "direct edges whose state"):
        assert words in findings
    assert "f1" in findings


def test_an_older_graph_is_brought_up_to_date_and_kept_if_that_fails(engine, folder, monkeypatch):
    open_store(folder, engine=engine).close()

    def adds_mood(database):
        database.change("ALTER TABLE Snapshot ADD mood STRING DEFAULT 'calm'")

    def fails(database):
        adds_mood(database)
        raise EngineRefused("no")

    monkeypatch.setattr(schema, "VERSION", 2)
    monkeypatch.setattr(migrations, "STEPS", (Step(2, fails),))
    with pytest.raises(MemoryDamaged, match="schema 2"):
        open_store(folder)
    assert json.loads((folder / "memory.json").read_text())["schema"] == 1
    monkeypatch.setattr(migrations, "STEPS", (Step(2, adds_mood),))
    store = open_store(folder)
    store.apply(a_plan(*says_home(1, "Oslo")))
    assert store.query("MATCH (s:Snapshot) RETURN s.mood").rows == (("calm",),)
    assert store.schema_version() == 2
    assert check(store).findings == ()
    store.close()
    assert json.loads((folder / "memory.json").read_text())["schema"] == 2
    assert not list(folder.glob("*.before-*"))


def brings_up_to_two(monkeypatch, step) -> None:
    monkeypatch.setattr(schema, "VERSION", 2)
    monkeypatch.setattr(migrations, "STEPS", (Step(2, step),))


@pytest.mark.parametrize("place", ["in a step", "before the manifest", "before the copy goes"])
def test_an_upgrade_that_was_killed_is_begun_again(engine, folder, monkeypatch, place):
    store = open_store(folder, engine=engine)
    store.apply(a_plan(*says_home(1, "Oslo")))
    store.close()

    def adds_mood(database):
        database.change("ALTER TABLE Snapshot ADD mood STRING DEFAULT 'calm'")

    def dies(database):
        adds_mood(database)
        raise SystemExit("killed")

    def killed(*_: object) -> None:
        if list(folder.glob("*.before-2")):
            raise SystemExit("killed")

    with monkeypatch.context() as patch:
        brings_up_to_two(patch, dies if place == "in a step" else adds_mood)
        if place == "before the manifest":
            patch.setattr("graphmem.store.manifest.write", killed)
        if place == "before the copy goes":
            patch.setattr(migrations, "finish", killed)
        database = []
        start = Engine._start
        patch.setattr(Engine, "_start", lambda self: (database.append(self), start(self))[1])
        with pytest.raises(SystemExit):
            open_store(folder)
        database[-1]._release(fold=False)  # what a process that ends leaves
    assert list(folder.glob("*.before-2"))
    with monkeypatch.context() as patch:
        brings_up_to_two(patch, adds_mood)
        store = open_store(folder)
        assert store.query("MATCH (s:Snapshot) RETURN s.mood").rows == (("calm",),)
        assert store.fact("f1").text == says_home(1, "Oslo")[-1].fact.text
        assert check(store).findings == ()
        store.close()
    assert not list(folder.glob("*.before-*"))
