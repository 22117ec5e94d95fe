from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.chatlogs.registry import open_log

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def fixtures() -> Path:
    return FIXTURES


@pytest.fixture
def read(tmp_path):
    """Writes a log and reads it back: (speaker, role, text) of messages, problems apart."""

    def reading(content, name="chat.txt", **knobs):
        path = content
        if not isinstance(content, Path):
            path = tmp_path / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        knobs.setdefault("timezone", "UTC")
        items = list(open_log(path, **knobs))
        messages = [item.message for item in items if item.message]
        problems = [item.problem for item in items if item.problem]
        return messages, problems

    return reading
