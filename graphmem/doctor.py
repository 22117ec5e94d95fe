"""`graphmem doctor`: looks over everything a memory stands on, and says what to do where something is wrong."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from graphmem import plugins
from graphmem.config import Settings, file_for, load
from graphmem.errors import GraphmemError, MemoryLocked
from graphmem.lexicon import Lexicon

Level = Literal["ok", "note", "trouble"]

_PACKAGES = ("graphmem", "faiss-cpu", "spacy", "typer", "networkx")
_ENGINES = ("kuzu", "ladybug")
_EXTRAS = {
    "sentence-transformers": "any embedding model by name, the cross-encoder and the NLI judge",
    "desktop-notifier": "desktop notifications (extra: notify)",
    "matplotlib": "pictures as PNG (extra: pictures)",
}
_MANIFEST = "memory.json"
_LITTLE = 200 << 20  # bytes free below which writes will soon fail
_SCARCE = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at: `told` in plain words, `next_step` where something is to be done."""

    name: str
    level: Level
    told: str
    next_step: str = ""


def examine(
    home: Path, *, deep: bool = True, opening: Callable[[Path, Settings], Any] | None = None
) -> Iterator[Finding]:
    """Everything about the memory at `home`, one finding after the other; nothing is made or changed.

    `deep` also proves that graph and indexes agree, which reads all of it. `opening` opens the memory
    (default: Memory.open).
    """
    yield from _versions()
    try:
        settings = load(home)
    except GraphmemError as error:
        yield _wrong("settings", error)
        settings = Settings()
    else:
        yield Finding(
            name="settings", level="ok", told=str(file_for(home) or "all at their defaults")
        )
    yield _guarded("words", lambda: _words(settings))
    yield _guarded("extractors", lambda: _extractors(settings))
    yield _guarded("embedder", lambda: _embedder(settings))
    yield _zone(settings)
    yield _disk(home)
    if not (home / _MANIFEST).is_file():
        yield Finding(
            name="memory",
            level="note",
            told=f"there is none at {home} yet",
            next_step="make it with: graphmem init",
        )
        return
    yield _manifest(home)
    yield _private(home)
    yield from _inside(home, settings, deep=deep, opening=opening or _opened)


def _versions() -> Iterator[Finding]:
    told = ", ".join(f"{name} {_version(name) or 'missing'}" for name in _PACKAGES)
    yield Finding(name="versions", level="ok", told=f"Python {platform.python_version()}, {told}")
    engines = [f"{name} {found}" for name in _ENGINES if (found := _version(name))]
    yield Finding(
        name="engines",
        level="ok" if engines else "trouble",
        told=", ".join(engines) or "no graph engine is installed",
        next_step="" if engines else "install one: pip install kuzu",
    )
    yield _full_text()
    there = [name for name in _EXTRAS if _version(name)]
    absent = [f"{name} ({use})" for name, use in _EXTRAS.items() if name not in there]
    yield Finding(
        name="extras",
        level="ok",
        told=f"{', '.join(there) or 'none'}"
        + (f"; not installed: {'; '.join(absent)}" if absent else ""),
    )


def _full_text() -> Finding:
    try:
        with sqlite3.connect(":memory:") as database:
            database.execute("CREATE VIRTUAL TABLE t USING fts5(x)")
        database.close()
    except sqlite3.Error as cause:
        return Finding(
            name="sqlite",
            level="trouble",
            told=f"SQLite {sqlite3.sqlite_version} without FTS5: {cause}",
            next_step="use a Python whose SQLite has FTS5",
        )
    return Finding(name="sqlite", level="ok", told=f"SQLite {sqlite3.sqlite_version} with FTS5")


def _words(settings: Settings) -> Finding:
    lexicon = Lexicon.load(settings.lexicon)
    own = f", with your own {', '.join(sorted(settings.lexicon))}" if settings.lexicon else ""
    slots = len(lexicon.table("slots"))
    return Finding(name="words", level="ok", told=f"the lexicons load, {slots} topics{own}")


def _extractors(settings: Settings) -> Finding:
    for name in settings.extractors:
        plugins.factory(plugins.EXTRACTORS, name)
    if not settings.extractors:
        return Finding(
            name="extractors",
            level="trouble",
            told="none is in use: nothing will be learnt from what is said",
            next_step="graphmem config unset extractors",
        )
    return Finding(name="extractors", level="ok", told=", ".join(settings.extractors))


def _embedder(settings: Settings) -> Finding:
    from graphmem.embed.make import make  # noqa: PLC0415 - loads NumPy

    started = time.perf_counter()
    embedder = make(settings.embedder, allow_download=settings.allow_download)
    embedder.questions(["hello"])
    took = time.perf_counter() - started
    told = f"{settings.embedder} loads in {took:.1f} s, {embedder.dimension} dimensions"
    return Finding(name="embedder", level="ok", told=told)


def _zone(settings: Settings) -> Finding:
    if settings.timezone:
        now = datetime.now(ZoneInfo(settings.timezone))
        return Finding(
            name="time zone", level="ok", told=f"{settings.timezone}, now {now:%Y-%m-%d %H:%M %z}"
        )
    now = datetime.now().astimezone()
    if now.utcoffset() or os.environ.get("TZ"):
        return Finding(
            name="time zone", level="ok", told=f"the machine's, now {now:%Y-%m-%d %H:%M %z}"
        )
    return Finding(
        name="time zone",
        level="note",
        told="the machine's, which is UTC",
        next_step='if you are elsewhere: graphmem config set timezone "Europe/Lisbon"',
    )


def _disk(home: Path) -> Finding:
    place = home.absolute()
    while not place.exists():
        place = place.parent
    try:
        free = shutil.disk_usage(place).free
    except OSError as cause:
        return Finding(name="disk", level="trouble", told=f"{place}: {cause.strerror}")
    level: Level = "trouble" if free < _LITTLE else "note" if free < _SCARCE else "ok"
    told = f"{free / (1 << 30):.1f} GiB free at {place}"
    if not os.access(place, os.W_OK):
        return Finding(
            name="disk",
            level="trouble",
            told=f"{place} cannot be written",
            next_step="check the permissions, or choose another place with --memory",
        )
    return Finding(
        name="disk", level=level, told=told, next_step="" if level == "ok" else "make room"
    )


def _manifest(home: Path) -> Finding:
    from graphmem.store import schema  # noqa: PLC0415 - only where there is a memory

    try:
        found = json.loads((home / _MANIFEST).read_bytes())
        engine, written = str(found["engine"]), int(found["schema"])
    except (OSError, ValueError, KeyError, TypeError) as cause:
        return Finding(
            name="schema",
            level="trouble",
            told=f"{home / _MANIFEST} cannot be read: {cause}",
            next_step="restore the file from a backup of the directory",
        )
    if written > schema.VERSION:
        return Finding(
            name="schema",
            level="trouble",
            told=f"schema {written}, written by a newer graphmem",
            next_step="upgrade graphmem",
        )
    older = "" if written == schema.VERSION else f", will be upgraded to {schema.VERSION}"
    if _version(engine) is None:
        return Finding(
            name="schema",
            level="trouble",
            told=f"on the engine {engine}, which is not installed",
            next_step=f"pip install {engine}",
        )
    return Finding(name="schema", level="ok", told=f"schema {written} on {engine}{older}")


def _private(home: Path) -> Finding:
    mode = stat.S_IMODE(home.stat().st_mode)
    if mode & (stat.S_IRGRP | stat.S_IROTH):
        return Finding(
            name="permissions",
            level="note",
            told=f"others on this machine may look into {home} ({mode:o})",
            next_step=f"to keep it to yourself: chmod 700 {home}",
        )
    return Finding(name="permissions", level="ok", told=f"only you may look into it ({mode:o})")


def _inside(
    home: Path, settings: Settings, *, deep: bool, opening: Callable[[Path, Settings], Any]
) -> Iterator[Finding]:
    try:
        memory = opening(home, replace(settings, lock_wait=0.0))
    except MemoryLocked as error:
        yield _held(error)
        return
    except GraphmemError as error:
        yield _wrong("memory", error)
        return
    with memory:
        yield Finding(name="lock", level="ok", told="nobody else holds the memory")
        found = memory.status()
        yield Finding(
            name="memory",
            level="ok" if found["snapshots"] else "note",
            told=f"{found['snapshots']} statements, {found['facts']} facts, {found['bytes']} bytes at {home}",
            next_step="" if found["snapshots"] else "feed it with: graphmem ingest FILE",
        )
        yield _guarded("index", lambda: _index(memory)) if deep else _unproven()
        yield _upkeep(found)
        yield _waiting(found)


def _held(error: MemoryLocked) -> Finding:
    return Finding(
        name="lock",
        level="note",
        told=f"{error.met}; its inside was not looked at",
        next_step="end it, or ask again later",
    )


def _index(memory: Any) -> Finding:
    findings = memory.check().findings
    if findings:
        return Finding(
            name="index",
            level="trouble",
            told="; ".join(findings),
            next_step="graphmem check --repair",
        )
    return Finding(name="index", level="ok", told="graph and indexes agree")


def _unproven() -> Finding:
    return Finding(name="index", level="ok", told="not compared with the graph (--quick)")


def _upkeep(found: Any) -> Finding:
    last = f"last done {found['last_upkeep']}" if found["last_upkeep"] else "not done yet"
    if found["upkeep_overdue"]:
        return Finding(
            name="upkeep",
            level="note",
            told=f"overdue, {last}",
            next_step="graphmem tend, or once and for all: graphmem tend --install",
        )
    return Finding(name="upkeep", level="ok", told=last)


def _waiting(found: Any) -> Finding:
    told = f"{found['open_conflicts']} conflicts, {found['due_reminders']} reminders"
    steps = [
        step
        for step, there in (
            ("graphmem review", found["open_conflicts"]),
            ("graphmem remind due", found["due_reminders"]),
        )
        if there
    ]
    return Finding(
        name="waiting", level="note" if steps else "ok", told=told, next_step=", ".join(steps)
    )


def _opened(home: Path, settings: Settings) -> Any:
    from graphmem.memory import Memory  # noqa: PLC0415 - loads the engines

    return Memory.open(home, config=settings)


def _guarded(name: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except GraphmemError as error:
        return _wrong(name, error)


def _wrong(name: str, error: GraphmemError) -> Finding:
    told = f"{error.met}; expected {error.expected}" if error.expected else error.met
    return Finding(name=name, level="trouble", told=told, next_step=error.next_step)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
