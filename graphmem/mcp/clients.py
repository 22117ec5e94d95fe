"""The configuration that tells a client about the server: shown, or merged into the client's own file."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from graphmem.errors import BrokenFile, InvalidSettings, UnreadableFile

NAME = "graphmem"


@dataclass(frozen=True, slots=True)
class Client:
    """A client: the key its servers stand under, and its file on each platform, under the home folder."""

    name: str
    key: str
    files: Mapping[str, str]

    def file(self) -> Path:
        """Where its configuration is on this machine."""
        place = self.files.get(sys.platform, self.files["linux"])
        return (
            Path(place).expanduser() if place.startswith("~") else Path(os.path.expandvars(place))
        )


CLIENTS = {
    "claude": Client(
        "Claude Desktop",
        "mcpServers",
        {
            "linux": "~/.config/Claude/claude_desktop_config.json",
            "darwin": "~/Library/Application Support/Claude/claude_desktop_config.json",
            "win32": "%APPDATA%/Claude/claude_desktop_config.json",
        },
    ),
    "cursor": Client("Cursor", "mcpServers", {"linux": "~/.cursor/mcp.json"}),
    "vscode": Client(
        "Visual Studio Code",
        "servers",
        {
            "linux": "~/.config/Code/User/mcp.json",
            "darwin": "~/Library/Application Support/Code/User/mcp.json",
            "win32": "%APPDATA%/Code/User/mcp.json",
        },
    ),
}


def client(name: str) -> Client:
    """The client of this name. Raises InvalidSettings."""
    if name not in CLIENTS:
        raise InvalidSettings(f"--install {name}", expected="one of " + ", ".join(sorted(CLIENTS)))
    return CLIENTS[name]


def entry(memory: Path, *, reader: str | None = None) -> dict[str, Any]:
    """How a client starts the server: this Python, so that no PATH is needed."""
    as_reader = ["--reader", reader] if reader else []
    return {
        "type": "stdio",
        "command": sys.executable,
        "args": ["-m", "graphmem.cli", "--memory", str(memory.absolute()), *as_reader, "mcp"],
    }


def snippet(chosen: Client, server: Mapping[str, Any]) -> str:
    """The part of the client's file that names the server."""
    return json.dumps({chosen.key: {NAME: server}}, ensure_ascii=False, indent=2)


def merge(chosen: Client, server: Mapping[str, Any], file: Path) -> Path | None:
    """Put the server into the client's file, keep everything else, and keep a copy of what was there.

    Gives the copy's path, None where nothing was there. Raises BrokenFile for a file that is not plain
    JSON: it is left as it is.
    """
    file = file.resolve()  # a link stays a link
    try:
        before = file.read_bytes() if file.exists() else b""
        settings = _parsed(before, file)
        servers = settings.setdefault(chosen.key, {})
        if not isinstance(servers, dict):
            raise BrokenFile(f"{file}: {chosen.key} is no object", expected="an object of servers")
        servers[NAME] = dict(server)
        after = json.dumps(settings, ensure_ascii=False, indent=2) + "\n"
        file.parent.mkdir(parents=True, exist_ok=True)
        backup = _backed_up(file, before) if before else None
        _replace(file, after)
    except OSError as cause:
        raise UnreadableFile(f"{file}: {cause.strerror}", expected="a file to write to") from cause
    return backup


def _parsed(content: bytes, file: Path) -> dict[str, Any]:
    if not content.strip():
        return {}
    try:
        settings = json.loads(content.decode("utf-8-sig"))
    except ValueError as cause:
        raise BrokenFile(
            f"{file}: not plain JSON ({cause})",
            expected="JSON without comments",
            next_step="leave out --write and paste what is printed",
        ) from cause
    if not isinstance(settings, dict):
        raise BrokenFile(f"{file}: not an object", expected="a JSON object")
    return settings


def _backed_up(file: Path, content: bytes) -> Path:
    """A copy beside the file, under a name that nothing has."""
    number = 0
    while True:
        copy = file.with_name(f"{file.name}.bak{number or ''}")
        try:
            with copy.open("xb") as made:
                made.write(content)
        except FileExistsError:
            number += 1
            continue
        copy.chmod(file.stat().st_mode)
        return copy


def _replace(file: Path, text: str) -> None:
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=file.parent, prefix=file.name, suffix=".new", delete=False
    ) as made:
        made.write(text)
    new = Path(made.name)
    new.chmod(file.stat().st_mode if file.exists() else 0o600)
    new.replace(file)
