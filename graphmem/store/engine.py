"""The embedded engine behind one thin door that keeps the rules without which it loses data.

The rules (measured on kuzu 0.11.3 and ladybug 0.22, see docs/decisions/graph-engine.md): never a
checkpoint but the one at close, so the database is closed and reopened ("recycled") when its log has
grown; one database and one connection; prepared statements; after any rollback the database is
recycled; everything is released before close.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, get_args

from graphmem.errors import ExtensionMissing, InvalidSettings, MemoryDamaged, MemoryUnwritable
from graphmem.store.behind import Behind, Statement
from graphmem.store.giving_up import keep_for_ever, turned_away
from graphmem.store.seal import Seal
from graphmem.store.whole_file import replacing
from graphmem.store.zeroed import zeroed

EngineName = Literal["kuzu", "ladybug"]
Rows = list[list[Any]]

_LOG_LEAST, _LOG_MOST = 4 << 20, 32 << 20  # bytes of log after which the database is recycled:
_LOG_SHARE = 8  # this part of the file, as what a fold costs grows with it
_SET_LIMIT = 5_000  # changes after which it is recycled: each holds about 34 KiB until then
_POOL = 1 << 30
_ADDRESSES = 1 << 36
_FREE = 64 << 20  # bytes of disk that must be left before a write
_LEFT_AT_CLOSE = 1 << 20  # bytes of log that are left to the next opening
_DEFAULT_TIMEOUT_MS = 120_000
_MAGIC: dict[EngineName, bytes] = {"kuzu": b"KUZU", "ladybug": b"LBUG"}
_MORE: dict[EngineName, dict[str, bool]] = {
    "kuzu": {},
    # read a torn log up to the tear, as kuzu does: the seal tells what was acknowledged
    "ladybug": {"throw_on_wal_replay_failure": False},
}


class EngineRefused(Exception):
    """The engine refused a statement; the store turns this into an error of graphmem's."""


class Engine:
    """One open database: run statements by text; each text is prepared once.

    Not thread-safe: the store holds its mutex around every call. What `change_beside` runs on a thread
    of its own is waited for before anything else is asked of the engine.
    """

    def __init__(self, name: EngineName, file: Path) -> None:
        self.name = name
        self.file = file
        self.seal = Seal(file, _MAGIC[name])
        self._module = _module(name)
        self._database: Any = None
        self._connection: Any = None
        self._prepared: dict[str, Any] = {}
        self._changes = 0
        self._behind = Behind(self._change)
        self._committed = 0  # bytes of log before the transaction
        self._log_limit = _LOG_LEAST
        self._deletion = file.with_name(file.name + ".deletion")
        self._altering = file.with_name(file.name + ".altering")  # as it was before

    def create(self) -> None:
        """Open a new database in place of whatever an interrupted creation left."""
        with self._files(), self._open_or_not():
            self.seal.clear()
            self._start()
            self.seal.after_opening()

    def open(self) -> None:
        """Open the database file. Raises MemoryDamaged where it or its log is damaged; then the
        files are as they were.
        """
        with self._files():
            if self._altering.exists():  # the process ended meanwhile
                self.put_back(self._altering)
            self._reopen()
            if self._deletion.exists():  # the process ended between a deletion and its folding
                self.recycle()

    @contextmanager
    def _files(self) -> Iterator[None]:
        """Tell in our words where a file beside the database cannot be read or written."""
        try:
            yield
        except OSError as cause:
            raise MemoryUnwritable(
                f"{cause.filename or self.file} cannot be written: {cause.strerror}",
                next_step="check the permissions and the free space, then open the memory again",
            ) from cause

    @contextmanager
    def _open_or_not(self) -> Iterator[None]:
        """Where opening fails nothing is left half open."""
        done = False
        try:
            yield
            done = True
        finally:
            if not done:
                self._release(fold=False)
                self.seal.closed()

    def _reopen(self) -> None:
        with self._open_or_not():
            self._opened()

    def _opened(self) -> None:
        self.seal.inspect()
        self.seal.before_opening()
        try:
            self._start()
        except MemoryDamaged:
            self.seal.put_back()
            raise
        if not self.seal.after_opening():
            self._release(fold=False)
            raise self.seal.put_back()
        self._log_limit = max(self._log_limit, self._log_worth_folding())

    def close(self, *, fold_above: int = _LEFT_AT_CLOSE) -> None:
        """Release everything and close. A log above `fold_above` bytes is folded into the database
        file, where that can be written; a smaller one is read again at the next opening, which is quicker for all.
        """
        if not self.is_open:
            return
        fold = False
        with suppress(MemoryUnwritable, OSError):  # the log is left as it is
            if self.log_size() > fold_above:
                self.seal.fold_begins()
                fold = True
        self._release(fold=fold)
        with suppress(MemoryUnwritable, OSError):  # it stays unsealed
            if fold and not self.log_size():  # else the engine ends it when it is next opened
                self.seal.fold_ended()
        self.seal.closed()

    def begins(self) -> None:
        """A transaction is about to begin: all of the log is committed."""
        with self._files():
            self._committed = self.log_size()

    def give_up(self) -> None:
        """Close after a statement that failed. After a commit that failed the engine would crash in folding its log,
        and in writing to it, while it closes: it does neither.
        """
        self._behind.close()
        if not turned_away(self.seal.log):
            keep_for_ever((self._connection, self._database, dict(self._prepared)))
            self._connection = self._database = None
        self._release(fold=False)
        self.seal.closed()

    def start_over(self) -> None:
        """Give up, and open again. What a commit that failed left in the log is cut off, since it was refused."""
        with self._files():
            self.give_up()
            if self.log_size() > self._committed:
                os.truncate(self.seal.log, self._committed)
            self._reopen()

    def alter(self, change: Callable[[], None], is_right: Callable[[], bool]) -> bool:
        """Let `change` alter the closed file in place, and seal it anew; where `is_right`, which may ask the engine, says
        that it is not, the file is put back. False where a log is left that could not be folded: then it has to wait.
        """
        with self._files():
            if self.log_size():
                return False
            with replacing(self._altering) as copy, self.file.open("rb") as opened:
                shutil.copyfileobj(opened, copy, 1 << 20)
            self.seal.fold_begins()
            change()
            self.seal.fold_ended()
            try:
                self._reopen()
                right = is_right()
            except (MemoryDamaged, EngineRefused):
                right = False
            self._release(fold=False)
            self.seal.closed()
            if right:
                self._altering.unlink()
        if not right:
            self.put_back(self._altering)
        return True

    def put_back(self, copy: Path) -> None:
        """Let a copy of the closed and folded file take the place of all there is."""
        with self._files():
            self.seal.clear()
            copy.replace(self.file)

    @property
    def is_open(self) -> bool:
        """Whether statements can be run."""
        return self._connection is not None

    def log_size(self) -> int:
        """Bytes of log that are not yet folded into the database file."""
        return self.seal.log_size()

    def acknowledge(self) -> None:
        """Note that everything written so far was committed."""
        with suppress(OSError):  # then less than there is has to be there
            self.seal.acknowledge()

    def deletion_begins(self) -> None:
        """Note, on disk as well, that the log is to hold a deletion: it must be folded before anything
        is added, since kuzu cannot replay a log in which additions to an edge table follow a deletion
        from it (it asserts in csr_node_group).
        """
        with self._files():
            self._deletion.touch()

    def needs_recycling(self) -> bool:
        """Whether the log holds a deletion, or it or the memory held by changes has grown enough."""
        return (
            self._changes >= _SET_LIMIT
            or self.log_size() >= self._log_limit
            or self._deletion.exists()
        )

    def recycle(self) -> None:
        """Close and reopen. Where the engine could not fold its log (it says nothing), the next
        attempt waits until the log has doubled.
        """
        self.close(fold_above=0)
        left = self.log_size()
        self._log_limit = max(self._log_worth_folding(), 2 * left)
        with self._files():
            if not left:
                self._deletion.unlink(missing_ok=True)
            self._reopen()

    def _log_worth_folding(self) -> int:
        return min(_LOG_MOST, max(_LOG_LEAST, self.file.stat().st_size // _LOG_SHARE))

    def run(self, text: str, values: Mapping[str, Any] | None = None) -> Rows:
        """All rows of a statement. Raises EngineRefused."""
        self._behind.settle()
        return self._run(text, values or {})

    def _run(self, text: str, values: Mapping[str, Any]) -> Rows:
        result = self._execute(text, values)
        try:
            return result.get_all() if result.has_next() else []
        finally:
            result.close()

    def change(self, text: str, values: Mapping[str, Any] | None = None) -> None:
        """Run a statement that writes. Raises EngineRefused."""
        self._behind.settle()
        self._change(text, values or {})

    def _change(self, text: str, values: Mapping[str, Any]) -> None:
        self._changes += " SET " in text
        self._run(text, values)

    def change_beside(self, statements: Iterable[Statement]) -> None:
        """Run statements that write, in order, while the caller goes on. Whatever is asked of the engine
        next waits for them, and raises EngineRefused where one of them was refused; so does `settle`.
        """
        self._behind.do(statements)

    def settle(self) -> None:
        """Wait for what runs beside. Raises EngineRefused."""
        self._behind.settle()

    def table(
        self, text: str, values: Mapping[str, Any], *, limit: int, seconds: float
    ) -> tuple[Sequence[str], Rows]:
        """Column names and at most `limit` rows of a foreign query. Raises EngineRefused."""
        self._behind.settle()
        self._connection.set_query_timeout(max(1, int(seconds * 1000)))
        try:
            result = self._execute(text, values, keep=False)
            try:
                rows: Rows = []
                while len(rows) < limit and result.has_next():
                    rows.append(result.get_next())
                return result.get_column_names(), rows
            except RuntimeError as cause:
                raise EngineRefused(str(cause)) from cause
            finally:
                result.close()
        finally:
            self._connection.set_query_timeout(_DEFAULT_TIMEOUT_MS)

    def refusal(self, text: str) -> str | None:
        """Why the engine would not take a query, found without touching the open transaction."""
        self._behind.settle()
        aside = self._module.Connection(self._database, num_threads=1)
        try:
            statement = self._module.PreparedStatement(aside, text, {})
            wrong = "" if statement.is_success() else str(statement.get_error_message())
            _close(statement)
        except RuntimeError as cause:
            wrong = str(cause)
        finally:
            aside.close()
        return wrong or None

    def check_disk(self) -> None:
        """Raise MemoryUnwritable where the disk is too full to write safely."""
        free = shutil.disk_usage(self.file.parent).free
        needed = _FREE + 2 * self.log_size()
        if free < needed:
            raise MemoryUnwritable(
                f"only {free >> 20} MiB are free on the disk of {self.file.parent}",
                expected=f"at least {needed >> 20} MiB",
                next_step="free some space, then try again",
            )

    def _execute(self, text: str, values: Mapping[str, Any], *, keep: bool = True) -> Any:
        statement = self._prepared.get(text)
        try:
            if statement is None:
                statement = self._module.PreparedStatement(self._connection, text, {})
                if not statement.is_success():
                    raise EngineRefused(statement.get_error_message())
                if keep:
                    self._prepared[text] = statement
            result = self._connection.execute(statement, dict(values))
        except (RuntimeError, ValueError, TypeError, OverflowError) as cause:
            raise EngineRefused(str(cause)) from cause
        if isinstance(result, list):
            for one in result:
                one.close()
            raise EngineRefused("several statements in one query")
        return result

    def _start(self) -> None:
        try:
            with zeroed():  # a new file gets its first pages
                self._database = self._module.Database(
                    str(self.file),
                    buffer_pool_size=_POOL,
                    max_db_size=_ADDRESSES,
                    max_num_threads=1,  # a keyed statement takes half the time without others
                    auto_checkpoint=False,
                    **_MORE[self.name],
                )
                self._connection = self._module.Connection(self._database, num_threads=1)
            self._connection.set_query_timeout(_DEFAULT_TIMEOUT_MS)
            # a process that ends without closing must not fold: the seal would not know
            _fold_at_end(self._connection, wanted=False)
        except (RuntimeError, IndexError) as cause:
            self._release(fold=False)
            raise MemoryDamaged(
                f"the engine cannot open {self.file}: {cause}",
                next_step="restore a backup, or put the file back as it was",
            ) from cause

    def _release(self, *, fold: bool) -> None:
        self._behind.close()
        while self._prepared:
            _close(self._prepared.popitem()[1])
        self._changes = 0
        connection, self._connection = self._connection, None
        database, self._database = self._database, None
        with zeroed():  # it writes the file where it folds
            if connection is not None:
                if fold:
                    _fold_at_end(connection, wanted=True)
                connection.close()
            if database is not None:
                database.close()
            connection = database = None  # ladybug folds once nothing holds it any more


def _fold_at_end(connection: Any, *, wanted: bool) -> None:
    """Whether the engine folds its log when the database goes: only where the seal follows it."""
    connection.execute(f"CALL force_checkpoint_on_close={str(wanted).lower()}").close()


def _close(statement: Any) -> None:
    close = getattr(statement, "close", None)
    if close is not None:
        close()


def _module(name: str) -> Any:
    if name not in get_args(EngineName):
        raise InvalidSettings(f"engine is {name!r}", expected=" or ".join(get_args(EngineName)))
    others = [other for other in get_args(EngineName) if other != name and other in sys.modules]
    if others:  # their native types clash: the second one fails to load, or crashes
        raise InvalidSettings(
            f"the engine {others[0]} is loaded in this process already, {name} cannot be beside it",
            next_step=f"open the memory in a process of its own, or copy it to {others[0]}",
        )
    try:
        return importlib.import_module(name)
    except ImportError as cause:
        raise ExtensionMissing(
            f"the graph engine {name!r} is not installed",
            next_step=f"pip install 'graphmem[{name}]'",
        ) from cause
