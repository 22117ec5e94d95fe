"""A memory page for tests: in this process behind a client, or served in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from starlette.testclient import TestClient

from graphmem import Memory, Message
from graphmem.web.app import build
from graphmem.web.gate import Keys

HOST = "127.0.0.1:8000"
NOW = datetime(2026, 6, 10, 10, tzinfo=UTC)


def say(memory: Memory, *texts: str, speaker: str = "Ana") -> None:
    said = memory.now()
    for place, text in enumerate(texts):
        when = said - timedelta(minutes=len(texts) - place)
        memory.add(Message(text=text, speaker=speaker, said_at=when))


@contextmanager
def client(memory: Memory, *, enter: bool = True) -> Iterator[TestClient]:
    """A browser without a window; `.token` is that of the page's forms."""
    keys = Keys()
    app, site = build(memory, keys, hosts=(HOST,))
    with TestClient(app, base_url=f"http://{HOST}", follow_redirects=True) as made:
        made.keys = keys  # type: ignore[attr-defined]
        if enter:
            assert made.get(f"/enter?token={keys.link}").status_code == 200
        yield made
    site.jobs.end()


@contextmanager
def served(memory: Path, home: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`graphmem web` in a process of its own: its link, and the process; ended afterwards."""
    kept = ("PATH", "PYTHONPATH", "OMP_NUM_THREADS")
    process = subprocess.Popen(
        [sys.executable, "-m", "graphmem.cli", "-m", str(memory), "web", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**{name: os.environ[name] for name in kept if name in os.environ}, "HOME": str(home)},
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None, process.stdout.read()
        yield found.group(), process
    finally:
        process.terminate()
        process.communicate(timeout=20)
