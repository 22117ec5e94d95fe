"""Shared by all tests: no network, one thread per library, a memory that is quick to open."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.testing import FixedClock, TinyEmbedder

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the suite may leave the machine; loopback servers of the tests' own are let through."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else address
        if self.family in {socket.AF_INET, socket.AF_INET6} and host not in {
            "127.0.0.1",
            "::1",
            "localhost",
        }:
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands at noon of 1 June 2025 (UTC) until a test moves it."""
    return FixedClock(NOON)


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """A fresh memory with a tiny embedder."""
    with Memory.open(tmp_path / "memory", clock=clock, embedder=TinyEmbedder()) as opened:
        yield opened
