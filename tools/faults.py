"""Damages the files of a memory in many ways: does each end in a clear error or a rebuild, and nothing else?

    python tools/faults.py [--json]

A memory of some statements is made, once closed and once killed with its log unfolded. Each of its files is cut,
emptied, deleted, overwritten or changed by single bits, one damage at a time; then another process opens the copy,
reads every statement back, asks a question, and checks. Allowed: everything is there, or one of graphmem's own errors
at opening. Not allowed: a crash of the interpreter, another exception, a statement missing without a word. Then a
file operation after the other fails with "no space left", "permission denied" or "input/output error" while a
memory is written, backed up and restored. Exit status 1 where something else than allowed happened.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from kills import NOON, TOWNS, in_child, stored_texts, warm

from graphmem import Memory, Message
from graphmem.testing import TinyEmbedder

SAID = [f"My friend number {n} lives in {TOWNS[n % len(TOWNS)]}." for n in range(24)]
FLIPS = 6  # bits, each alone, in each file
CAUSES = (errno.ENOSPC, errno.EACCES, errno.EIO)
OPERATIONS = ("replace", "fsync", "rename", "unlink")  # of os
NTH = 6  # the first so many operations of each kind
ALLOWED = ("all there", "refused with a clear error")
VERBS = ("write", "back up", "restore")


def made(folder: Path, *, killed: bool) -> Path:
    """A memory of SAID, closed or killed."""

    def act(_: int) -> None:
        memory = Memory.open(folder, embedder=TinyEmbedder())
        for text in SAID:
            memory.add(Message(text=text, speaker="Ana", said_at=NOON))
        if not killed:
            memory.close()

    in_child(act)
    return folder


def damages(size: int, draw: random.Random) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """What can happen to a file of that size."""
    for what, left in (("emptied", 0), ("cut in half", size // 2), ("cut at its end", size - 7)):
        if 0 <= left < size:
            yield what, partial(cut, left=left)
    yield "deleted", Path.unlink
    yield "overwritten", partial(overwrite, garbage=draw.randbytes(max(size, 100)))
    for at in draw.sample(range(size), min(FLIPS, size)):
        yield "a bit changed", partial(flip, at=at)


def cut(file: Path, left: int) -> None:
    """Leave the first so many bytes."""
    os.truncate(file, left)


def overwrite(file: Path, garbage: bytes) -> None:
    """Put something else in its place."""
    file.write_bytes(garbage)


def flip(file: Path, at: int) -> None:
    """Change one bit."""
    with file.open("r+b") as opened:
        opened.seek(at)
        [byte] = opened.read(1)
        opened.seek(at)
        opened.write(bytes([byte ^ (1 << (at % 8))]))


def outcome(place: Path) -> str:
    """What another process finds there."""

    def act(out: int) -> None:
        with Memory.open(place, embedder=TinyEmbedder()) as memory:
            there = set(stored_texts(memory))
            found = memory.recall("Where does friend number 3 live?").items
            findings = memory.check().findings
            if findings:
                findings = memory.repair().findings
        missing = len(set(SAID) - there)
        os.write(out, json.dumps([missing, bool(found), list(findings)]).encode())

    ended, written = in_child(act)
    if ended < 0:
        return f"the interpreter crashed (signal {-ended})"
    if ended == 3:  # one of graphmem's errors, see kills.in_child
        return "refused with a clear error"
    if ended:
        return "another exception"
    missing, answered, findings = json.loads(written)
    if missing:
        return "statements missing without a word"
    return "all there" if answered and not findings else "check finds what repair does not mend"


Fault = tuple[str, str, Callable[[], str]]  # where, what, and how to find out what comes of it


def damaged(folder: Path, draw: random.Random) -> Iterator[Fault]:
    """Each file, each damage."""
    for killed in (False, True):
        whole = made(folder / f"whole-{killed}", killed=killed)
        for file in sorted(one for one in whole.rglob("*") if one.is_file()):
            for what, act in list(damages(file.stat().st_size, draw)):
                place = f"{file.name} ({'killed' if killed else 'closed'})"
                change = partial(on_file, name=file.relative_to(whole), act=act)
                yield place, what, partial(after, whole, change)


def on_file(copy: Path, *, name: Path, act: Callable[[Path], None]) -> None:
    """Damage one file of a copy."""
    act(copy / name)


def after(whole: Path, change: Callable[[Path], None]) -> str:
    """What is found in a copy of a memory once it has been changed so."""
    copy = whole.with_name("copy")
    shutil.copytree(whole, copy)
    change(copy)
    told = outcome(copy)
    shutil.rmtree(copy)
    return told


def strays(folder: Path) -> Iterator[Fault]:
    """Files that do not belong together."""
    whole, other = made(folder / "one", killed=False), made(folder / "two", killed=True)
    for name in (
        "graph.kuzu.wal",
        "index/passages.vectors",
        "index/passages.db",
        "graph.kuzu.seal",
    ):
        if (other / name).exists():
            put = partial(on_file, name=Path(name), act=partial(shutil.copyfile, other / name))
            yield name, "of another memory", partial(after, whole, put)
    for what, change in (
        ("a newer schema", {"schema": 99}),
        ("another engine", {"engine": "nonesuch"}),
    ):
        tell = partial(on_file, name=Path("memory.json"), act=partial(told_otherwise, change))
        yield "memory.json", what, partial(after, whole, tell)


def told_otherwise(change: dict[str, Any], manifest: Path) -> None:
    """Let the manifest say something else."""
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | change))


def failing(folder: Path) -> Iterator[Fault]:
    """One file operation of a verb fails."""
    whole = made(folder / "whole", killed=False)

    def back_up(_: int) -> None:
        with Memory.open(whole, embedder=TinyEmbedder()) as memory:
            memory.backup(folder / "whole.gmb")

    in_child(back_up)
    for verb in VERBS:
        for name in OPERATIONS:
            for nth in range(1, NTH + 1):
                cause = CAUSES[nth % len(CAUSES)]
                how = partial(failed, whole, verb=verb, name=name, nth=nth, cause=cause)
                yield f"{verb}: os.{name}", errno.errorcode[cause], how


def failed(whole: Path, *, verb: str, name: str, nth: int, cause: int) -> str:
    """What the verb comes to, and what the memory is afterwards."""
    copy = whole.with_name("copy")
    shutil.copytree(whole, copy)
    shutil.copyfile(whole.with_suffix(".gmb"), copy.with_suffix(".gmb"))
    ended, _ = in_child(partial(fail, copy=copy, verb=verb, name=name, nth=nth, cause=cause))
    said = {0: ALLOWED[0], 3: ALLOWED[1]}.get(
        ended, "another exception" if ended > 0 else "the interpreter crashed"
    )
    left = outcome(copy)
    shutil.rmtree(copy)
    shutil.rmtree(copy.with_name("restored"), ignore_errors=True)
    return said if left == ALLOWED[0] else f"{said}; afterwards {left}"


def fail(_: int, *, copy: Path, verb: str, name: str, nth: int, cause: int) -> None:
    """Do the verb while the nth call of the operation fails."""
    original: Callable[..., Any] = getattr(os, name)
    left = [nth]

    def refusing(*args: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise OSError(cause, os.strerror(cause))
        return original(*args, **more)

    setattr(os, name, refusing)
    if verb == "restore":
        Memory.restore_backup(copy.with_suffix(".gmb"), copy.with_name("restored"))
        return
    with Memory.open(copy, embedder=TinyEmbedder()) as memory:
        if verb == "write":
            memory.add(Message(text="I live in Oslo.", speaker="Ana", said_at=NOON))
        else:
            memory.backup(copy.with_suffix(".gmb"))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="only one fault in so many")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    draw = random.Random(chosen.seed)  # noqa: S311 - where the damage is
    with tempfile.TemporaryDirectory(prefix="graphmem-faults-") as name:
        folder = Path(name)
        warm(folder, TinyEmbedder())
        (folder / "failing").mkdir()
        faults = chain(damaged(folder, draw), strays(folder), failing(folder / "failing"))
        chosen_ones = islice(faults, draw.randrange(chosen.every), None, chosen.every)
        found = [(place, what, act()) for place, what, act in chosen_ones]
    outcomes = Counter(told for _, _, told in found)
    bad = [one for one in found if one[2] not in ALLOWED]
    if chosen.json:
        print(
            json.dumps({"faults": len(found), "outcomes": outcomes, "not allowed": bad}, indent=1)
        )
    else:
        print(f"{len(found)} faults")
        for told, count in outcomes.most_common():
            print(f"{count:5} {told}")
        for one in bad:
            print("not allowed:", *one, sep=" | ")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
