"""The frozen values as plain JSON values: what `--json`, the tools and exports show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from graphmem.model import Fact, Snapshot, Trigger
from graphmem.secrecy.finding import MASK
from graphmem.secrecy.masking import shown_object, shown_text, shown_words, without_secrets
from graphmem.when import When

__all__ = ["MASK", "AsJson", "plain"]


@runtime_checkable
class AsJson(Protocol):
    """A value that knows its own JSON shape."""

    def as_json(self) -> Mapping[str, Any]:
        """Itself as a mapping."""
        ...


_INTERNAL = {"n"}


def plain(value: Any, *, reveal: bool = False) -> Any:
    """`value` as dictionaries, lists, strings and numbers. Sensitive texts are masked unless `reveal`."""
    match value:
        case Fact(sensitive=True) | Snapshot(sensitive=True) if not reveal:
            shown = _record(value, reveal=reveal)
            if isinstance(value, Snapshot):
                return {**shown, "text": shown_words(value)}
            return {**shown, "text": shown_text(value), "object": shown_object(value)}
        case Trigger():
            shown = {**_record(value, reveal=reveal), "repeat": value.repeat}
            told = {name: shown[name] for name in ("cue", "action", "text")}
            hidden = {} if reveal else {name: without_secrets(one) for name, one in told.items()}
            return {**shown, **hidden}
        case When():
            return value.iso
        case Path():
            return str(value)
        case Enum():
            return value.value
        case datetime() | date():
            return value.isoformat()
        case Mapping():
            return {str(name): plain(item, reveal=reveal) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item, reveal=reveal) for item in value]
        case AsJson():
            return plain(value.as_json(), reveal=reveal)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return _record(value, reveal=reveal)
        case _:
            return value


def _record(value: Any, *, reveal: bool) -> dict[str, Any]:
    return {
        item.name: plain(getattr(value, item.name), reveal=reveal)
        for item in fields(value)
        if item.name not in _INTERNAL
    }
