"""The facade: what agents, the command line and every other face call. Thin; no logic of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from graphmem import plugins
from graphmem.backup.exporting import Exported, Form, export, form_of
from graphmem.backup.making import Made, back_up
from graphmem.backup.restoring import Restored, import_export, restore
from graphmem.clock import SystemClock
from graphmem.config import Settings, default_home, load
from graphmem.embed.make import make, make_reranker
from graphmem.errors import InvalidSettings, MemoryUnwritable
from graphmem.forget.tiers import stood
from graphmem.lexicon import Lexicon
from graphmem.lifecycle.reading import Reader as Wording
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
    one_of,
)
from graphmem.protocols import Clock, Embedder, GraphStore, Health, SearchIndex, TimeGrammar
from graphmem.ranges import aware, seconds, whole
from graphmem.readers.allowed import allowed
from graphmem.readers.searching import SearchSeen
from graphmem.readers.view import Seen, owner_only
from graphmem.recall.around import Surroundings, around
from graphmem.recall.engine import Recaller
from graphmem.recall.limits import limits
from graphmem.recall.lineage import History, Lineage, history_of, lineage_of
from graphmem.recall.result import Recall
from graphmem.recall.stats import Stats, counted
from graphmem.recall.trial import Ask, trial
from graphmem.remember.ahead import Ahead
from graphmem.remember.commander import Commander
from graphmem.remember.owner import Owner
from graphmem.remember.reminding import Reminders
from graphmem.remember.resolving import EVERY, Names
from graphmem.remember.stream import Stream
from graphmem.remember.tending import Tended, Tender
from graphmem.remind.owner_time import OwnerTime, zone_of
from graphmem.remind.schedule import Due
from graphmem.store.check import check
from graphmem.store.graph import Graph
from graphmem.store.home import open_store
from graphmem.store.search import open_search
from graphmem.turns import Turns
from graphmem.when import When

UPKEEP_AT_OPENING = 0.15  # seconds

States = Literal["current", "all"] | Iterable[State | str]


class Memory:
    """One owner's memory. Open it with `Memory.open`; it is a context manager and may be shared by threads.

    Every method that takes an id raises UnknownId for one it does not know. Facts and entities may be
    named instead of given by id wherever a name says which one is meant.
    """

    def __init__(
        self,
        store: Graph,
        search: SearchIndex,
        embedder: Embedder,
        *,
        settings: Settings,
        clock: Clock,
        reader: str | None = None,
        path: Path | None = None,
    ) -> None:
        lexicon = Lexicon.load(settings.lexicon)
        times: TimeGrammar = plugins.shared(plugins.TIMES, "grammar", lexicon)
        self.path = path
        self.settings = settings
        self._reader = reader
        self._clock = clock
        # `_store` is held to the reader, so that no verb can forget him; the whole is for the owner's verbs
        self._whole = store
        self._store: GraphStore = store if reader is None else Seen(store, reader)
        looked = search if reader is None else SearchSeen(search, store, reader)
        self._search = search
        self._commander = Commander(
            store,
            search,
            embedder,
            times=times,
            lexicon=lexicon,
            settings=settings,
            clock=clock,
            folder=path,
            reader=reader,
        )
        self._owner = Owner(store, self._commander, clock=clock, lexicon=lexicon, reader=reader)
        owner_time = OwnerTime.of(settings, lexicon)
        self._reminders = Reminders(
            self._store,
            self._commander,
            clock=clock,
            times=owner_time,
            reader=reader,
        )
        self._tender = Tender(
            store, search, self._commander, clock=clock, times=owner_time, folder=path
        )
        self._names = Names(self._store, clock)
        self._lock = Turns(
            store,
            search,
            wait=settings.lock_wait,
            now=clock.now,
            others_wrote=self._commander.others_wrote,
        )
        self._recaller = Recaller(
            self._store,
            looked,
            embedder,
            lexicon,
            clock,
            times,
            make_reranker(settings.reranker, allow_download=settings.allow_download)
            if settings.reranker
            else None,
            reranker_budget=settings.reranker_budget,
            wording=Wording(lexicon),
        )

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        reader: str | None = None,
        clock: Clock | None = None,
        embedder: Embedder | str | None = None,
        config: Settings | Mapping[str, Any] | None = None,
    ) -> Self:
        """Open the memory at `path`, making it where there is none (default: GRAPHMEM_HOME, else the
        platform's data folder).

        `embedder` is an embedder or the name of one. `config` is a Settings object, or values that go
        over the file's and the environment's. Raises NotAMemory, MemoryLocked, MemoryUnwritable,
        MemoryDamaged, SchemaTooNew, InvalidSettings.
        """
        if reader is not None and not reader.strip():
            raise InvalidSettings(f"reader is {reader!r}", expected="a name, or None for the owner")
        place = Path(path).expanduser() if path is not None else default_home()
        settings = config if isinstance(config, Settings) else load(place, arguments=config)
        if isinstance(embedder, str):
            settings = replace(settings, embedder=embedder)
        ticking = clock or SystemClock(zone_of(settings))
        encoder = (
            make(settings.embedder, allow_download=settings.allow_download)
            if embedder is None or isinstance(embedder, str)
            else embedder
        )
        # read once a process, which takes a moment: not while the memory is held
        plugins.shared(plugins.TIMES, "grammar", Lexicon.load(settings.lexicon))
        with ExitStack() as opened:
            store = open_store(
                place, engine=settings.engine, clock=ticking, wait=settings.lock_wait
            )
            opened.callback(store.close)
            search = open_search(place, encoder)
            opened.callback(search.close)
            search.catch_up(store)
            store.read_copies(lambda: search.copies)
            memory = cls(
                store,
                search,
                encoder,
                settings=settings,
                clock=ticking,
                reader=reader,
                path=place,
            )
            memory._catch_up_on_upkeep()
            memory._lock.watch()
            opened.pop_all()  # all went well: from here on `close` closes
        return memory

    def _catch_up_on_upkeep(self) -> None:
        """A part of a round, where one is overdue; a full disk leaves it for later."""
        if self._reader is None and self._tender.overdue(hours=self.settings.upkeep_hours):
            with suppress(MemoryUnwritable):
                self._tender.tend(budget=UPKEEP_AT_OPENING)

    # --- remember ----------------------------------------------------------------------------------

    def add(self, message: Message) -> Receipt:
        """Remember one message. Raises WriteFailed or MemoryUnwritable; then nothing is kept."""
        self._commander.load([message])
        with self._lock:
            return self._reminders.with_cues(self._commander.add([message])[0])

    def remember(
        self,
        text: str,
        *,
        speaker: str | None = None,
        said_at: datetime | None = None,
        conversation: str = "",
        readers: Iterable[str] = (),
    ) -> Receipt:
        """Remember a plain statement of the owner, said now unless told otherwise; for these readers
        alone where any are named.
        """
        said = self._said(text, speaker=speaker, said_at=said_at, conversation=conversation)
        return self.add(replace(said, readers=allowed(readers)))

    def ingest(self, messages: Iterable[Message]) -> Iterator[Receipt]:
        """Remember a stream of messages, a batch a commit. What has been yielded is durable."""
        with Stream(
            messages,
            self._commander,
            batch=self.settings.batch,
            start=partial(Ahead.started, self.settings),
        ) as stream:
            while stream.pull():
                with self._lock:
                    receipts = stream.add()
                yield from receipts

    def extract(self, message: Message) -> Receipt:
        """What `add` would learn from a message, and why; stores nothing."""
        self._commander.load([message])
        with self._lock:
            return self._commander.preview(message)

    # --- recall ------------------------------------------------------------------------------------

    def recall(
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
    ) -> Recall:
        """What the memory holds that answers a question, best first. See graphmem.recall.

        All after `include` limit the search itself: `since` and `until` (half-open) what was said or
        happens then, `states` the only states (where `include` adds some), the rest what they name.
        A person's own secrets are masked in the texts, unless the owner asks for one or sets `reveal`.
        Raises InvalidQuery.
        """
        only = limits(
            since=since,
            until=until,
            states=states,
            predicates=predicates,
            sources=sources,
            tiers=tiers,
            speakers=speakers,
        )
        with self._lock:
            return self._recaller.recall(
                question,
                at=at,
                limit=limit,
                about=about,
                as_of=as_of,
                include=frozenset(one_of(State, one) for one in include),
                reader=self._reader,
                only=only,
                reminders=self._reminders.asked_about,
                reveal=reveal,
            )

    def context(
        self,
        question: str,
        *,
        at: datetime | None = None,
        max_tokens: int = 1500,
        model_context: int = 8000,
    ) -> str:
        """What is recalled for a question, as text for a model."""
        return self.recall(question, at=at).context(
            max_tokens=max_tokens, model_context=model_context
        )

    @contextmanager
    def trial(self, embedder: Embedder | str) -> Iterator[Ask]:
        """Ask this memory through another embedder (or its name): yields a function with the arguments
        `question`, `at` and `limit` of `recall`. The index for it is thrown away at the end.
        """
        chosen = make(embedder) if isinstance(embedder, str) else embedder
        owner_only(self._reader, "try out an embedder, which reads everything")
        with trial(self._store, self._recaller, chosen, self._lock, reader=self._reader) as ask:
            yield ask

    def facts(
        self,
        entity: str | None = None,
        *,
        slot: str | None = None,
        states: States = "current",
        kinds: Iterable[Kind | str] | None = None,
        limit: int = 1000,
        before: int | None = None,
    ) -> tuple[Fact, ...]:
        """Facts by entity (name or id), slot, state and kind, newest first.

        Without `kinds`: claims, and the notes that speak of a slot. `before` goes on behind a page: the
        number (`Fact.n`) of its last fact. Raises InvalidQuery for a number out of its range.
        """
        whole("limit", limit)
        if before is not None:
            whole("before", before, least=0)
        with self._lock:
            return self._names.facts(
                entity,
                slot=slot,
                states=_states(states),
                kinds=None if kinds is None else frozenset(one_of(Kind, kind) for kind in kinds),
                limit=limit,
                reader=self._reader,
                before=before,
            )

    def fact(self, fact_id: str) -> Fact:
        """The fact with this id."""
        with self._lock:
            return self._names.fact(fact_id, reader=self._reader)

    def snapshot(self, snapshot_id: str) -> Snapshot:
        """The message with this id, whole, as it was said."""
        with self._lock:
            return self._names.snapshot(snapshot_id, reader=self._reader)

    def entities(self, *, limit: int = 1000) -> tuple[Entity, ...]:
        """Known entities with their aliases."""
        whole("limit", limit)
        with self._lock:
            return self._names.entities(limit=limit)

    def history(
        self, entity: str, slot: str | None = None, *, as_of: datetime | None = None
    ) -> History:
        """How a topic of an entity went: current, previous, in order."""
        aware(as_of=as_of)
        with self._lock:
            return history_of(
                self._store, self._names.entity(entity), slot, as_of=as_of, reader=self._reader
            )

    def lineage(
        self, entity: str, slot: str | None = None, *, as_of: datetime | None = None
    ) -> Lineage:
        """Where facts came from and what replaced them. `entity` is a fact's id, or an entity's name
        with a slot or word that says which facts.
        """
        aware(as_of=as_of)
        with self._lock:
            facts = self._names.chain(entity, slot, reader=self._reader)
            return lineage_of(self._store, facts, as_of=as_of, reader=self._reader)

    def graph(
        self, entity: str, *, depth: int = 1, limit: int = 60, states: States = "current"
    ) -> Surroundings:
        """The entities around one (name or id), at most `depth` facts away, `limit` at most."""
        whole("depth", depth, least=0)
        whole("limit", limit)
        now = self._clock.now()
        with self._lock:
            return around(
                self._store,
                self._names.entity(entity),
                depth=depth,
                limit=limit,
                states=_states(states),
                stand=lambda fact: stood(fact, now=now),
                reader=self._reader,
            )

    def stats(self) -> Stats:
        """How many facts were said in each month, by how they stand."""
        return counted(self.facts(states="all", kinds=tuple(Kind), limit=EVERY))

    def cypher(self, query: str, **parameters: Any) -> Table:
        """Run read-only Cypher on the graph (docs/schema.md, docs/cypher.md).

        For the owner only: a query cannot be held to what a reader may see. Raises InvalidQuery.
        """
        with self._lock:
            return self._store.query(query, parameters)

    # --- change ------------------------------------------------------------------------------------

    def conflicts(self, *, open_only: bool = True) -> tuple[Conflict, ...]:
        """Open conflicts, oldest first."""
        with self._lock:
            return self._store.conflicts(open_only=open_only)

    def resolve(self, conflict_id: str, decision: Decision | str) -> Receipt:
        """Decide a conflict. Deciding it again the same way changes nothing."""
        with self._lock:
            return self._owner.resolve(conflict_id, one_of(Decision, decision))

    def update(self, fact_id: str, text: str) -> Receipt:
        """A new version of a fact; the old one is kept as history, replaced by it."""
        with self._lock:
            return self._owner.update(fact_id, text)

    def edit(self, fact_id: str, text: str) -> Receipt:
        """Mend a slip of the pen: the fact's text changes, no history is made."""
        with self._lock:
            return self._owner.edit(fact_id, text)

    def confirm(self, fact_id: str) -> Receipt:
        """The owner says that a fact still holds."""
        with self._lock:
            return self._owner.confirm(fact_id)

    def retire(self, fact_id: str) -> Receipt:
        """Mark a fact as past."""
        with self._lock:
            return self._owner.retire(fact_id)

    def restore(self, fact_id: str) -> Receipt:
        """Make a past, expired or archived fact current again."""
        with self._lock:
            return self._owner.restore(fact_id)

    def pin(self, fact_id: str, *, pinned: bool = True) -> Receipt:
        """Keep a fact from ever fading, or let it fade again."""
        with self._lock:
            return self._owner.pin(fact_id, pinned=pinned)

    def limit(self, fact_id: str, readers: Iterable[str] = ()) -> Receipt:
        """Limit a fact, and the statements it stands on, to these readers (devices, agents); none: open it
        to everybody. For the owner only.
        """
        with self._lock:
            return self._owner.limit(fact_id, allowed(readers))

    def forget(self, fact_id: str, *others: str) -> Receipt:
        """Delete facts for good, or whole messages by their ids with all that only they state: the one thing
        that cannot be undone. Several go together or, where one is not known, not at all.
        """
        with self._lock:
            return self._owner.forget((fact_id, *others))

    def undo(self, event: int | None = None) -> Receipt:
        """Take back the last event, or the one with this number (`Receipt.event`).

        Raises NothingToUndo for a deletion, or where a later event builds on it; the error names the
        next event that can be taken back.
        """
        if event is not None:
            whole("event", event)
        with self._lock:
            return self._owner.undo(event)

    def merge_entities(self, kept: str, gone: str) -> Receipt:
        """Make two entities one; `split_entity` takes it back without loss."""
        with self._lock:
            return self._owner.merge(self._names.entity(kept), self._names.entity(gone))

    def split_entity(self, entity: str, alias: str) -> Receipt:
        """Give an alias, and the facts stated under it, an entity of its own."""
        with self._lock:
            return self._owner.split(self._names.entity(entity), alias)

    # --- remind and tend -----------------------------------------------------------------------------

    def due(self, now: datetime | None = None, *, record: bool = True) -> tuple[Due, ...]:
        """Reminders that are due and were not told yet, earliest first; telling is recorded."""
        aware(now=now)
        with self._lock:
            return self._reminders.due(now, record=record)

    def reminders(self, *, active_only: bool = True) -> tuple[Trigger, ...]:
        """Reminders."""
        with self._lock:
            return self._reminders.all(active_only=active_only)

    def remind(
        self,
        text: str,
        *,
        said_at: datetime | None = None,
        at: datetime | When | None = None,
        rule: str | None = None,
        keywords: Iterable[str] = (),
    ) -> Receipt:
        """A reminder from a sentence; or, where `at`, an RRULE or words say when, `text` is what to do.

        Raises InvalidMessage where no reminder can be read, InvalidTime for a broken rule.
        """
        aware(said_at=said_at, at=at if isinstance(at, datetime) else None)
        words = tuple(keywords)
        with self._lock:
            if at is not None or rule is not None or words:
                return self._reminders.add(text, at=at, rule=rule, keywords=words)
            return self._reminders.from_sentence(self._said(text, said_at=said_at))

    def next_time(self, trigger: Trigger, *, after: datetime | None = None) -> datetime | None:
        """When a reminder comes next after `after` (default: now), None where no time is set."""
        aware(after=after)
        with self._lock:
            return self._reminders.following(trigger, after=after)

    def calendar(self) -> str:
        """Active reminders that have a time, and dated facts that hold, as an iCalendar file."""
        with self._lock:
            facts = self._names.facts(
                None,
                slot=None,
                states=frozenset({State.CURRENT, State.UNSURE}),
                kinds=frozenset(Kind),
                limit=EVERY,
                reader=self._reader,
            )
            return self._reminders.calendar(facts)

    def reminder_done(self, trigger_id: str) -> Receipt:
        """A reminder's thing is done."""
        with self._lock:
            return self._reminders.done(trigger_id)

    def snooze(self, trigger_id: str, until: datetime) -> Receipt:
        """Tell a reminder again at `until`."""
        aware(until=until)
        with self._lock:
            return self._reminders.snooze(trigger_id, until)

    def cancel_reminder(self, trigger_id: str) -> Receipt:
        """A reminder is not wanted any more."""
        with self._lock:
            return self._reminders.cancel(trigger_id)

    def tend(self, *, budget: float | None = None) -> Tended:
        """One round of upkeep: scores, expiry, archiving; at most `budget` seconds where given."""
        if budget is not None:
            seconds("budget", budget)
        with self._lock:
            owner_only(self._reader, "do upkeep, which counts everything")
            return self._tender.tend(budget=budget)

    # --- state -------------------------------------------------------------------------------------

    def now(self) -> datetime:
        """The present instant by the memory's clock, in the owner's zone."""
        return self._clock.now()

    def status(self) -> Mapping[str, Any]:
        """Counts, sizes, tiers, settings in use, upkeep, and what waits for the owner."""
        with self._lock:
            files = self._files()
            return {
                "path": str(self.path),
                "engine": self._whole.engine_name,
                "embedder": self.settings.embedder,
                "last_event": self._store.last_event(),
                "bytes": sum(file.stat().st_size for file in files),
                "sizes": {
                    str(file.relative_to(self.path)): file.stat().st_size
                    for file in sorted(files)
                    if self.path
                },
                **self._store.counts(),
                **self._store.standings(),
                "last_upkeep": self._tender.last_round(),
                "upkeep_overdue": self._tender.overdue(hours=self.settings.upkeep_hours),
                "due_reminders": len(self._reminders.due(record=False)),
            }

    def check(self) -> Health:
        """Prove that graph and indexes agree."""
        with self._lock:
            owner_only(self._reader, "check the memory, which reads everything")
            inside = check(self._whole).findings
            return Health((*inside, *self._search.check(self._whole).findings))

    def repair(self) -> Health:
        """Build the indexes anew from the graph, and check again."""
        with self._lock:
            owner_only(self._reader, "repair the memory, which reads everything")
            self._search.rebuild(self._whole)
            return self.check()

    def backup(self, file: str | Path, passphrase: str | None = None) -> Made:
        """Write the whole memory to one portable file, sealed where a passphrase is given.

        For the owner only. Raises ChangeRefused, MemoryUnwritable, InvalidSettings; see docs/backup.md.
        """
        with self._lock:
            owner_only(self._reader, "make a backup, which holds everything")
            return back_up(
                self._whole,
                Path(file).expanduser(),
                passphrase=passphrase,
                now=self._clock.now(),
            )

    @classmethod
    def restore_backup(
        cls,
        file: str | Path,
        path: str | Path | None = None,
        passphrase: str | None = None,
        *,
        clock: Clock | None = None,
        config: Settings | Mapping[str, Any] | None = None,
    ) -> Restored:
        """Restore a backup to `path`: a new memory, or one that is there, whose later changes win.

        Doing it twice changes nothing. Raises WrongPassphrase, BrokenFile, UnknownFormat and
        UnreadableFile before anything is written, and what `open` raises.
        """
        place = Path(path).expanduser() if path is not None else default_home()
        settings = config if isinstance(config, Settings) else load(place, arguments=config)
        return restore(
            Path(file).expanduser(),
            place,
            passphrase,
            engine=settings.engine,
            clock=clock or SystemClock(zone_of(settings)),
            wait=settings.lock_wait,
        )

    def export(
        self, file: str | Path, *, form: Form | str | None = None, reveal: bool = False
    ) -> Exported:
        """Write what this memory shows to one file, "jsonl" or "graphml" (default: by the file's name).

        A memory opened for a reader writes what that reader may see. Secrets are masked unless `reveal`.
        Raises ChangeRefused where something other than an export is there, MemoryUnwritable; see
        docs/backup.md.
        """
        place = Path(file).expanduser()
        chosen = form_of(place) if form is None else one_of(Form, form)
        with self._lock:
            return export(
                self._store,
                place,
                form=chosen,
                reveal=reveal,
                reader=self._reader,
                now=self._clock.now(),
            )

    def import_export(self, file: str | Path) -> Restored:
        """Merge an export of JSON Lines into this memory; of each thing the later change wins.

        Doing it twice changes nothing. For the owner only. Raises UnknownFormat, BrokenFile and
        UnreadableFile before anything is written.
        """
        with self._lock:
            owner_only(self._reader, "import an export, which may change everything")
            try:
                return import_export(
                    self._whole, Path(file).expanduser(), self.path or Path(), clock=self._clock
                )
            finally:
                self._commander.others_wrote()
                self._search.catch_up(self._whole)

    def close(self) -> None:
        """Close the memory; closing it twice is harmless."""
        with self._lock.last():
            self._recaller.close()
            self._search.close(write=not self._lock.suspended)
            self._whole.close()

    def _files(self) -> list[Path]:
        """The memory's files; their sizes count everything, and so are not for a reader."""
        if self.path is None or self._reader is not None:
            return []
        return [file for file in self.path.rglob("*") if file.is_file()]

    def _said(
        self,
        text: str,
        *,
        speaker: str | None = None,
        said_at: datetime | None = None,
        conversation: str = "",
    ) -> Message:
        return Message(
            text=text,
            speaker=speaker or self.settings.owner or "user",
            said_at=said_at or self._clock.now(),
            conversation=conversation,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _states(states: States) -> frozenset[State] | None:
    if states == "all":
        return None
    if isinstance(states, str):
        return frozenset({one_of(State, states)})
    return frozenset(one_of(State, one) for one in states)
