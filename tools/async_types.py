"""Writes graphmem/aio.pyi, the types of AsyncMemory, from the signatures of Memory: run it after a verb changed.

`python tools/async_types.py`; tests/aio checks that the file is as it would be written.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "graphmem" / "memory.py"
TARGET = ROOT / "graphmem" / "aio.pyi"
HEAD = "# The types of AsyncMemory, made by tools/async_types.py from those of Memory.\n"
OWN = """
class AsyncMemory(Asynchronous[Memory]):
    @property
    def path(self) -> Path | None: ...
    @property
    def settings(self) -> Settings: ...
"""
STREAM = "AsyncIterable"


def stub() -> str:
    """The text of the stub."""
    tree = ast.parse(SOURCE.read_text("utf-8"))
    memory = next(
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Memory"
    )
    verbs = [
        made(node)
        for node in memory.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if node.name != "close" and "contextmanager" not in map(ast.unparse, node.decorator_list)
    ]
    made_class = ast.parse(OWN).body[0]
    assert isinstance(made_class, ast.ClassDef)  # noqa: S101 - it is written above
    made_class.body += verbs
    used = {node.id for node in ast.walk(made_class) if isinstance(node, ast.Name)}
    local = [one for node in tree.body if (one := named(node, used)) is not None]
    used |= {node.id for one in local for node in ast.walk(one) if isinstance(node, ast.Name)}
    imports = [one for node in tree.body if (one := needed(node, used)) is not None]
    extra = ast.parse(
        "from graphmem.asynchronous import Asynchronous, Opening\n"
        "from graphmem.memory import Memory\n"
        "from collections.abc import AsyncIterable, AsyncIterator\n"
        "from typing import TypeAlias"
    ).body
    module = ast.Module([*imports, *extra, *local, made_class], [])
    return HEAD + ast.unparse(ast.fix_missing_locations(module)) + "\n"


def made(verb: ast.FunctionDef) -> ast.stmt:
    """A verb of the facade as one of AsyncMemory."""
    returns = ast.unparse(verb.returns) if verb.returns else "None"
    opens = returns == "Self" and any(
        isinstance(one, ast.Name) and one.id == "classmethod" for one in verb.decorator_list
    )
    body: list[ast.stmt] = [ast.Expr(ast.Constant(...))]
    if returns.startswith("Iterator["):
        for argument in verb.args.args[1:]:
            if argument.annotation:
                kind = ast.unparse(argument.annotation)
                both = f"{kind} | {kind.replace('Iterable', STREAM)}"
                argument.annotation = ast.parse(both, mode="eval").body
        return plain(verb, body, f"Async{returns}")
    if opens:
        return plain(verb, body, f"Opening[{returns}]")
    return ast.AsyncFunctionDef(
        name=verb.name,
        args=verb.args,
        body=body,
        decorator_list=verb.decorator_list,
        returns=verb.returns,
    )


def plain(verb: ast.FunctionDef, body: list[ast.stmt], returns: str) -> ast.FunctionDef:
    """A function that is not awaited itself."""
    return ast.FunctionDef(
        name=verb.name,
        args=verb.args,
        body=body,
        decorator_list=verb.decorator_list,
        returns=ast.parse(returns, mode="eval").body,
    )


def named(node: ast.stmt, used: set[str]) -> ast.stmt | None:
    """A name that the facade's module gives a type or a plain value, where a signature uses it."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return None
    name = node.targets[0].id
    if name not in used:
        return None
    if isinstance(node.value, ast.Constant):
        return ast.parse(f"{name}: {type(node.value.value).__name__}").body[0]
    return ast.parse(f"{name}: TypeAlias = {ast.unparse(node.value)}").body[0]


def needed(node: ast.stmt, used: set[str]) -> ast.stmt | None:
    """An import of the facade's module with the names that the stub uses; None without any."""
    if isinstance(node, ast.ImportFrom) and node.module != "__future__":
        names = [one for one in node.names if (one.asname or one.name) in used]
        return ast.ImportFrom(node.module, names, node.level) if names else None
    return None


if __name__ == "__main__":
    TARGET.write_text(stub(), "utf-8")
    for step in (("check", "--fix", "--quiet"), ("format", "--quiet")):
        subprocess.run([sys.executable, "-m", "ruff", *step, TARGET], check=False, cwd=ROOT)  # noqa: S603
