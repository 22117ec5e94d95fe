"""Words as data: the TOML files in `lexicons/`, one per topic (and language), and the owner's additions.

A file `lexicons/change_en.toml` is the table of topic "change" in language "en"; `slots.toml` has no
language. An owner's additions come from the configuration's `[lexicon.TOPIC]` or `[lexicon.TOPIC_LANG]`
tables: lists are extended, tables merged, single values replaced.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from graphmem.errors import InvalidSettings

Table = Mapping[str, Any]


class Lexicon:
    """Read-only tables of words. `table("change", "en")` is a mapping; unknown topics raise."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = MappingProxyType(dict(tables))

    @classmethod
    def load(cls, additions: Mapping[str, Table] | None = None) -> Lexicon:
        """The shipped lexicon with the owner's additions. Raises InvalidSettings for an unknown topic.

        Without additions it is one shared object, so that what is built from it can be shared too.
        """
        if not additions:
            return _plain()
        tables = {name: _thaw(table) for name, table in _shipped().items()}
        for name, extra in additions.items():
            if name not in tables:
                raise InvalidSettings(
                    f"lexicon.{name} is not a topic",
                    expected="one of " + ", ".join(sorted(tables)),
                )
            tables[name] = _merged(tables[name], extra, f"lexicon.{name}")
        return cls(tables)

    def table(self, topic: str, language: str | None = None) -> Table:
        """The table of a topic, for a language where the topic has one."""
        name = f"{topic}_{language}" if language else topic
        return self._tables[name]

    def words(self, topic: str, language: str | None, name: str) -> tuple[str, ...]:
        """A list of words in a table, empty where the table has none of that name."""
        return tuple(self.table(topic, language).get(name, ()))


@cache
def _plain() -> Lexicon:
    return Lexicon({name: _thaw(table) for name, table in _shipped().items()})


@cache
def _shipped() -> Mapping[str, Table]:
    folder = resources.files("graphmem") / "lexicons"
    return {
        item.name.removesuffix(".toml"): tomllib.loads(item.read_text("utf-8"))
        for item in folder.iterdir()
        if item.name.endswith(".toml")
    }


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    return list(value) if isinstance(value, list) else value


def _merged(base: Any, extra: Any, where: str) -> Any:
    if isinstance(base, dict) and isinstance(extra, Mapping):
        return {
            **base,
            **{
                key: _merged(base[key], item, f"{where}.{key}") if key in base else item
                for key, item in extra.items()
            },
        }
    if isinstance(base, list) and isinstance(extra, list):
        return [*base, *(item for item in extra if item not in base)]
    if isinstance(base, (dict, list)):
        raise InvalidSettings(f"{where} is {extra!r}", expected=f"a {type(base).__name__}")
    return extra
