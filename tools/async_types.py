"""Writes the types of the classes AsyncMemory, from the signatures of those they are made over: run it after a
verb changed.

`python tools/async_types.py`; tests/aio checks that the files are as they would be written.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "graphmem"
# the module with the class, and the one with what it is made over
PAIRS = (
    (PACKAGE / "aio.py", PACKAGE / "memory.py"),
    (PACKAGE / "compat" / "mem0" / "aio.py", PACKAGE / "compat" / "mem0" / "memory.py"),
)
HEAD = "# The types of AsyncMemory, made by tools/async_types.py from those of Memory.\n"
STREAM = "AsyncIterable"


def stub(module: Path, source: Path) -> str:
    """The text of the stub of a module."""
    own, over = (ast.parse(file.read_text("utf-8")) for file in (module, source))
    made_class = class_named(own, "AsyncMemory")
    made_class.decorator_list = []
    own_verbs = [signature(node) for node in made_class.body if isinstance(node, ast.FunctionDef)]
    names = {verb.name for verb in own_verbs} | {"close"}
    verbs = [
        made(node)
        for node in class_named(over, "Memory").body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if node.name not in names and "contextmanager" not in map(ast.unparse, node.decorator_list)
    ]
    made_class.body = [*own_verbs, *verbs]
    used = {node.id for node in ast.walk(made_class) if isinstance(node, ast.Name)}
    local = [one for node in over.body if (one := named(node, used)) is not None]
    used |= {node.id for one in local for node in ast.walk(one) if isinstance(node, ast.Name)}
    parts = [*own.body, *over.body]
    imports = [one for node in parts if (one := needed(node, used)) is not None]
    extra = ast.parse(
        "from graphmem.asynchronous import Opening\n"
        "from collections.abc import AsyncIterable, AsyncIterator\n"
        "from typing import TypeAlias"
    ).body
    extra = [one for node in extra if (one := needed(node, used | {"TypeAlias"})) is not None]
    whole = ast.Module([*imports, *extra, *local, made_class], [])
    return HEAD + ast.unparse(ast.fix_missing_locations(whole)) + "\n"


def class_named(tree: ast.Module, name: str) -> ast.ClassDef:
    """The class of this name."""
    return next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)


def signature(verb: ast.FunctionDef) -> ast.FunctionDef:
    """A method without its body."""
    verb.body = [ast.Expr(ast.Constant(...))]
    return verb


def made(verb: ast.FunctionDef) -> ast.stmt:
    """A verb of the facade as one of AsyncMemory."""
    verb.args.kw_defaults = [shown(one) for one in verb.args.kw_defaults]
    verb.args.defaults = [one for each in verb.args.defaults if (one := shown(each)) is not None]
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


def shown(default: ast.expr | None) -> ast.expr | None:
    """A default as a stub shows it: a name stands for a value that is nobody's business."""
    return ast.Constant(...) if isinstance(default, ast.Name) else default


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
    """A name that the facade's module gives a type, where a signature uses it."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return None
    name = node.targets[0].id
    if name not in used:
        return None
    return ast.parse(f"{name}: TypeAlias = {ast.unparse(node.value)}").body[0]


def needed(node: ast.stmt, used: set[str]) -> ast.stmt | None:
    """An import of the facade's module with the names that the stub uses; None without any."""
    if isinstance(node, ast.ImportFrom) and node.module != "__future__":
        names = [one for one in node.names if (one.asname or one.name) in used]
        return ast.ImportFrom(node.module, names, node.level) if names else None
    return None


if __name__ == "__main__":
    for pair in PAIRS:
        target = pair[0].with_suffix(".pyi")
        target.write_text(stub(*pair), "utf-8")
        for step in (("check", "--fix", "--quiet"), ("format", "--quiet")):
            subprocess.run([sys.executable, "-m", "ruff", *step, target], check=False, cwd=ROOT)  # noqa: S603
