"""A LangGraph store on graphmem (extra `langgraph`): items by namespace and key, found by what they say.

Each namespace has a memory in a folder of its own. An item is kept as it is; its words are remembered there,
so that a search by a question is graphmem's recall. Putting other words under a key is an update: the old
words become history. Deleting an item deletes its words, the older ones too.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from graphmem.errors import InvalidQuery, UnknownId
from graphmem.integrations import extra
from graphmem.integrations.shelf import ItemShelf, Kept
from graphmem.memory import Memory
from graphmem.model import Message
from graphmem.protocols import Clock, Embedder
from graphmem.spaces import Spaces

with extra("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
    )

__all__ = ["GraphmemStore"]

WIDER = (50, 500, 5000)  # how many statements are recalled, until enough items pass
SOURCE = "langgraph"


class GraphmemStore(BaseStore):
    """A `BaseStore` for `graph.compile(store=...)`, durable in the folder `path`.

    `fields` are the paths whose words are remembered (LangGraph's syntax); None takes every text in the
    value. `index=False` in a put keeps an item out of searches by question. It is a context manager.
    """

    supports_ttl = False

    def __init__(
        self,
        path: str | Path,
        *,
        fields: Iterable[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        place = Path(path).expanduser()
        self._fields = None if fields is None else list(fields)
        self._lock = threading.RLock()
        self._spaces = Spaces(place, settings=settings, clock=clock, embedder=embedder)
        self._shelf = ItemShelf(place / "items.sqlite")

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads see what was there before, of several puts to a key the last counts."""
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        with self._lock:
            for op in ops:
                results.append(self._answer(op))
                if isinstance(op, PutOp):
                    puts[op.namespace, op.key] = op
            for op in puts.values():
                self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same beside the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def memory(self, namespace: tuple[str, ...]) -> Memory:
        """The memory of a namespace: for its history, conflicts, lineage."""
        with self._lock:
            return self._spaces.memory(self._shelf.space(namespace))

    def close(self) -> None:
        """Close all memories; closing twice is harmless."""
        with self._lock:
            self._spaces.close()
            self._shelf.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- reading -------------------------------------------------------------------------------------

    def _answer(self, op: Op) -> Result:
        match op:
            case GetOp():
                kept = self._shelf.get(op.namespace, op.key)
                return _item(kept) if kept else None
            case SearchOp():
                return self._found(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case PutOp():
                return None
        raise InvalidQuery(f"operation {type(op).__name__}", expected="one of LangGraph's")

    def _found(self, op: SearchOp) -> list[SearchItem]:
        if op.limit < 0 or op.offset < 0:
            raise InvalidQuery(
                f"limit {op.limit}, offset {op.offset}", expected="0 or more, both of them"
            )
        last = op.offset + op.limit
        scored: Iterable[tuple[float | None, Kept]]
        if op.query and op.query.strip():
            scored = self._ranked(op.query, list(self._recalled(op, last)))
        else:
            scored = ((None, kept) for kept in self._shelf.under(op.namespace_prefix))
        passing = [(score, kept) for score, kept in scored if _passes(kept.value, op.filter)]
        return [
            SearchItem(
                namespace=kept.namespace,
                key=kept.key,
                value=kept.value,
                created_at=kept.created_at,
                updated_at=kept.updated_at,
                score=score,
            )
            for score, kept in passing[op.offset : last]
        ]

    def _ranked(
        self, query: str, found: list[tuple[bool, float, Kept]]
    ) -> list[tuple[float, Kept]]:
        """Best first, what hardly fits last; of several memories by how near the words are."""
        if len({kept.namespace for *_, kept in found}) > 1:
            near = self._spaces.likeness(query, [kept.words for *_, kept in found])
            found = [(far, near[n], kept) for n, (far, _, kept) in enumerate(found)]
        return [(score, kept) for _, score, kept in sorted(found, key=lambda x: (x[0], -x[1]))]

    def _recalled(self, op: SearchOp, enough: int) -> Iterator[tuple[bool, float, Kept]]:
        """Items of every namespace under the prefix whose words answer the question: whether they hardly
        fit, the score within their memory, the item.
        """
        for namespace in self._shelf.namespaces(op.namespace_prefix):
            memory = self._spaces.memory(self._shelf.space(namespace))
            chosen: dict[str, tuple[bool, float, Kept]] = {}
            for wide in WIDER:
                recall = memory.recall(op.query or "", limit=max(wide, enough))
                for place, item in enumerate(recall.items):
                    for snapshot in item.sources:
                        kept = self._shelf.saying(namespace, snapshot.id)
                        if kept is not None and kept.key not in chosen:
                            chosen[kept.key] = (place in recall.aside, item.score, kept)
                passed = sum(_passes(kept.value, op.filter) for *_, kept in chosen.values())
                if passed >= enough or len(recall.items) < wide:
                    break
            yield from chosen.values()

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {
            namespace[: op.max_depth] if op.max_depth is not None else namespace
            for namespace in self._shelf.namespaces(())
            if all(_fits(condition, namespace) for condition in op.match_conditions or ())
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    # --- writing -------------------------------------------------------------------------------------

    def _put(self, op: PutOp) -> None:
        before = self._shelf.get(op.namespace, op.key)
        if op.value is None and before is None:
            return
        memory = self._spaces.memory(self._shelf.space(op.namespace))
        if op.value is None:
            _forget(memory, before)
            self._shelf.remove(op.namespace, op.key)
            return
        words = self._words(op)
        messages = before.messages if before else ()
        facts = before.facts if before else ()
        if before is None or words != before.words:
            said, facts = _said(memory, op, words, facts)
            messages = (*messages, *said)
        self._shelf.put(
            Kept(
                namespace=op.namespace,
                key=op.key,
                value=dict(op.value),
                words=words,
                messages=messages,
                facts=facts,
                created_at=before.created_at if before else memory.now(),
                updated_at=memory.now(),
            )
        )

    def _words(self, op: PutOp) -> str:
        """What an item says, empty where nothing of it is to be found by a question."""
        if op.value is None or op.index is False:
            return ""
        paths = op.index if op.index is not None else self._fields
        if paths is None:
            texts = list(_texts(op.value))
        else:
            texts = [
                text for path in paths for text in get_text_at_path(op.value, tokenize_path(path))
            ]
        return "\n".join(text for text in texts if text.strip())


def _said(
    memory: Memory, op: PutOp, words: str, facts: tuple[str, ...]
) -> tuple[list[str], tuple[str, ...]]:
    """Remember an item's words; those that stood under its key before become history."""
    standing = [one for one in facts if _there(memory.fact, one)]
    if standing and words:
        receipt = memory.update(standing[0], words)
        for one in standing[1:]:
            memory.retire(one)
    else:
        for one in standing:
            memory.retire(one)
        if not words:
            return [], ()
        receipt = memory.add(
            Message(
                text=words,
                said_at=memory.now(),
                source=SOURCE,
                conversation="/".join((*op.namespace, op.key)),
            )
        )
    learnt = (*receipt.facts, *receipt.notes, *receipt.merged)
    snapshots = [receipt.snapshot.id] if receipt.snapshot else []
    return snapshots, tuple(fact.id for fact in learnt)


def _forget(memory: Memory, kept: Kept | None) -> None:
    there = [one for one in (kept.messages if kept else ()) if _there(memory.snapshot, one)]
    if there:
        memory.forget(*there)


def _there(look_up: Any, one: str) -> bool:
    try:
        look_up(one)
    except UnknownId:
        return False
    return True


def _item(kept: Kept) -> Item:
    return Item(
        value=kept.value,
        key=kept.key,
        namespace=kept.namespace,
        created_at=kept.created_at,
        updated_at=kept.updated_at,
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inside in value.values():
            yield from _texts(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from _texts(inside)


def _fits(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return not path or all(wanted in ("*", given) for wanted, given in zip(path, part, strict=True))


def _passes(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    return all(_agrees(value.get(name), wanted) for name, wanted in (conditions or {}).items())


def _agrees(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping) or not any(str(name).startswith("$") for name in wanted):
        return bool(value == wanted)
    return all(_compares(str(name), value, limit) for name, limit in wanted.items())


def _compares(operator: str, value: Any, limit: Any) -> bool:
    try:
        match operator:
            case "$eq":
                return bool(value == limit)
            case "$ne":
                return bool(value != limit)
            case "$gt":
                return bool(value > limit)
            case "$gte":
                return bool(value >= limit)
            case "$lt":
                return bool(value < limit)
            case "$lte":
                return bool(value <= limit)
    except TypeError:
        return False
    raise InvalidQuery(f"filter {operator}", expected="$eq, $ne, $gt, $gte, $lt or $lte")
