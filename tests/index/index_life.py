"""A long deterministic life of a memory; run as a script, it is followed by an index until killed."""

from __future__ import annotations

import sys
from pathlib import Path

from index_world import NOW, World, fact, said

from graphmem import plan as ops
from graphmem.model import State
from graphmem.plan import Plan

EVENTS = 4000


def plans():
    for at in range(EVENTS):
        if at % 10 == 9:
            done = (ops.RemoveFact(f"f{at - 3}"), ops.RemoveSnapshot(f"s{at - 3}"))
        elif at % 10 == 8:
            done = (ops.SetFact(f"f{at - 4}", {}, {"state": State.HISTORICAL}),)
        else:
            text = f"statement {at} about word{at % 7}"
            statement = said(f"s{at}", text)
            done = (ops.AddSnapshot(statement), ops.AddFact(fact(f"f{at}", f"s{at}", text)))
        yield Plan(kind="add", at=NOW, ops=done)


def main(folder):
    world = World(Path(folder))
    for plan in plans():
        world.apply(*plan.ops)
        sys.stdout.write(".\n")
        sys.stdout.flush()
        if world.store.last_event() % 50 == 0:
            world.index.flush()


if __name__ == "__main__":
    main(sys.argv[1])
