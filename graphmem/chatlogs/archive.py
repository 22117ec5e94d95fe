"""Zip archives and export folders: their members as sources, read in place within safe limits.

Nothing is extracted: members are streams. An archive with too many entries, or one that would unfold
to more than a sane export, is refused; single members of that kind are left out and reported.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Self

from graphmem.chatlogs.source import Source, file_source
from graphmem.errors import BrokenFile, UnreadableFile

MOST_ENTRIES = 50_000
MOST_BYTES = 16 << 30
MOST_RATIO = 200  # text shrinks ten- to thirtyfold
_PAGE = re.compile(r"(.*/message_)(\d{1,6})\.json")
_SMALL = 1 << 20  # below this size no ratio is suspicious
_ENDINGS = frozenset({".json", ".jsonl", ".ndjson", ".txt", ".text", ".md", ".markdown", ""})
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Archive:
    """An opened zip archive. Close it when its members are no longer read."""

    def __init__(self, path: Path) -> None:
        """Raises UnreadableFile for a broken archive and for one beyond the limits."""
        self._whole = file_source(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except (*_BROKEN, ValueError) as cause:
            raise UnreadableFile(
                f"{path} is a broken archive: {cause}",
                expected="a zip archive as it was exported",
                next_step="download or export it again",
            ) from cause
        self.left_out: tuple[tuple[str, str], ...] = ()
        try:
            self.source = self._as_source()
        except UnreadableFile:
            self._zip.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._zip.close()

    def _as_source(self) -> Source:
        entries = self._zip.infolist()
        total = sum(entry.file_size for entry in entries)
        for met, limit, what in (
            (len(entries), MOST_ENTRIES, "entries"),
            (total, MOST_BYTES, "bytes when unpacked"),
        ):
            if met > limit:
                raise UnreadableFile(
                    f"{self._whole.name} has {met} {what}",
                    expected=f"at most {limit}",
                    next_step="unpack it yourself and read the chat log in it",
                )
        members: dict[str, Source] = {}
        left_out: list[tuple[str, str]] = []
        for entry in sorted(entries, key=lambda entry: reading_order(entry.filename)):
            if not _may_be_a_log(entry):
                continue
            fault = _fault(entry)
            if fault:
                left_out.append((f"{self._whole.name}/{entry.filename}", fault))
            else:
                members[entry.filename] = self._member(entry)
        self.left_out = tuple(left_out)
        size = sum(member.size for member in members.values())
        return Source(
            self._whole.name, size, self._whole.modified, self._whole.open, members=members
        )

    def _member(self, entry: zipfile.ZipInfo) -> Source:
        name = f"{self._whole.name}/{entry.filename}"
        return Source(
            name=name,
            size=entry.file_size,
            modified=self._whole.modified,
            open=lambda: _Member(self._zip, entry, name),
        )


class _Member:
    """A member's stream that says which member is broken."""

    def __init__(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> None:
        self._name = name
        try:
            self._stream = archive.open(entry)
        except (*_BROKEN, ValueError) as cause:
            raise self._broken(cause) from cause

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self._stream.read(size)
        except _BROKEN as cause:
            raise self._broken(cause) from cause

    def seek(self, offset: int, whence: int = 0, /) -> int:
        try:
            return self._stream.seek(offset, whence)
        except _BROKEN as cause:
            raise self._broken(cause) from cause

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def _broken(self, cause: Exception) -> BrokenFile:
        return BrokenFile(
            f"{self._name} is broken or encrypted: {cause}",
            expected="a readable member of the archive",
            next_step="export it again, without a password",
        )


def reading_order(name: str) -> tuple[str, int, str]:
    """Members by path, but pages of a thread, which are numbered from the newest, last page first."""
    found = _PAGE.fullmatch(name)
    return (found[1], -int(found[2]), name) if found else (name, 0, name)


def _may_be_a_log(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return (
        not entry.is_dir()
        and path.suffix.lower() in _ENDINGS
        and (not hidden or ".." in path.parts)
    )


def _fault(entry: zipfile.ZipInfo) -> str:
    """Why a member is not read, empty for a good one."""
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return "a path that leads out of the archive"
    if entry.file_size > max(_SMALL, entry.compress_size * MOST_RATIO):
        return f"{entry.file_size} bytes packed into {entry.compress_size}"
    return ""


def folder(path: Path) -> Source:
    """A folder's JSON files, two levels deep, as one source. Raises UnreadableFile."""
    members: dict[str, Source] = {}
    try:
        found = sorted(
            one for form in ("*.json", "*/*.json") for one in path.glob(form) if one.is_file()
        )
    except OSError as cause:
        raise UnreadableFile(
            f"{path}: {cause.strerror or cause}", expected="a folder that may be listed"
        ) from cause
    for file in found:
        inner = file.relative_to(path).as_posix()
        members[inner] = replace(file_source(file), name=f"{path.name}/{inner}")
    if not members:
        raise UnreadableFile(
            f"{path} is a directory without a chat export",
            expected="a file, or the folder of a Slack export with users.json and its channels",
            next_step="name the chat log itself",
        )
    return Source(
        name=path.name,
        size=sum(member.size for member in members.values()),
        modified=max(member.modified for member in members.values()),
        open=next(iter(members.values())).open,
        members=members,
    )
