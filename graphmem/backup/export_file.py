"""Reading the memory's own export of JSON Lines, checked from its first line to its last."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem.backup.layout import KINDS, Record, changed_at, read
from graphmem.errors import BrokenFile, InvalidTime, UnknownFormat, UnreadableFile
from graphmem.when import offset_minutes

FORMAT = "graphmem-export"
VERSION = 1

_LONGEST = 64 << 20  # bytes of one line; a statement is far shorter
_LAST = "end"
_THINGS = frozenset(KINDS) - {"event"}


@dataclass(frozen=True, slots=True)
class Export:
    """An export that was read to its end and found whole."""

    path: Path
    written_at: datetime
    digest: str
    counts: dict[str, int]

    @classmethod
    def checked(cls, path: Path) -> Export:
        """Read the whole file once, every record too. Raises UnreadableFile, UnknownFormat for a file of
        another kind or of a newer version, BrokenFile.
        """
        running = hashlib.sha256()
        counts: Counter[str] = Counter()
        with _lines(path) as lines:
            header = _header(path, next(lines, b""))
            for record in _records(path, lines, running, counts):
                read(record)
                changed_at(record)
        return cls(
            path,
            datetime.fromisoformat(header["written_at"]),
            running.hexdigest(),
            dict(counts),
        )

    def records(self) -> Iterator[Record]:
        """The records in their order. Raises BrokenFile where the file is no longer the one checked."""
        running = hashlib.sha256()
        with _lines(self.path) as lines:
            next(lines, None)
            yield from _records(self.path, lines, running, Counter())
        if running.hexdigest() != self.digest:
            raise BrokenFile(f"{self.path} was changed while it was read")


def is_export(path: Path) -> bool:
    """Whether a file begins like an export of JSON Lines."""
    try:
        with _lines(path) as lines:
            _header(path, next(lines, b""))
    except (UnknownFormat, BrokenFile, UnreadableFile):
        return False
    return True


def _records(
    path: Path, lines: Iterator[bytes], running: Any, counts: Counter[str]
) -> Iterator[Record]:
    for number, raw in enumerate(lines, start=2):
        record = _record(path, raw, number)
        if record["record"] == _LAST:
            if record.get("counts") != dict(counts) or next(lines, None) is not None:
                raise BrokenFile(f"{path}: its end does not fit the rest", next_step=_NOTHING)
            return
        running.update(raw)
        counts[record["record"]] += 1
        yield record
    raise BrokenFile(
        f"{path} breaks off before its end", expected="a whole export", next_step=_NOTHING
    )


_NOTHING = "nothing was written; copy the file again or take another one"


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[bytes]]:
    try:
        with path.open("rb") as file:
            yield _each_line(path, file)
    except OSError as cause:
        raise UnreadableFile(f"{path} cannot be read: {cause.strerror or cause}") from cause


def _each_line(path: Path, file: Any) -> Iterator[bytes]:
    while raw := file.readline(_LONGEST):
        if not raw.endswith(b"\n"):
            raise BrokenFile(f"{path} breaks off in the middle of a line", next_step=_NOTHING)
        yield raw


def _header(path: Path, raw: bytes) -> Record:
    try:
        header: Record = json.loads(raw)
        known = header["record"] == "header" and header["format"] == FORMAT
        version = header["version"]
        offset_minutes(datetime.fromisoformat(header["written_at"]))
    except (ValueError, KeyError, TypeError, RecursionError, InvalidTime) as cause:
        raise _no_export(path) from cause
    if not known or type(version) is not int or version < 1:
        raise _no_export(path)
    if version > VERSION:
        raise UnknownFormat(
            f"{path} is an export of version {version}",
            expected=f"version {VERSION} or older",
            next_step="update graphmem; nothing was written",
        )
    return header


def _record(path: Path, raw: bytes, number: int) -> dict[str, Any]:
    try:
        record = json.loads(raw.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as cause:
        raise BrokenFile(f"{path}: line {number} is no JSON", next_step=_NOTHING) from cause
    kind = record.get("record") if isinstance(record, dict) else None
    if not isinstance(kind, str) or (kind != _LAST and kind not in _THINGS):
        raise BrokenFile(f"{path}: line {number} is no known kind of record", next_step=_NOTHING)
    found: dict[str, Any] = record
    return found


def _no_export(path: Path) -> UnknownFormat:
    return UnknownFormat(
        f"{path} is no export of a graphmem memory",
        expected="JSON Lines that `graphmem export` wrote",
    )
