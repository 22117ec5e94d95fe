"""The bearer token of the HTTP server: from the environment, or a file that only its owner may read."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from graphmem.errors import InvalidSettings, UnreadableFile

VARIABLE = "GRAPHMEM_MCP_TOKEN"
FILE_NAME = "mcp-token"
SHORTEST = 16  # characters


def default_file() -> Path:
    """Where the token is kept when nobody says otherwise: the platform's configuration folder."""
    import platformdirs  # noqa: PLC0415 - only needed where no file is named

    return Path(platformdirs.user_config_dir("graphmem", appauthor=False)) / FILE_NAME


def token_for(file: Path) -> tuple[str, str]:
    """The token, and where it is from; the file is made where there is none.

    Raises InvalidSettings for a token that is too short or a file that others may read.
    """
    given = os.environ.get(VARIABLE, "")
    if given:
        return _long_enough(given, VARIABLE), f"${VARIABLE}"
    try:
        if not file.exists():
            _make(file)
        if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise InvalidSettings(
                f"{file}: others may read it",
                expected="a token that is the owner's alone",
                next_step=f"chmod 600 {file}",
            )
        return _long_enough(file.read_text("utf-8").strip(), str(file)), str(file)
    except (OSError, UnicodeDecodeError) as cause:
        raise UnreadableFile(f"{file}: {cause}", expected="a file with the token") from cause


def _make(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as made:
        made.write(secrets.token_urlsafe(32) + "\n")


def _long_enough(token: str, where: str) -> str:
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidSettings(
            f"the token in {where} cannot be used",
            expected=f"{SHORTEST} or more letters, digits and signs, without spaces",
            next_step="remove the file to have one made, or set a longer one",
        )
    return token
