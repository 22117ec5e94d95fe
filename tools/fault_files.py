"""Faults of tools/faults.py in the files of a memory: damaged, missing, of another memory, of another version."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fault_world import Told, a_newer_schema, after, look, made, oracle

Fault = tuple[
    str, str, str, Callable[[], str]
]  # group, where, what, and how to find what comes of it

STRAYS = (
    "graph.kuzu",
    "graph.kuzu.wal",
    "graph.kuzu.seal",
    "graph.kuzu.mark",
    "index/passages.db",
    "index/passages.sums",
    "index/passages.vectors",
)


def damages(
    size: int, bits: int, draw: random.Random
) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """What can happen to a file of that size."""
    for what, left in (
        ("emptied", 0),
        ("cut after its first bytes", 20),
        ("cut in half", size // 2),
        ("cut at its end", size - 7),
    ):
        if 0 <= left < size:
            yield what, partial(cut, left=left)
    yield "deleted", Path.unlink
    yield "overwritten", partial(overwrite, garbage=draw.randbytes(max(size, 100)))
    if size > 8192:
        yield "a page of zeros", partial(blank, at=draw.randrange(size // 4096) * 4096)
    for _ in range(bits if size else 0):
        yield "a bit changed", partial(flip, at=draw.randrange(size), bit=draw.randrange(8))


def cut(file: Path, left: int) -> None:
    """Leave the first so many bytes."""
    os.truncate(file, left)


def overwrite(file: Path, garbage: bytes) -> None:
    """Put something else in its place."""
    file.write_bytes(garbage)


def blank(file: Path, at: int) -> None:
    """A page that was never written, as after a power cut."""
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(bytes(4096))


def flip(file: Path, at: int, bit: int) -> None:
    """Change one bit."""
    with file.open("r+b") as opened:
        opened.seek(at)
        [byte] = opened.read(1)
        opened.seek(at)
        opened.write(bytes([byte ^ 1 << bit]))


def damaged(folder: Path, bits: int, draw: random.Random) -> Iterator[Fault]:
    """Each file of a memory that was closed and of one that was killed, each damage."""
    for state in ("closed", "killed"):
        whole = made(folder / state, killed=state == "killed")
        wanted = oracle_of_copy(whole)
        for file in sorted(one for one in whole.rglob("*") if one.is_file()):
            name = file.relative_to(whole)
            for what, act in list(damages(file.stat().st_size, bits, draw)):
                change = partial(on_file, name=name, act=act)
                group = "bits" if what == "a bit changed" else "files"
                yield group, f"{name} ({state})", what, partial(after, whole, change, wanted)


def oracle_of_copy(whole: Path) -> Told:
    """What the memory says; it stays as it is."""
    copy = whole.with_name("asked")
    shutil.copytree(whole, copy)
    found = oracle(copy)
    shutil.rmtree(copy)
    return found


def on_file(copy: Path, *, name: Path, act: Callable[[Path], None]) -> None:
    """Damage one file of a copy."""
    act(copy / name)


def strays(folder: Path) -> Iterator[Fault]:
    """Files that do not belong together, and other versions."""
    whole, other = made(folder / "one", killed=False), made(folder / "two", killed=True)
    wanted = oracle_of_copy(whole)
    for name in STRAYS:
        if (other / name).exists():
            put = partial(copied, name=name, other=other)
            yield "strays", name, "of another memory", partial(after, whole, put, wanted)
    put = partial(copied, name="graph.kuzu.wal", other=other, to="graph.kuzu.wal.kept")
    yield "strays", "graph.kuzu.wal.kept", "of another memory", partial(after, whole, put, wanted)
    for what, change in (
        ("a newer schema", {"schema": 99}),
        ("another engine", {"engine": "nonesuch"}),
        ("a graph that was never made", {"ready": False}),
        ("another format", {"format": "other"}),
    ):
        tell = partial(told_otherwise, change=change)
        yield "versions", "memory.json", what, partial(after, whole, tell, wanted)
    yield "versions", "the graph", "written by an older version", partial(upgraded, whole, wanted)
    yield "versions", "the graph", "written by a newer version", partial(too_new, whole, wanted)
    for dimension in (32, 512):
        how = partial(another_dimension, whole, wanted, dimension)
        yield "versions", "the index", f"of {dimension} dimensions", how


def copied(copy: Path, *, name: str, other: Path, to: str = "") -> None:
    """Put a file of another memory in."""
    shutil.copyfile(other / name, copy / (to or name))


def told_otherwise(copy: Path, *, change: dict[str, Any]) -> None:
    """Let the manifest say something else."""
    manifest = copy / "memory.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | change))


def upgraded(whole: Path, wanted: Told) -> str:
    """The memory as an older version for a newer graphmem: brought up to date, and the same."""
    with a_newer_schema():
        return after(whole, lambda _: None, wanted)


def too_new(whole: Path, wanted: Told) -> str:
    """A memory that a newer graphmem has brought up to date, for this one."""
    newer = whole.with_name("newer")
    shutil.rmtree(newer, ignore_errors=True)
    shutil.copytree(whole, newer)
    with a_newer_schema():
        oracle(newer)
    return after(newer, lambda _: None, wanted)


def another_dimension(whole: Path, wanted: Told, dimension: int) -> str:
    """Opened by an embedder of another dimension all is there; opened by its own the answers are the same."""
    copy = whole.with_name("other-dimension")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)

    found = look(copy, dimension=dimension)
    if found.told is None or found.findings:
        return f"opened by the other embedder: {found.outcome}"
    differ = [name for name in wanted if name != "answers" and found.told[name] != wanted[name]]
    if differ or not all(found.told["answers"].values()):
        return f"opened by the other embedder: other {differ}"
    return after(copy, lambda _: None, wanted)
