"""memory.json: what a directory holds, so that no other program's directory is ever touched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

from graphmem.errors import MemoryDamaged, SchemaTooNew
from graphmem.store import schema
from graphmem.store.engine import EngineName
from graphmem.store.whole_file import replace_file

MANIFEST = "memory.json"
FORMAT = "graphmem"

_REPAIR = "restore the file from a backup of the directory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The engine, the version of the schema, and whether the graph has been made completely."""

    format: str = FORMAT
    engine: EngineName
    schema: int = schema.VERSION
    ready: bool = False

    def done(self) -> Manifest:
        """The same for a graph that has been made completely."""
        return replace(self, ready=True, schema=schema.VERSION)


def read(directory: Path) -> Manifest | None:
    """The manifest of a directory, None where it has none. Raises MemoryDamaged, SchemaTooNew."""
    path = directory / MANIFEST
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as cause:
        raise MemoryDamaged(
            f"{path} cannot be read: {cause.strerror}", next_step=_REPAIR
        ) from cause
    try:
        found = json.loads(raw)
    except ValueError as cause:
        raise MemoryDamaged(f"{path} is not JSON", next_step=_REPAIR) from cause
    if not isinstance(found, Mapping) or found.get("format") != FORMAT:
        raise MemoryDamaged(f"{path} is not a manifest of a memory", next_step=_REPAIR)
    return _checked(path, found)


def _checked(path: Path, found: Mapping[str, Any]) -> Manifest:
    version, engine, ready = found.get("schema"), found.get("engine"), found.get("ready")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise MemoryDamaged(f"{path} names the schema {version!r}", next_step=_REPAIR)
    if version > schema.VERSION:
        raise SchemaTooNew(
            f"{path.parent} was written by a newer graphmem (schema {version})",
            expected=f"schema {schema.VERSION} or older",
            next_step="upgrade graphmem",
        )
    if engine not in get_args(EngineName) or not isinstance(ready, bool):
        raise MemoryDamaged(f"{path} names the engine {engine!r}", next_step=_REPAIR)
    return Manifest(engine=cast("EngineName", engine), schema=version, ready=ready)


def write(directory: Path, manifest: Manifest) -> None:
    """Put the manifest in place whole. Raises MemoryUnwritable."""
    text = json.dumps(asdict(manifest), indent=2) + "\n"
    replace_file(directory / MANIFEST, text.encode())
