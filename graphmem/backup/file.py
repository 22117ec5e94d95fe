"""Writing a backup file line by line, and reading one that was checked from its first byte to its last."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from graphmem.backup.layout import FORMAT, KINDS, VERSION, Record, changed_at, read
from graphmem.backup.sealing import Sealer, opened, sealed
from graphmem.errors import (
    BrokenFile,
    ChangeRefused,
    InvalidTime,
    UnknownFormat,
    UnreadableFile,
    WrongPassphrase,
)
from graphmem.store.whole_file import replacing
from graphmem.when import offset_minutes

_LONGEST = 64 << 20  # bytes of one line; a statement is far shorter
_PRIVATE = 0o600
_GZIP = b"\x1f\x8b"
_END = "end"


class Writer:
    """Writes records behind a header. Make one with `writing`."""

    def __init__(self, file: BinaryIO, *, written_at: datetime, sealer: Sealer | None) -> None:
        self._packed = gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0)
        self._sealer = sealer
        self._hash = hashlib.sha256()
        self._line = 0
        self.counts: Counter[str] = Counter()
        self._put(
            {
                "record": "header",
                "format": FORMAT,
                "version": VERSION,
                "written_at": written_at.isoformat(),
                "sealed": sealer.header if sealer else None,
            }
        )

    def add(self, record: Record) -> None:
        """Write one record."""
        self.counts[record["record"]] += 1
        self._put(sealed(record, self._line, self._sealer))

    def end(self) -> None:
        """Write what proves the file whole, and finish it."""
        digest = self._hash.hexdigest()
        proof = self._sealer.seal(digest, _END) if self._sealer else digest
        self._put({"record": _END, "counts": dict(self.counts), "sha256": proof})
        self._packed.close()

    def _put(self, record: Record) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        raw = line.encode("utf-8", "surrogatepass")
        self._hash.update(raw)
        self._packed.write(raw)
        self._line += 1


@contextmanager
def writing(path: Path, *, written_at: datetime, sealer: Sealer | None) -> Iterator[Writer]:
    """A new backup at `path`, there whole or not at all, readable by its owner alone; an older backup is
    replaced. Raises ChangeRefused where something else is there, MemoryUnwritable.
    """
    if path.exists() and not _is_backup(path):
        raise ChangeRefused(
            f"{path} is there and is no backup",
            expected="a new name, or the name of an older backup",
            next_step="choose another name",
        )
    with replacing(path, mode=_PRIVATE) as file:
        writer = Writer(file, written_at=written_at, sealer=sealer)
        yield writer
        writer.end()


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file that was read to its end and found whole."""

    path: Path
    written_at: datetime
    digest: str
    counts: dict[str, int]
    sealer: Sealer | None

    @classmethod
    def checked(cls, path: Path, passphrase: str | None) -> Backup:
        """Read the whole file once, every seal opened and every record read. Raises UnreadableFile,
        UnknownFormat for a file of another kind or of a newer version, BrokenFile, WrongPassphrase.
        """
        with _lines(path) as lines:
            header = _header(path, next(lines, None))
            reading = _Reading(path, header, _sealer(path, header, passphrase))
            for record in reading.records(lines):
                read(record)
                if record["record"] != "event":
                    changed_at(record)
        written_at = datetime.fromisoformat(header["written_at"])
        return cls(path, written_at, reading.digest, dict(reading.counts), reading.sealer)

    def records(self) -> Iterator[Record]:
        """The records in their order. Raises BrokenFile where the file is no longer the one checked."""
        with _lines(self.path) as lines:
            reading = _Reading(self.path, _header(self.path, next(lines, None)), self.sealer)
            yield from reading.records(lines)
        if reading.digest != self.digest:
            raise BrokenFile(f"{self.path} was changed while it was read")


class _Reading:
    """One way through a file. `digest` and `counts` are those of what was read so far."""

    def __init__(self, path: Path, header: Record, sealer: Sealer | None) -> None:
        self._path = path
        self._running = hashlib.sha256(header["raw"])
        self.sealer = sealer
        self.counts: Counter[str] = Counter()

    @property
    def digest(self) -> str:
        """The hash of all lines so far."""
        return self._running.hexdigest()

    def records(self, lines: Iterator[bytes]) -> Iterator[Record]:
        """Each record, opened; checks the end. Raises BrokenFile."""
        number = 0
        for number, raw in enumerate(lines, start=1):
            record = _record(self._path, raw, number)
            if record["record"] == _END:
                self._check_end(record)
                if next(lines, None) is not None:
                    raise BrokenFile(f"{self._path} goes on behind its end")
                return
            self._running.update(raw)
            self.counts[record["record"]] += 1
            yield opened(record, number, self.sealer)
        raise BrokenFile(
            f"{self._path} breaks off after line {number + 1}",
            expected="a whole backup",
            next_step="nothing was written; copy the file again or take another one",
        )

    def _check_end(self, end: Record) -> None:
        proof = end.get("sha256")
        told = self.sealer.open(proof, _END) if self.sealer else proof
        if told != self.digest or end.get("counts") != dict(self.counts):
            raise BrokenFile(
                f"{self._path} was changed or damaged: its end does not fit the rest",
                next_step="nothing was written; copy the file again or take another one",
            )


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[bytes]]:
    try:
        with path.open("rb") as file:
            if file.read(len(_GZIP)) != _GZIP:
                raise _no_backup(path)
            file.seek(0)
            with gzip.GzipFile(fileobj=file, mode="rb") as packed:
                yield _each_line(path, packed)
    except OSError as cause:
        raise UnreadableFile(f"{path} cannot be read: {cause.strerror or cause}") from cause


def _each_line(path: Path, packed: gzip.GzipFile) -> Iterator[bytes]:
    try:
        while raw := packed.readline(_LONGEST):
            if not raw.endswith(b"\n"):
                raise BrokenFile(f"{path} breaks off in the middle of a line")
            yield raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as cause:
        raise BrokenFile(
            f"{path} is damaged or not whole: {cause}",
            next_step="nothing was written; copy the file again or take another one",
        ) from cause


def _header(path: Path, raw: bytes | None) -> Record:
    try:
        header = json.loads(raw or b"")
        known = header["record"] == "header" and header["format"] == FORMAT
        version = header["version"]
        offset_minutes(datetime.fromisoformat(header["written_at"]))
    except (ValueError, KeyError, TypeError, InvalidTime) as cause:
        raise _no_backup(path) from cause
    if not known or not isinstance(version, int) or version < 1:
        raise _no_backup(path)
    if version > VERSION:
        raise UnknownFormat(
            f"{path} is a backup of version {version}",
            expected=f"version {VERSION} or older",
            next_step="update graphmem; nothing was written",
        )
    return {**header, "raw": raw}


def _sealer(path: Path, header: Record, passphrase: str | None) -> Sealer | None:
    if header.get("sealed") is None:
        return None
    if passphrase is None:
        raise WrongPassphrase(
            f"{path} is sealed with a passphrase",
            expected="that passphrase",
            next_step="nothing was written",
        )
    return Sealer.of(header["sealed"], passphrase)


def _record(path: Path, raw: bytes, number: int) -> dict[str, Any]:
    try:
        record = json.loads(raw.decode("utf-8", "surrogatepass"))
    except ValueError as cause:
        raise BrokenFile(f"{path}: line {number + 1} is no JSON") from cause
    kind = record.get("record") if isinstance(record, dict) else None
    if kind != _END and kind not in KINDS:
        raise BrokenFile(f"{path}: line {number + 1} is no known kind of record")
    found: dict[str, Any] = record
    return found


def _no_backup(path: Path) -> UnknownFormat:
    return UnknownFormat(f"{path} is no graphmem backup", expected="a file made by a backup")


def _is_backup(path: Path) -> bool:
    try:
        with _lines(path) as lines:
            _header(path, next(lines, None))
    except (UnknownFormat, BrokenFile, UnreadableFile):
        return False
    return True
