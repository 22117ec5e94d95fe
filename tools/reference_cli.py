"""The command line's reference page, from the commands themselves (the same text with any Typer)."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any, get_args

from typer.main import get_command

from graphmem.cli.app import app

_INTRO = """\
# Command line

This page is made from the code by `tools/reference.py`; a test holds it to that.

```text
graphmem [--memory PATH] [--reader NAME] COMMAND [ARGUMENTS]
```

The memory is at `--memory PATH` (`-m`), else `$GRAPHMEM_HOME`, else the platform's data folder. `--reader NAME` opens it as
a reader, which sees only what it may.

- **JSON.** Every command that prints takes `--json`: JSON on standard output, and an error as one JSON object on
  standard error.
- **Streams.** `-` stands for standard input where a text or a file is named, and for standard output with `-o`.
- **Colours** appear only on a terminal. `NO_COLOR` takes them away, `FORCE_COLOR` keeps them in a pipe.
- **Completion.** `graphmem --install-completion` teaches your shell: commands, options, ids of facts, names, topics,
  formats, zones. Ids and topics come from the index alone, so that the answer is there at once.

| exit status | meaning |
|---|---|
| 0 | done |
| 1 | a check found something (`check`, `doctor`), or a question was answered with no |
| 2 | unusable input: a wrong option, file, time, query or setting; nothing was written |
| 3 | refused: the memory's rules forbid it |
| 4 | trouble with the memory on disk |
| 5 | another process holds the memory; try again |
| 6 | an extra is not installed, or a configured service did not answer usefully |
| 7 | nothing has this id or name |
| 130 | interrupted; what was acknowledged is kept |
"""


def page() -> str:
    """The whole page."""
    groups: dict[str, list[str]] = {}
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        if command.hidden:
            continue
        told = "\n".join(_command(f"graphmem {name}", command))
        heading = command.rich_help_panel
        groups.setdefault(heading if isinstance(heading, str) else "Commands", []).append(told)
    parts = [_INTRO]
    for heading, commands in groups.items():
        parts.append(f"\n## {heading}\n")
        parts.extend(commands)
    return "\n".join(parts).rstrip() + "\n"


def _command(path: str, command: Any) -> Iterator[str]:
    yield f"### {path}\n"
    yield inspect.cleandoc(command.help or "") + "\n"
    inner = getattr(command, "commands", None)
    if inner is not None:
        yield from _examples(command)
        for name, one in inner.items():
            if not one.hidden:
                yield from (
                    line.replace("### ", "#### ", 1) for line in _command(f"{path} {name}", one)
                )
        return
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    usage = " ".join([path, *(["[OPTIONS]"] if options else []), *map(_placeholder, arguments)])
    yield f"```text\n{usage}\n```\n"
    rows = [(f"`{_name(one)}`", _told(one)) for one in arguments]
    rows += [(_option(one), _told(one)) for one in options]
    if rows:
        yield "| | |\n|---|---|"
        yield "\n".join(f"| {name} | {told} |" for name, told in rows) + "\n"
    yield from _examples(command)


def _examples(command: Any) -> Iterator[str]:
    lines = [line.strip() for line in (command.epilog or "").splitlines()]
    shown = [line for line in lines if line and line not in {"Examples:", "\b"}]
    if shown:
        listed = "\n".join(f"$ {line}" for line in shown)
        yield f"```console\n{listed}\n```\n"


def _name(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name).upper().strip("[]{}")


def _placeholder(argument: Any) -> str:
    name = _name(argument) + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len, reverse=True))
    kind = "" if option.is_flag else f" {_kind(option)}"
    return names + kind


def _kind(option: Any) -> str:
    if option.metavar:
        return f"`{option.metavar}`"
    found = _choices(option)
    if found:
        return " ".join(f"`{one}`" for one in found)
    return f"`{(option.name or '').upper()}`"


def _choices(option: Any) -> list[str]:
    """What may be given: newer Typers keep the annotation, older ones Click's type."""
    kind = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    kind = next(iter(get_args(kind)), kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(one.value) for one in kind]
    listed = getattr(getattr(option, "type", None), "choices", ())
    return [str(one.value if isinstance(one, Enum) else one) for one in listed]


def _told(parameter: Any) -> str:
    text = " ".join((parameter.help or "").split())
    default = parameter.default
    if isinstance(default, Enum):
        default = default.value
    if isinstance(default, (str, int, float)) and not isinstance(default, bool) and default != "":
        text += f" Default: `{default}`."
    if getattr(parameter, "multiple", False) and "repeatable" not in text:
        text += " (repeatable)"
    return text.replace("|", "\\|")
