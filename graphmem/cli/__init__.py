"""The command line: every verb of the facade. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys

from graphmem.errors import (
    ChangeRefused,
    ExtensionError,
    GraphmemError,
    InputError,
    MemoryLocked,
    StoreError,
)

EXIT_CODES: dict[type[GraphmemError], int] = {
    InputError: 2,
    ChangeRefused: 3,
    MemoryLocked: 5,
    StoreError: 4,
    ExtensionError: 6,
}
INTERRUPTED = 130


def exit_code(error: GraphmemError) -> int:
    """2 unusable input, 3 refused change, 4 trouble with the memory, 5 locked, 6 missing extension."""
    return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1)


def main() -> None:
    """Run the command line; every graphmem error becomes one clear line and its exit code."""
    from graphmem.cli.app import app  # noqa: PLC0415 - keeps `import graphmem.cli` light

    try:
        app()
    except GraphmemError as error:
        sys.stderr.write(f"graphmem: {error}\n")
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.stderr.write("graphmem: interrupted; what was acknowledged is kept\n")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
