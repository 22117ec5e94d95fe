"""Opening: new, empty, foreign, damaged, unwritable, too new; and the lock between processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from building import a_plan, says_home

from graphmem.errors import (
    MemoryDamaged,
    MemoryLocked,
    MemoryUnwritable,
    NotAMemory,
    SchemaTooNew,
    StoreError,
)
from graphmem.store.check import check
from graphmem.store.home import open_store

HOLDER = """
import sys, time
from graphmem.store.home import open_store
store = open_store(sys.argv[1], engine=sys.argv[2])
print("open", flush=True)
time.sleep(float(sys.argv[3]))
store.close()
"""


def hold(folder: Path, engine: str, seconds: float) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), engine, str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "open\n"
    return holder


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    process.stdout.close()


def filled(folder: Path, engine: str, times: int = 3) -> Path:
    store = open_store(folder, engine=engine)
    for n in range(times):
        store.apply(a_plan(*says_home(n, f"Town{n}")))
    store._engine.recycle()
    store.apply(a_plan(*says_home(times, "Rome")))
    store.close()
    return folder / f"graph.{engine}"


def test_new_and_empty_directories_become_memories(engine, tmp_path):
    for folder in (tmp_path / "a" / "b", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        open_store(folder, engine=engine).close()
        manifest = json.loads((folder / "memory.json").read_text())
        assert manifest == {"format": "graphmem", "engine": engine, "schema": 1, "ready": True}


def test_a_foreign_directory_is_left_alone(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(NotAMemory, match=r"photo\.jpg"):
        open_store(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["photo.jpg"]
    with pytest.raises(NotAMemory, match="not a directory"):
        open_store(tmp_path / "photo.jpg")


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file" / "memory", Path("/proc/memory")):
        with pytest.raises((MemoryUnwritable, NotAMemory)):
            open_store(path)


def test_a_newer_schema_and_a_broken_manifest(engine, folder):
    open_store(folder, engine=engine).close()
    manifest = folder / "memory.json"
    good = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**good, "schema": 99}))
    with pytest.raises(SchemaTooNew, match="upgrade"):
        open_store(folder)
    for broken in (b"", b"{", b"\xff\xfe\x00", b"[]", b'{"format": "x"}', b'{"format":"graphmem"}'):
        manifest.write_bytes(broken)
        with pytest.raises(MemoryDamaged, match=r"memory\.json"):
            open_store(folder)


def test_an_interrupted_creation_is_begun_anew(engine, folder):
    folder.mkdir()
    (folder / "memory.json").write_text(
        json.dumps({"format": "graphmem", "engine": engine, "schema": 1, "ready": False})
    )
    (folder / f"graph.{engine}").write_bytes(b"half")
    store = open_store(folder)
    assert store.last_event() == 0
    store.close()


@pytest.mark.parametrize(
    "harm",
    [
        lambda file: file.unlink(),
        lambda file: file.write_bytes(b""),
        lambda file: os.truncate(file, file.stat().st_size // 2),
        lambda file: file.write_bytes(os.urandom(30_000)),
        lambda file: _overwrite(file, file.stat().st_size // 2, os.urandom(4096)),
        lambda file: _overwrite(file, 4096, b"\0" * 4096),
    ],
)
def test_a_damaged_database_is_refused_with_a_next_step(engine, folder, harm):
    file = filled(folder, engine)
    harm(file)
    with pytest.raises(MemoryDamaged) as refused:
        open_store(folder)
    assert refused.value.next_step


@pytest.mark.parametrize(
    "harm",
    [
        lambda log: log.unlink(),
        lambda log: os.truncate(log, log.stat().st_size - 5),
        lambda log: _overwrite(log, log.stat().st_size // 2, b"\xa5" * 64),
        lambda log: log.write_bytes(os.urandom(3000)),
    ],
)
def test_a_log_that_lost_commits_is_refused_and_left_as_it_is(engine, folder, harm):
    log = filled(folder, engine).with_name(f"graph.{engine}.wal")
    assert log.stat().st_size > 0
    harm(log)
    before = log.read_bytes() if log.exists() else None
    for _ in range(2):
        with pytest.raises(MemoryDamaged, match="acknowledged"):
            open_store(folder)
    assert (log.read_bytes() if log.exists() else None) == before
    for name in ("seal", "mark"):  # what the message says to do to go on with what is left
        (folder / f"graph.{engine}.{name}").unlink()
    store = open_store(folder)
    assert store.fact("f0") is not None
    assert check(store).findings == ()
    store.close()


def test_a_torn_tail_that_was_never_acknowledged_is_dropped(engine, folder):
    log = filled(folder, engine).with_name(f"graph.{engine}.wal")
    with log.open("ab") as opened:
        opened.write(os.urandom(300))
    store = open_store(folder)
    assert store.fact("f3") is not None
    store.apply(a_plan(*says_home(9, "Bonn")))
    store.close()
    store = open_store(folder)
    assert store.fact("f9") is not None
    store.close()


def test_a_second_open_in_this_process_says_so(engine, folder):
    store = open_store(folder, engine=engine)
    with pytest.raises(MemoryLocked, match="already open in this process"):
        open_store(folder, wait=0)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.fact("f1")
    open_store(folder).close()


def test_the_holder_is_named_and_waiting_is_bounded(engine, folder):
    holder = hold(folder, engine, 60)
    try:
        start = time.monotonic()
        with pytest.raises(MemoryLocked, match=rf"process {holder.pid} \(python -c\) since 20"):
            open_store(folder, wait=0.3)
        assert 0.25 < time.monotonic() - start < 5
    finally:
        end(holder)
    open_store(folder, wait=0).close()  # a killed holder blocks nobody


def test_a_waiter_gets_its_turn(engine, folder):
    holder = hold(folder, engine, 0.5)
    try:
        with pytest.raises(MemoryLocked):
            open_store(folder, wait=0)
        store = open_store(folder, wait=20)
        with pytest.raises(MemoryLocked, match="already open in this process"):
            open_store(folder, wait=0)
        store.close()
    finally:
        end(holder)


def test_two_processes_take_turns_and_lose_nothing(engine, folder):
    open_store(folder, engine=engine).close()
    code = """
    import sys
    sys.path.insert(0, sys.argv[1])
    from building import a_plan, says_home
    from graphmem.store.home import open_store
    for n in range(int(sys.argv[3]), int(sys.argv[3]) + 8):
        store = open_store(sys.argv[2], wait=60)
        store.apply(a_plan(*says_home(n, f"Town{n}")))
        store.close()
    """
    here = str(Path(__file__).parent)
    run = [sys.executable, "-c", textwrap.dedent(code), here, str(folder)]
    workers = [subprocess.Popen([*run, str(first)]) for first in (0, 100)]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0]
    store = open_store(folder)
    assert store.last_event() == 16
    assert store.counts()["facts"] == 16
    assert check(store).findings == ()
    store.close()


def test_a_forked_child_cannot_use_it(engine, folder):
    store = open_store(folder, engine=engine)
    child = os.fork()
    if child == 0:
        try:
            store.fact("f1")
        except MemoryLocked:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    store.close()


def test_threads_share_one_store(engine, folder):
    store = open_store(folder, engine=engine)
    wrong = []

    def work(first: int) -> None:
        for n in range(first, first + 5):
            event = store.apply(a_plan(*says_home(n, f"Town{n}")))
            if store.event(event.n) != event or store.fact(f"f{n}") is None:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [event.n for event in store.events()] == list(range(1, 16))
    store.close()


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from building import a_plan, says_home
from graphmem.plan import SetFact, LinkReplaced
from graphmem.store import engine as engines
from graphmem.store.home import open_store
engines._LOG_LEAST = engines._LOG_MOST = 60_000
store = open_store(sys.argv[2], engine=sys.argv[3])
n = store.last_event()
while True:
    n += 1
    more = ()
    if n > 1:
        more = (SetFact(f"f{n - 1}", {}, {"state": "historical"}), LinkReplaced(f"f{n - 1}", f"f{n}"))
    store.apply(a_plan(*says_home(n, f"Town{n % 7}"), *more))
    print(n, flush=True)
"""


def test_what_was_acknowledged_survives_kill_9(engine, folder):
    here = str(Path(__file__).parent)
    acknowledged = 0
    for turn in range(5):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, here, str(folder), engine],
            stdout=subprocess.PIPE,
            text=True,
        )
        target = acknowledged + 12 + 17 * turn
        for line in writer.stdout:
            acknowledged = int(line)
            if acknowledged >= target:
                break
        time.sleep(0.003 * turn)
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split("\n")
        writer.wait()
        writer.stdout.close()
        acknowledged = max([acknowledged, *(int(line) for line in rest[:-1] if line)])
        store = open_store(folder)
        assert store.last_event() in (acknowledged, acknowledged + 1)
        assert store.fact(f"f{acknowledged}") is not None
        assert check(store).findings == ()
        acknowledged = store.last_event()
        store.close()


def _overwrite(file: Path, place: int, content: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(place)
        opened.write(content)


UNCLOSED = """
import sys
from building import a_plan, says_home
from graphmem.store.home import open_store
store = open_store(sys.argv[1], engine=sys.argv[2])
if len(sys.argv) > 3:
    store.apply(a_plan(*says_home(int(sys.argv[3]), "Oslo")))
"""


def test_a_process_that_ends_without_closing_harms_nothing(engine, folder):
    with closing(open_store(folder, engine=engine)) as store:
        store.apply(a_plan(*says_home(1, "Oslo")))
        store._engine.recycle()
    for more in ([], ["2"], ["3"]):
        command = [sys.executable, "-c", UNCLOSED, str(folder), engine, *more]
        subprocess.run(command, check=True, cwd=Path(__file__).parent)
    with closing(open_store(folder, engine=engine)) as store:
        assert [fact.id for fact in store.facts()] == ["f1", "f2", "f3"]
