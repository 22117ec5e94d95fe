"""Which readers there are, which of them fits a file, and the one way to read a log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from graphmem.chatlogs.chatgpt import ChatGPT
from graphmem.chatlogs.compose import compose
from graphmem.chatlogs.items import Item, Options, Problem, Reader
from graphmem.chatlogs.openai_messages import OpenAIMessages
from graphmem.chatlogs.plain import PlainText
from graphmem.chatlogs.source import Source, digest_of, file_source
from graphmem.chatlogs.times import Times, zone_named
from graphmem.chatlogs.vocabulary import Vocabulary
from graphmem.chatlogs.whatsapp import WhatsApp
from graphmem.errors import UnknownFormat, UnreadableFile
from graphmem.lexicon import Lexicon

READERS: dict[str, Reader] = {
    reader.name: reader for reader in (OpenAIMessages(), ChatGPT(), WhatsApp(), PlainText())
}


def detect(path: str | Path) -> Reader:
    """The reader of a file, told by its content.

    Raises UnreadableFile for what is missing, binary or in a foreign encoding, and UnknownFormat,
    which names what was looked for.
    """
    return _reader_of(_source(Path(path)))


def reader_named(name: str) -> Reader:
    """The reader of a format. Raises UnknownFormat for an unknown name."""
    if name not in READERS:
        raise UnknownFormat(
            f"no reader is called {name!r}", expected="one of " + ", ".join(sorted(READERS))
        )
    return READERS[name]


def open_log(
    path: str | Path,
    *,
    format: str | None = None,
    me: str | None = None,
    timezone: str | None = None,
    default_time: datetime | None = None,
    after: int = 0,
    lexicon: Lexicon | None = None,
) -> Iterator[Item]:
    """The messages and problems of a chat log, as a stream.

    `format` is a reader's name (default: told by content), `me` the owner's name, `timezone` the IANA
    name of the zone in which local times are told (default: the machine's), `default_time` when a log
    without times began (aware; default: when the file was last changed), `after` the number of the item
    behind which to go on. Raises UnreadableFile, UnknownFormat and InvalidTime at once.
    """
    source = _source(Path(path))
    reader = reader_named(format) if format else _reader_of(source)
    words = Vocabulary.of(lexicon or Lexicon.load())
    options = Options(me=me, times=Times(zone_named(timezone)), words=words)
    begun = default_time or source.modified.astimezone(options.times.zone)
    drafts = reader.read(source, options)
    items = compose(drafts, source=source.name, options=options, default_time=begun)
    return (item for item in items if item.number > after)


def size(path: str | Path) -> int:
    """How many bytes a log has, for a bar: items carry their position. Raises UnreadableFile."""
    return _source(Path(path)).size


def fingerprint(path: str | Path) -> str:
    """Tells whether a log is still the same: size and SHA-256 of its ends. Raises UnreadableFile."""
    return digest_of(_source(Path(path)))


def _source(path: Path) -> Source:
    if path.is_dir():
        raise UnreadableFile(f"{path} is a directory", expected="a chat log")
    return file_source(path)


def _reader_of(source: Source) -> Reader:
    head = source.head()
    scored = [(reader.sniff(head), name) for name, reader in READERS.items()]
    best, name = max(scored, default=(0.0, ""))
    if best <= 0:
        looked = "; ".join(reader.looks_for for reader in READERS.values())
        raise UnknownFormat(
            f"{source.name} is of no known format" + ("" if head.raw.strip() else ": it is empty"),
            expected=f"one of: {looked}",
            next_step="name the format if you know it: " + ", ".join(sorted(READERS)),
        )
    return READERS[name]


__all__ = ["READERS", "Item", "Problem", "Reader", "detect", "fingerprint", "open_log", "size"]
