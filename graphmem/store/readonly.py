"""Foreign Cypher, read-only: what would write, load or change settings is refused unseen by the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from graphmem.errors import InvalidQuery
from graphmem.store.records import utc
from graphmem.words import clean

_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<string> '(?:\\.|[^'\\])*(?:'|\Z) | "(?:\\.|[^"\\])*(?:"|\Z) )
    | (?P<quoted> `[^`]*(?:`|\Z) )
    | (?P<word> [^\W\d]\w* )
    | (?P<number> \d+ )
    | (?P<mark> [^\s] )
    """,
    re.VERBOSE | re.DOTALL,
)
_REFUSED = frozenset(
    [
        "ALTER",
        "ATTACH",
        "BEGIN",
        "CHECKPOINT",
        "COMMENT",
        "COMMIT",
        "COPY",
        "CREATE",
        "DELETE",
        "DETACH",
        "DROP",
        "EXPORT",
        "EXTENSION",
        "FORCE",
        "IMPORT",
        "INSTALL",
        "LOAD",
        "MACRO",
        "MERGE",
        "PROJECT",
        "REMOVE",
        "ROLLBACK",
        "SET",
        "TRANSACTION",
        "UNINSTALL",
        "UPDATE",
        "USE",
    ]
)
_CALLABLE = frozenset(
    [
        "SHOW_TABLES",
        "TABLE_INFO",
        "SHOW_CONNECTION",
        "SHOW_FUNCTIONS",
        "DB_VERSION",
        "CURRENT_SETTING",
    ]
)
_MAKING = frozenset({"RANGE", "REPEAT", "LPAD", "RPAD"})
_LONGEST = 100_000
_FUNCTIONS_REFUSED = frozenset({"NEXTVAL"})
_STARTS = frozenset(["MATCH", "OPTIONAL", "RETURN", "WITH", "UNWIND", "CALL", "EXPLAIN", "PROFILE"])
_PLAIN = (bool, int, float, str, date, type(None))


def check(text: str, given: Mapping[str, Any]) -> None:
    """Raise InvalidQuery for anything but one reading query whose parameters are all given."""
    tokens = _tokens(text)
    if not tokens:
        raise InvalidQuery(
            "the query is empty", expected="a Cypher query such as MATCH (f:Fact) RETURN f"
        )
    while tokens and tokens[-1] == ";":
        tokens.pop()
    if ";" in tokens:
        raise InvalidQuery("there are several statements", expected="one query")
    if not tokens or tokens[0].upper() not in _STARTS:
        raise _refusal(tokens[0] if tokens else ";")
    for at, word in enumerate(tokens):
        before, after = tokens[at - 1] if at else "", "".join(tokens[at + 1 : at + 2])
        name = word.upper()
        if before == "$" and word not in given:  # the engine would take it for NULL
            raise InvalidQuery(f"the parameter ${word} is not given", expected="a value for it")
        if before in (".", ":", "$", "|") or after == ":":
            continue  # a property, a label, a parameter or the key of a map
        if name in _REFUSED or (name in _FUNCTIONS_REFUSED and after == "("):
            raise _refusal(word)
        if after == "(" and (name in _MAKING or word == "``"):
            _bounded(word, tokens[at + 2 :], given)
        if name == "CALL" and after.upper() not in _CALLABLE:
            raise _refusal(f"CALL {after}")


def _bounded(name: str, following: Sequence[str], given: Mapping[str, Any]) -> None:
    """A list or text is made in the process's memory at once, where no time limit stops it: by plain numbers only."""
    depth, found = 1, []
    for at, word in enumerate(following):
        depth += (word in "([{") - (word in ")]}")
        if not depth:
            break
        value = given.get(word) if at and following[at - 1] == "$" else word
        if (
            depth > 1
            or word in "*^"
            or (word.isalpha() and name.upper() == "RANGE" and value == word)
        ):
            found.append(_LONGEST + 1)
        elif isinstance(value, int) or (isinstance(value, str) and value.isdecimal()):
            found.append(int(value))
    if name == "``" or any(abs(one) > _LONGEST for one in found):
        raise InvalidQuery(
            f"{name}(...) may make too much",
            expected=f"plain whole numbers up to {_LONGEST:,} in it, and its name without quotes",
        )


def parameters(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Parameters as the engine takes them. Raises InvalidQuery for a value of another kind."""
    return {clean(name): _given(name, value) for name, value in (given or {}).items()}


def plain(value: Any) -> Any:
    """A value of the engine's as a plain one: aware datetimes (UTC), nodes and edges as dictionaries
    of their properties with "_label", paths as {"nodes": [...], "edges": [...]}.
    """
    match value:
        case datetime():
            return value.replace(tzinfo=UTC) if value.tzinfo is None else value
        case {"_nodes": nodes, "_rels": edges} | {"_NODES": nodes, "_RELS": edges}:
            return {"nodes": [plain(one) for one in nodes], "edges": [plain(one) for one in edges]}
        case dict():
            return {
                ("_label" if name == "_LABEL" else name): plain(item)
                for name, item in value.items()
                if name.upper() not in ("_ID", "_SRC", "_DST")
            }
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value


def _tokens(text: str) -> list[str]:
    kept = []
    for found in _TOKEN.finditer(text):
        if found.lastgroup == "string":
            kept.append("''")
        elif found.lastgroup == "quoted":
            kept.append("``")
        elif found.lastgroup != "comment":
            kept.append(found.group())
    return kept


def _given(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise InvalidQuery(
                f"the parameter {name} has no time zone", expected="an aware datetime"
            )
        return utc(value)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_given(name, item) for item in value]
    raise InvalidQuery(
        f"the parameter {name} is of type {type(value).__name__}",
        expected="text, a number, a boolean, a date, an aware datetime or a list of them",
    )


def _refusal(word: str) -> InvalidQuery:
    return InvalidQuery(
        f"{word} is not for reading",
        expected="a query that only reads: MATCH ... RETURN ...",
        next_step="use the memory's own verbs to change it",
    )
