"""The schema's versions: how a new graph is made, and how an older one is brought up to date."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from graphmem.errors import MemoryDamaged, WriteFailed
from graphmem.store import cypher, schema
from graphmem.store.engine import Engine, EngineRefused
from graphmem.store.whole_file import replacing

_NAME = "schema"
_BEFORE = ".before-"  # and the version that an upgrade leads to: the name of the copy


@dataclass(frozen=True, slots=True)
class Step:
    """Brings a graph from version `to - 1` to version `to`."""

    to: int
    carry_out: Callable[[Engine], None]


STEPS: tuple[Step, ...] = ()  # version 1 is the first


def create(engine: Engine) -> None:
    """Make the tables of the present version in an empty database. Raises WriteFailed."""
    try:
        for table in (*schema.NODES, *schema.EDGES):
            engine.change(table.ddl)
        engine.change(cypher.create(schema.META), {"name": _NAME, "value": schema.VERSION})
    except EngineRefused as cause:
        raise WriteFailed(f"the graph cannot be made: {cause}") from cause


def upgrade(engine: Engine, version: int) -> bool:
    """Carry out the steps above `version`; True where there were any.

    A copy of the file is kept beside it: put back at once where a step fails, by `take_back` where the process
    ended meanwhile, and deleted by `finish`. Raises MemoryDamaged.
    """
    pending = [step for step in STEPS if version < step.to <= schema.VERSION]
    if not pending:
        return False
    engine.close(fold_above=0)
    _keep(engine.file)
    engine.open()
    for step in sorted(pending, key=lambda one: one.to):
        try:
            step.carry_out(engine)
            engine.change(cypher.change(schema.META, ("value",)), {"key": _NAME, "value": step.to})
        except EngineRefused as cause:
            engine.give_up()
            take_back(engine, version)
            raise MemoryDamaged(
                f"the graph cannot be brought to schema {step.to}: {cause}",
                next_step="it is as it was before: use the graphmem that wrote it, and report this",
            ) from cause
    engine.close(fold_above=0)
    engine.open()
    return True


def take_back(engine: Engine, version: int) -> None:
    """Before the graph is opened: put the copy back that an upgrade from `version` kept, if it did not end."""
    for copy in _copies(engine.file):
        leads_to = copy.suffix.removeprefix(_BEFORE)
        if leads_to.isdecimal() and version < int(leads_to):
            engine.put_back(copy)
    finish(engine)


def finish(engine: Engine) -> None:
    """Delete the copy: the manifest tells of the new version."""
    with suppress(OSError):  # then the next opening does it
        for copy in _copies(engine.file):
            copy.unlink(missing_ok=True)


def _keep(file: Path) -> None:
    """Copy the closed file, whole or not at all."""
    copy = file.with_name(f"{file.name}{_BEFORE}{schema.VERSION}")
    with replacing(copy) as written, file.open("rb") as opened:
        shutil.copyfileobj(opened, written, 1 << 20)


def _copies(file: Path) -> list[Path]:
    return sorted(file.parent.glob(f"{file.name}{_BEFORE}*"))


def version_of(engine: Engine) -> int:
    """The version that the graph itself names."""
    rows = engine.run(cypher.META, {"name": _NAME})
    if not rows:
        raise MemoryDamaged(f"the graph {engine.file} names no schema version")
    return int(rows[0][0])
