"""Bytes to text: UTF-8 with or without a mark, UTF-16 with one, as a stream of bounded size."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from graphmem.errors import UnreadableFile

CHUNK = 1 << 16
LONGEST_LINE = 16 << 20

_EXPECTED = "text in UTF-8, or UTF-16 with a byte order mark"
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class ByteStream(Protocol):
    """What readers ask of an opened file or archive member."""

    def read(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


class Utf8:
    """A byte stream as UTF-8 without its mark; what was UTF-16 is recoded as it is read.

    `consumed` is the number of bytes taken from the stream below, `offset` where the text began.
    """

    def __init__(self, raw: ByteStream) -> None:
        self._raw = raw
        first = raw.read(CHUNK)
        self.consumed = len(first)
        self._decoder: codecs.IncrementalDecoder | None = None
        self.offset = 0
        encoding = _UTF16.get(first[:2])
        if encoding is not None:
            self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
            first = first[2:]
        elif first.startswith(codecs.BOM_UTF8):
            self.offset = len(codecs.BOM_UTF8)
            first = first[self.offset :]
        self._first: bytes | None = first

    def read(self) -> bytes:
        """The next piece, empty at the end."""
        while True:
            if self._first is not None:
                raw, self._first = self._first, None
            else:
                raw = self._raw.read(CHUNK)
                self.consumed += len(raw)
                if not raw:
                    tail = self._decoder.decode(b"", final=True) if self._decoder else ""
                    return tail.encode()
            piece = self._decoder.decode(raw).encode() if self._decoder else raw
            if piece:
                return piece


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end; `text` is None where it is not text, and `fault` says why.

    `number` counts from 1, `start` is its first byte, `position` the bytes read so far.
    """

    number: int
    start: int
    position: int
    text: str | None
    fault: str = ""


def text_of(raw: bytes) -> str:
    """UTF-8 to text; encoded lone surrogates become U+FFFD. Raises UnicodeDecodeError."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as strict:
        try:
            loose = raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise strict from None
        return loose.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def lines(raw: ByteStream) -> Iterator[Line]:
    """The lines of a stream. One too long to be a message, or not text, comes with its fault."""
    stream = Utf8(raw)
    number, start = 1, stream.offset
    held: list[bytes] = []
    size = 0
    while True:
        piece = stream.read()
        *whole, rest = piece.split(b"\n")
        for part in whole:
            held.append(part)
            yield _line(held, size + len(part), number, start, position=stream.consumed)
            start += size + len(part) + 1
            number += 1
            held, size = [], 0
        size += len(rest)
        if size <= LONGEST_LINE:
            held.append(rest)
        else:
            held.clear()
        if not piece:
            if size:
                yield _line(held, size, number, start, position=stream.consumed)
            return


def _line(held: list[bytes], size: int, number: int, start: int, *, position: int) -> Line:
    if size > LONGEST_LINE:
        return Line(number, start, position, None, f"a line of {size} bytes")
    try:
        text = text_of(b"".join(held))
    except UnicodeDecodeError as cause:
        return Line(number, start, position, None, f"not UTF-8 at byte {start + cause.start}")
    return Line(number, start, position, text.removesuffix("\r"))


def checked_head(raw: bytes, name: str) -> bytes:
    """The beginning of a file as UTF-8 without its mark.

    Raises UnreadableFile for binary data, and where more lines are no UTF-8 than are UTF-8 beyond
    ASCII: then it is another encoding, not a damaged line.
    """
    if raw[:2] in _UTF16:
        even = raw[2 : len(raw) - len(raw) % 2]
        return even.decode(_UTF16[raw[:2]], "replace").encode()
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if b"\x00" in raw:
        raise UnreadableFile(
            f"{name} is binary: a zero byte at {raw.index(0)}",
            expected=_EXPECTED,
            next_step="export the chat as text or JSON",
        )
    faults: list[int] = []
    good = place = 0
    for line in _whole_lines(raw).splitlines(keepends=True):
        try:
            good += not line.isascii() and bool(text_of(line))
        except UnicodeDecodeError as cause:
            faults.append(place + cause.start)
        place += len(line)
    if len(faults) > good:
        raise UnreadableFile(
            f"{name} is not UTF-8: byte {faults[0]} is 0x{raw[faults[0]]:02x}",
            expected=_EXPECTED,
            next_step="save it as UTF-8, for example with iconv -f GB18030 -t UTF-8",
        )
    return raw


def _whole_lines(raw: bytes) -> bytes:
    """`raw` without what may be cut at its end: the last line, or the last character of the only line."""
    end = raw.rfind(b"\n") + 1
    if not end and len(raw) >= CHUNK - len(codecs.BOM_UTF8):
        end = len(raw) - 4
    return raw[:end] if end else raw
