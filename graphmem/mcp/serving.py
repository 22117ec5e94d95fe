"""Running the server: over standard input and output, or over HTTP on loopback behind a token.

Standard output carries the protocol and nothing else; everything said to people goes to standard error.
"""

from __future__ import annotations

import hmac
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem.loopback import bound, ends_when_told, loopback, names_of
from graphmem.mcp.server import build
from graphmem.memory import Memory

PATH = "/mcp"
LARGEST_REQUEST = 4 * 1024 * 1024  # bytes
_PATIENCE = 3  # seconds for open answers at the end


@contextmanager
def quiet_output() -> Iterator[None]:
    """Whatever is printed meanwhile, by libraries in C too, goes to standard error: standard output is the
    protocol's.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def serve_stdio(memory: Memory) -> None:
    """Serve one client over standard input and output, until it closes them or the process is told to end."""
    _log_to_stderr()
    server = build(memory)

    def leave(number: int, _frame: FrameType | None) -> None:
        """The reading thread cannot be woken: close the memory beside it, then go."""
        threading.Thread(target=_close_and_exit, args=(memory, number), daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    anyio.run(server.run_stdio_async)


def _close_and_exit(memory: Memory, number: int) -> None:
    memory.close()  # waits for the write that is under way
    os._exit(0 if number == signal.SIGTERM else 130)


def serve_http(
    memory: Memory, *, host: str, port: int, token: str, ready: Callable[[str], None]
) -> None:
    """Serve any number of clients over streamable HTTP on loopback; `ready` is told the address.

    Every request needs the token. Raises InvalidSettings for an address that is not loopback or is taken.
    """
    _log_to_stderr()
    address = loopback(host)
    with bound(address, port) as listening:
        port = listening.getsockname()[1]
        names = names_of(address)
        app = build(memory).streamable_http_app(
            streamable_http_path=PATH,
            max_request_body_size=LARGEST_REQUEST,
            transport_security=TransportSecuritySettings(
                allowed_hosts=[f"{name}:{port}" for name in names],
                allowed_origins=[f"http://{name}:{port}" for name in names],
            ),
        )
        config = uvicorn.Config(
            TokenGate(app, token),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_PATIENCE,
            ws="none",
        )
        server = uvicorn.Server(config)
        ends_when_told(server)
        ready(f"http://{names[0]}:{port}{PATH}")
        server.run(sockets=[listening])


class TokenGate:
    """Lets a request through where it carries the bearer token, and nothing else."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "").encode("latin-1")
            if not hmac.compare_digest(given, self._expected):
                refused = JSONResponse(
                    {"error": "invalid_token", "error_description": "the bearer token is needed"},
                    status_code=401,
                    headers={"www-authenticate": "Bearer"},
                )
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _log_to_stderr() -> None:
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
