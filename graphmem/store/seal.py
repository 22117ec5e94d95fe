"""Tells damage apart from a crash before the engine sees the files, as it may crash or keep silent.

Two small files stand beside the database file. `NAME.seal` holds its size, time and a digest from the
last time it was folded, or says that folding was under way; between two foldings only the log changes.
`NAME.mark` holds how many bytes of log were acknowledged and their checksum; a log that the engine can
read only up to less than that has lost commits, and a changed one can crash it. Neither is needed: without them the files are taken as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from contextlib import suppress
from pathlib import Path

from graphmem.errors import MemoryDamaged
from graphmem.store.whole_file import replace_file

_BUDGET = 128 << 20  # bytes read for a digest: a bigger file is read in evenly spread blocks
_BLOCK = 64 << 10
_FOLDING = b'{"state": "folding"}\n'


class Seal:
    """The two files beside one database file and its log."""

    def __init__(self, file: Path, magic: bytes) -> None:
        self.file = file
        self.log = file.with_name(file.name + ".wal")
        self._magic = magic
        self._seal = file.with_name(file.name + ".seal")
        self._mark = file.with_name(file.name + ".mark")
        self._kept = file.with_name(file.name + ".wal.kept")
        self._marking: int | None = None
        self._summed = 0  # bytes of the log that `_crc` is the checksum of
        self._crc = 0

    # --- while the database is closed --------------------------------------------------------------

    def inspect(self) -> None:
        """Look at the files before opening. Raises MemoryDamaged with the next step."""
        file, log = self.file, self.log_size()
        if not file.is_file():
            stray = ", though its log is there" if self.log.exists() else ""
            raise self._damaged(f"the database {file} is missing{stray}")
        found = file.stat()
        with file.open("rb") as opened:
            start = opened.read(len(self._magic))
        if found.st_size == 0 or start != self._magic:
            raise self._damaged(f"{file} ({found.st_size} bytes) is not a database of this engine")
        sealed = self._sealed()
        if sealed is not None:
            size, changed, digest = sealed
            same = (size, changed) == (found.st_size, found.st_mtime_ns)
            if not same and digest != digest_of(file):
                raise MemoryDamaged(
                    f"{file} was changed by something else than graphmem",
                    next_step="restore it from a backup; if the change was meant, "
                    f"delete {self._seal}",
                )
        marked, crc = self._marks()
        if self._log_counts() and log < marked:
            raise self._damaged(
                f"the log {self.log} has {log} bytes of {marked} that were acknowledged"
            )
        if self._log_counts() and crc is not None and crc != self._crc_of(marked):
            raise self._damaged(f"the log {self.log} is not as it was acknowledged")

    def before_opening(self) -> None:
        """Keep a copy of the log: the engine cuts what it cannot read."""
        if self.log_size():
            shutil.copyfile(self.log, self._kept)

    def after_opening(self) -> bool:
        """Whether the engine read all of the log that was acknowledged."""
        whole = not self._log_counts() or self.log_size() >= self._marked()
        if whole:
            self._kept.unlink(missing_ok=True)
            self._summed = self._crc = 0
            with suppress(OSError):  # then less than there is has to be there
                self._marking = os.open(self._mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                self.acknowledge()
        return whole

    def put_back(self) -> MemoryDamaged:
        """Undo what opening did to a damaged log; the error to raise."""
        marked = self._marked()
        readable = self.log_size()
        if self._kept.exists():
            self._kept.replace(self.log)
        return self._damaged(
            f"the log {self.log} is damaged: {readable} of {marked} acknowledged bytes can be read"
        )

    # --- while it is open --------------------------------------------------------------------------

    def acknowledge(self) -> None:
        """All of the log as it is now has been acknowledged. Not synced: the log itself was."""
        if self._marking is not None:
            size = self.log_size()
            if size < self._summed:
                self._summed = self._crc = 0
            self._crc = self._crc_of(size, self._summed, self._crc)
            self._summed = size
            os.pwrite(self._marking, b"%020d %08x\n" % (size, self._crc), 0)

    # --- around closing ----------------------------------------------------------------------------

    def fold_begins(self) -> None:
        """The database file is about to change."""
        replace_file(self._seal, _FOLDING)

    def fold_ended(self) -> None:
        """The database file will not change again until the next folding."""
        self.acknowledge()
        found = self.file.stat()
        sealed = {
            "state": "sealed",
            "size": found.st_size,
            "time": found.st_mtime_ns,
            "digest": digest_of(self.file),
        }
        replace_file(self._seal, json.dumps(sealed).encode() + b"\n")

    def closed(self) -> None:
        """Let go of the mark."""
        marking, self._marking = self._marking, None
        if marking is not None:
            os.close(marking)

    def was_folded(self) -> bool:
        """Whether there is a database that was worked with: one whose making was interrupted has no seal."""
        return self.file.is_file() and self._seal.is_file()

    def clear(self) -> None:
        """Take away every file of an unfinished database."""
        for end in ("", ".wal", ".shadow", ".tmp", ".seal", ".mark", ".wal.kept"):
            self.file.with_name(self.file.name + end).unlink(missing_ok=True)

    def log_size(self) -> int:
        """Bytes of log that are not yet folded into the database file."""
        try:
            return self.log.stat().st_size
        except FileNotFoundError:
            return 0

    def _sealed(self) -> tuple[int, int, str] | None:
        try:
            found = json.loads(self._seal.read_bytes())
            if found["state"] != "sealed":
                return None
            return int(found["size"]), int(found["time"]), str(found["digest"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _log_counts(self) -> bool:
        """Whether all that was acknowledged since the last folding, if any, must stand in the log."""
        return self._sealed() is not None or not self._seal.exists()

    def _marked(self) -> int:
        return self._marks()[0]

    def _marks(self) -> tuple[int, int | None]:
        """Bytes of log that were acknowledged, and their checksum; older memories have none."""
        try:
            size, *crc = self._mark.read_bytes().split()
            return int(size), int(crc[0], 16) if crc else None
        except (OSError, ValueError):
            return 0, None

    def _crc_of(self, upto: int, start: int = 0, crc: int = 0) -> int:
        """The checksum of the log up to a place, going on from that of what is before `start`."""
        if upto <= start:
            return crc
        with self.log.open("rb") as opened:
            opened.seek(start)
            while start < upto and (block := opened.read(min(_BLOCK, upto - start))):
                crc = zlib.crc32(block, crc)
                start += len(block)
        return crc

    def _damaged(self, met: str) -> MemoryDamaged:
        return MemoryDamaged(
            met,
            next_step=f"restore a backup; to go on with what is left, delete {self._seal.name} "
            f"and {self._mark.name} in {self.file.parent}",
        )


def digest_of(file: Path) -> str:
    """A digest of a file: of all of it up to 128 MiB, else of evenly spread blocks and its size."""
    size = file.stat().st_size
    step = _BLOCK * max(1, -(-size // _BUDGET))
    found = hashlib.blake2b(str(size).encode(), digest_size=16)
    with file.open("rb") as opened:
        for start in range(0, size, step):
            opened.seek(start)
            found.update(opened.read(_BLOCK))
        opened.seek(max(0, size - _BLOCK))
        found.update(opened.read(_BLOCK))
    return found.hexdigest()
