"""Standard input and output as files: "-" wherever a text, a file or a place to write is named."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphmem.errors import MemoryUnwritable

STANDARD = "-"


def words(text: str) -> str:
    """The text itself, or standard input where it is "-"."""
    return sys.stdin.read() if text == STANDARD else text


@contextmanager
def files(named: list[Path]) -> Iterator[list[Path]]:
    """The files as they are named; standard input ("-") is laid into one, since readers look twice."""
    if not any(str(file) == STANDARD for file in named):
        yield named
        return
    with tempfile.TemporaryDirectory(prefix="graphmem-") as folder:
        laid = Path(folder) / "stdin"
        with laid.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        yield [laid if str(file) == STANDARD else file for file in named]


def write(content: str | bytes, file: Path | None) -> bool:
    """Write to a file, or to standard output for "-" and None; True where a file was written.

    Raises MemoryUnwritable.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    if file is None or str(file) == STANDARD:
        sys.stdout.flush()
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(data.decode("utf-8", "replace"))
        else:
            stream.write(data)
            stream.flush()
        return False
    try:
        file.write_bytes(data)
    except OSError as cause:
        raise MemoryUnwritable(
            f"{file} cannot be written: {cause.strerror}",
            next_step="name a file in a directory that exists and that you may write to",
        ) from cause
    return True
