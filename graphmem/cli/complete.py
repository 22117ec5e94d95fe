"""What the shell completes: ids, names and topics, at once and without opening the memory where possible."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import typer

from graphmem.errors import GraphmemError
from graphmem.store import glance

_MOST = 50

Hints = list[tuple[str, str]]


def fact_ids(context: typer.Context, incomplete: str) -> Hints:
    """Ids of facts, newest first, each with its state and predicate."""
    home = _home(context)
    if home is None:
        return []
    return [
        (fact_id, f"{state} {predicate}")
        for fact_id, state, predicate in glance.facts(home, incomplete, limit=_MOST)
    ]


def entity_names(context: typer.Context, incomplete: str) -> Hints:
    """Names: of those who spoke, from the index alone; of all that is known, where nobody fits."""
    home = _home(context)
    if home is None:
        return []
    spoke = glance.speakers(home, incomplete, limit=_MOST)
    return [(name, "") for name in spoke or glance.names(home, incomplete)]


def facts_or_entities(context: typer.Context, incomplete: str) -> Hints:
    """Either, as `lineage` takes them."""
    found = fact_ids(context, incomplete) if incomplete.startswith("f_") else []
    return found or entity_names(context, incomplete)


def conflict_ids(context: typer.Context, incomplete: str) -> Hints:
    """Ids of open conflicts, each with its reason."""
    home = _home(context)
    found = glance.conflicts(home) if home is not None else []
    return [(name, reason) for name, reason in found if name.startswith(incomplete)]


def trigger_ids(context: typer.Context, incomplete: str) -> Hints:
    """Ids of active reminders, each with its cue."""
    home = _home(context)
    found = glance.triggers(home) if home is not None else []
    return [(name, cue) for name, cue in found if name.startswith(incomplete)]


def topics(context: typer.Context, incomplete: str) -> Hints:
    """Slots: the shipped ones and the owner's own."""
    shipped = tomllib.loads(
        (resources.files("graphmem") / "lexicons" / "slots.toml").read_text("utf-8")
    )
    return _beginning({*shipped, *_own_slots(_home(context))}, incomplete)


def formats(incomplete: str) -> Hints:
    """Chat log formats."""
    from graphmem.chatlogs.registry import READERS  # noqa: PLC0415 - only while completing

    return [
        (name, reader.looks_for)
        for name, reader in sorted(READERS.items())
        if name.startswith(incomplete)
    ]


def importers(incomplete: str) -> Hints:
    """Programs whose exports can be taken over."""
    from graphmem.importing.mem0 import Mem0  # noqa: PLC0415 - only while completing
    from graphmem.importing.zep import Zep  # noqa: PLC0415

    programs = ("graphmem", Mem0.name, Zep.name)
    return [(one, "") for one in programs if one.startswith(incomplete)]


def zones(incomplete: str) -> Hints:
    """IANA time zones."""
    from zoneinfo import available_timezones  # noqa: PLC0415 - only while completing

    return _beginning(available_timezones(), incomplete)


def setting_names(incomplete: str) -> Hints:
    """Settings."""
    from dataclasses import fields  # noqa: PLC0415 - only while completing

    from graphmem.config import Settings  # noqa: PLC0415

    return _beginning((item.name for item in fields(Settings)), incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> Hints:
    wanted = incomplete.casefold()
    return [(name, "") for name in sorted(names) if name.casefold().startswith(wanted)]


def _home(context: typer.Context) -> Path | None:
    """The memory that the line so far names; None for a reader, to whom nothing is told in this way."""
    from graphmem.config import default_home  # noqa: PLC0415 - only while completing

    given: dict[str, Any] = context.find_root().params
    if given.get("reader"):
        return None
    named = given.get("memory")
    return Path(named).expanduser() if named else default_home()


def _own_slots(home: Path | None) -> Iterable[str]:
    from graphmem.config import load  # noqa: PLC0415 - only while completing

    if home is None:
        return ()
    try:
        return tuple(load(home).lexicon.get("slots", {}))
    except GraphmemError:
        return ()
