"""The schema's versions: how a new graph is made, and how an older one is brought up to date."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass

from graphmem.errors import MemoryDamaged, WriteFailed
from graphmem.store import cypher, schema
from graphmem.store.engine import Engine, EngineRefused

_NAME = "schema"


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

    A copy of the files is kept until all of them are done and is put back where one fails. Raises
    MemoryDamaged.
    """
    pending = [step for step in STEPS if version < step.to <= schema.VERSION]
    if not pending:
        return False
    engine.close(fold_above=0)
    copy = engine.file.with_name(f"{engine.file.name}.before-{schema.VERSION}")
    shutil.copyfile(engine.file, copy)
    engine.open()
    for step in sorted(pending, key=lambda one: one.to):
        try:
            step.carry_out(engine)
            engine.change(cypher.change(schema.META, ("value",)), {"key": _NAME, "value": step.to})
        except EngineRefused as cause:
            engine.close(fold_above=0)
            copy.replace(engine.file)
            engine.seal.fold_ended()
            raise MemoryDamaged(
                f"the graph cannot be brought to schema {step.to}: {cause}",
                next_step="it is as it was before: use the graphmem that wrote it, and report this",
            ) from cause
    engine.close(fold_above=0)
    copy.unlink()
    engine.open()
    return True


def version_of(engine: Engine) -> int:
    """The version that the graph itself names."""
    rows = engine.run(cypher.META, {"name": _NAME})
    if not rows:
        raise MemoryDamaged(f"the graph {engine.file} names no schema version")
    return int(rows[0][0])
