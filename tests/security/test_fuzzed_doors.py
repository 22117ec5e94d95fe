"""A short stretch of `tools/fuzz.py` through every door: what is refused is refused by an error of ours and
changes nothing, and what is taken leaves a memory whose parts agree.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from graphmem.errors import GraphmemError

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import fuzz
import fuzz_targets

# how many inputs, and inputs in which something was found once
DOORS: dict[str, tuple[int, tuple[int, ...]]] = {
    **{name: (60, ()) for name in fuzz_targets.TARGETS if name.startswith("read-")},
    "read-chatgpt": (60, (1766, 2254, 6721, 7024)),
    "read-instagram": (60, (103184,)),
    "add": (40, ()),
    "recall": (40, (125, 100760)),
    "cypher": (40, ()),
    "verbs": (60, (186, 249, 1245)),
    "restore": (8, ()),
    "import": (10, ()),
    "import-other": (15, ()),
    "mcp": (15, ()),
    "config": (80, (4014, 4982, 32121)),
}


def test_every_target_is_tried_here() -> None:
    assert DOORS.keys() == fuzz_targets.TARGETS.keys()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", sorted(DOORS))
def test_what_is_refused_is_refused_cleanly(name: str, tmp_path: Path) -> None:
    count, found_once = DOORS[name]
    target = fuzz_targets.TARGETS[name](tmp_path)
    told: Counter[str] = Counter()
    for number in (*range(count), *found_once):
        try:
            target.run(random.Random(f"{name} {number}"))
            told["taken"] += 1
        except GraphmemError as error:
            told["refused" if error.met else f"{number} was refused without a word"] += 1
    target.close()  # graph and indexes agree
    assert told.keys() <= {"taken", "refused"}
    assert told.total() == count + len(found_once)
    assert told["taken"], "nothing got through this door: the target tries nothing"
    assert told["refused"] or name == "mcp", "nothing was refused: the target breaks nothing"


def test_the_tool_tells_a_find_a_crash_and_a_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A door that is broken in each of the three ways, in a process of its own."""
    broken = tmp_path / "broken.py"
    broken.write_text(
        "import os, sys, time\n"
        f"sys.path.insert(0, {str(Path(fuzz.__file__).parent)!r})\n"
        "import fuzz, fuzz_targets\n"
        "class Broken(fuzz_targets.Target):\n"
        "    tried = 0\n"
        "    def run(self, dice):\n"
        "        self.tried += 1\n"
        "        if 'crash' in sys.argv and self.tried == 3: os.abort()\n"
        "        if 'hang' in sys.argv and self.tried == 3: time.sleep(60)\n"
        "        if self.tried == 2: raise KeyError('lost')\n"
        "fuzz_targets.TARGETS = {'crash': Broken, 'hang': Broken}\n"
        "sys.exit(fuzz.main())\n"
    )
    monkeypatch.setattr(fuzz, "__file__", str(broken))
    monkeypatch.setattr(fuzz, "HANG", 1.0)
    for name, last in (("crash", "ended with -6"), ("hang", "takes more than 1 s")):
        told = fuzz.Told()
        following = fuzz._once(name, tmp_path, 10, 5.0, told)
        first, second = told.finds
        assert first.startswith("input 11: KeyError: 'lost'")
        assert second.startswith("input 12")
        assert last in second
        assert following == 13
