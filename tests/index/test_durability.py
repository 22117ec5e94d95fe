from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from index_world import NOW, World, fact, said

from graphmem import plan as ops
from graphmem.errors import MemoryDamaged
from graphmem.model import State
from graphmem.plan import Plan
from graphmem.store.search import PassageIndex
from graphmem.testing import DictStore, TinyEmbedder
from graphmem.words import terms


@pytest.fixture
def full(world):
    """A world with some statements, its vector file written."""
    for at, word in enumerate(("tea", "gin", "rum", "milk", "cola")):
        world.say(f"s{at}", f"{word} is mine", fact(f"f{at}", f"s{at}", f"{word} is mine"))
    world.index.flush()
    return world


def all_is_well(world):
    assert world.index.check(world.store).findings == ()
    for snapshot in world.store.scan_snapshots():
        word = snapshot.text.split()[0]
        assert world.by_word(*terms(word))[0] == snapshot.text
        assert world.close_to(snapshot.text)[0] == snapshot.text


def files(world):
    return world.folder / "passages.db", world.folder / "passages.vectors"


def test_it_comes_back_as_it_was_without_embedding_again(full):
    full.reopen(TinyEmbedder())
    assert full.close_to("rum is mine")[0] == "rum is mine"
    assert full.embedder.calls == 1  # the question
    all_is_well(full)


def test_vectors_not_yet_in_the_file_are_kept_too(full):
    full.say("s9", "juice is mine")
    full.reopen(TinyEmbedder())
    assert full.close_to("juice is mine")[0] == "juice is mine"
    assert full.embedder.calls == 1


def test_one_that_dies_without_closing_loses_nothing(full):
    full.say("s9", "juice is mine")
    dead = full.index
    full.index = PassageIndex.open(full.folder, full.embedder)
    assert full.index.catch_up(full.store) == 0
    all_is_well(full)
    dead.close()


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("harm", ["missing", "half", "empty", "garbage", "zeros in the middle"])
def test_a_damaged_file_costs_time_but_never_an_answer(full, which, harm):
    full.index.close()
    path = files(full)[which]
    whole = path.read_bytes()
    broken = {
        "half": whole[: len(whole) // 2],
        "empty": b"",
        "garbage": b"\x17" * len(whole),
        "zeros in the middle": whole[:400] + bytes(len(whole) - 800) + whole[-400:],
    }
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(broken[harm])
    full.index = PassageIndex.open(full.folder, full.embedder)
    try:
        full.index.catch_up(full.store)
        full.say("s9", "juice is mine")
        all_is_well(full)
    except MemoryDamaged:
        full.index.rebuild(full.store)
        full.index.catch_up(full.store)
        if full.store.snapshot("s9") is None:
            full.say("s9", "juice is mine")
    all_is_well(full)


@pytest.mark.parametrize(
    "other", [TinyEmbedder(32), TinyEmbedder(64, "other"), TinyEmbedder(128, "third")]
)
def test_another_embedder_makes_the_vectors_anew(full, other):
    full.reopen(other)
    all_is_well(full)
    assert full.index.vectors([1]).shape == (1, other.dimension)
    full.reopen(TinyEmbedder())
    all_is_well(full)


def test_vectors_of_another_making_are_not_trusted(full, tmp_path):
    full.index.close()
    stolen = World(tmp_path / "elsewhere")
    for at in range(5):
        stolen.say(f"s{at}", f"wholly other {at}")
    stolen.index.flush()
    stolen.index.close()
    files(full)[1].write_bytes(files(stolen)[1].read_bytes())
    full.index = PassageIndex.open(full.folder, full.embedder)
    full.index.catch_up(full.store)
    all_is_well(full)


def test_a_vector_file_newer_than_the_database_is_not_trusted(full):
    full.index.close()
    database = files(full)[0].read_bytes()
    full.reopen()
    full.say("s8", "lost is mine")
    full.index.flush()
    full.index.close()
    files(full)[0].write_bytes(database)
    full.index = PassageIndex.open(full.folder, full.embedder)
    full.store = _without_last_event(full.store)
    full.say("s9", "juice is mine")
    all_is_well(full)
    full.reopen()
    all_is_well(full)


def test_events_the_graph_has_lost_are_taken_back_without_embedding_again(full):
    store = _copy(full.store)
    full.say("s8", "lost is mine", fact("f8", "s8", "lost is mine"))
    full.set("f1", state=State.HISTORICAL)
    full.store = store
    full.apply(ops.SetFact("f2", {}, {"state": State.UNSURE}))
    before = full.embedder.calls
    assert full.index.catch_up(store) >= 0
    assert full.embedder.calls == before
    assert full.by_word("lost") == []
    all_is_well(full)


def test_another_graph_means_a_rebuild(full):
    other = DictStore()
    other.apply(Plan(kind="add", at=NOW, ops=(ops.AddSnapshot(said("z1", "beer is mine")),)))
    full.store = other
    full.index.catch_up(other)
    assert full.index.size() == 1
    all_is_well(full)
    empty = DictStore()
    full.index.catch_up(empty)
    assert full.index.size() == 0


def test_check_names_what_disagrees(full):
    def change(sql):
        other = sqlite3.connect(files(full)[0])
        other.execute(sql)
        other.commit()
        other.close()

    for sql, finding in (
        ("UPDATE passages SET text = 'beer is mine' WHERE n = 1", "as it was said"),
        ("UPDATE passages SET state = 'archived' WHERE n = 2", "otherwise than its facts"),
        ("UPDATE passage_facts SET state = 'archived' WHERE n = 3", "otherwise in the index"),
        ("DELETE FROM passage_facts WHERE n = 4", "under its sources"),
        ("UPDATE passage_facts SET fact_id = 'ghost' WHERE n = 5", "ghost is gone"),
        ("DELETE FROM keywords WHERE rowid = 1", "keyword index"),
    ):
        change(sql)
        found = full.index.check(full.store).findings
        assert any(finding in line for line in found), (sql, found)
        full.index.rebuild(full.store)
        all_is_well(full)


def test_check_compares_vectors_with_texts(full):
    full.index._db.execute("INSERT INTO new_vectors VALUES (3, ?)", (bytes(128),))
    full.index._db.commit()
    full.reopen()
    found = full.index.check(full.store).findings
    assert found == ("the vectors of passages [3] are not those of their texts",)


def test_a_deleted_text_is_in_no_file(full):
    rare = "xylophone"
    full.say("s9", f"my {rare} is 花生酱 mine", fact("f9", "s9", f"my {rare} is mine"))
    for at in range(10, 40):
        full.say(f"s{at}", f"word{at} is mine")
    full.index.flush()
    full.say("s40", f"another {rare}")
    assert rare.encode()[:8] in full.bytes_on_disk()
    full.apply(ops.RemoveFact("f9"), ops.RedactSnapshot("s9", "…"), kind="delete")
    full.apply(ops.RemoveSnapshot("s40"), kind="delete")
    kept = full.bytes_on_disk()
    for trace in (rare, "xylophon", "ylophon", "花生", "another"):
        assert trace.encode() not in kept, trace
    full.index.close()
    assert b"ylophon" not in full.bytes_on_disk()
    full.index = PassageIndex.open(full.folder, full.embedder)
    assert full.by_word("xylophon") == []
    assert full.index.check(full.store).findings == ()


def test_deleting_very_many_leaves_no_ghost(world):
    for at in range(150):
        world.say(f"s{at}", f"fact number {at} about pears")
    world.apply(*(ops.RemoveSnapshot(f"s{at}") for at in range(150)), kind="delete")
    assert world.index.keywords(["pear"], limit=500) == []
    vector = world.embedder.questions(["pears"])[0]
    assert world.index.nearest(vector, limit=500) == []


def test_numbers_are_never_used_twice(full):
    full.apply(ops.RemoveFact("f4"), ops.RemoveSnapshot("s4"), kind="delete")
    full.say("s9", "juice is mine")
    assert full.index.keywords(["juic"], limit=1)[0][0] == 6
    full.apply(ops.RemoveSnapshot("s9"), kind="delete")
    full.reopen()
    full.say("s10", "water is mine")
    assert full.index.keywords(["water"], limit=1)[0][0] == 7
    assert np.any(full.index.vectors([7]))


def test_another_process_s_changes_are_seen(full):
    full.close_to("tea is mine")  # the vectors are loaded
    other = PassageIndex.open(full.folder, TinyEmbedder())
    event = full.store.apply(
        Plan(kind="add", at=NOW, ops=(ops.AddSnapshot(said("s9", "juice is mine")),))
    )
    other.update([event], full.store)
    other.flush()
    assert full.index.catch_up(full.store) == 0
    all_is_well(full)
    other.rebuild(full.store)
    all_is_well(full)
    other.close()


def _copy(store):
    copied = DictStore()
    copied._has = store._has.copied()
    return copied


def _without_last_event(store):
    back = _copy(store)
    del back._has.snapshots["s8"]
    back._has.events.pop()
    return back
