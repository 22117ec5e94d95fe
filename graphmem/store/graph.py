"""The graph store: applies plans, answers reads and read-only Cypher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from graphmem.errors import InvalidQuery, StoreError, WriteFailed
from graphmem.model import Event, Table
from graphmem.plan import DELETING, Op, Plan, RedactSnapshot
from graphmem.store import (
    codec,
    cypher,
    erase,
    manifest,
    migrations,
    ops_evidence,
    ops_facts,
    readonly,
    schema,
)
from graphmem.store.draft import Draft, Numbers
from graphmem.store.engine import Engine, EngineRefused, Rows
from graphmem.store.lock import Lock
from graphmem.store.records import Row
from graphmem.store.remembering import RememberingReader
from graphmem.store.writing import Script, event_row, event_statements
from graphmem.words import clean


class Graph(RememberingReader):
    """A GraphStore on an embedded engine; open it with `graphmem.store.home.open_store`."""

    def __init__(self, engine: Engine, lock: Lock, *, query_seconds: float) -> None:
        super().__init__(engine)
        self._lock = lock
        self._erasure = erase.Erasure(engine.file)
        self._query_seconds = query_seconds
        self._within = False
        self._lost = False
        self._suspended = False
        self._why: StoreError | None = None  # why it was let go, where it could not be opened again
        self._last: Event | None = None  # as it was when the memory was let go
        self._noted: list[Row] = []  # events of the open transaction that are not written yet
        self._numbers = self._read_numbers()

    @property
    def engine_name(self) -> str:
        """Which engine the memory is on, whatever the settings ask for new ones."""
        return self._engine.name

    def _event_number(self) -> int:
        return self._numbers.event

    # --- writing -----------------------------------------------------------------------------------

    def apply(self, plan: Plan) -> Event:
        """Carry a plan out in one transaction and record its event.

        Durable on return (unless inside `transaction()`). Raises WriteFailed where the plan cannot be
        carried out or the engine refuses it, MemoryUnwritable where the disk is full; then nothing of
        it is kept.
        """
        with self._mutex:
            draft = self._drafted(plan.ops)
            if any(isinstance(op, (*DELETING, RedactSnapshot)) for op in plan.ops):
                self._erasure.note(draft)
            draft.numbers.event += 1
            event = self._event(plan, draft)
            self._carry_out(draft, event)
            return event

    def log(self, events: Sequence[Event]) -> None:
        """Record, in one transaction, events that happened before or elsewhere. Each gets the next
        number in place of its own; what it took back is counted from there. Raises like `apply`.
        """
        with self._mutex, self.transaction():
            for event in events:
                draft = self._drafted(())
                draft.numbers.event += 1
                n = draft.numbers.event
                undoes = None if event.undoes is None else event.undoes + n - event.n
                self._carry_out(draft, replace(event, n=n, undoes=undoes))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several plans in one commit; an error rolls all of them back. Inside another transaction
        it joins it.
        """
        with self._mutex:
            if self._within:
                yield
                return
            self._usable()
            self._engine.check_disk()
            self._engine.begins()
            before = self._numbers
            committed = False
            self._begin()
            try:
                yield
                self._settle()
                self._write_events()
                self._commit()
                committed = True
            finally:
                self._within = False
                self._noted.clear()
                if not committed:
                    self._numbers = before
                    self._roll_back()
            self._engine.acknowledge()
            if self._engine.needs_recycling():
                with self._or_let_go():
                    self._engine.recycle()

    def undo_ops(self, event_n: int) -> tuple[Op, ...] | None:
        """The operations that take an event back; None where it cannot be (a deletion, an unknown
        event, or an entity or alias that has gone since).
        """
        with self._mutex:
            event = self.event(event_n)
            if event is None or not event.undo:
                return None
            return codec.decode(event.undo, self.entity)

    # --- foreign queries ---------------------------------------------------------------------------

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int = 10_000
    ) -> Table:
        """Run read-only Cypher: at most `limit` rows of plain values (see readonly.plain).

        Raises InvalidQuery for a write, a malformed query, or one that takes too long.
        """
        values = readonly.parameters(parameters)
        readonly.check(cypher, values)
        text = clean(cypher)
        with self._mutex:
            self._usable()
            wrong = self._engine.refusal(text)
            if wrong is not None:
                raise InvalidQuery(wrong, next_step="see docs/schema.md for the tables")
            try:
                columns, rows = self._run_foreign(text, values, limit)
            except EngineRefused as cause:
                self._read_failed()
                raise InvalidQuery(
                    str(cause), next_step="simplify the query, or see docs/cypher.md"
                ) from cause
        return Table(
            tuple(columns), tuple(tuple(readonly.plain(value) for value in row) for row in rows)
        )

    def _run_foreign(self, text: str, values: Mapping[str, Any], limit: int) -> Any:
        seconds = self._query_seconds
        self._write_events()
        if self._within:
            return self._engine.table(text, values, limit=limit, seconds=seconds)
        self._engine.run(cypher.BEGIN_READING)
        answer = self._engine.table(text, values, limit=limit, seconds=seconds)
        self._engine.run(cypher.COMMIT)
        return answer

    # --- what `check` looks at ---------------------------------------------------------------------

    def highest(self) -> Mapping[str, int]:
        """The highest numbers given to facts and snapshots, as the last event has them."""
        with self._mutex:
            numbers = self._read_numbers()
        return {"facts": numbers.facts, "snapshots": numbers.snapshots}

    def schema_version(self) -> int:
        """The version that the graph itself names. Raises MemoryDamaged where it names none."""
        with self._mutex:
            self._usable()
            return migrations.version_of(self._engine)

    # --- turns with other processes -------------------------------------------------------------------

    @property
    def suspended(self) -> bool:
        """Whether the memory was let go for others, until `resume`."""
        return self._suspended

    def wanted(self) -> bool:
        """Whether somebody else waits for the memory."""
        return self._lock.wanted()

    def suspend(self) -> None:
        """Close the files and let others in. Nothing is lost; every use until `resume` is refused."""
        with self._mutex:
            if self._within or not self._engine.is_open:
                return
            self._last = self.event(self._numbers.event)
            self._engine.close(fold_above=_LOG_HANDED_OVER)
            self._suspended = True
            self._lock.release()

    def resume(self, wait: float, *, since: datetime) -> bool:
        """Wait for the lock and open the files again; whether others wrote meanwhile.

        Raises MemoryLocked, MemoryDamaged, and SchemaTooNew where a newer graphmem has been here; then the
        memory stays let go.
        """
        with self._mutex:
            if not self._suspended:
                return False
            self._lock.acquire(wait, since=since)
            ready = False
            try:
                self._same_memory()
                self._engine.open()
                numbers = self._read_numbers()
                changed = self.event(numbers.event) != self._last
                if changed:
                    self._forget_everything()
                    self._numbers = numbers
                ready = True
            finally:
                if not ready:
                    self._engine.close(fold_above=_LOG_HANDED_OVER)
                    self._lock.release()
            self._suspended, self._why = False, None
            return changed

    def _same_memory(self) -> None:
        directory = self._engine.file.parent
        found = manifest.read(directory)
        if found is None or found.engine != self._engine.name or found.schema != schema.VERSION:
            raise StoreError(
                f"the memory {directory} is another one than was opened",
                next_step="open it again",
            )

    # --- end ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """Fold the log into the database file and let others in; harmless when closed already."""
        with self._mutex:
            self._suspended = False
            try:
                if self._engine.is_open and self._erasure.waits:
                    self._close_and_wipe()
            finally:
                self._engine.close()
                self._lock.release()

    def _close_and_wipe(self) -> None:
        """Close, and overwrite in the file what was deleted and is in nothing that is left."""
        patterns = self._erasure.due(self._holds)
        before = self._texts() if patterns else []
        live = erase.Remembered(text for row in before for text in row if isinstance(text, str))
        self._engine.close(fold_above=0)
        if not patterns or self._engine.alter(
            lambda: self._erasure.wipe(patterns, live), lambda: self._texts() == before
        ):
            self._erasure.done()

    def _texts(self) -> list[list[Any]]:
        """Every text of every node."""
        return [
            row for query in erase.listings() for row in sorted(self._engine.run(query), key=str)
        ]

    def _holds(self, text: str) -> bool:
        """Whether any node still has the text in it. Where that cannot be told, it has."""
        try:
            return any(self._engine.run(query, {"text": text}) for query in erase.questions())
        except EngineRefused:
            return True

    # --- shared ------------------------------------------------------------------------------------

    def _drafted(self, ops: Sequence[Op]) -> Draft:
        self._usable()
        draft = Draft(self, replace(self._numbers), _TAKING)
        for op in ops:
            draft.take(op)
        draft.finish()
        return draft

    def _carry_out(self, draft: Draft, event: Event) -> None:
        if draft.deletes:
            self._engine.deletion_begins()
        statements = Script(draft).statements()
        joined = self._within
        with self.transaction():
            if joined:  # more is to come before the commit: the engine works while it is planned
                self._usable()
                self._engine.change_beside(statements)
            else:
                self._write(statements)
            self._noted.append(event_row(event, draft.numbers))
        self._numbers = draft.numbers
        self._follow(draft)

    def _event(self, plan: Plan, draft: Draft) -> Event:
        back = draft.inverse() if plan.undoable else None
        return Event(
            n=draft.numbers.event,
            kind=plan.kind,
            at=plan.at,
            touched={kind: tuple(ids) for kind, ids in sorted(draft.touched.items())},
            undo=codec.encode(back) if back else "",
            undoes=plan.undoes,
        )

    def _write(self, statements: list[tuple[str, Mapping[str, Any]]]) -> None:
        try:
            self._engine.settle()
            for text, values in statements:
                self._engine.change(text, values)
        except EngineRefused as cause:
            self._lost = True
            raise WriteFailed(
                f"the engine refused the write: {cause}", next_step="nothing was kept; try again"
            ) from cause

    def _settle(self) -> None:
        """Wait for the statements that run beside."""
        self._write([])

    def _write_events(self) -> None:
        """Write the events that wait, all in one statement; not where the transaction is lost, since the
        engine would commit it by itself.
        """
        if self._noted and not self._lost:
            rows, self._noted = self._noted, []
            self._write(event_statements(rows))

    def _rows(self, text: str, **values: Any) -> Rows:
        with self._mutex:
            if self._within and not self._lost:
                self._settle()
            if self._noted and cypher.reads_events(text):
                self._write_events()
            return super()._rows(text, **values)

    def _begin(self) -> None:
        try:
            self._engine.run(cypher.BEGIN)
        except EngineRefused as cause:
            raise WriteFailed(f"no transaction could be begun: {cause}") from cause
        self._within, self._lost = True, False

    def _commit(self) -> None:
        if self._lost:
            raise WriteFailed(
                "an earlier statement of the transaction failed",
                next_step="nothing was kept; try again",
            )
        try:
            self._engine.run(cypher.COMMIT)
        except EngineRefused as cause:
            raise WriteFailed(f"the engine refused the commit: {cause}") from cause

    def _roll_back(self) -> None:
        """Give the transaction up and recycle: after a rollback the engine cannot be trusted."""
        if not self._lost:
            try:
                self._engine.run(cypher.ROLLBACK)
            except EngineRefused:
                self._lost = True
        self._lost = False
        self._forget_everything()
        with self._or_let_go():
            self._engine.start_over()
            self._numbers = self._read_numbers()

    @contextmanager
    def _or_let_go(self) -> Iterator[None]:
        """Where the memory cannot be opened again it is let go: the next use tries once more."""
        try:
            yield
        except StoreError as why:
            self._engine.close(fold_above=_NEVER)
            self._forget_everything()
            self._last, self._suspended, self._why = None, True, why
            self._lock.release()
            raise

    def _usable(self) -> None:
        if self._why is not None and self._suspended:
            raise self._why
        super()._usable()
        if self._within and self._lost:
            raise WriteFailed(
                "an earlier statement of the transaction failed",
                next_step="leave the transaction; nothing of it is kept",
            )

    def _read_failed(self) -> None:
        if self._within:
            self._lost = True

    def _read_numbers(self) -> Numbers:
        n = self.last_event()
        if not n:
            return Numbers()
        row = dict(zip(schema.EVENT.names, self._rows(cypher.EVENT, n=n)[0], strict=True))
        return Numbers(
            event=n,
            facts=row["facts"],
            snapshots=row["snapshots"],
            names=row["names"],
            conflicts=row["conflicts"],
        )


_LOG_HANDED_OVER = 4 << 20  # bytes that the next one reads again: folding costs more
_NEVER = 1 << 62  # bytes of log: it is not folded

_TAKING = {**ops_evidence.TAKE, **ops_facts.TAKE}
