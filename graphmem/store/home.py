"""Opens the directory of a memory, or makes a new one; touches nothing that is not its own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from graphmem.config import FILE_NAME
from graphmem.errors import MemoryDamaged, MemoryUnwritable, NotAMemory
from graphmem.protocols import Clock
from graphmem.store import manifest, migrations
from graphmem.store.engine import Engine, EngineName, EngineRefused
from graphmem.store.graph import Graph
from graphmem.store.lock import LOCK, TURNSTILE, Lock
from graphmem.store.manifest import MANIFEST, Manifest

_OURS = frozenset({LOCK, TURNSTILE, MANIFEST, MANIFEST + ".new", FILE_NAME})


def open_store(
    path: str | Path,
    *,
    engine: EngineName = "kuzu",
    clock: Clock | None = None,
    wait: float = 5.0,
    query_seconds: float = 30.0,
) -> Graph:
    """The graph store in a directory; a new or empty directory (a configuration file may lie in it)
    becomes a new memory on `engine`; an existing one keeps its own. Waits up to `wait` seconds for another process.

    Raises NotAMemory, MemoryLocked, MemoryUnwritable, MemoryDamaged, SchemaTooNew, ExtensionMissing.
    """
    directory = Path(path)
    _look(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise MemoryUnwritable(
            f"the directory {directory} cannot be made: {cause.strerror}",
            next_step="choose a directory that you may write to",
        ) from cause
    lock = Lock(directory)
    lock.acquire(wait, since=clock.now() if clock else datetime.now(UTC))
    opened: Graph | None = None
    try:
        opened = _open(directory, engine, lock, query_seconds)
    finally:
        if opened is None:
            lock.release()
    return opened


def _look(directory: Path) -> None:
    try:
        if not directory.exists():
            return
        if not directory.is_dir():
            raise NotAMemory(f"{directory} is not a directory", next_step="choose another path")
        names = {entry.name for entry in directory.iterdir()}
    except OSError as cause:
        raise MemoryUnwritable(
            f"{directory} cannot be read: {cause.strerror}",
            next_step="choose a directory that you may read and write",
        ) from cause
    others = sorted(names - _OURS)
    if MANIFEST not in names and others:
        raise NotAMemory(
            f"{directory} holds other things ({', '.join(others[:3])}) and no {MANIFEST}",
            expected="a memory, or an empty or new directory",
            next_step="choose another directory",
        )


def _open(directory: Path, engine: EngineName, lock: Lock, query_seconds: float) -> Graph:
    found = manifest.read(directory)
    if found is None:
        found = Manifest(engine=engine)
        manifest.write(directory, found)
    file = directory / f"graph.{found.engine}"
    database = Engine(found.engine, file)
    opened: Graph | None = None
    try:
        opened = _opened(directory, database, found, lock, query_seconds)
    finally:
        if opened is None:
            database.give_up()
    return opened


def _opened(
    directory: Path, database: Engine, found: Manifest, lock: Lock, query_seconds: float
) -> Graph:
    if not found.ready and not _is_made(database):
        database.create()
        migrations.create(database)
        manifest.write(directory, found.done())
        return Graph(database, lock, query_seconds=query_seconds)
    if not database.is_open:
        migrations.take_back(database, found.schema)
        database.open()
    if migrations.upgrade(database, found.schema) or not found.ready:
        manifest.write(directory, found.done())
        migrations.finish(database)
    return Graph(database, lock, query_seconds=query_seconds)


def _is_made(database: Engine) -> bool:
    """Open the graph of a directory whose manifest says that its making did not end, if that is not so. What was
    ever worked with is not made anew: raises MemoryDamaged.
    """
    if not database.file.is_file():
        return False
    try:
        database.open()
        migrations.version_of(database)
    except (MemoryDamaged, EngineRefused):
        database.give_up()
        if database.seal.was_folded():
            raise
        return False
    return True
