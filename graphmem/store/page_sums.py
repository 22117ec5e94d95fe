"""Checksums of the pages of the index database, which SQLite itself does not keep: a changed bit is found at opening.

SQLite notices a bit that has changed in a page only where it breaks the page's structure; elsewhere it reads another
text, or does not find a row. Beside the database stands `passages.sums`: the checksum of each page as it is in
the database file (the base), and behind it, appended after each commit, those of the pages in its log, which
SQLite may copy into the file at any time. When the log is begun anew, all of it is in the file: what was
appended becomes the base. A page must have the checksum of the base or one that was appended since, unless the log has it.

The file is never needed: without it, or where it is damaged, the database is taken as it is.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"graphmem sums 1\n"
_BLOCK = struct.Struct("<4sIIII")  # kind, bytes that follow, and three values
_KINDS = _BASE, _NOTE, _SEAL = b"base", b"note", b"seal"
_END = struct.Struct("<I")  # of a block: its checksum
_LOG_HEADER, _FRAME_HEADER = 32, 24  # bytes, see sqlite.org/fileformat2.html, "The Write-Ahead Log"
_READ_WHOLE = (
    256 << 20
)  # bytes of database: a larger one that was closed well is known by size and time
_AT_ONCE = 256  # pages read together
_APPENDED = 1 << 20  # bytes behind the base after which a new one is written

Sums = NDArray[np.uint32]
Salts = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Log:
    """How far a log has been read: its salts, its committed frames, and the checksum of its bytes up to there."""

    salts: Salts = (0, 0)
    frames: int = 0
    crc: int = 0


@dataclass(slots=True)
class _Known:
    """What a file of sums tells: 0 in the base is a page of which nothing is known."""

    page: int = 0
    base: Sums = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))
    since: dict[int, list[int]] = field(default_factory=dict)  # page (from 0): what was appended
    log: _Log = _Log()
    sealed: tuple[int, int] | None = None  # size and time of the file, where it was closed well
    filled: bool = False  # something was learnt from the file itself

    def settle(self) -> None:
        """All that was appended is in the file."""
        if self.since:
            longer = max(len(self.base), 1 + max(self.since))
            base = np.zeros(longer, dtype=np.uint32)
            base[: len(self.base)] = self.base
            base[list(self.since)] = [sums[-1] for sums in self.since.values()]
            self.base, self.since = base, {}


class PageSums:
    """The sums beside one database; `sound` before it is opened, `note` after each commit, `closed` at the end."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self._file = database.with_suffix(".sums")
        self._wal = database.with_name(database.name + "-wal")
        self._log = _Log()
        self._page = 0

    def sound(self) -> bool:
        """Whether every page of the file is as it was written. Not while this process has the file open: closing
        it here would drop SQLite's locks.
        """
        known, whole = self._read()
        try:
            if known is None:
                self._begin()
                return True
            if self._is_large() and self._wal_salts() is None and known.sealed == self._told():
                return True
            if not self._agrees(known):
                return False
            if known.filled or not whole:
                self._write(known)
            self._log, self._page = known.log, known.page
        except FileNotFoundError:
            self.remove()  # of a file that is not there any more
            return True
        self.note()  # what a process that was killed had not noted yet
        return True

    def note(self) -> None:
        """Append what stands in the log since this was last called. A failure leaves no sums behind."""
        try:
            with self._wal.open("rb") as log:
                salts, page = _begins(log.read(_LOG_HEADER))
                if page and self._page not in (page, 0):
                    raise ValueError("another size of pages")
                if not page:
                    return
                again = salts != self._log.salts
                before = _Log(salts) if again else self._log
                pairs, now = _committed(log.fileno(), before, page)
            self._page = page
            if again and self._appended() > _APPENDED:
                self._rewrite()
            if pairs:
                self._append(_NOTE, pairs, salts, now)
            self._log = now
        except FileNotFoundError:
            return
        except (OSError, ValueError):
            self.remove()

    def closed(self) -> None:
        """The database was closed, by the last who had it open: note how the file looks."""
        if not self._wal.exists() and self._is_large():
            with suppress(OSError):
                size, time = self._told()
                self._extend(_block(_SEAL, b"", size & 0xFFFFFFFF, time & 0xFFFFFFFF, time >> 32))

    def remove(self) -> None:
        """Delete the file: the database is taken as it is."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)

    # --- comparing ---------------------------------------------------------------------------------

    def _agrees(self, known: _Known) -> bool:
        """Whether the file is as it was written; what was not known of it is learnt."""
        if not known.page or self.database.stat().st_size % known.page:
            return False
        found = self._found(known.page)
        salts, in_log, whole = self._in_log(known)
        before = {n: _at(known.base, n) for n in known.since}
        after = {n: sums[-1] for n, sums in known.since.items()}
        if salts == known.log.salts:
            # SQLite reads a log up to the damage: right where none of it is in the file yet
            if not whole and not _are(found, before):
                return False
        elif not _are(found, before) and not _are(
            found, {n: after[n] for n in after.keys() - in_log}
        ):
            return False  # a part of a log that is gone is in the file
        if not all(n in in_log for n in range(len(found), len(known.base)) if known.base[n]):
            return False
        base = np.zeros(len(found), dtype=np.uint32)
        base[: len(known.base)] = known.base[: len(found)]
        for n in np.flatnonzero(base != found).tolist():
            appended = known.since.get(n, ())
            if n not in in_log and (base[n] or appended) and int(found[n]) not in appended:
                return False
        known.filled = bool(((base == 0) & (found != 0)).any())
        known.base = np.where(base == 0, found, base)
        return True

    def _in_log(self, known: _Known) -> tuple[Salts | None, frozenset[int], bool]:
        """The log's salts, the pages in it, and whether all that was noted of it is as it was."""
        try:
            with self._wal.open("rb") as log:
                salts, page = _begins(log.read(_LOG_HEADER))
                if not page or page != known.page:
                    return None, frozenset(), False
                pairs, _ = _committed(log.fileno(), _Log(salts), page)
                noted = known.log.frames * (page + _FRAME_HEADER)
                same = zlib.crc32(os.pread(log.fileno(), noted, _LOG_HEADER)) == known.log.crc
        except FileNotFoundError:
            return None, frozenset(), False
        return salts, frozenset(n for n, _ in pairs), same

    def _found(self, page: int) -> Sums:
        """The checksum of each page of the file."""
        sums: list[int] = []
        with self.database.open("rb", buffering=0) as opened:
            while some := opened.read(page * _AT_ONCE):
                view = memoryview(some)
                sums += [zlib.crc32(view[at : at + page]) for at in range(0, len(some), page)]
        return np.array(sums, dtype=np.uint32)

    def _wal_salts(self) -> Salts | None:
        try:
            with self._wal.open("rb") as log:
                salts, page = _begins(log.read(_LOG_HEADER))
        except FileNotFoundError:
            return None
        return salts if page else None

    def _told(self) -> tuple[int, int]:
        found = self.database.stat()
        return found.st_size & 0xFFFFFFFF, found.st_mtime_ns

    def _is_large(self) -> bool:
        return self.database.exists() and self.database.stat().st_size > _READ_WHOLE

    # --- the file ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Take the database as it is."""
        with self.database.open("rb") as opened:
            header = opened.read(100)
        page = int.from_bytes(header[16:18], "big")
        page = 65536 if page == 1 else page
        if len(header) == 100 and page >= 512:
            self._write(_Known(page=page, base=self._found(page)))

    def _read(self) -> tuple[_Known | None, bool]:
        """What the file tells, and whether it ends with a whole block; None where it is missing or damaged."""
        try:
            raw = self._file.read_bytes()
        except OSError:
            return None, False
        known = _Known()
        at = len(_MAGIC)
        if not raw.startswith(_MAGIC):
            return None, False
        while at < len(raw):
            content = _BLOCK.size + at
            if content > len(raw):
                return known, False
            kind, length, *values = _BLOCK.unpack_from(raw, at)
            end = content + length + _END.size
            if kind not in _KINDS:
                return None, False
            if end > len(raw):  # the process was killed while it appended
                return (known, False) if kind == _NOTE else (None, False)
            if zlib.crc32(raw[at : end - _END.size]) != _END.unpack_from(raw, end - _END.size)[0]:
                return None, False
            _take(known, kind, raw[content : end - _END.size], values)
            at = end
        return known, True

    def _append(self, kind: bytes, pairs: list[tuple[int, int]], salts: Salts, now: _Log) -> None:
        told = np.array(pairs, dtype=np.uint32).tobytes()
        self._extend(_block(kind, _END.pack(now.crc) + told, *salts, now.frames))

    def _extend(self, block: bytes) -> None:
        try:
            place = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except FileNotFoundError:
            self._write(_Known(page=self._page))
            place = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            if os.write(place, block) != len(block):
                raise OSError("cut short")
        finally:
            os.close(place)

    def _rewrite(self) -> None:
        """Make what was appended the base: the log has been begun anew."""
        known, _ = self._read()
        if known is not None:
            known.settle()
            self._write(known)

    def _write(self, known: _Known) -> None:
        blocks = [_block(_BASE, known.base.tobytes(), known.page, 0, 0)]
        if known.since:
            pairs = [(n, crc) for n, sums in known.since.items() for crc in sums]
            told = _END.pack(known.log.crc) + np.array(pairs, dtype=np.uint32).tobytes()
            blocks.append(_block(_NOTE, told, *known.log.salts, known.log.frames))
        new = self._file.with_name(self._file.name + ".new")
        new.write_bytes(_MAGIC + b"".join(blocks))
        new.replace(self._file)

    def _appended(self) -> int:
        """About how much stands behind the base."""
        with suppress(FileNotFoundError):
            pages = self.database.stat().st_size // max(self._page, 1)
            return self._file.stat().st_size - _END.size * pages
        return 0


def _take(known: _Known, kind: bytes, content: bytes, values: list[int]) -> None:
    """One block."""
    known.sealed = None
    if kind == _SEAL:
        known.sealed = values[0], values[2] << 32 | values[1]
        return
    if kind == _BASE:
        known.page = values[0]
        known.base = np.frombuffer(content, dtype=np.uint32)
        return
    first, second, frames = values
    if (first, second) != known.log.salts:
        known.settle()
    known.log = _Log((first, second), frames, _END.unpack_from(content)[0])
    pairs = np.frombuffer(content, dtype=np.uint32, offset=_END.size).reshape(-1, 2)
    for n, crc in pairs.tolist():
        known.since.setdefault(n, []).append(crc)


def _block(kind: bytes, content: bytes, *values: int) -> bytes:
    whole = _BLOCK.pack(kind, len(content), *values) + content
    return whole + _END.pack(zlib.crc32(whole))


def _begins(header: bytes) -> tuple[Salts, int]:
    """Salts and size of pages of a log; 0 where it is empty."""
    if len(header) < _LOG_HEADER:
        return (0, 0), 0
    page, _, first, second = struct.unpack_from(">IIII", header, 8)
    return (first, second), page if 512 <= page <= 65536 else 0


def _committed(file: int, after: _Log, page: int) -> tuple[list[tuple[int, int]], _Log]:
    """Page (from 0) and checksum of each frame behind those known that is committed, and how far that goes."""
    pairs: list[tuple[int, int]] = []
    known, ends = after, 0
    crc = after.crc
    for number, n, last, frame in _frames(file, after, page):
        crc = zlib.crc32(frame, crc)
        pairs.append((n - 1, zlib.crc32(frame[_FRAME_HEADER:])))
        if last:
            known, ends = _Log(after.salts, number, crc), len(pairs)
    return pairs[:ends], known


def _frames(file: int, after: _Log, page: int) -> Iterator[tuple[int, int, int, memoryview]]:
    """Number (from 1), page, whether it ends a transaction, and bytes of the frames of this log."""
    size = page + _FRAME_HEADER
    number = after.frames
    while some := os.pread(file, size * _AT_ONCE, _LOG_HEADER + number * size):
        view = memoryview(some)
        for at in range(0, len(some) - size + 1, size):
            n, last, *salts = struct.unpack_from(">IIII", view, at)
            if tuple(salts) != after.salts or not n:
                return
            number += 1
            yield number, n, last, view[at : at + size]
        if len(some) < size * _AT_ONCE:
            return


def _at(base: Sums, n: int) -> int:
    return int(base[n]) if n < len(base) else 0


def _are(found: Sums, wanted: dict[int, int]) -> bool:
    """Whether the pages have these checksums; a page of which none is known, or that is not there, agrees with 0."""
    return all(not crc or (n < len(found) and int(found[n]) == crc) for n, crc in wanted.items())
