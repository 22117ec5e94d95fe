"""Faults of tools/faults.py in the calls to the operating system: failing ones, a full disk, no permission."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from fault_files import Fault, oracle_of_copy
from fault_world import (
    ALLOWED,
    CRASHED,
    LONGEST,
    NOON,
    OTHER,
    REFUSED,
    SAME,
    Told,
    look,
    made,
    message,
    opened,
)
from kills import in_child

from graphmem import Memory
from graphmem.store.engine import Engine
from graphmem.testing import FixedClock

KINDS = ("open", "write", "fsync", "rename", "unlink", "truncate", "copy", "mkdir")
CAUSES = (errno.ENOSPC, errno.EIO, errno.EACCES)
NEVER = "nothing failed"  # the verb makes fewer such calls: not counted
_LIBRARY = "GRAPHMEM_FAULTY_IO"
NOBODY = 65534  # a user without rights


def with_faulty_calls(folder: Path) -> None:
    """Start this program again with tools/faulty_io.c before the C library, unless that is so already."""
    if os.environ.get(_LIBRARY):
        return
    library = folder / "faulty_io.so"
    source = Path(__file__).with_name("faulty_io.c")
    does("cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl")
    more = {"LD_PRELOAD": str(library), _LIBRARY: str(library)}
    again = [sys.executable, *sys.argv]
    done = subprocess.run(again, env=os.environ | more, check=False)  # noqa: S603 - itself
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(done.returncode)


def does(command: str, *arguments: str) -> None:
    """Run a program of the system; it must end well."""
    program = shutil.which(command) or command
    subprocess.run([program, *arguments], check=True)  # noqa: S603 - the words are in this file


def faulty() -> Any:
    """The library that lets calls fail."""
    return ctypes.CDLL(os.environ[_LIBRARY])


# --- the verbs -------------------------------------------------------------------------------------------

Verb = Callable[[Memory, Path], object]


def _resolve(memory: Memory, _: Path) -> object:
    return memory.resolve(memory.conflicts()[0].id, "mark_older_as_past")


def _forget(memory: Memory, _: Path) -> object:
    return memory.forget(memory.facts("Nadia")[0].sources[0])


def _undo(memory: Memory, _: Path) -> object:
    return memory.undo()


def _update(memory: Memory, _: Path) -> object:
    return memory.update(memory.facts("Goran")[0].id, "Goran lives in Vienna.")


def _ingest(memory: Memory, _: Path) -> object:
    said = ("Omar lives in Rome.", "Pia lives in Kyoto.", "I moved to Madrid.")
    return list(memory.ingest([message(text) for text in said]))


VERBS: dict[str, Verb] = {
    "add": lambda memory, _: memory.add(message("Omar lives in Rome.")),
    "ingest": _ingest,
    "update": _update,
    "resolve": _resolve,
    "forget": _forget,
    "undo": _undo,
    "tend": lambda memory, _: memory.tend(),
    "repair": lambda memory, _: memory.repair(),
    "backup": lambda memory, place: memory.backup(place / "kept.gmb"),
    "export": lambda memory, place: memory.export(place / "kept.jsonl"),
}
OPENING, RESTORING, MERGING = "open", "restore to a new place", "restore into a memory"


class Bench:
    """A memory, what it says before and after each verb, and a backup of it as it was before some of that."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.whole = made(folder / "whole", killed=False)
        self.before = oracle_of_copy(self.whole)
        self.after: dict[str, Told] = {}
        for verb in VERBS:
            copy = self.copy()
            self.tried(copy, verb, None)
            self.after[verb] = self.told(copy)
        copy = self.copy()
        self.tried(copy, "add", None)
        in_child(lambda _: self._back_up(copy))
        self.backup = folder / "later.gmb"
        shutil.move(copy.with_name("later.gmb"), self.backup)
        self.after[RESTORING] = self.after[MERGING] = self.after["add"]

    def _back_up(self, copy: Path) -> None:
        with opened(copy) as memory:
            memory.backup(copy.with_name("later.gmb"))

    def told(self, copy: Path) -> Told:
        """What it says; it must be well."""
        found = look(copy)
        if found.told is None or found.outcome != SAME:
            raise SystemExit(f"a verb that nothing happened to leaves {found.outcome}")
        return found.told

    def copy(self) -> Path:
        """The memory in a folder of its own, with files of an earlier backup and export beside it."""
        place = self.folder / "tried"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        return self.copy_to(place)

    def copy_to(self, place: Path) -> Path:
        """The same in a folder that is there."""
        shutil.copytree(self.whole, place / "memory")
        return place / "memory"

    def tried(
        self,
        copy: Path,
        verb: str,
        arm: Callable[[Path], Callable[[], int]] | None,
        first: Callable[[], None] | None = None,
    ) -> tuple[str, bool, bool]:
        """Do a verb: how the process ended, whether it was acknowledged, and whether anything failed."""

        def act(out: int) -> None:
            os.write(out, b"\n")
            if first is not None:
                first()
            count: Callable[[], int] = int
            if arm is not None and verb in (OPENING, RESTORING, MERGING):
                count = arm(copy.parent)
            try:
                if verb in (RESTORING, MERGING):
                    target = copy if verb == MERGING else copy.with_name("restored")
                    Memory.restore_backup(self.backup, target, clock=FixedClock(NOON))
                    os.write(out, b"done\n")
                    return
                with opened(copy) as memory:
                    if arm is not None and verb != OPENING:
                        count = arm(copy.parent)
                    if verb != OPENING:
                        VERBS[verb](memory, copy.parent)
                    os.write(out, b"done\n")
            finally:
                if count():
                    os.write(out, b"failed\n")

        ended, written = in_child(act, after=LONGEST)
        said = {0: SAME, 3: REFUSED}.get(ended, CRASHED if ended < 0 else OTHER)
        lines = written.splitlines()
        return said, b"done" in lines, b"failed" in lines

    def judged(self, copy: Path, verb: str, said: str, *, acknowledged: bool) -> str:
        """What is there afterwards: what was before, whole, or what the verb leads to."""
        if said not in ALLOWED:
            return said
        if verb == RESTORING:
            return self._restored(copy, said, acknowledged=acknowledged)
        before, later = self.before, self.after.get(verb, self.before)
        found = look(copy)
        wanted = (later,) if acknowledged else (before, later)
        if verb == MERGING and not acknowledged and found.told not in (before, later):
            return self._merged_again(copy, said)  # a restore goes on where it was broken off
        told = found.against(*wanted)
        if told not in ALLOWED or told == REFUSED:
            return f"{said}; afterwards {told} {found.error}"
        return said

    def _restored(self, copy: Path, said: str, *, acknowledged: bool) -> str:
        place = copy.with_name("restored")
        others = [one.name for one in copy.parent.iterdir() if "restor" in one.name]
        if not acknowledged and not place.exists():
            return said if not others else f"{said}; {others} left behind"
        told = look(place).against(self.after[RESTORING])
        return said if told == SAME else f"{said}; afterwards {told}"

    def _merged_again(self, copy: Path, said: str) -> str:
        again, acknowledged, _ = self.tried(copy, MERGING, None)
        told = look(copy).against(self.after[MERGING])
        return said if acknowledged and told == SAME else f"{said}; once more {again}, then {told}"


# --- the faults ------------------------------------------------------------------------------------------


def failing(bench: Bench, nth: int) -> Iterator[Fault]:
    """The n-th call of a kind fails, by itself or with all after it, in each verb."""
    for verb in (*VERBS, OPENING, RESTORING, MERGING):
        for kind in KINDS:
            for n in range(1, nth + 1):
                cause = CAUSES[n % len(CAUSES)]
                how = partial(one_fails, bench, verb=verb, kind=kind, n=n, cause=cause)
                yield f"calls: {kind}", verb, f"{errno.errorcode[cause]} at call {n}", how


def one_fails(bench: Bench, *, verb: str, kind: str, n: int, cause: int) -> str:
    """What comes of it."""
    stays = cause == errno.ENOSPC  # a full disk stays full

    def arm(place: Path) -> Callable[[], int]:
        library = faulty()
        library.fault_arm(os.fsencode(place), kind.encode(), n, cause, int(stays))
        return lambda: int(library.fault_fired())

    copy = bench.copy()
    said, acknowledged, fired = bench.tried(copy, verb, arm)
    if not fired and said != CRASHED:
        return NEVER
    return bench.judged(copy, verb, said, acknowledged=acknowledged)


def limited(bench: Bench) -> Iterator[Fault]:
    """No file may grow beyond a size (RLIMIT_FSIZE)."""
    for verb in (*VERBS, OPENING, RESTORING, MERGING):
        for kib in (0, 4, 64, 512, 4096):
            how = partial(limited_to, bench, verb=verb, size=kib << 10)
            yield "file size limit", verb, f"{kib} KiB", how


def limited_to(bench: Bench, *, verb: str, size: int) -> str:
    """What comes of it."""

    def arm(_: Path) -> Callable[[], int]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        return lambda: 1

    copy = bench.copy()
    said, acknowledged, _ = bench.tried(copy, verb, arm)
    return bench.judged(copy, verb, said, acknowledged=acknowledged)


def full(bench: Bench) -> Iterator[Fault]:
    """A disk of its own (tmpfs) that is full but for so much, with and without the look at it beforehand."""
    for looked_at in (True, False):
        for verb in (*VERBS, OPENING, RESTORING, MERGING):
            for kib in (0, 4, 64, 1024):
                how = partial(on_full, bench, verb=verb, free=kib << 10, looked_at=looked_at)
                what = f"{kib} KiB free" + ("" if looked_at else ", filled after the look")
                yield "full disk", verb, what, how


def on_full(bench: Bench, *, verb: str, free: int, looked_at: bool) -> str:
    """What comes of it."""
    with a_disk(bench.folder / "tried", size=160 << 20) as place:
        copy = bench.copy_to(place)

        def arm(_: Path) -> Callable[[], int]:
            if not looked_at:
                Engine.check_disk = lambda _: None  # type: ignore[method-assign]
            fill(place / "ballast", free)
            return lambda: 1

        said, acknowledged, _ = bench.tried(copy, verb, arm)
        (place / "ballast").unlink(missing_ok=True)
        return bench.judged(copy, verb, said, acknowledged=acknowledged)


def fill(file: Path, free: int) -> None:
    """Leave so much of the disk."""
    with suppress(OSError), file.open("wb") as opened:
        while True:
            opened.write(bytes(1 << 16))
            opened.flush()
    left = max(0, file.stat().st_size - free)
    os.truncate(file, left)


def unwritable(bench: Bench) -> Iterator[Fault]:
    """A disk that is read-only; a folder or files that the user may not write."""
    for verb in (*VERBS, OPENING, RESTORING, MERGING):
        yield "read-only", verb, "a read-only disk", partial(on_read_only, bench, verb=verb)
    if os.getuid() == 0 and _anybody_may_import():
        for what, mode, files in (
            ("a folder of somebody else's", 0o555, 0o444),
            ("a folder that may not be entered", 0o000, 0o444),
            ("files of somebody else's", 0o777, 0o444),
            ("files that may not be read", 0o777, 0o000),
        ):
            for verb in ("add", OPENING, "backup", RESTORING, MERGING):
                how = partial(as_nobody, bench, verb=verb, mode=mode, files=files)
                yield "read-only", verb, what, how


def _anybody_may_import() -> bool:
    """Whether another user could run this interpreter: its packages may stand in a private folder."""
    places = [Path(place).resolve() for place in (*sys.path, sys.executable) if place]
    return all(
        folder.stat().st_mode & 0o001
        for place in places
        if place.exists()
        for folder in (place, *place.parents)
        if folder.is_dir()
    )


def on_read_only(bench: Bench, *, verb: str) -> str:
    """What comes of it."""
    with a_disk(bench.folder / "tried", size=160 << 20) as place:
        copy = bench.copy_to(place)
        does("mount", "-o", "remount,ro", str(place))
        said, acknowledged, _ = bench.tried(copy, verb, None)
        does("mount", "-o", "remount,rw", str(place))
        if acknowledged:
            return "acknowledged, but the disk is read-only"
        return bench.judged(copy, verb, said, acknowledged=False)


def as_nobody(bench: Bench, *, verb: str, mode: int, files: int) -> str:
    """What comes of it."""
    copy = bench.copy()
    for one in copy.rglob("*"):
        one.chmod(files if one.is_file() else mode)
    copy.chmod(mode)
    copy.parent.chmod(mode | 0o555 if mode else 0o755)
    bench.backup.chmod(0o644)

    def nobody() -> None:
        os.environ["HOME"] = str(copy.parent)  # that of root may not be looked at
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    said, acknowledged, _ = bench.tried(copy, verb, None, first=nobody)
    for one in (copy.parent, copy, *copy.rglob("*")):
        one.chmod(0o755)
    return bench.judged(copy, verb, said, acknowledged=acknowledged)


@contextmanager
def a_disk(place: Path, *, size: int) -> Iterator[Path]:
    """A small disk in memory. Needs the right to mount."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    does("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place))
    try:
        yield place
    finally:
        does("umount", "-l", str(place))


def may_mount(folder: Path) -> bool:
    """Whether this process may mount a disk."""
    try:
        with a_disk(folder / "mounting", size=1 << 20):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
