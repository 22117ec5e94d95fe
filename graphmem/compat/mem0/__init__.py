"""mem0's method names and return shapes on graphmem memories: `from graphmem.compat.mem0 import Memory`.

What differs is told in docs/compat-mem0.md. Nothing of mem0 is needed, and no key, server or model.
"""

from __future__ import annotations

from graphmem.compat.mem0.aio import AsyncMemory
from graphmem.compat.mem0.memory import Memory
from graphmem.compat.mem0.options import MemoryConfig
from graphmem.compat.mem0.refusals import NotFound, Rejected

__all__ = ["AsyncMemory", "Memory", "MemoryConfig", "NotFound", "Rejected"]
