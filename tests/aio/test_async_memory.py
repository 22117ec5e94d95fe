"""AsyncMemory: the verbs of Memory, awaitable, in order, and never half done."""

from __future__ import annotations

import ast
import asyncio
import inspect
import runpy
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest

from graphmem import AsyncMemory, Memory, Message
from graphmem.errors import StoreError, UnknownId
from graphmem.testing import FixedClock, TinyEmbedder

TOOL = Path(__file__).parents[2] / "tools" / "async_types.py"


def opened(tmp_path: Path, clock: FixedClock) -> Any:
    return AsyncMemory.open(tmp_path / "memory", clock=clock, embedder=TinyEmbedder())


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def test_each_verb_of_the_memory_is_there() -> None:
    verbs = {
        name: verb
        for name, verb in inspect.getmembers(Memory)
        if not name.startswith("_") and callable(verb)
    }
    for name, verb in verbs.items():
        if hasattr(verb, "__wrapped__"):
            continue  # a context manager, whose inside would block
        there = getattr(AsyncMemory, name)
        assert there.__doc__
        if name in {"open", "ingest"}:
            continue
        assert inspect.iscoroutinefunction(there), name
        if name != "close":
            assert inspect.signature(there) == inspect.signature(verb), name


TYPES = runpy.run_path(str(TOOL))


@pytest.mark.parametrize("pair", TYPES["PAIRS"], ids=lambda pair: pair[0].parent.name)
def test_the_types_are_those_of_the_memory(pair: tuple[Path, Path]) -> None:
    written = pair[0].with_suffix(".pyi").read_text("utf-8")
    assert shape(written) == shape(TYPES["stub"](*pair)), "run: python tools/async_types.py"


def shape(text: str) -> list[str]:
    """The imported names and the statements, whatever their order among imports."""
    tree = ast.parse(text)
    wanted = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names = sorted(
        {
            f"{node.module}.{one.name}"
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for one in node.names
            if (one.asname or one.name) in wanted
        }
    )
    return [
        *names,
        *(ast.unparse(node) for node in tree.body if not isinstance(node, ast.ImportFrom)),
    ]


def test_a_session(tmp_path: Path, clock: FixedClock) -> None:
    async def session() -> None:
        async with opened(tmp_path, clock) as memory:
            await memory.remember("I live in London.")
            receipt = await memory.remember("I moved to Paris.")
            await memory.resolve(receipt.conflicts[0].id, "mark_older_as_past")
            found = await memory.recall("Where do I live?")
            assert found.items[0].text == "I moved to Paris."
            assert memory.path == tmp_path / "memory"
            assert memory.settings.batch
            with pytest.raises(UnknownId):
                await memory.confirm("f_none")

        with pytest.raises(StoreError, match="closed"):
            await memory.recall("Where do I live?")
        await memory.close()

        again = await opened(tmp_path, clock)
        assert len((await again.history("user", "home")).stages) == 2
        await again.close()

    run(session())


def test_ingest_takes_both_kinds_of_stream(tmp_path: Path, clock: FixedClock) -> None:
    def message(number: int) -> Message:
        return Message(text=f"My locker number is {number}.", said_at=clock.now())

    async def live() -> AsyncIterator[Message]:
        for number in range(200, 203):
            await asyncio.sleep(0)
            yield message(number)

    async def session() -> None:
        async with opened(tmp_path, clock) as memory:
            stored = [one.stored async for one in memory.ingest(map(message, range(100)))]
            assert stored == [True] * 100
            assert [one.stored async for one in memory.ingest(live())] == [True] * 3

            taken = 0
            stream = memory.ingest(map(message, range(1000, 1200)))
            async for _ in stream:
                taken += 1
                if taken == 5:
                    break
            await stream.aclose()
            known = (await memory.status())["snapshots"]
            assert 108 <= known < 303

    run(session())


def test_calls_keep_their_order_and_leave_the_loop_free(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []
    slow = Memory.recall

    def recall(self: Memory, question: str, **_: Any) -> Any:
        time.sleep(0.05)
        seen.append((question, threading.current_thread().name))
        return slow(self, question)

    async def session() -> None:
        async with opened(tmp_path, clock) as memory:
            calls = [memory._call(recall, str(number)) for number in range(6)]
            waiting = asyncio.gather(*calls)
            ticks = 0
            while not waiting.done():
                await asyncio.sleep(0.001)
                ticks += 1
            assert ticks > 20
        assert [question for question, _ in seen] == [str(number) for number in range(6)]
        assert len({name for _, name in seen}) == 1

    run(session())


def test_a_call_given_up_is_done_whole_or_not_at_all(tmp_path: Path, clock: FixedClock) -> None:
    async def session() -> None:
        async with opened(tmp_path, clock) as memory:
            for wait in (0, 0.001, 0.003, 0.01, 0.03):
                tasks = [
                    asyncio.create_task(memory.remember(f"My code is {wait} and {number}."))
                    for number in range(4)
                ]
                await asyncio.sleep(wait)
                for task in tasks:
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
                assert all(isinstance(one, asyncio.CancelledError) or one.stored for one in ended)
            status = await memory.status()
            assert (await memory.check()).findings == ()
            noted = await memory.facts(states="all", kinds=("claim", "note"))
            assert len({one.sources for one in noted}) <= status["snapshots"]

    run(session())


def test_an_opening_given_up_leaves_the_memory_free(tmp_path: Path, clock: FixedClock) -> None:
    async def session() -> None:
        task = asyncio.create_task(opened(tmp_path, clock)._open())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(200):
            await asyncio.sleep(0.01)
        async with opened(tmp_path, clock) as memory:
            receipt = await memory.remember("I live in London.")
            assert receipt.stored
            assert (await memory.status())["snapshots"] == 1

    run(session())


def test_it_is_loaded_only_when_asked_for() -> None:
    code = "import sys, graphmem; assert 'graphmem.memory' not in sys.modules; graphmem.AsyncMemory"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
