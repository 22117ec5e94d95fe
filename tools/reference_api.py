"""The library's reference page, from its docstrings and signatures (the same text on every Python)."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import graphmem
from graphmem import errors

_INTRO = """\
# Library

This page is made from the docstrings by `tools/reference.py`; a test holds it to that. The names of the first part come
from `graphmem` itself, the others from the module named above them.
"""
_FIRST = ("Memory", "AsyncMemory", "Message", "Receipt", "Recall", "Recalled")
# Modules beside `graphmem` that are for users too; what is not there is left out.
_MODULES = (
    ("graphmem.testing", "For tests: a fixed clock, a tiny embedder, a temporary memory."),
    ("graphmem.importing", "Exports of other memories, see [importing](importing.md)."),
    ("graphmem.compat.mem0", "mem0's method names and shapes on a graphmem memory."),
    ("graphmem.doctor", "What `graphmem doctor` looks at."),
)


def page() -> str:
    """The whole page."""
    names = [name for name in _FIRST if name in graphmem.__all__]
    names += [name for name in graphmem.__all__ if name not in names and not _is_error(name)]
    parts = [_INTRO, "## graphmem\n"]
    parts += [text for name in names for text in _thing(name, getattr(graphmem, name))]
    parts += ["## graphmem.errors\n", *_errors()]
    for module, told in _MODULES:
        if find_spec(module.rpartition(".")[0]) and find_spec(module):
            parts += [f"## {module}\n", told + "\n", *_module(import_module(module))]
    return "\n".join(parts).rstrip() + "\n"


def _is_error(name: str) -> bool:
    found = getattr(graphmem, name)
    return isinstance(found, type) and issubclass(found, Exception)


def _module(module: Any) -> Iterator[str]:
    for name in getattr(module, "__all__", None) or _own(module):
        yield from _thing(name, getattr(module, name))


def _own(module: Any) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def _errors() -> Iterator[str]:
    tree = inspect.cleandoc(errors.__doc__ or "").partition("::")[2]
    drawn, _, rest = inspect.cleandoc(tree).partition("\n\n")
    yield f"```text\n{drawn.strip()}\n```\n"
    yield inspect.cleandoc(rest) + "\n"


def _thing(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, type):
        yield from _class(name, value)
    elif callable(value):
        yield f"### {name}\n"
        yield f"```text\n{name}{_signature(value)}\n```\n"
        yield _text(value)


def _class(name: str, kind: type) -> Iterator[str]:
    yield f"### {name}\n"
    yield _text(kind)
    if issubclass(kind, Enum):
        yield "Values: " + ", ".join(f"`{one.value}`" for one in kind) + ".\n"
    elif dataclasses.is_dataclass(kind):
        rows = "\n".join(
            f"| `{one.name}` | `{_type(one.type)}` | {_default(one)} |".replace(
                " | None", " \\| None"
            )
            for one in dataclasses.fields(kind)
        )
        if rows:
            yield f"| field | type | default |\n|---|---|---|\n{rows}\n"
    for method, member in inspect.getmembers_static(kind):
        if method.startswith("_") or issubclass(kind, Enum):
            continue
        yield from _member(name, method, member, kind)


def _member(owner: str, name: str, member: Any, kind: type) -> Iterator[str]:
    inherited = not any(
        name in vars(one) for one in kind.__mro__ if one.__module__.startswith("graphmem")
    )
    if inherited:
        return
    if isinstance(member, property):
        yield f"#### {owner}.{name}\n"
        yield _text(member.fget)
    elif isinstance(member, (classmethod, staticmethod)) or inspect.isfunction(member):
        function = getattr(member, "__func__", member)
        told = _text(function)
        if told.strip():
            yield f"#### {owner}.{name}\n"
            yield f"```text\n{owner}.{name}{_signature(function)}\n```\n"
            yield told


def _text(value: Any) -> str:
    """A docstring as Markdown; a value's generated one (a dataclass's signature) is none."""
    told = inspect.cleandoc(value.__doc__ or "")
    if isinstance(value, type) and told.startswith(f"{value.__name__}("):
        return ""
    return told.replace("<", "&lt;") + "\n"


def _signature(function: Any) -> str:
    """The signature as written, `self` and `cls` left out, one parameter a line where it is long."""
    found = inspect.signature(function)
    given = [one for one in found.parameters.values() if one.name not in {"self", "cls"}]
    parts: list[str] = []
    kind = None
    for one in given:
        if one.kind is one.KEYWORD_ONLY and kind not in {one.KEYWORD_ONLY, one.VAR_POSITIONAL}:
            parts.append("*")
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        text = f"{stars}{one.name}"
        if one.annotation is not one.empty:
            text += f": {_type(one.annotation)}"
        if one.default is not one.empty:
            text += f" = {_value(one.default)}"
        parts.append(text)
        kind = one.kind
    result = (
        "" if found.return_annotation is found.empty else f" -> {_type(found.return_annotation)}"
    )
    line = f"({', '.join(parts)}){result}"
    if len(line) <= 90:
        return line
    return "(\n    " + ",\n    ".join(parts) + f",\n){result}"


def _type(annotation: Any) -> str:
    text = (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )
    return text.strip("'\"")


def _value(value: Any) -> str:
    if isinstance(value, Enum):
        return f'"{value.value}"'
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value) if isinstance(value, (int, float, bool, tuple, type(None))) else "..."


def _default(item: Any) -> str:
    if item.default is not dataclasses.MISSING:
        return f"`{_value(item.default)}`"
    return "`{}`" if item.default_factory is not dataclasses.MISSING else "required"
