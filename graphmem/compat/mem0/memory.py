"""mem0's `Memory` over graphmem: the same method names, arguments and return shapes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self

from graphmem.compat.mem0.adding import add
from graphmem.compat.mem0.arguments import day, plain_labels, share, wanted, whole
from graphmem.compat.mem0.changing import delete, delete_messages, new_version
from graphmem.compat.mem0.filters import matches
from graphmem.compat.mem0.items import Shelf, over
from graphmem.compat.mem0.labels import Entry, Labels
from graphmem.compat.mem0.options import MemoryConfig
from graphmem.compat.mem0.refusals import NotFound, Rejected
from graphmem.compat.mem0.scope import IDS, Scope
from graphmem.compat.mem0.searching import searched
from graphmem.compat.mem0.turns import moment, turns
from graphmem.memory import Memory as Graphmem
from graphmem.protocols import Clock, Embedder
from graphmem.spaces import Spaces

LABELS = "labels.sqlite"
_UNSET: Any = object()


class Memory:
    """mem0's interface. Each user (else agent, else run) has a memory of its own in a folder below
    `path`; see docs/compat-mem0.md.

    Arguments that cannot be used raise Rejected, unknown ids NotFound; both are ValueErrors.
    """

    def __init__(
        self,
        config: MemoryConfig | Mapping[str, Any] | None = None,
        *,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        given = config if isinstance(config, MemoryConfig) else MemoryConfig(**(config or {}))
        self.config = given
        self._options = given.options()
        self._lock = threading.RLock()
        self._labels = Labels(self._options.path / LABELS)
        self._spaces = Spaces(
            self._options.path, settings=self._options.settings, clock=clock, embedder=embedder
        )

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """A memory by mem0's configuration dictionary; ours stands under "graphmem"."""
        return cls(MemoryConfig(**config_dict))

    def space(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Graphmem:
        """The graphmem memory underneath: for conflicts, history, lineage, reminders."""
        ids = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        with self._lock:
            return self._spaces.memory(Scope.of(ids).required("space").space)

    def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:
        """Remember a text, a message or a list of them; {"results": [{"id", "memory", "event"}]}.

        With `infer=False` each message is a memory as it stands. `prompt` has nothing to do: no model is
        asked.
        """
        del prompt
        if memory_type is not None:
            raise Rejected(
                f"memory_type={memory_type!r}",
                expected="none: summaries need a language model",
                next_step="add the messages themselves",
            )
        ids = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        scope = Scope.of(ids).required("add")
        said = turns(messages)
        labels = {name: value for name, value in (metadata or {}).items() if name not in IDS}
        with self._lock:
            shelf = self._shelf(scope.space)
            results = add(
                shelf,
                said,
                scope=scope,
                metadata=plain_labels(labels),
                expires=day(expiration_date),
                said_at=shelf.memory.now() if timestamp is None else moment(timestamp),
                infer=infer,
                conflicts=self._options.conflicts,
            )
        return {"results": results}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """What answers a question, best first, as {"results": [...]}. Ids stand in `filters`, as in mem0 2, or
        beside it, as before. `explain` adds "score_details"; ranking is one and the same with `rerank`.
        """
        del rerank
        if not isinstance(query, str) or not query.strip():
            raise Rejected(f"query {query!r}", expected="some words")
        asked = wanted(filters, {"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        most = whole(limit if limit is not None else top_k, "top_k")
        least = share(threshold)
        at = None if reference_date is None else moment(reference_date)
        found: list[tuple[float, dict[str, Any]]] = []
        with self._lock:
            spaces = self._spaces_for(asked, "search")
            for space in spaces:
                found += searched(
                    self._shelf(space, asked),
                    query,
                    asked=asked,
                    most=most,
                    least=least,
                    at=at,
                    show_expired=show_expired,
                    explain=explain,
                )
            if len(spaces) > 1:
                near = self._spaces.likeness(query, [shown["memory"] for _, shown in found])
                found = [
                    (score, {**shown, "score": round(score, 6)})
                    for score, (_, shown) in zip(near, found, strict=True)
                ]
        found.sort(key=lambda pair: -pair[0])
        return {"results": [shown for _, shown in found[:most]]}

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """What is held, newest first, as {"results": [...]}; secrets are masked."""
        asked = wanted(filters, {"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        most = whole(limit if limit is not None else top_k, "top_k")
        passes = partial(matches, asked)
        results: list[dict[str, Any]] = []
        with self._lock:
            for space in self._spaces_for(asked, "get_all"):
                shelf = self._shelf(space, asked)
                today = shelf.memory.now().date()
                for entry, fact in shelf.standing(expired=show_expired):
                    if len(results) == most:
                        break
                    if over(entry, today) and not show_expired:
                        continue
                    shown = shelf.item(entry, fact, passes, reveal=False)
                    if shown is not None:
                        results.append(shown)
        return {"results": results}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """One memory, None where there is none with this id."""
        with self._lock:
            entry = self._labels.entry(memory_id)
            if entry is None:
                return None
            shelf = self._shelf(entry.space)
            return shelf.item(entry, shelf.fact_of(entry), lambda _: True)

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Give a memory new words or labels; its id stays, the old words are history. Raises NotFound."""
        words = text if text is not None else data
        if words is None and metadata is None and expiration_date is _UNSET:
            raise Rejected(
                "nothing to update", expected="at least one of text, metadata, expiration_date"
            )
        if words is not None and (not isinstance(words, str) or not words.strip()):
            raise Rejected(f"text {words!r}", expected="some words to remember")
        with self._lock:
            entry = self._entry(memory_id)
            shelf = self._shelf(entry.space)
            expires = entry.expires if expiration_date is _UNSET else day(expiration_date)
            labels = {k: v for k, v in (metadata or {}).items() if k not in (*IDS, "actor_id")}
            self._labels.change(
                entry,
                fact_ids=[] if words is None else new_version(shelf, entry, words),
                metadata={**entry.metadata, **plain_labels(labels)},
                expires=expires,
                at=shelf.memory.now().isoformat(),
            )
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory for good, with its older versions. Raises NotFound."""
        with self._lock:
            entry = self._entry(memory_id)
            delete(self._shelf(entry.space), entry)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, str]:
        """Delete everything in a scope for good: memories, and every message that was kept."""
        ids = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        scope = Scope.of(ids).required("delete_all")
        with self._lock:
            if len(scope.as_dict()) == 1:  # the space that is all its own
                self._spaces.remove(scope.space)
                self._labels.drop_space(scope.space)
            for space, some in self._labels.messages_of(scope).items():
                delete_messages(self._shelf(space), some)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """What happened to a memory, oldest first, in mem0's rows. Deleted words are None."""
        with self._lock:
            events = self._labels.events(memory_id)
            entry = self._labels.entry(memory_id)
            texts = self._shelf(entry.space).words(entry) if entry else {}
        return [
            {
                "id": f"{memory_id}:{number}",
                "memory_id": memory_id,
                "old_memory": texts.get(event["version"] - 1),
                "new_memory": texts.get(event["version"]),
                "event": event["event"],
                "created_at": event["created_at"],
                "updated_at": event["at"],
                "is_deleted": event["event"] == "DELETE",
                "actor_id": None,
                "role": None,
            }
            for number, event in enumerate(events, 1)
        ]

    def reset(self) -> None:
        """Delete every memory of every user, agent and run for good."""
        with self._lock:
            for space in self._spaces.every():
                self._spaces.remove(space)
                self._labels.drop_space(space)

    def close(self) -> None:
        """Close all memories; closing twice is harmless."""
        with self._lock:
            self._spaces.close()
            self._labels.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- inside --------------------------------------------------------------------------------------

    def _shelf(self, space: str, asked: Mapping[str, Any] | None = None) -> Shelf:
        """A space; `asked` tells whose, should its labels have been lost."""
        owner = self._labels.owner(space)
        if not owner.as_dict() and asked:
            name = f"{space.partition('-')[0]}_id"
            owner = Scope.of({name: asked.get(name)})
        return Shelf(space, self._spaces.memory(space), self._labels, owner)

    def _entry(self, memory_id: str) -> Entry:
        entry = self._labels.entry(memory_id)
        if entry is None:
            raise NotFound(memory_id)
        return entry

    def _spaces_for(self, asked: Mapping[str, Any], call: str) -> list[str]:
        """The spaces to look into: the user's own, else those in which the agent or run has spoken."""
        plain_ids = {name: asked[name] for name in IDS if isinstance(asked.get(name), str)}
        scope = Scope.of(plain_ids)
        if not any(name in asked for name in IDS):
            scope.required(call)
        if scope.user_id:
            return [scope.space] if self._spaces.there(scope.space) else []
        return [one for one in self._labels.spaces_of(scope) if self._spaces.there(one)]
