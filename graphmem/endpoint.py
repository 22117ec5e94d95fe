"""The one client for model servers that an owner configured: OpenAI-compatible, by the standard library.

It speaks to this machine and private networks only, unless the owner allows more: the host is looked up
at each call, every address is checked, and the call goes to an address that was checked, so that a name
cannot lead elsewhere. No redirect is followed, no proxy of the environment used, no more than two
megabytes read, and one time-out covers the whole call: looking up, connecting, and a server that drips.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from graphmem.errors import InvalidSettings, ServiceFailed

MOST_BYTES = 2_000_000
LONGEST_SECONDS = 60.0
_CHUNK = 65_536
_NEAR = tuple(
    map(
        ipaddress.ip_network,
        ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"),
    )
)
_CHAT = "/chat/completions"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered."""

    status: int
    body: bytes


class Endpoint:
    """A chat-completions endpoint. `url` is the API's base, such as "http://127.0.0.1:8080/v1".

    `table` names the table of the configuration that it comes from ("judge", "model"), for messages.
    Raises InvalidSettings for an address that is not allowed; a host name is checked at each call.
    """

    def __init__(
        self,
        *,
        table: str,
        url: str,
        api_key: str = "",
        allow_remote: bool = False,
        seconds: float,
    ) -> None:
        self.table = table
        self.seconds = seconds
        self._api_key = api_key
        self._allow_remote = allow_remote
        self._scheme, self._host, self._port, self._path = _parts(url, table)
        literal = _literal(self._host)
        if literal is not None and not (allow_remote or is_near(literal)):
            raise self._remote()

    @classmethod
    def of(cls, table: str, settings: Mapping[str, Any], *, seconds: float) -> Self:
        """The endpoint of a table of the configuration: url, api_key_env, allow_remote, seconds.

        The key itself is never in the configuration: `api_key_env` names an environment variable.
        """
        if "api_key" in settings:
            raise InvalidSettings(
                f"{table}.api_key is set", expected=f"{table}.api_key_env, a variable's name"
            )
        return cls(
            table=table,
            url=text_of(table, settings, "url"),
            api_key=os.environ.get(str(settings.get("api_key_env", "")), ""),
            allow_remote=settings.get("allow_remote") is True,
            seconds=seconds_of(table, settings, seconds),
        )

    def deadline(self) -> float:
        """When a call, or a row of calls, that begins now must be over (time.monotonic)."""
        return time.monotonic() + self.seconds

    def chat(self, request: Mapping[str, Any], *, deadline: float) -> Reply:
        """Post a chat-completions request. Raises ServiceFailed, InvalidSettings."""
        body = json.dumps(request).encode("ascii")
        headers = {"Content-Type": "application/json", "Connection": "close"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        try:
            with self._connected(deadline) as connection:
                connection.request("POST", self._path + _CHAT, body, headers)
                with connection.getresponse() as response:
                    return Reply(response.status, self._read(response, deadline))
        except (OSError, http.client.HTTPException, ValueError) as cause:
            self._left(deadline)
            raise self.failed(f"{type(cause).__name__}: {cause}") from cause

    def failed(self, why: str) -> ServiceFailed:
        """The error for an endpoint that did not answer usefully."""
        return ServiceFailed(
            f"{self.table}: {why}",
            expected="an OpenAI-compatible server",
            next_step=f"see docs/models.md, or empty the [{self.table}] table",
        )

    @contextmanager
    def _connected(self, deadline: float) -> Iterator[http.client.HTTPConnection]:
        """A connection that is cut when the time is up, whatever the server does."""
        plain = self._connect(self._addresses(deadline), deadline)
        spare = plain.dup()  # the same connection, also once TLS has taken the socket over
        cutter = threading.Timer(self._left(deadline), _cut, [spare])
        cutter.daemon = True
        cutter.start()
        connection = http.client.HTTPConnection(self._host, self._port)
        try:
            connection.sock = self._secured(plain)
            yield connection
        finally:
            cutter.cancel()
            connection.close()
            plain.close()
            spare.close()

    def _connect(self, addresses: list[Address], deadline: float) -> socket.socket:
        fault: OSError | None = None
        for address in addresses:
            try:
                return socket.create_connection(
                    (str(address), self._port), timeout=self._left(deadline)
                )
            except OSError as cause:
                fault = cause
        raise fault or self.failed(f"the host {self._host} has no address")

    def _secured(self, plain: socket.socket) -> socket.socket:
        if self._scheme == "http":
            return plain
        return ssl.create_default_context().wrap_socket(plain, server_hostname=self._host)

    def _addresses(self, deadline: float) -> list[Address]:
        """The host's addresses, looked up now. Every one must be near, unless more is allowed."""
        literal = _literal(self._host)
        found = [literal] if literal is not None else self._looked_up(deadline)
        if not self._allow_remote and not all(map(is_near, found)):
            raise self._remote()
        return found

    def _looked_up(self, deadline: float) -> list[Address]:
        """In a thread, since looking a name up has no time-out."""
        rows: list[Any] = []

        def look_up() -> None:
            with suppress(OSError, UnicodeError):
                rows.extend(socket.getaddrinfo(self._host, None, type=socket.SOCK_STREAM))

        thread = threading.Thread(target=look_up, name="graphmem-look-up", daemon=True)
        thread.start()
        thread.join(self._left(deadline))
        self._left(deadline)
        if not rows:
            raise self.failed(f"the host {self._host} is not known")
        return [ipaddress.ip_address(str(row[4][0]).partition("%")[0]) for row in rows]

    def _read(self, response: http.client.HTTPResponse, deadline: float) -> bytes:
        kept = bytearray()
        while chunk := response.read1(_CHUNK):
            kept += chunk
            self._left(deadline)
            if len(kept) > MOST_BYTES:
                raise self.failed(f"its answer is longer than {MOST_BYTES} bytes")
        self._left(deadline)
        return bytes(kept)

    def _left(self, deadline: float) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise self.failed(f"no answer within {self.seconds:g} s")
        return left

    def _remote(self) -> InvalidSettings:
        return InvalidSettings(
            f"{self.table}.url leads to {self._host}, which is neither this machine nor a private "
            "network",
            expected="a loopback or private address",
            next_step=f"set {self.table}.allow_remote = true if your memories may go there",
        )


def is_near(address: Address) -> bool:
    """On this machine or a private network: loopback, RFC 1918, or a unique local address (RFC 4193).

    Link-local addresses are not: clouds serve their machines' credentials there.
    """
    real = getattr(address, "ipv4_mapped", None) or address
    return any(real in network for network in _NEAR if network.version == real.version)


def known_only(table: str, settings: Mapping[str, Any], names: Collection[str]) -> None:
    """Raises InvalidSettings where a table of the configuration holds anything but `names`."""
    for name in settings:
        if name not in names:
            raise InvalidSettings(
                f"{table}.{name} is not a setting", expected="one of " + ", ".join(sorted(names))
            )


def text_of(table: str, settings: Mapping[str, Any], name: str) -> str:
    """A text of a table of the configuration. Raises InvalidSettings where it is missing."""
    value = settings.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidSettings(f"{table}.{name} is {value!r}", expected="some text")
    return value


def seconds_of(table: str, settings: Mapping[str, Any], default: float) -> float:
    """The time-out of a table of the configuration. Raises InvalidSettings."""
    value = settings.get("seconds", default)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0 < value <= LONGEST_SECONDS
    ):
        raise InvalidSettings(
            f"{table}.seconds is {value!r}",
            expected=f"a number of seconds, 0 to {LONGEST_SECONDS:g}",
        )
    return float(value)


def _parts(url: str, table: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path of a base address."""
    try:
        parts = urlsplit(url.strip().rstrip("/"))
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    plain = not (parts.query or parts.fragment or parts.username or parts.password)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
        raise InvalidSettings(
            f"{table}.url is {url!r}", expected="such as http://127.0.0.1:8080/v1"
        )
    return (
        parts.scheme,
        parts.hostname,
        port or (443 if parts.scheme == "https" else 80),
        parts.path,
    )


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None  # a name


def _cut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)
