"""Which readers there are, which of them fits a log, and the one way to read it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graphmem.chatlogs.archive import Archive, folder
from graphmem.chatlogs.chatgpt import ChatGPT
from graphmem.chatlogs.claude import Claude
from graphmem.chatlogs.compose import compose
from graphmem.chatlogs.instagram import Instagram
from graphmem.chatlogs.items import Draft, Item, Options, Problem, Reader
from graphmem.chatlogs.openai_messages import OpenAIMessages
from graphmem.chatlogs.plain import PlainText
from graphmem.chatlogs.signal_text import Signal
from graphmem.chatlogs.sillytavern import SillyTavern
from graphmem.chatlogs.slack import Slack
from graphmem.chatlogs.source import Head, Source, digest_of, file_source
from graphmem.chatlogs.telegram import Telegram
from graphmem.chatlogs.times import Times, zone_named
from graphmem.chatlogs.vocabulary import Vocabulary
from graphmem.chatlogs.wechat import WeChat
from graphmem.chatlogs.whatsapp import WhatsApp
from graphmem.errors import BrokenFile, InvalidTime, UnknownFormat, UnreadableFile
from graphmem.lexicon import Lexicon

_SLACK = Slack()

READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        OpenAIMessages(),
        ChatGPT(),
        Claude(),
        Telegram(),
        _SLACK,
        SillyTavern(),
        Instagram(),
        Signal(),
        WhatsApp(),
        WeChat(),
        PlainText(),
    )
}


def detect(path: str | Path, *, lexicon: Lexicon | None = None) -> Reader:
    """The reader of a log, told by its content; of an archive, that of the first log in it.

    Raises UnreadableFile for what is missing, binary, in a foreign encoding, or a directory without a
    Slack export, and UnknownFormat, which names what was looked for.
    """
    with ExitStack() as closing:
        words = Vocabulary.of(lexicon or Lexicon.load())
        return _plan(Path(path), None, words, closing).logs[0][1]


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
    without times began (aware; default: when the file was last changed), `after` the number of the
    item behind which to go on. Raises UnreadableFile, UnknownFormat and InvalidTime at once.
    """
    if default_time is not None and default_time.utcoffset() is None:
        raise InvalidTime(f"default_time {default_time} has no zone", expected="an aware datetime")
    words = Vocabulary.of(lexicon or Lexicon.load())
    options = Options(me=me, times=Times(zone_named(timezone)), words=words)
    with ExitStack() as closing:
        plan = _plan(Path(path), format, words, closing)
        begun = default_time or plan.whole.modified.astimezone(options.times.zone)
        return _items(plan, options, begun, after, closing.pop_all())


def size(path: str | Path, *, format: str | None = None) -> int:
    """How many bytes will be read, for a bar: items carry their position. Raises as `open_log`."""
    with ExitStack() as closing:
        words = Vocabulary.of(Lexicon.load())
        return sum(source.size for source, _ in _plan(Path(path), format, words, closing).logs)


def fingerprint(path: str | Path) -> str:
    """Tells whether a log is still the same: size and SHA-256 of its ends. Raises UnreadableFile."""
    where = Path(path)
    return digest_of(folder(where) if where.is_dir() else file_source(where))


@dataclass(frozen=True, slots=True)
class _Plan:
    """The logs to be read with their readers, in order, and what had to be left out."""

    whole: Source
    logs: tuple[tuple[Source, Reader], ...]
    left_out: tuple[Problem, ...] = ()


def _items(
    plan: _Plan, options: Options, begun: datetime, after: int, closing: ExitStack
) -> Iterator[Item]:
    with closing:
        told: tuple[Source, list[Draft | Problem]] = (Source.nothing(), list(plan.left_out))
        logs = ((source, reader.read(source, options)) for source, reader in plan.logs)
        items = compose([told, *logs], options=options, default_time=begun)
        yield from (item for item in items if item.number > after)


def _plan(path: Path, format: str | None, words: Vocabulary, closing: ExitStack) -> _Plan:
    forced = reader_named(format) if format else None
    if path.is_dir():
        source = folder(path)
        slack = _SLACK.layout(source)
        if slack is None or forced not in {None, _SLACK}:
            raise UnreadableFile(
                f"{path} is a directory without a Slack export",
                expected="a file, or a folder with users.json and a folder per channel",
                next_step="name the chat log itself",
            )
        return _Plan(source, ((slack, _SLACK),))
    source = file_source(path)
    if not _is_archive(source):
        return _Plan(source, ((source, forced or _reader_of(source, words)),))
    archive = Archive(path)
    closing.callback(archive.close)
    left_out = tuple(Problem(place, met, "a sane member") for place, met in archive.left_out)
    slack = _SLACK.layout(archive.source)
    if slack is not None and forced in {None, _SLACK}:
        return _Plan(source, ((slack, _SLACK),), left_out)
    logs, broken = _logs_of(archive.source, forced, words)
    if not logs:
        raise _unknown(f"{source.name} holds no chat log of a known format")
    return _Plan(source, logs, (*left_out, *broken))


def _logs_of(
    archive: Source, forced: Reader | None, words: Vocabulary
) -> tuple[tuple[tuple[Source, Reader], ...], tuple[Problem, ...]]:
    """The members that a reader recognises, and problems for those that cannot be read at all."""
    logs: list[tuple[Source, Reader]] = []
    broken: list[Problem] = []
    for member in archive.members.values():
        try:
            reader = _best(member.head(words), [forced] if forced else list(READERS.values()))
        except BrokenFile as cause:
            broken.append(Problem(member.name, cause.met, cause.expected))
        except UnreadableFile:
            continue  # pictures and the like, under a text's name
        else:
            if reader is not None:
                logs.append((member, reader))
    return tuple(logs), tuple(broken)


def _is_archive(source: Source) -> bool:
    with source.open() as stream:
        return stream.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


def _reader_of(source: Source, words: Vocabulary) -> Reader:
    head = source.head(words)
    reader = _best(head, list(READERS.values()))
    if reader is None:
        empty = "" if head.raw.strip() else ": it is empty"
        raise _unknown(f"{source.name} is of no known format{empty}")
    return reader


def _best(head: Head, readers: list[Reader]) -> Reader | None:
    scored = [(reader.sniff(head), reader) for reader in readers]
    score, best = max(scored, key=lambda pair: pair[0])
    return best if score > 0 else None


def _unknown(met: str) -> UnknownFormat:
    return UnknownFormat(
        met,
        expected="one of: " + "; ".join(reader.looks_for for reader in READERS.values()),
        next_step="name the format if you know it: " + ", ".join(sorted(READERS)),
    )


__all__ = [
    "READERS",
    "Item",
    "Problem",
    "Reader",
    "detect",
    "fingerprint",
    "open_log",
    "reader_named",
    "size",
]
