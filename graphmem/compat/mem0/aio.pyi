# The types of AsyncMemory, made by tools/async_types.py from those of Memory.
from collections.abc import Generator, Mapping
from typing import Any, Self

from graphmem.asynchronous import Asynchronous
from graphmem.compat.mem0.memory import Memory
from graphmem.compat.mem0.options import MemoryConfig
from graphmem.memory import Memory as Graphmem

class AsyncMemory(Asynchronous[Memory]):
    def __init__(
        self, config: MemoryConfig | Mapping[str, Any] | None = None, **given: Any
    ) -> None: ...
    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self: ...
    def __await__(self) -> Generator[Any, None, Self]: ...
    async def space(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Graphmem: ...
    async def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]: ...
    async def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]: ...
    async def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]: ...
    async def get(self, memory_id: str) -> dict[str, Any] | None: ...
    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = ...,
        data: str | None = None,
    ) -> dict[str, str]: ...
    async def delete(self, memory_id: str) -> dict[str, str]: ...
    async def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]: ...
    async def history(self, memory_id: str) -> list[dict[str, Any]]: ...
    async def reset(self) -> None: ...
