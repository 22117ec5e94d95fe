"""graphmem in agent frameworks; each module needs the extra of its name. See docs/integrations.md."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from graphmem.errors import ExtensionMissing


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports of a framework: where it is missing, says how it is installed."""
    try:
        yield
    except ModuleNotFoundError as cause:
        raise ExtensionMissing(
            f"graphmem.integrations needs {cause.name}",
            next_step=f'pip install "graphmem[{name}]"',
        ) from cause
