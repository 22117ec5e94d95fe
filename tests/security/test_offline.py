"""The block under which the whole suite runs: it stands below `socket`, in every process, and tells on whoever
goes past a refusal.
"""

from __future__ import annotations

import _socket
import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

ELSEWHERE = ("192.0.2.1", 80)  # for documentation (RFC 5737): nobody's
NAME = "example.invalid"


def _sent(kind: type[_socket.socket]) -> None:
    with contextlib.closing(kind(socket.AF_INET, socket.SOCK_DGRAM)) as one:
        one.sendto(b"x", ELSEWHERE)


def _connected(kind: type[_socket.socket], how: str) -> None:
    with contextlib.closing(kind(socket.AF_INET, socket.SOCK_STREAM)) as one:
        one.settimeout(0.1)
        getattr(one, how)(ELSEWHERE)


async def _async() -> None:
    _, writer = await asyncio.open_connection(*ELSEWHERE)
    writer.close()


WAYS: dict[str, Callable[[], object]] = {
    "connect": lambda: _connected(socket.socket, "connect"),
    "connect_ex": lambda: _connected(socket.socket, "connect_ex"),
    "the C socket": lambda: _connected(_socket.socket, "connect"),
    "a datagram": lambda: _sent(socket.socket),
    "a datagram of the C socket": lambda: _sent(_socket.socket),
    "create_connection": lambda: socket.create_connection(ELSEWHERE, 0.1),
    "a name": lambda: socket.getaddrinfo(NAME, 80),
    "an older look-up": lambda: socket.gethostbyname(NAME),
    "an address page": lambda: urllib.request.urlopen(f"http://{NAME}/", timeout=0.1),
    "a loop": lambda: asyncio.run(_async()),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_out(way: str, no_network: Path) -> None:
    with pytest.raises(OSError, match="is not this machine"):
        WAYS[way]()
    assert ("192.0.2.1" in no_network.read_text()) or NAME in no_network.read_text()
    no_network.unlink()  # it was meant; else this test would fail now


def test_a_program_that_a_test_starts_is_blocked_as_well(no_network: Path) -> None:
    code = (
        "import socket\n"
        "try:\n    socket.create_connection(('192.0.2.1', 80), 0.1)\n"
        "except Exception:\n    print('went on')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "went on\n"
    assert no_network.read_text() == "socket.connect 192.0.2.1\n"
    no_network.unlink()


def test_an_attempt_whose_refusal_is_swallowed_fails_the_test(tmp_path: Path) -> None:
    """The suite's own conftest, over a test that goes on as if nothing was."""
    conftest = Path(__file__).parents[1] / "conftest.py"
    (tmp_path / "conftest.py").write_text(
        conftest.read_text().replace(
            'Path(__file__).parent / "offline"', f"Path({str(conftest.parent / 'offline')!r})"
        )
    )
    (tmp_path / "test_swallowing.py").write_text(
        "import socket\n"
        "def test_it():\n"
        "    try:\n        socket.create_connection(('192.0.2.1', 80), 0.1)\n"
        "    except Exception:\n        pass\n"
    )
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=around,
        cwd=tmp_path,
    )
    assert done.returncode == 1, done.stdout
    assert "a test tried to reach another machine: socket.connect 192.0.2.1" in done.stdout


def test_loopback_is_let_through() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), 1).close()
    assert socket.getaddrinfo("localhost", 80)
