"""Where a log comes from: a file, a member of an archive, or a whole folder of them."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from io import BytesIO
from pathlib import Path

from graphmem.chatlogs.decode import CHUNK, ByteStream, checked_head
from graphmem.chatlogs.jsonstream import shape
from graphmem.chatlogs.vocabulary import Vocabulary
from graphmem.errors import UnreadableFile

_PRINT = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """One stream that can be opened again and again, for readers that look twice.

    `name` is what messages give as their source; `members` holds the streams of an archive or folder
    by their path in it, and is empty for a single file.
    """

    name: str
    size: int
    modified: datetime
    open: Callable[[], ByteStream]
    members: Mapping[str, Source] = field(default_factory=dict)

    @classmethod
    def nothing(cls) -> Source:
        """A source without bytes, for problems that stand before any log."""
        return cls("", 0, datetime.fromtimestamp(0, UTC), BytesIO)

    @property
    def stem(self) -> str:
        """The file's name without its folder and ending."""
        return Path(self.name).stem

    def head(self, words: Vocabulary) -> Head:
        """Its beginning. Raises UnreadableFile for binary data and foreign encodings."""
        with self.open() as stream:
            raw = stream.read(CHUNK)
        return Head(self.name, checked_head(raw, self.name), words, complete=len(raw) < CHUNK)


@dataclass(frozen=True)
class Head:
    """The beginning of a file, for sniffing: bytes in UTF-8 and what can be told from them.

    `words` are the words of exports that readers look for.
    """

    name: str
    raw: bytes
    words: Vocabulary
    complete: bool = True

    @cached_property
    def lines(self) -> list[str]:
        """Its lines with something in them; the last one only if it is whole."""
        text = self.raw.decode("utf-8", "replace")
        whole = text.split("\n")
        if not self.complete and len(whole) > 1:
            whole.pop()
        return [line for line in whole if line.strip()]

    @cached_property
    def first(self) -> str:
        """Its first character that is not blank, empty for an empty file."""
        return self.raw.lstrip()[:1].decode("latin-1")

    @cached_property
    def paths(self) -> frozenset[str]:
        """The JSON paths met in it, see jsonstream.shape; those of the first lines too, one by one."""
        if self.first not in {"{", "["}:
            return frozenset()
        met = shape(self.raw)
        for line in self.lines[:20]:
            if line.startswith("{"):
                met |= shape(line.encode("utf-8", "replace"))
        return met

    @cached_property
    def json_lines(self) -> bool:
        """Whether each line is an object of its own."""
        opening = [line for line in self.lines[:20] if line.startswith("{")]
        closing = [line for line in opening if line.rstrip().endswith("}")]
        return self.first == "{" and len(opening) * 2 > min(len(self.lines), 20) and bool(closing)


def file_source(path: Path) -> Source:
    """A file as a source. Raises UnreadableFile where it is missing, a pipe, or may not be read."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(
                f"{path} is not a file on disk",
                expected="a file, because some formats have to be looked at twice",
                next_step="save what the pipe delivers, and read that",
            )
        with path.open("rb"):
            pass
    except OSError as cause:
        raise UnreadableFile(
            f"{path}: {cause.strerror or cause}",
            expected="a chat log that exists and may be read",
            next_step="check the path and its permissions",
        ) from cause
    return Source(
        name=path.name,
        size=status.st_size,
        modified=datetime.fromtimestamp(status.st_mtime, UTC).replace(microsecond=0),
        open=lambda: path.open("rb"),
    )


def digest_of(source: Source) -> str:
    """The size with the SHA-256 of the first and last MiB of the source, or of each of its members."""
    found = hashlib.sha256()
    for name, part in sorted((source.members or {"": source}).items()):
        found.update(f"{name}\x00{part.size}\x00".encode("utf-8", "surrogatepass"))
        with part.open() as stream:
            found.update(stream.read(_PRINT))
            if part.size > 2 * _PRINT:
                stream.seek(part.size - _PRINT)
            found.update(stream.read(_PRINT))
    return f"{source.size}-{found.hexdigest()}"
