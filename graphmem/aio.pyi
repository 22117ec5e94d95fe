# The types of AsyncMemory, made by tools/async_types.py from those of Memory.
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from graphmem.asynchronous import Asynchronous, Opening
from graphmem.backup.exporting import Exported, Form
from graphmem.backup.making import Made
from graphmem.backup.restoring import Restored
from graphmem.config import Settings
from graphmem.memory import Memory
from graphmem.model import (
    Conflict,
    Decision,
    Entity,
    Fact,
    Kind,
    Message,
    Receipt,
    Snapshot,
    State,
    Table,
    Tier,
    Trigger,
)
from graphmem.protocols import Clock, Embedder, Health
from graphmem.recall.around import Surroundings
from graphmem.recall.lineage import History, Lineage
from graphmem.recall.result import Recall
from graphmem.recall.stats import Stats
from graphmem.remember.tending import Tended
from graphmem.remind.schedule import Due
from graphmem.when import When

States: TypeAlias = Literal["current", "all"] | Iterable[State | str]

class AsyncMemory(Asynchronous[Memory]):
    @property
    def path(self) -> Path | None: ...
    @property
    def settings(self) -> Settings: ...
    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        reader: str | None = None,
        clock: Clock | None = None,
        embedder: Embedder | str | None = None,
        config: Settings | Mapping[str, Any] | None = None,
    ) -> Opening[Self]: ...
    async def add(self, message: Message) -> Receipt: ...
    async def remember(
        self,
        text: str,
        *,
        speaker: str | None = None,
        said_at: datetime | None = None,
        conversation: str = "",
        readers: Iterable[str] = (),
    ) -> Receipt: ...
    def ingest(
        self, messages: Iterable[Message] | AsyncIterable[Message]
    ) -> AsyncIterator[Receipt]: ...
    async def extract(self, message: Message) -> Receipt: ...
    async def recall(
        self,
        question: str,
        *,
        at: datetime | None = None,
        limit: int = 10,
        about: str | None = None,
        as_of: datetime | None = None,
        include: Iterable[State | str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        states: Iterable[State | str] = (),
        predicates: Iterable[str] = (),
        sources: Iterable[str] = (),
        tiers: Iterable[Tier | str] = (),
        speakers: Iterable[str] = (),
        reveal: bool = False,
    ) -> Recall: ...
    async def context(
        self,
        question: str,
        *,
        at: datetime | None = None,
        max_tokens: int = 1500,
        model_context: int = 8000,
    ) -> str: ...
    async def facts(
        self,
        entity: str | None = None,
        *,
        slot: str | None = None,
        states: States = "current",
        kinds: Iterable[Kind | str] | None = None,
        limit: int = 1000,
        before: int | None = None,
    ) -> tuple[Fact, ...]: ...
    async def fact(self, fact_id: str) -> Fact: ...
    async def snapshot(self, snapshot_id: str) -> Snapshot: ...
    async def entities(self, *, limit: int = 1000) -> tuple[Entity, ...]: ...
    async def history(
        self, entity: str, slot: str | None = None, *, as_of: datetime | None = None
    ) -> History: ...
    async def lineage(
        self, entity: str, slot: str | None = None, *, as_of: datetime | None = None
    ) -> Lineage: ...
    async def graph(
        self, entity: str, *, depth: int = 1, limit: int = 60, states: States = "current"
    ) -> Surroundings: ...
    async def stats(self) -> Stats: ...
    async def cypher(self, query: str, **parameters: Any) -> Table: ...
    async def conflicts(self, *, open_only: bool = True) -> tuple[Conflict, ...]: ...
    async def resolve(self, conflict_id: str, decision: Decision | str) -> Receipt: ...
    async def update(self, fact_id: str, text: str) -> Receipt: ...
    async def edit(self, fact_id: str, text: str) -> Receipt: ...
    async def confirm(self, fact_id: str) -> Receipt: ...
    async def retire(self, fact_id: str) -> Receipt: ...
    async def restore(self, fact_id: str) -> Receipt: ...
    async def pin(self, fact_id: str, *, pinned: bool = True) -> Receipt: ...
    async def limit(self, fact_id: str, readers: Iterable[str] = ()) -> Receipt: ...
    async def forget(self, fact_id: str, *others: str) -> Receipt: ...
    async def undo(self, event: int | None = None) -> Receipt: ...
    async def merge_entities(self, kept: str, gone: str) -> Receipt: ...
    async def split_entity(self, entity: str, alias: str) -> Receipt: ...
    async def due(self, now: datetime | None = None, *, record: bool = True) -> tuple[Due, ...]: ...
    async def reminders(self, *, active_only: bool = True) -> tuple[Trigger, ...]: ...
    async def remind(
        self,
        text: str,
        *,
        said_at: datetime | None = None,
        at: datetime | When | None = None,
        rule: str | None = None,
        keywords: Iterable[str] = (),
    ) -> Receipt: ...
    async def next_time(
        self, trigger: Trigger, *, after: datetime | None = None
    ) -> datetime | None: ...
    async def calendar(self) -> str: ...
    async def reminder_done(self, trigger_id: str) -> Receipt: ...
    async def snooze(self, trigger_id: str, until: datetime) -> Receipt: ...
    async def cancel_reminder(self, trigger_id: str) -> Receipt: ...
    async def tend(self, *, budget: float | None = None) -> Tended: ...
    async def now(self) -> datetime: ...
    async def status(self) -> Mapping[str, Any]: ...
    async def check(self) -> Health: ...
    async def repair(self) -> Health: ...
    async def backup(self, file: str | Path, passphrase: str | None = None) -> Made: ...
    @classmethod
    async def restore_backup(
        cls,
        file: str | Path,
        path: str | Path | None = None,
        passphrase: str | None = None,
        *,
        clock: Clock | None = None,
        config: Settings | Mapping[str, Any] | None = None,
    ) -> Restored: ...
    async def export(
        self, file: str | Path, *, form: Form | str | None = None, reveal: bool = False
    ) -> Exported: ...
    async def import_export(self, file: str | Path) -> Restored: ...
