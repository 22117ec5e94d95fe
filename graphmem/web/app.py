"""The application: addresses to pages and actions, and how it is run."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import zip_longest
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from graphmem.errors import GraphmemError, UnknownId
from graphmem.loopback import bound, ends_when_told, loopback, names_of
from graphmem.memory import Memory
from graphmem.secrecy.masking import without_secrets
from graphmem.web import actions, pages
from graphmem.web.gate import UPLOADS, Gate, Keys, own_form
from graphmem.web.jobs import Jobs
from graphmem.web.site import LANGUAGE, THEME, THEMES, News, Site
from graphmem.web.words import LANGUAGES

Endpoint = Callable[[Request], Awaitable[Response]]

_YEAR = 365 * 24 * 3600
_PATIENCE = 3  # seconds for open answers at the end
_BLOCK = 1 << 20
_MILLISECONDS = 14  # digits, which reach beyond the year 5000

PAGES = {
    "/": pages.memory_page,
    "/review": pages.review_page,
    "/fact/{id}": pages.fact_page,
    "/fact/{id}/delete": pages.delete_page,
    "/entities": pages.entities_page,
    "/entity/{id}": pages.entity_page,
    "/entity/{id}/graph.json": pages.graph_data,
    "/reminders": pages.reminders_page,
    UPLOADS: pages.chats_page,
    UPLOADS + "/{id}.json": pages.job_data,
    "/status": pages.status_page,
}
ACTIONS = {
    "/add": actions.add,
    "/review/{id}": actions.decide,
    "/fact/{id}/delete": actions.delete,
    "/fact/{id}/{action}": actions.change,
    "/entity/{id}/merge": actions.merge,
    "/entity/{id}/split": actions.split,
    "/reminders": actions.remind,
    "/reminders/{id}/{action}": actions.reminder,
    "/undo": actions.undo,
    "/tend": actions.tend,
    "/check": actions.check,
}


def build(memory: Memory, keys: Keys, *, hosts: tuple[str, ...]) -> tuple[Gate, Site]:
    """The application behind its gate; `hosts` are the names with port under which it answers."""
    site = Site(memory, keys, Jobs(memory))
    routes = [
        Route("/enter", partial(_enter, site), methods=["GET"]),
        *(
            Route(path, _reading(site, page), methods=["GET"])  # HEAD comes with it
            for path, page in PAGES.items()
        ),
        *(Route(path, _acting(site, act), methods=["POST"]) for path, act in ACTIONS.items()),
        Route(UPLOADS, partial(_upload, site), methods=["POST"]),
        Route("/looks", partial(_looks, site), methods=["POST"]),
        Mount("/static", StaticFiles(packages=[("graphmem.web", "static")])),
    ]
    return Gate(Starlette(routes=routes), keys, hosts=hosts), site


def serve(memory: Memory, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the page until it is told to end; `ready` is told the link, which works once.

    Raises InvalidSettings for an address that is not loopback or is taken.
    """
    address = loopback(host)
    with bound(address, port) as listening:
        port = listening.getsockname()[1]
        names = names_of(address)
        keys = Keys()
        app, site = build(memory, keys, hosts=tuple(f"{name}:{port}" for name in names))
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_PATIENCE,
            ws="none",
        )
        server = uvicorn.Server(config)
        ends_when_told(server)
        ready(f"http://{names[0]}:{port}/enter?token={keys.link}")
        try:
            server.run(sockets=[listening])
        finally:
            site.jobs.end()


async def _enter(site: Site, request: Request) -> Response:
    if request.method != "GET":  # a look ahead does not use the link up
        return Response(status_code=405, headers={"allow": "GET"})
    return site.keys.enter(request.query_params.get("token", ""))


def _reading(site: Site, page: Callable[[Site, Request], Response]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(page, site, request)
        except GraphmemError as error:
            status = 404 if isinstance(error, UnknownId) else 400
            return await run_in_threadpool(_trouble, site, request, error, status)

    return endpoint


def _trouble(site: Site, request: Request, error: GraphmemError, status: int) -> Response:
    return site.page(request, "trouble.html", code=status, error=error)


def _acting(site: Site, act: actions.Action) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        form = {
            name: value for name, value in (await request.form()).items() if isinstance(value, str)
        }
        if not own_form(request, site.keys, form.get("form")):
            return JSONResponse({"error": "not from this page"}, status_code=403)
        try:
            there = await run_in_threadpool(act, site, form, request.path_params)
        except GraphmemError as error:
            site.news.append(News("bad", without_secrets(str(error))))
            there = _back(request)
        return RedirectResponse(there, status_code=303)

    return endpoint


async def _upload(site: Site, request: Request) -> Response:
    """Chat logs, kept in a folder of ours until they are read."""
    if not own_form(request, site.keys, None):  # before the body is read
        async with request.form(max_files=50) as form:
            given = form.get("form")
            if not own_form(request, site.keys, given if isinstance(given, str) else None):
                return JSONResponse({"error": "not from this page"}, status_code=403)
            await _begin(site, form)
        return RedirectResponse(UPLOADS, status_code=303)
    async with request.form(max_files=50) as form:
        begun = await _begin(site, form)
    return JSONResponse({"jobs": begun})


async def _begin(site: Site, form: FormData) -> list[str]:
    """Begin a job for each file; `modified` holds when each was last changed, in milliseconds since 1970."""
    me, begun = form.get("me"), []
    name = me.strip() if isinstance(me, str) else ""
    for file, modified in zip_longest(form.getlist("file"), form.getlist("modified")):
        if not isinstance(file, UploadFile) or not file.filename:
            continue
        place = site.jobs.place(file.filename)
        await run_in_threadpool(_copy, file, place, modified)
        begun.append(site.jobs.begin(file.filename, place, me=name or None).id)
    return begun


def _copy(file: UploadFile, place: Path, modified: UploadFile | str | None) -> None:
    with place.open("wb") as target:
        while block := file.file.read(_BLOCK):
            target.write(block)
    if isinstance(modified, str) and modified.isdigit() and len(modified) <= _MILLISECONDS:
        os.utime(place, (int(modified) / 1000, int(modified) / 1000))


async def _looks(site: Site, request: Request) -> Response:
    """Language and theme: two cookies."""
    form = await request.form()
    given = form.get("form")
    if not own_form(request, site.keys, given if isinstance(given, str) else None):
        return JSONResponse({"error": "not from this page"}, status_code=403)
    answer = RedirectResponse(_back(request), status_code=303)
    for name, wanted, known in (
        (LANGUAGE, form.get("language"), LANGUAGES),
        (THEME, form.get("theme"), THEMES),
    ):
        if isinstance(wanted, str) and wanted in known:
            answer.set_cookie(name, wanted, max_age=_YEAR, samesite="strict", httponly=True)
    return answer


def _back(request: Request) -> str:
    """The page on which the form stood: of its address only the path and the question count."""
    parts = urlsplit(request.headers.get("referer", ""))
    path = parts.path if parts.path.startswith("/") and not parts.path.startswith("//") else "/"
    return path + (f"?{parts.query}" if parts.query else "")
