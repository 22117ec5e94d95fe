"""A judge behind an OpenAI-compatible endpoint that returns token log-probabilities.

One call holds the new fact and all older ones; the model answers with one option letter per older fact,
and only the probabilities of the letters are read, never free text. Works with llama.cpp, vLLM and
Ollama from 0.12.11 on.
"""

from __future__ import annotations

import ipaddress
import json
import math
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from graphmem.errors import ExtensionMissing, InvalidSettings, ServiceFailed
from graphmem.lifecycle.judge import JUDGED, SECONDS, Probabilities, failed
from graphmem.model import Fact, Relation

_LETTERS: Mapping[str, Relation] = dict(zip("ABCDE", JUDGED, strict=True))
_OPTIONS = """\
A replaces: the new statement says that the older one is over, or corrects it
B contradicts: both cannot be true now, but no change is mentioned
C refines: the same fact in more detail
D compatible: both can be true side by side
E unrelated: they have nothing to do with each other"""
_SYSTEM = (
    "You compare a new statement of a person with older ones. For each older statement answer with one "
    "letter, in order, one letter per line and nothing else.\n" + _OPTIONS
)
_TOP = 20  # as many alternatives as servers give
_MOST_BYTES = 2_000_000


class LogprobJudge:
    """Asks a chat-completions endpoint. Refuses endpoints off this machine and private networks.

    `url` is the API's base, such as "http://127.0.0.1:8080/v1". Raises InvalidSettings for an address
    that is not allowed, ExtensionMissing without httpx.
    """

    def __init__(
        self,
        *,
        url: str,
        model: str,
        api_key: str = "",
        allow_remote: bool = False,
        seconds: float = SECONDS,
    ) -> None:
        self._httpx = _httpx()
        self._url = url.rstrip("/")
        self._model = model
        self._api_key = api_key
        self._allow_remote = allow_remote
        self._seconds = seconds
        self.name = f"judge {model}"
        parts = urlsplit(self._url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidSettings(
                f"judge.url is {url!r}", expected="such as http://127.0.0.1:8080/v1"
            )
        if not allow_remote and _is_public_literal(parts.hostname):
            raise _remote(parts.hostname)

    def judge(self, new: Fact, olds: Sequence[Fact]) -> list[Probabilities]:
        """Per older fact the probability of each relation. Raises ServiceFailed, InvalidSettings."""
        deadline = time.monotonic() + self._seconds
        address, extra = self._address()
        body = self._ask(address, extra, self._request(new, olds), deadline)
        rows = _letter_rows(body, self.name)
        if len(rows) < len(olds):
            raise failed(self.name, f"it answered for {len(rows)} of {len(olds)} facts")
        return [_probabilities(row) for row in rows[: len(olds)]]

    def _request(self, new: Fact, olds: Sequence[Fact]) -> dict[str, Any]:
        asked = {
            "new": {"said": new.said_at.date().isoformat(), "text": new.text},
            "older": [
                {"number": number, "said": old.said_at.date().isoformat(), "text": old.text}
                for number, old in enumerate(olds, 1)
            ],
        }
        return {
            "model": self._model,
            "messages": [
                {"role": "system", "content": _SYSTEM},
                {"role": "user", "content": json.dumps(asked, ensure_ascii=False)},
            ],
            "max_tokens": 4 * len(olds),
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": _TOP,
            "stream": False,
        }

    def _address(self) -> tuple[str, dict[str, Any]]:
        """The address to call: the host's own, looked up now and checked, so that a name cannot lead elsewhere."""
        target = self._url + "/chat/completions"
        if self._allow_remote:
            return target, {}
        parts = urlsplit(target)
        host = parts.hostname or ""
        found = _looked_up(host, self.name)
        if not all(_is_near(one) for one in found):
            raise _remote(host)
        literal = f"[{found[0]}]" if found[0].version == 6 else str(found[0])
        place = f"{literal}:{parts.port}" if parts.port else literal
        return urlunsplit(parts._replace(netloc=place)), {
            "headers": {"Host": parts.netloc.rpartition("@")[2]},
            "extensions": {"sni_hostname": host},
        }

    def _ask(
        self, address: str, extra: dict[str, Any], request: dict[str, Any], deadline: float
    ) -> Any:
        httpx = self._httpx
        headers = dict(extra.get("headers", {}))
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        try:
            with (
                httpx.Client(trust_env=False, follow_redirects=False) as client,
                client.stream(
                    "POST",
                    address,
                    json=request,
                    headers=headers,
                    timeout=self._left(deadline),
                    extensions=extra.get("extensions"),
                ) as response,
            ):
                if response.status_code != 200:
                    raise failed(self.name, f"it answered with status {response.status_code}")
                return json.loads(self._read(response, deadline))
        except httpx.HTTPError as cause:
            raise failed(self.name, _told(cause, self._seconds)) from cause
        except ValueError as cause:
            raise failed(self.name, "its answer is not JSON") from cause

    def _read(self, response: Any, deadline: float) -> bytes:
        """The body, within the time for the whole call: a server that drips does not get more."""
        kept = bytearray()
        for chunk in response.iter_bytes():
            kept += chunk
            self._left(deadline)
            if len(kept) > _MOST_BYTES:
                raise failed(self.name, f"its answer is longer than {_MOST_BYTES} bytes")
        return bytes(kept)

    def _left(self, deadline: float) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise failed(self.name, f"no answer within {self._seconds:g} s")
        return left


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 - an extra
    except ImportError as cause:
        raise ExtensionMissing(
            "the judge needs httpx", next_step="pip install 'graphmem[judge]'"
        ) from cause
    return httpx


def _told(cause: Exception, seconds: float) -> str:
    kind = type(cause).__name__
    return f"no answer within {seconds:g} s ({kind})" if "Timeout" in kind else f"{kind}: {cause}"


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _is_near(address: Address) -> bool:
    """On this machine or a private network."""
    mapped = getattr(address, "ipv4_mapped", None)
    real = mapped or address
    if real.is_unspecified or real.is_multicast:
        return False
    return bool(real.is_loopback or real.is_private)


def _is_public_literal(host: str) -> bool:
    try:
        return not _is_near(ipaddress.ip_address(host))
    except ValueError:
        return False  # a name: looked up at each call


def _looked_up(host: str, name: str) -> list[Address]:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as cause:
        raise failed(name, f"the host {host} is not known") from cause
    return [ipaddress.ip_address(str(row[4][0]).partition("%")[0]) for row in rows]


def _remote(host: str) -> InvalidSettings:
    return InvalidSettings(
        f"judge.url leads to {host}, which is neither this machine nor a private network",
        expected="a loopback or private address",
        next_step="set judge.allow_remote = true if your memories may go there",
    )


def _letter_rows(body: Any, name: str) -> list[Mapping[str, float]]:
    """The alternatives (token -> log-probability) of each answered letter, in order.

    Reads the chat form (logprobs.content) and the older one (logprobs.tokens and top_logprobs).
    """
    try:
        logprobs = body["choices"][0]["logprobs"]
        if logprobs.get("content"):
            rows = [
                (
                    item["token"],
                    {each["token"]: float(each["logprob"]) for each in item["top_logprobs"]}
                    | {item["token"]: float(item["logprob"])},
                )
                for item in logprobs["content"]
            ]
        else:
            rows = [
                (token, {**{key: float(value) for key, value in top.items()}, token: float(own)})
                for token, top, own in zip(
                    logprobs["tokens"],
                    logprobs["top_logprobs"],
                    logprobs["token_logprobs"],
                    strict=True,
                )
            ]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as cause:
        raise _no_logprobs(name) from cause
    return [row for token, row in rows if _letter(token) is not None]


def _no_logprobs(name: str) -> ServiceFailed:
    return failed(name, "its answer holds no token log-probabilities")


def _letter(token: str) -> str | None:
    """The option letter that a token stands for: "A", " A", "a", "A." and "A)"."""
    bare = token.strip().rstrip(".):").lstrip("(").upper()
    return bare if bare in _LETTERS else None


def _probabilities(row: Mapping[str, float]) -> Probabilities:
    """The probability of each relation: spellings of one letter are added, a letter that is not among
    the alternatives has none. Nothing is scaled up: what the model gave to other tokens is doubt.
    """
    found = dict.fromkeys(JUDGED, 0.0)
    for token, logprob in row.items():
        letter = _letter(token)
        if letter is not None and not math.isnan(logprob):
            found[_LETTERS[letter]] += math.exp(min(0.0, logprob))
    total = max(1.0, sum(found.values()))
    return {relation: value / total for relation, value in found.items()}
