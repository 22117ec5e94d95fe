"""Reads and changes the settings file, keeping its comments and order (tomlkit).

A name is a setting, or a path into one of its tables: "judge.kind", "lexicon.slots.gym.predicates".
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem import plugins
from graphmem.config import (
    ENVIRONMENT_PREFIX,
    FILE_NAME,
    Settings,
    checked,
    file_for,
    load,
    shared_file,
)
from graphmem.errors import (
    ExtensionMissing,
    InvalidSettings,
    MemoryUnwritable,
    NotAMemory,
    UnreadableFile,
)
from graphmem.lexicon import Lexicon

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_DEFAULTS = Settings()
_NAMES = tuple(item.name for item in fields(Settings))
_MANIFEST = "memory.json"


def place(home: Path, *, shared: bool = False) -> Path:
    """The file that a change goes to: the one in use, else the memory's own; with `shared` the common one."""
    if shared:
        return shared_file()
    return file_for(home) or home / FILE_NAME


def listed(home: Path) -> list[tuple[str, Any, str]]:
    """(name, value, where it comes from) of every setting. Raises InvalidSettings."""
    settings = load(home)
    file = file_for(home)
    written = _document(file).unwrap() if file else {}
    return [
        (name, getattr(settings, name), _origin(name, written, str(file or ""))) for name in _NAMES
    ]


def _origin(name: str, written: Mapping[str, Any], file: str) -> str:
    if ENVIRONMENT_PREFIX + name.upper() in os.environ:
        return ENVIRONMENT_PREFIX + name.upper()
    return file if name in written else "default"


def value_of(home: Path, name: str) -> Any:
    """The value in force. Raises InvalidSettings for a name that there is not."""
    first, *rest = _path(name)
    value = getattr(load(home), first)
    for part in rest:
        if not isinstance(value, Mapping) or part not in value:
            raise InvalidSettings(
                f"{name} is not set", expected=f"a name that `graphmem config get {first}` shows"
            )
        value = value[part]
    return value


def change(
    home: Path, values: Mapping[str, Any], *, unset: tuple[str, ...] = (), shared: bool = False
) -> Path:
    """Set and unset, all or nothing; returns the file. Texts are read as TOML where they can be.

    Raises InvalidSettings, and then nothing is written; NotAMemory where `home` holds other things;
    MemoryUnwritable.
    """
    file = place(home, shared=shared)
    document = _document(file if file.is_file() else None)
    for name, value in values.items():
        _put(document, _path(name), _parsed(name, value))
    for name in unset:
        _take(document, _path(name))
    examined(document.unwrap(), str(file))
    if file.parent == home:
        _own_place(home)
    _write(file, document.as_string())
    return file


def examined(values: Mapping[str, Any], where: str) -> Settings:
    """Settings that every part of the memory can use. Raises InvalidSettings, ExtensionMissing."""
    from graphmem.embed.make import make  # noqa: PLC0415 - loads NumPy
    from graphmem.remember.judging import JudgeStep  # noqa: PLC0415 - needed only here
    from graphmem.remember.modelling import ModelStep  # noqa: PLC0415
    from graphmem.remind.owner_time import OwnerTime  # noqa: PLC0415

    settings = checked(values, where)
    if find_spec(settings.engine) is None:
        raise ExtensionMissing(
            f"engine = {settings.engine!r} (in {where}) is not installed",
            next_step=f"pip install 'graphmem[{settings.engine}]', or choose another one",
        )
    lexicon = Lexicon.load(settings.lexicon)
    OwnerTime.of(settings, lexicon)
    make(settings.embedder, allow_download=settings.allow_download)
    for name in settings.extractors:
        if name not in plugins.names(plugins.EXTRACTORS):
            plugins.factory(plugins.EXTRACTORS, name)
    ModelStep.of(settings.model, lexicon, None)
    JudgeStep.of(settings.judge, lexicon, None)
    return settings


def _path(name: str) -> list[str]:
    parts = name.split(".")
    if parts[0] not in _NAMES or not all(parts):
        raise InvalidSettings(f"{name} is not a setting", expected="one of " + ", ".join(_NAMES))
    if len(parts) > 1 and not isinstance(getattr(_DEFAULTS, parts[0]), Mapping):
        raise InvalidSettings(f"{name}: {parts[0]} is not a table", expected=parts[0])
    return parts


def _parsed(name: str, value: Any) -> Any:
    """A text from the command line as the value that it stands for."""
    if not isinstance(value, str):
        return value
    default = getattr(_DEFAULTS, name, None)
    if isinstance(default, str):
        return value
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        if isinstance(default, tuple):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value


def _document(file: Path | None) -> TOMLDocument:
    import tomlkit  # noqa: PLC0415 - only where a file is changed or listed
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    if file is None:
        return tomlkit.document()
    try:
        return tomlkit.parse(file.read_text("utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as cause:
        raise InvalidSettings(
            f"{file}: {cause}", expected="a TOML file", next_step="mend or remove the file"
        ) from cause
    except OSError as cause:
        raise UnreadableFile(f"{file}: {cause.strerror}") from cause


def _put(document: Any, path: list[str], value: Any) -> None:
    import tomlkit  # noqa: PLC0415 - see _document

    table = document
    for part in path[:-1]:
        if not isinstance(table.get(part), Mapping):
            table[part] = tomlkit.table()
        table = table[part]
    table[path[-1]] = value


def _take(document: Any, path: list[str]) -> None:
    table = document
    for part in path[:-1]:
        table = table.get(part, {})
    if path[-1] not in table:
        raise InvalidSettings(
            f"{'.'.join(path)} is not set in the file",
            next_step="see what is set, and where: graphmem config list",
        )
    del table[path[-1]]


def _own_place(home: Path) -> None:
    """Make the directory where it is missing; leave one alone that is not a memory's."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        others = sorted({entry.name for entry in home.iterdir()} - {FILE_NAME})
    except (FileExistsError, NotADirectoryError) as cause:
        raise NotAMemory(f"{home} is not a directory", next_step="choose another path") from cause
    except OSError as cause:
        raise MemoryUnwritable(f"the directory {home} cannot be made: {cause.strerror}") from cause
    if others and _MANIFEST not in others:
        raise NotAMemory(
            f"{home} holds other things ({', '.join(others[:3])}) and no {_MANIFEST}",
            expected="a memory, or an empty or new directory",
            next_step="choose another directory",
        )


def _write(file: Path, text: str) -> None:
    fresh = file.with_name(file.name + ".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, "utf-8")
        fresh.replace(file)
    except OSError as cause:
        raise MemoryUnwritable(f"{file} cannot be written: {cause.strerror}") from cause
