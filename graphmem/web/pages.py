"""The pages: each reads the memory and shows what it found."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from graphmem.errors import UnknownId
from graphmem.model import Entity, Fact, Kind, State
from graphmem.web.site import Site, safe

A_PAGE = 50
_NUMBER = re.compile(r"[0-9]{1,15}")
_FILTERS: dict[str, Any] = {
    "all": "all",
    "current": frozenset({State.CURRENT, State.UNSURE}),
    "historical": frozenset({State.HISTORICAL, State.EXPIRED, State.ARCHIVED}),
}
_SHOWN = 1000  # entities, and facts of one entity


def memory_page(site: Site, request: Request) -> Response:
    """What is remembered: a question's answers, or facts newest first, a page at a time."""
    asked = request.query_params
    question = asked.get("q", "").strip()
    which = asked.get("show", "current")
    which = which if which in _FILTERS else "current"
    common: dict[str, Any] = {
        "q": question,
        "which": which,
        "entity": asked.get("entity", ""),
        "slot": asked.get("slot", ""),
    }
    if question:
        include = [] if which == "current" else list(State)
        found = site.memory.recall(question, limit=20, include=include)
        items = found.items
        if which == "historical":
            items = tuple(item for item in items if item.state in _FILTERS["historical"])
        return site.page(request, "found.html", items=items, reminders=found.reminders, **common)
    facts: tuple[Fact, ...] = ()
    before = asked.get("before", "")
    try:
        facts = site.memory.facts(
            common["entity"] or None,
            slot=common["slot"] or None,
            states=_FILTERS[which],
            kinds=Kind,
            limit=A_PAGE + 1,
            before=int(before) if _NUMBER.fullmatch(before) else None,
        )
    except UnknownId:
        facts = ()
    kept = {name: value for name, value in common.items() if value and name != "which"}
    older = facts[A_PAGE - 1].n if len(facts) > A_PAGE else None
    return site.page(
        request,
        "memory.html",
        facts=facts[:A_PAGE],
        older="?" + urlencode({**kept, "show": which, "before": older}) if older else "",
        empty=not facts and not before and not any(kept.values()) and _is_empty(site),
        **common,
    )


def review_page(site: Site, request: Request) -> Response:
    """The open conflicts, older and newer side by side."""
    conflicts = site.memory.conflicts()
    pairs = [
        {"conflict": one, "older": _sources(site, one.old), "newer": _sources(site, one.new)}
        for one in conflicts[:A_PAGE]
    ]
    return site.page(request, "review.html", pairs=pairs, more=len(conflicts) - len(pairs))


def fact_page(site: Site, request: Request) -> Response:
    """One fact: how it stands, who said it, what it replaced and what replaced it."""
    fact = site.memory.fact(request.path_params["id"])
    stages = site.memory.lineage(fact.id).stages
    return site.page(
        request,
        "fact.html",
        fact=fact,
        reveal=request.query_params.get("reveal") == "1",
        sources=_sources(site, fact),
        chain=[one for one in stages if one.fact.id != fact.id],
    )


def delete_page(site: Site, request: Request) -> Response:
    """Ask before a fact is deleted."""
    return site.page(request, "delete.html", fact=site.memory.fact(request.path_params["id"]))


def entities_page(site: Site, request: Request) -> Response:
    """Who and what is known."""
    wanted = request.query_params.get("name", "").strip().casefold()
    known = site.memory.entities(limit=1_000_000 if wanted else _SHOWN)
    found = [one for one in known if wanted in " ".join((one.name, *one.aliases)).casefold()]
    people = sorted(found, key=lambda one: (one.kind != "person", one.name.casefold()))
    return site.page(request, "entities.html", entities=people[:_SHOWN], name=wanted)


def entity_page(site: Site, request: Request) -> Response:
    """One entity: names, topics with now and before, its graph and its days."""
    entity = _entity(site, request.path_params["id"])
    facts = site.memory.facts(entity.id, states="all", kinds=Kind, limit=_SHOWN)
    slots = sorted({fact.slot for fact in facts if fact.slot})
    histories = [site.memory.history(entity.id, slot) for slot in slots]
    days = sorted(facts, key=lambda fact: (fact.said_at, fact.n), reverse=True)
    return site.page(request, "entity.html", entity=entity, histories=histories, days=days[:200])


def graph_data(site: Site, request: Request) -> Response:
    """The surroundings of an entity for the drawing: nodes and edges."""
    entity = _entity(site, request.path_params["id"])
    around = site.memory.graph(entity.id, depth=1)
    there = {one.id for one in around.entities}
    hidden = {fact.object_id for fact in around.facts if fact.sensitive}
    nodes: list[dict[str, Any]] = [
        {
            "data": {
                "id": one.id,
                "label": "••••••" if one.id in hidden else safe(one.name)[:40],
                "kind": one.kind,
                "centre": one.id == entity.id,
            }
        }
        for one in around.entities
    ]
    edges = [
        {
            "data": {
                "id": fact.id,
                "source": fact.entity_id,
                "target": fact.object_id,
                "label": fact.predicate.replace("_", " "),
                "state": fact.state.value,
            }
        }
        for fact in around.facts
        if fact.entity_id in there and fact.object_id in there
    ]
    return JSONResponse({"nodes": nodes, "edges": edges})


def reminders_page(site: Site, request: Request) -> Response:
    """What is due, what comes, and what was."""
    every = site.memory.reminders(active_only=False)
    active = [(one, site.memory.next_time(one)) for one in every if one.state == "active"]
    active.sort(key=lambda pair: (pair[1] is None, pair[1].timestamp() if pair[1] else 0))
    return site.page(
        request,
        "reminders.html",
        due=site.memory.due(record=False),
        active=active,
        past=[one for one in reversed(every) if one.state != "active"][:A_PAGE],
    )


def chats_page(site: Site, request: Request) -> Response:
    """Chat logs: drop files here, and see how far they are."""
    return site.page(request, "chats.html", jobs=[job.as_json() for job in site.jobs.all()])


def job_data(site: Site, request: Request) -> Response:
    """How far one upload is."""
    job = site.jobs.job(request.path_params["id"])
    if job is None:
        return JSONResponse({"error": "unknown"}, status_code=404)
    return JSONResponse(job.as_json())


def status_page(site: Site, request: Request) -> Response:
    """How the memory is."""
    return site.page(request, "status.html", status=site.memory.status())


def _is_empty(site: Site) -> bool:
    return not site.memory.facts(states="all", kinds=Kind, limit=1)


def _sources(site: Site, fact: Fact) -> list[Any]:
    return [site.memory.snapshot(one) for one in fact.sources[:20]]


def _entity(site: Site, id_: str) -> Entity:
    return site.memory.history(id_).entity
