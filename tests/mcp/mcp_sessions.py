"""Sessions of the official client with a server of ours: in this process, over stdio, over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-for-tests-only-0123"  # noqa: S105
START = 60  # seconds for a server to come up on a busy machine


def environment(folder: Path) -> dict[str, str]:
    """What a server needs from the environment, with no configuration of this machine's owner."""
    kept = ("PATH", "PYTHONPATH", "SYSTEMROOT", "OMP_NUM_THREADS")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "HOME": str(folder),
        "GRAPHMEM_MCP_TOKEN": TOKEN,
    }


def command(folder: Path, *arguments: str, reader: str = "") -> list[str]:
    """The command line of a server on the memory in `folder`."""
    as_reader = ["--reader", reader] if reader else []
    memory = ["--memory", str(folder / "memory")]
    return [sys.executable, "-m", "graphmem.cli", *memory, *as_reader, "mcp", *arguments]


@asynccontextmanager
async def over_stdio(
    folder: Path, *, reader: str = "", mode: str = "auto"
) -> AsyncIterator[Client]:
    words = command(folder, reader=reader)
    server = StdioServerParameters(
        command=words[0], args=words[1:], env=environment(folder), cwd=folder
    )
    async with Client(server, mode=mode, read_timeout_seconds=START) as client:
        yield client


@contextmanager
def http_server(folder: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own: its address, and the process; ended afterwards."""
    with subprocess.Popen(
        command(folder, "--http", "--port", "0", *arguments),
        env=environment(folder),
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            assert " at http://" in said, said + process.stderr.read()
            yield said.partition(" at ")[2].partition(",")[0], process
        finally:
            process.terminate()
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@asynccontextmanager
async def over_http(
    address: str, *, token: str = TOKEN, mode: str = "auto"
) -> AsyncIterator[Client]:
    async with (
        create_mcp_http_client(headers={"authorization": f"Bearer {token}"}) as requests,
        Client(
            streamable_http_client(address, http_client=requests),
            mode=mode,
            read_timeout_seconds=START,
        ) as client,
    ):
        yield client


def run(session: Callable[[], Awaitable[Any]]) -> Any:
    """Run one session, and leave nothing of it behind."""
    return anyio.run(session)


def text_of(result: Any) -> str:
    """The words of an answer."""
    return "\n".join(block.text for block in result.content)


async def done(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that must succeed."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return dict(result.structured_content)


async def failed(client: Client, name: str, **arguments: Any) -> str:
    """The words of a call that must fail."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, text_of(result)
    return text_of(result)
