"""Breaks the files of a memory, and the calls under it, in many ways: does it ever tell anything wrong?

    python tools/faults.py [--bits 20] [--nth 4] [--only GROUP] [--every N] [--json]

A memory of named people is made, once closed and once killed with its log unfolded. Its files are damaged, one at a
time; files of other memories and versions are put in; calls to the operating system fail (tools/faulty_io.c, which
reaches the graph engine and SQLite too; needs a C compiler), files may not grow, the disk is full or read-only, the user may not
write. Then another process opens it and tells all it knows, facts, conflicts and the answers to eighteen questions. Allowed: it
tells the same as before the verb or, once acknowledged, as after it; or refuses with one of graphmem's own errors.
A fault that did not come to pass is not counted. Exit status 1 where anything else than allowed happened.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from fault_calls import (
    NEVER,
    Bench,
    failing,
    full,
    limited,
    may_mount,
    unwritable,
    with_faulty_calls,
)
from fault_files import Fault, damaged, strays
from fault_world import ALLOWED
from kills import warm

from graphmem.testing import TinyEmbedder

GROUPS = ("files", "strays", "calls", "limits", "disk", "read-only")


def faults(
    folder: Path, groups: set[str], *, bits: int, nth: int, draw: random.Random
) -> Iterator[Fault]:
    """All of them."""
    found: list[Iterator[Fault]] = []
    if "files" in groups:
        found.append(damaged(folder / "files", bits, draw))
    if "strays" in groups:
        found.append(strays(folder / "strays"))
    for name in ("files", "strays", "bench"):
        (folder / name).mkdir()
    if groups & {"calls", "limits", "disk", "read-only"}:
        bench = Bench(folder / "bench")
        mounts = may_mount(folder)
        for name, some in (("calls", failing(bench, nth)), ("limits", limited(bench))):
            if name in groups:
                found.append(some)
        if mounts:
            found += [full(bench)] if "disk" in groups else []
            found += [unwritable(bench)] if "read-only" in groups else []
        elif groups & {"disk", "read-only"}:
            print("no disk can be mounted here: full and read-only disks are left out")
    return chain(*found)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bits", type=int, default=20, help="bits, each alone, in each file")
    parser.add_argument("--nth", type=int, default=4, help="calls of each kind in each verb")
    parser.add_argument("--only", choices=GROUPS, action="append", help="these groups")
    parser.add_argument("--every", type=int, default=1, help="only one fault in so many")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="graphmem-faults-"))
    with_faulty_calls(folder)
    with tempfile.TemporaryDirectory(prefix="graphmem-faults-") as name:
        found = run(Path(name), chosen)
    told(found, as_json=chosen.json)


def run(folder: Path, chosen: argparse.Namespace) -> list[tuple[str, str, str, str]]:
    """Each fault and what came of it."""
    folder.chmod(0o755)
    draw = random.Random(chosen.seed)  # noqa: S311 - where the damage is
    warm(folder, TinyEmbedder())
    groups = set(chosen.only or GROUPS)
    some = faults(folder, groups, bits=chosen.bits, nth=chosen.nth, draw=draw)
    found = []
    for group, place, what, act in islice(some, draw.randrange(chosen.every), None, chosen.every):
        outcome = act()
        if outcome != NEVER:
            found.append((group, place, what, outcome))
        if outcome not in {*ALLOWED, NEVER}:
            print(
                "not allowed:", group, place, what, outcome, sep=" | ", file=sys.stderr, flush=True
            )
    return found


def told(found: list[tuple[str, str, str, str]], *, as_json: bool) -> None:
    """Print the figures."""
    outcomes = Counter(outcome for *_, outcome in found)
    bad = [one for one in found if one[3] not in ALLOWED]
    groups = {
        group: Counter(outcome for name, *_, outcome in found if name == group)
        for group in dict.fromkeys(name for name, *_ in found)
    }
    if as_json:
        told = {"faults": len(found), "outcomes": outcomes, "groups": groups, "not allowed": bad}
        print(json.dumps(told, indent=1))
    else:
        print(f"{len(found)} faults")
        for group, counts in groups.items():
            print(
                f"{sum(counts.values()):5} {group}: "
                + ", ".join(f"{n} {o}" for o, n in counts.items())
            )
        for one in bad:
            print("not allowed:", *one, sep=" | ")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
