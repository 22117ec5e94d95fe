from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from index_life import plans

from graphmem.store.search import PassageIndex
from graphmem.testing import DictStore, TinyEmbedder


@pytest.mark.parametrize("lines", [3, 61, 150])
@pytest.mark.parametrize("ahead", [0, 40])
def test_killed_at_any_moment_it_catches_up(tmp_path, lines, ahead):
    """`ahead`: the graph has lost that many of the events which the index may have followed."""
    script = Path(__file__).with_name("index_life.py")
    child = subprocess.Popen([sys.executable, script, tmp_path], stdout=subprocess.PIPE, text=True)
    for _ in range(lines):
        assert child.stdout.readline()
    child.kill()
    seen = lines + len(child.stdout.readlines())
    child.stdout.close()
    child.wait()
    store = DictStore()
    for plan in islice(plans(), max(1, seen - ahead)):
        store.apply(plan)
    index = PassageIndex.open(tmp_path, TinyEmbedder())
    index.catch_up(store)
    assert index.check(store).findings == ()
    assert index.size() == sum(1 for _ in store.scan_snapshots())
    index.close()
