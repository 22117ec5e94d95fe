"""Who may speak to the page: this machine, under its own name, with the session that the one-time link began.

Checks, in this order: the Host header (against DNS rebinding), the size of the body, the session cookie, and for
whatever changes something the Origin and a token that only the page's own forms know. Every answer carries
a policy that lets nothing from elsewhere in.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "graphmem_session"
LARGEST_FORM = 1 << 20  # bytes
LARGEST_UPLOAD = 512 << 20
UPLOADS = "/chats"
_OPEN = ("/static/",)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Keys:
    """The secrets of one run: the one-time token of the link, the session it begins, and the forms' token."""

    def __init__(self) -> None:
        self.link = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self.form = secrets.token_urlsafe(32)

    def enter(self, token: str) -> Response:
        """Begin the session where the link's token is right and was not used before."""
        if not self.link or not _same(token, self.link):
            return PlainTextResponse(
                "This link was used already, or is not whole. Start graphmem web again for a new one.\n",
                status_code=403,
            )
        self.link = ""
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, self._session, httponly=True, samesite="strict", path="/")
        return answer

    def is_session(self, given: str | None) -> bool:
        """Whether this is the session's cookie."""
        return _same(given or "", self._session)

    def is_form(self, given: str | None) -> bool:
        """Whether this is the token of the page's own forms."""
        return _same(given or "", self.form)


class Gate:
    """ASGI middleware; see the module."""

    def __init__(self, app: ASGIApp, keys: Keys, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._keys = keys
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if not scope["path"].startswith(_OPEN):
                    headers["cache-control"] = "no-store"
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return PlainTextResponse("graphmem answers under its own name only\n", status_code=421)
        length = headers.get("content-length", "0")
        most = LARGEST_UPLOAD if scope["path"] == UPLOADS else LARGEST_FORM
        if scope["method"] == "POST" and "content-length" not in headers:
            return PlainTextResponse("the length of the request is needed\n", status_code=411)
        if not length.isdigit() or int(length) > most:
            return PlainTextResponse(f"more than {most >> 20} MiB\n", status_code=413)
        if scope["path"] == "/enter" or scope["path"].startswith(_OPEN):
            return None
        cookies = cookie_parser(headers.get("cookie", ""))
        if not self._keys.is_session(cookies.get(COOKIE)):
            return PlainTextResponse(
                "Open the link that graphmem web printed when it started.\n", status_code=401
            )
        origin = headers.get("origin")
        if scope["method"] == "POST" and origin is not None:
            own = {f"http://{host}" for host in self._hosts}
            if origin not in own:
                return PlainTextResponse("from another page\n", status_code=403)
        return None


def own_form(request: Request, keys: Keys, given: str | None) -> bool:
    """Whether a POST comes from a form of the page (or from its script, which sends the token as a header)."""
    return keys.is_form(given) or keys.is_form(request.headers.get("x-graphmem-form"))


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
