"""Parting two that were taken for one (R2.6): what a merge moved goes back, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmem.identity import digest
from graphmem.model import Entity, Event
from graphmem.plan import AddEntity, MoveAlias, MoveFact, Op
from graphmem.protocols import GraphStore
from graphmem.remember.linking import EVERY, is_shell
from graphmem.words import key


def split_up(
    store: GraphStore, entity: Entity, alias: str, *, events: Iterable[Event]
) -> tuple[Op, ...]:
    """The operations that give `alias`, a further name of `entity`, an entity of its own.

    Where a merge brought the name (looked for in `events`, newest first), the entity which that merge
    emptied gets back the names and facts that it had, and what was said under them since. Else a
    new entity gets the name and the facts that were said under it.
    """
    known = {key(name): name for name in entity.aliases}
    merged = _merged(store, entity, alias, events)
    if merged is None:
        own = Entity(id=digest("e", entity.id, key(alias)), name=alias, kind=entity.kind)
        ops: list[Op] = [] if store.entity(own.id) else [AddEntity(own)]
        names, moved = {key(alias)}, set[tuple[str, str]]()
    else:
        own, back = merged
        ops = []
        names = {key(op.alias) for op in back if isinstance(op, MoveAlias)} & known.keys()
        moved = {(op.fact_id, op.side) for op in back if isinstance(op, MoveFact)}
    ops += [MoveAlias(known[name], entity.id, own.id) for name in sorted(names)]
    ops += _facts_back(store, entity, own, names, moved)
    return tuple(ops)


def _facts_back(
    store: GraphStore, entity: Entity, own: Entity, names: set[str], moved: set[tuple[str, str]]
) -> Iterator[Op]:
    for fact in store.facts_of(entity.id, limit=EVERY):
        if (fact.id, "subject") in moved or key(fact.entity) in names:
            yield MoveFact(fact.id, "subject", entity.id, "", own.id, "")
    for fact in store.facts_with_object(entity.id, limit=EVERY):
        if (fact.id, "object") in moved or key(fact.object) in names:
            yield MoveFact(fact.id, "object", entity.id, "", own.id, "")


def _merged(
    store: GraphStore, entity: Entity, alias: str, events: Iterable[Event]
) -> tuple[Entity, tuple[Op, ...]] | None:
    """The entity that lost `alias` to `entity` by a merge, and what takes that merge back."""
    for event in events:
        touched = event.touched.get("entities", ())
        if entity.id not in touched or len(touched) < 2:
            continue
        back = store.undo_ops(event.n) or ()
        for op in back:
            if (
                isinstance(op, MoveAlias)
                and op.before_id == entity.id
                and key(op.alias) == key(alias)
            ):
                own = store.entity(op.after_id)
                if own is not None and is_shell(store, own):
                    to_own = (one for one in back if getattr(one, "after_id", "") == own.id)
                    return own, tuple(to_own)
    return None
