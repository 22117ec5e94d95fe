"""Small files that are there whole, old or new, whatever happens."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from graphmem.errors import MemoryUnwritable


@contextmanager
def replacing(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path`, durably, where nothing fails; else it is removed and
    `path` stays as it was. `mode` is narrowed by the umask. Raises MemoryUnwritable.
    """
    new = path.with_name(path.name + ".new")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        whole = False
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
            whole = True
        finally:
            if not whole:
                new.unlink(missing_ok=True)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as cause:
        raise MemoryUnwritable(
            f"{path} cannot be written: {cause.strerror}",
            next_step="check the permissions of the directory and the free space",
        ) from cause


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file by another content, durably. Raises MemoryUnwritable."""
    with replacing(path) as file:
        file.write(content)
