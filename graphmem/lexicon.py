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

_KINDS = {dict: "a table", list: "a list", str: "a text", bool: "true or false"}


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
                key: _merged(base[key], item, f"{where}.{key}")
                if key in base
                else _alike(item, list(base.values()), f"{where}.{key}")
                for key, item in extra.items()
            },
        }
    if isinstance(base, list) and isinstance(extra, list):
        if all(isinstance(one, str) for one in base) and not all(
            isinstance(one, str) for one in extra
        ):
            raise InvalidSettings(f"{where} is {extra!r}", expected="a list of texts")
        return [*base, *(item for item in extra if item not in base)]
    if isinstance(base, (dict, list)) or type(base) is not type(extra):
        raise InvalidSettings(f"{where} is {extra!r}", expected=_KINDS.get(type(base), "a number"))
    return extra


def _alike(item: Any, others: list[Any], where: str) -> Any:
    """A new entry, where it is of the kind of those beside it and has what all of them have."""
    kinds = {type(one) for one in others}
    if len(kinds) != 1:
        return item
    (kind,) = kinds
    if not isinstance(item, Mapping if kind is dict else kind):
        raise InvalidSettings(f"{where} is {item!r}", expected=_KINDS.get(kind, "a number"))
    if kind is list and all(isinstance(one, str) for other in others for one in other):
        return _merged([""], item, where)[1:]
    if kind is dict:
        shared = set.intersection(*(set(one) for one in others))
        if len(shared) == 1 and not shared <= set(item):  # what says all that there is to say
            (name,) = shared
            raise InvalidSettings(f"{where} has no {name}", expected=f"{where}.{name}")
        for name in sorted(shared & set(item)):
            _alike(item[name], [one[name] for one in others], f"{where}.{name}")
    return item
