"""Small files that are there whole, old or new, whatever happens."""

from __future__ import annotations

import os
from pathlib import Path

from graphmem.errors import MemoryUnwritable


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file by another content, durably. Raises MemoryUnwritable."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
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
