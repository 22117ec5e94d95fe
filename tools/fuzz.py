"""Breaks inputs for a while and counts what is not refused cleanly: every chat-log reader, add, recall, Cypher,
the other verbs, restore, imports, MCP tools, settings.

`python tools/fuzz.py --seconds 60` shares the time among the targets (or those that --target names). Each runs in a
process of its own, so that a crash of the interpreter and a hang are finds as well; every input is made from its
number, and `--target NAME --one NUMBER` runs a single one again. A find is anything raised that is not one of
graphmem.errors, an input that takes more than ten seconds, a crash, a memory that a refused input has changed, and
a graph and index that do not agree. Exit status 1 where there are finds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

HANG = 10.0  # seconds
_START = 120.0  # for a process to load what it needs
_SHOWN = 5  # finds a target


@dataclass
class Told:
    """What one target gave."""

    inputs: int = 0
    refused: int = 0
    finds: list[str] = field(default_factory=list)


def child(target: str, folder: Path, *, first: int, seconds: float, one: bool) -> None:
    """Try inputs from number `first` on; says how each went on standard output."""
    from fuzz_targets import TARGETS  # noqa: PLC0415 - the parent loads nothing heavy

    from graphmem.errors import GraphmemError  # noqa: PLC0415

    tried = TARGETS[target](folder)
    end, number = time.monotonic() + seconds, first
    with (folder / "at").open("r+b", buffering=0) as at:
        while time.monotonic() < end:
            at.seek(0)
            at.write(struct.pack("<qd", number, time.time()))
            outcome: dict[str, object] = {"n": number}
            try:
                tried.run(random.Random(f"{target} {number}"))  # noqa: S311
            except GraphmemError as error:
                outcome["refused"] = type(error).__name__
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                where = traceback.extract_tb(error.__traceback__)[-1]
                outcome["find"] = (
                    f"{type(error).__name__}: {str(error)[:300]} ({where.filename}:{where.lineno})"
                )
                if one:
                    traceback.print_exc()
            print(json.dumps(outcome), flush=True)
            number += 1
            if one:
                break
        at.seek(0)
        at.write(struct.pack("<qd", -1, time.time()))
    tried.close()


def watched(target: str, seconds: float, first: int) -> Told:
    """Run a target in processes of its own until the time is over."""
    told, end, number = Told(), time.monotonic() + seconds, first
    while (left := end - time.monotonic()) > 0.5 and len(told.finds) < 50:
        with tempfile.TemporaryDirectory(prefix="graphmem-fuzz-") as place:
            number = _once(target, Path(place), number, left, told)
    return told


def _once(target: str, folder: Path, first: int, seconds: float, told: Told) -> int:
    """One process; the number to go on with."""
    at = folder / "at"
    at.write_bytes(struct.pack("<qd", first - 1, time.time() + _START))
    command = [sys.executable, __file__, "--child", "--target", target, "--folder", str(folder)]
    command += ["--first", str(first), "--seconds", str(seconds)]
    with (folder / "out").open("wb") as out, (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)  # noqa: S603
        hung = False
        while process.poll() is None:
            time.sleep(0.2)
            now, since = struct.unpack("<qd", at.read_bytes().ljust(16, b"\0")[:16])
            if time.time() - since > HANG + (_START if now == -1 else 0):
                hung = True
                process.kill()
                process.wait()
    last = struct.unpack("<qd", at.read_bytes()[:16])[0]
    following = first
    for line in (folder / "out").read_text("utf-8", "replace").splitlines():
        if not line.startswith("{") or not line.endswith("}"):
            continue
        outcome = json.loads(line)
        told.inputs += 1
        following = outcome["n"] + 1
        told.refused += "refused" in outcome
        if "find" in outcome:
            told.finds.append(f"input {outcome['n']}: {outcome['find']}")
    if hung:
        told.inputs += 1
        told.finds.append(f"input {last}: takes more than {HANG:.0f} s")
    elif process.returncode:
        why = (folder / "errors").read_text("utf-8", "replace").strip().splitlines()[-1:]
        told.finds.append(
            f"input {last}: the process ended with {process.returncode} {' '.join(why)}"
        )
    return max(following, last + 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Share the time out, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--target", action="append", help="only this one (repeatable)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--one", type=int, help="run this input alone, in this process")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if given.child:
        child(given.target[0], given.folder, first=given.first, seconds=given.seconds, one=False)
        return 0
    if given.one is not None:
        with tempfile.TemporaryDirectory(prefix="graphmem-fuzz-") as place:
            (Path(place) / "at").write_bytes(bytes(16))
            child(given.target[0], Path(place), first=given.one, seconds=3600, one=True)
        return 0
    return _all(given)


def _all(given: argparse.Namespace) -> int:
    from fuzz_targets import TARGETS  # noqa: PLC0415 - only their names are needed

    names = given.target or list(TARGETS)
    told = {name: watched(name, given.seconds / len(names), given.first) for name in names}
    if given.json:
        print(json.dumps({name: vars(one) for name, one in told.items()}, indent=2))
    else:
        print(f"{'target':<18} {'inputs':>8} {'refused':>8} {'finds':>6}")
        for name, one in told.items():
            print(f"{name:<18} {one.inputs:>8} {one.refused:>8} {len(one.finds):>6}")
        total = Counter({"inputs": sum(one.inputs for one in told.values())})
        print(
            f"{'all':<18} {total['inputs']:>8} {sum(one.refused for one in told.values()):>8} "
            f"{sum(len(one.finds) for one in told.values()):>6}"
        )
        for name, one in told.items():
            for find in one.finds[:_SHOWN]:
                print(f"{name}: {find}")
    return 1 if any(one.finds for one in told.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
