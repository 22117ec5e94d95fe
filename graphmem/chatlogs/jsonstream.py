"""JSON read piece by piece: the values at wanted paths, one at a time, with their bytes and lines.

A path is a tuple of keys, with "*" for the items of an array: ("messages", "*"). Everything beside
the wanted paths is passed over without being held. A value that is broken, too deep or too large is
reported and skipped; where the text stops being JSON altogether, a last problem says at which byte.
Several documents may follow each other. Why no library: docs/decisions/json-streaming.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from graphmem.chatlogs.decode import ByteStream, Utf8, text_of
from graphmem.chatlogs.items import Problem

Path = tuple[str, ...]

LARGEST_VALUE = 64 << 20
DEEPEST = 200
_DEEPEST_SKIPPED = 10_000
_LONGEST_KEY = 1 << 16

_BLANK = re.compile(rb"[ \t\r\n]*+")
_PLAIN = re.compile(rb'[^"\[\]{}]*+')
_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_SCALAR = re.compile(rb'[^\s,\[\]{}":]++')
_CLOSES = {ord("{"): ord("}"), ord("["): ord("]")}


@dataclass(frozen=True, slots=True)
class Found:
    """A value at a wanted path.

    `indexes` are the positions in the arrays along the path, from 0; `document` counts the documents
    of the file. `start` and `line` say where it begins, `position` is the number of bytes read so far.
    """

    path: Path
    value: Any
    indexes: tuple[int, ...]
    document: int
    start: int
    line: int
    position: int


class _NotJsonError(Exception):
    """The text stops being JSON: nothing behind this place can be trusted."""


class _Cursor:
    """A window that moves over the stream, forwards only."""

    def __init__(self, stream: Utf8, *, base: int | None = None, line: int = 1) -> None:
        self._stream = stream
        self.buffer = b""
        self.at = 0
        self._base = stream.offset if base is None else base
        self._line = line

    @property
    def place(self) -> int:
        return self._base + self.at

    @property
    def line(self) -> int:
        return self._line + self.buffer.count(b"\n", 0, self.at)

    @property
    def consumed(self) -> int:
        return self._stream.consumed

    def more(self) -> bool:
        """Drop what was passed and read on; False at the end."""
        piece = self._stream.read()
        self._line += self.buffer.count(b"\n", 0, self.at)
        self._base += self.at
        self.buffer = self.buffer[self.at :] + piece
        self.at = 0
        return bool(piece)

    def peek(self) -> int:
        """The next byte that is not blank, -1 at the end."""
        while True:
            found = _BLANK.match(self.buffer, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self.more():
                return -1

    def take(self, wanted: bytes, expected: str) -> int:
        """Consume one byte out of `wanted`. Raises _NotJsonError."""
        byte = self.peek()
        if byte < 0:
            raise _NotJsonError(f"the file ends where {expected} should stand")
        if byte not in wanted:
            raise _NotJsonError(f"{chr(byte)!r} stands where {expected} should")
        self.at += 1
        return byte


class _Value:
    """Collects the bytes of one value, up to a limit."""

    def __init__(self, *, keep: bool, limit: int) -> None:
        self._keep = keep
        self._limit = limit
        self._pieces: list[bytes] = []
        self.size = 0
        self.too_deep = False

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        if self._keep and self.size <= self._limit:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    @property
    def fault(self) -> str:
        if self.size > self._limit:
            return f"a value of {self.size} bytes"
        return f"nested deeper than {DEEPEST} levels" if self.too_deep else ""

    def bytes(self) -> bytes:
        return b"".join(self._pieces)


def walk(raw: ByteStream, wanted: Sequence[Path], name: str) -> Iterator[Found | Problem]:
    """The values at `wanted`, in the order of the file; `name` is told in problems."""
    return _Walk(_Cursor(Utf8(raw)), frozenset(wanted), name).all()


def items_at(raw: ByteStream, start: int, line: int, name: str) -> Iterator[Found | Problem]:
    """The items of an array from one that was found at byte `start`, to which `raw` has been moved."""
    cursor = _Cursor(Utf8(raw), base=start, line=line)
    return _Walk(cursor, frozenset({("*",)}), name).rest()


@dataclass(slots=True)
class _Walk:
    """One way through a file: down to the wanted paths, past everything else."""

    cursor: _Cursor
    wanted: frozenset[Path]
    name: str
    document: int = 0

    def rest(self) -> Iterator[Found | Problem]:
        """The items up to the end of the array that the cursor stands in."""
        index = 0
        try:
            while True:
                yield self._found(("*",), (index,))
                index += 1
                if self.cursor.take(b",]", "',' or ']'") == ord("]"):
                    return
        except _NotJsonError:
            return  # the first look has told of it

    def all(self) -> Iterator[Found | Problem]:
        """Every wanted value of the file."""
        try:
            while self.cursor.peek() >= 0:
                if self.cursor.peek() not in _CLOSES:
                    self.cursor.take(b"", "an object or array")
                yield from self._descend((), ())
                self.document += 1
        except _NotJsonError as cause:
            yield Problem(
                f"{self.name}, line {self.cursor.line}, byte {self.cursor.place}",
                f"the JSON breaks off: {cause}",
                "complete JSON; what stands before this place was read",
                self.cursor.consumed,
            )

    def _descend(self, path: Path, indexes: tuple[int, ...]) -> Iterator[Found | Problem]:
        cursor = self.cursor
        opening = cursor.peek()
        if path in self.wanted:
            yield self._found(path, indexes)
            return
        if opening not in _CLOSES or not any(aim[: len(path)] == path for aim in self.wanted):
            _consume(cursor, keep=False)
            return
        cursor.at += 1
        closing = _CLOSES[opening]
        index = 0
        while cursor.peek() != closing:
            if opening == ord("{"):
                yield from self._descend((*path, _key(cursor)), indexes)
            else:
                yield from self._descend((*path, "*"), (*indexes, index))
            index += 1
            if cursor.take(bytes((closing, ord(","))), f"',' or {chr(closing)!r}") == closing:
                return
        cursor.at += 1

    def _found(self, path: Path, indexes: tuple[int, ...]) -> Found | Problem:
        cursor = self.cursor
        start, line = cursor.place, cursor.line
        held = _consume(cursor, keep=True)
        fault = held.fault
        if not fault:
            try:
                value = json.loads(text_of(held.bytes()), strict=False)
                return Found(path, value, indexes, self.document, start, line, cursor.consumed)
            except UnicodeDecodeError as cause:
                fault = f"not UTF-8 at byte {start + cause.start}"
            except json.JSONDecodeError as cause:
                fault = f"broken JSON at line {line + cause.lineno - 1}: {cause.msg}"
            except (RecursionError, ValueError) as cause:
                fault = f"unreadable JSON: {cause}"
        which = f", item {indexes[-1] + 1}" if indexes else ""
        return Problem(
            f"{self.name}{which}, line {line}, byte {start}",
            fault,
            f"a JSON value of at most {LARGEST_VALUE >> 20} MiB",
            cursor.consumed,
        )


def _key(cursor: _Cursor) -> str:
    if cursor.peek() != ord('"'):
        cursor.take(b'"', "a key in quotes")
    held = _consume(cursor, keep=True, limit=_LONGEST_KEY)
    cursor.take(b":", "':'")
    try:
        return str(json.loads(held.bytes() or b'""', strict=False))
    except ValueError as cause:
        raise _NotJsonError(f"a broken key: {cause}") from cause


def _consume(cursor: _Cursor, *, keep: bool, limit: int = LARGEST_VALUE) -> _Value:
    """Pass one value. Raises _NotJsonError where brackets do not match or the text ends within it."""
    held = _Value(keep=keep, limit=limit)
    byte = cursor.peek()
    if byte == ord('"'):
        _string(cursor, held)
    elif byte in _CLOSES:
        _container(cursor, held)
    else:
        _scalar(cursor, held)
    return held


def _scalar(cursor: _Cursor, held: _Value) -> None:
    while True:
        found = _SCALAR.match(cursor.buffer, cursor.at)
        if found is None:
            break
        held.add(found.group())
        cursor.at = found.end()
        if cursor.at < len(cursor.buffer):
            break
        if not cursor.more():  # what is cut off may have been a longer number
            raise _NotJsonError("the file ends inside a value")
    if not held.size:
        cursor.take(b"", "a value")


def _string(cursor: _Cursor, held: _Value) -> None:
    held.add(b'"')
    cursor.at += 1
    while True:
        found = _STRING.match(cursor.buffer, cursor.at)
        end = found.end() if found else cursor.at
        held.add(cursor.buffer[cursor.at : end])
        cursor.at = end
        if cursor.buffer[end : end + 1] == b'"':
            held.add(b'"')
            cursor.at += 1
            return
        if not cursor.more():
            raise _NotJsonError("the file ends inside a string")


def _container(cursor: _Cursor, held: _Value) -> None:
    expected = bytearray()
    while True:
        found = _PLAIN.match(cursor.buffer, cursor.at)
        end = found.end() if found else cursor.at
        held.add(cursor.buffer[cursor.at : end])
        cursor.at = end
        if end == len(cursor.buffer):
            if not cursor.more():
                raise _NotJsonError("the file ends inside an object or array")
            continue
        byte = cursor.buffer[end]
        if byte == ord('"'):
            _string(cursor, held)
            continue
        if byte in _CLOSES:
            expected.append(_CLOSES[byte])
            held.too_deep = held.too_deep or len(expected) > DEEPEST
            if len(expected) > _DEEPEST_SKIPPED:
                raise _NotJsonError(f"nested deeper than {_DEEPEST_SKIPPED} levels")
        elif byte != expected.pop():
            raise _NotJsonError(f"{chr(byte)!r} closes what another bracket opened")
        held.add(cursor.buffer[end : end + 1])
        cursor.at += 1
        if not expected:
            return


def shape(head: bytes, *, depth: int = 7) -> frozenset[str]:
    """The paths met in the beginning of a JSON text, dotted: {"*.mapping", "*.title"}; empty for none."""
    met: set[str] = set()
    cursor = _Cursor(Utf8(BytesIO(head)))
    try:
        while cursor.peek() >= 0:
            _outline(cursor, "", depth, met)
    except _NotJsonError:
        pass
    return frozenset(met)


def _outline(cursor: _Cursor, path: str, depth: int, met: set[str]) -> None:
    if path:
        met.add(path)
    opening = cursor.peek()
    if opening not in _CLOSES or not depth:
        _consume(cursor, keep=False)
        return
    cursor.at += 1
    closing = _CLOSES[opening]
    while cursor.peek() != closing:
        step = _key(cursor) if opening == ord("{") else "*"
        _outline(cursor, f"{path}.{step}" if path else step, depth - 1, met)
        if cursor.take(bytes((closing, ord(","))), "',' or the end") == closing:
            return
    cursor.at += 1
