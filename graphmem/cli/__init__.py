"""The command line: every verb of the facade. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from graphmem.errors import (
    ChangeRefused,
    ExtensionError,
    GraphmemError,
    InputError,
    MemoryLocked,
    StoreError,
    UnknownId,
)

EXIT_CODES: dict[type[GraphmemError], int] = {  # the first that fits
    UnknownId: 7,
    InputError: 2,
    ChangeRefused: 3,
    MemoryLocked: 5,
    StoreError: 4,
    ExtensionError: 6,
}
FOUND_SOMETHING = 1
INTERRUPTED = 130


def exit_code(error: GraphmemError) -> int:
    """2 unusable input, 3 refused change, 4 trouble with the memory, 5 locked, 6 missing extension or
    failed service, 7 unknown id or name.
    """
    return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1)


def colours(environment: Mapping[str, str]) -> bool | None:
    """Whether to colour: False with NO_COLOR, True with FORCE_COLOR, None to look at the terminal."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") != "0":
        return True
    return False if environment.get("TERM") == "dumb" else None


def main() -> None:
    """Run the command line; every graphmem error becomes one clear line and its exit code.

    With `--json` the line on standard error is JSON too.
    """
    from graphmem.cli.app import app  # noqa: PLC0415 - keeps `import graphmem.cli` light

    try:
        app(prog_name="graphmem", color=colours(os.environ))
    except GraphmemError as error:
        sys.stderr.write(_told(error, as_json="--json" in sys.argv[1:]) + "\n")
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.stderr.write("graphmem: interrupted; what was acknowledged is kept\n")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _told(error: GraphmemError, *, as_json: bool) -> str:
    """What is printed: without the secrets that may have been typed, since logs keep what is printed."""
    from graphmem.secrecy.masking import without_secrets  # noqa: PLC0415 - only here

    if not as_json:
        return f"graphmem: {without_secrets(str(error))}"
    import json  # noqa: PLC0415 - only here

    told = {
        "error": type(error).__name__,
        "met": without_secrets(error.met),
        "expected": error.expected,
        "next_step": without_secrets(error.next_step),
        "exit_status": exit_code(error),
    }
    return json.dumps(told, ensure_ascii=False)
