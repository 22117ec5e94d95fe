"""Instagram's and Facebook Messenger's message_1.json: newest message first, text in a double encoding."""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.jsonstream import Found, items_at, walk
from graphmem.chatlogs.parts import attachment
from graphmem.chatlogs.source import Head, Source
from graphmem.chatlogs.times import as_float

_MESSAGES = ("messages", "*")
_BLOCK = 256
_MEDIA = {
    "photos": "photo",
    "videos": "video",
    "audio_files": "audio",
    "files": "file",
}


class Instagram:
    """Reads the messages of one thread, oldest first."""

    name = "instagram"
    looks_for = (
        "Instagram's or Messenger's message_1.json: messages with sender_name and timestamp_ms"
    )

    def sniff(self, head: Head) -> float:
        """Sure where messages have sender_name and timestamp_ms."""
        wanted = {"messages.*.sender_name", "messages.*.timestamp_ms"}
        return 0.95 if wanted <= head.paths else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """A first look finds the thread's name, the order and where blocks of messages begin; they are
        then read from the last to the first, so that memory holds one block.
        """
        thread = _Thread()
        with source.open() as stream:
            if stream.read(2) in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
                yield Problem(source.name, "UTF-16", "the UTF-8 file as it was exported")
                return
            stream.seek(0)
            wanted = (_MESSAGES, ("title",), ("thread_path",))
            for found in walk(stream, wanted, source.name):
                if isinstance(found, Problem):
                    yield found
                else:
                    thread.take(found)
        conversation = thread.path or thread.title or source.stem
        for found in thread.ordered(source):
            draft = _draft(found, conversation, source.name, options)
            if draft is not None:
                yield draft


class _Thread:
    """What the first look learns."""

    def __init__(self) -> None:
        self.title = ""
        self.path = ""
        self._blocks = array("Q")
        self._lines = array("Q")
        self._count = 0
        self._falls = 0
        self._last = 0.0

    def take(self, found: Found) -> None:
        if found.path == _MESSAGES:
            if self._count % _BLOCK == 0:
                self._blocks.append(found.start)
                self._lines.append(found.line)
            self._count += 1
            time = found.value.get("timestamp_ms") if isinstance(found.value, dict) else None
            if isinstance(time, (int, float)):
                time = as_float(time)
                self._falls += (time < self._last) - (time > self._last > 0)
                self._last = time
        elif isinstance(found.value, str) and found.path == ("title",):
            self.title = mended(found.value)
        elif isinstance(found.value, str):
            self.path = found.value

    def ordered(self, source: Source) -> Iterator[Found]:
        """The messages, oldest first. Broken ones were reported by the first look."""
        newest_first = self._falls > 0
        order = range(len(self._blocks))
        for block in reversed(order) if newest_first else order:
            done = len(self._blocks) - block - 1 if newest_first else block
            with source.open() as stream:
                stream.seek(self._blocks[block])
                begun = items_at(stream, self._blocks[block], self._lines[block], source.name)
                held = []
                for found in begun:
                    if isinstance(found, Found):
                        held.append(found)
                    if len(held) == _BLOCK:
                        break
            position = source.size * (done + 1) // len(self._blocks)
            for found in reversed(held) if newest_first else held:
                yield replace(
                    found, position=position, indexes=(block * _BLOCK + found.indexes[0],)
                )


def _draft(found: Found, conversation: str, name: str, options: Options) -> Draft | Problem | None:
    value = found.value
    place = f"{name}, message {found.indexes[0] + 1}, line {found.line}, byte {found.start}"
    if not isinstance(value, dict) or not isinstance(value.get("sender_name"), str):
        met = f"{type(value).__name__} without sender_name"
        return Problem(place, met, 'an object with "sender_name"', found.position)
    if value.get("is_unsent"):
        return None
    text = value.get("content")
    words = mended(text) if isinstance(text, str) else ""
    if "call_duration" in value:
        return None
    shared = tuple(_shared(value))
    if options.words.says_nothing(words):
        words = ""  # "Tom sent an attachment.": what was sent is named below
    if not words and not shared:
        return None
    return Draft(
        text="\n".join(filter(None, (words, *shared))),
        speaker=mended(value["sender_name"]),
        time=options.times.read(value.get("timestamp_ms")),
        conversation=conversation,
        place=place,
        position=found.position,
    )


def _shared(value: dict[str, Any]) -> Iterator[str]:
    """Names of what was sent along."""
    for key, kind in _MEDIA.items():
        files = value.get(key)
        for file in files if isinstance(files, list) else ():
            if isinstance(file, dict) and isinstance(file.get("uri"), str):
                yield attachment(kind, file["uri"].rsplit("/", 1)[-1])
    share = value.get("share")
    if isinstance(share, dict):
        told = [share.get(key) for key in ("link", "share_text")]
        texts = [mended(one) for one in told if isinstance(one, str) and one.strip()]
        if texts:
            yield attachment("link", " ".join(texts))


def mended(text: str) -> str:
    """Undoes the export's double encoding: UTF-8 bytes that were written as if they were Latin-1."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text
