"""Several processes on one memory take turns, and none of them sees an old state (R7.5)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem import Memory, Message
from graphmem.errors import MemoryLocked, StoreError
from graphmem.testing import TinyEmbedder

PRELUDE = """
import sys, time
from datetime import UTC, datetime
from graphmem import Memory, Message
from graphmem.testing import TinyEmbedder

def say(memory, text):
    return memory.add(Message(text=text, speaker="Ana", said_at=datetime.now(UTC)))

memory = Memory.open(sys.argv[1], embedder=TinyEmbedder(), config={"lock_wait": 60})
"""
Run = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def run(folder: Path) -> Iterator[Run]:
    started: list[subprocess.Popen[str]] = []

    def begin(code: str) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", PRELUDE + textwrap.dedent(code), str(folder)],
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return started[-1]

    yield begin
    for one in started:
        one.kill()
        one.communicate()


def opened(folder: Path, wait: float = 60.0) -> Memory:
    return Memory.open(folder, embedder=TinyEmbedder(), config={"lock_wait": wait})


def say(memory: Memory, text: str) -> None:
    memory.add(Message(text=text, speaker="Ana", said_at=datetime.now(UTC)))


def until(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().strip() == word


def test_an_open_memory_lets_others_in_and_sees_what_they_did(folder: Path, run: Run) -> None:
    with opened(folder) as memory:
        say(memory, "I live in London.")
        say(memory, "I like tea.")
        tea = next(fact for fact in memory.facts() if fact.object == "tea")
        assert memory.recall("Where do I live?").items
        done = run(
            f"""
            say(memory, "I moved to Paris for good.")
            memory.forget("{tea.id}")
            memory.close()
            """
        )
        assert done.wait(60) == 0
        assert {fact.object for fact in memory.facts()} == {"Paris"}
        assert len(memory.conflicts()) == 1
        say(memory, "I like chess.")
        texts = [item.text for item in memory.recall("What do I like?").items]
        assert "I like chess." in texts
        assert "I like tea." not in texts
        assert memory.check().findings == ()


def test_whoever_works_too_long_is_named(folder: Path, run: Run) -> None:
    with opened(folder) as memory:
        say(memory, "I like tea.")
    busy = run(
        """
        with memory._lock:
            print("holding", flush=True)
            time.sleep(60)
        """
    )
    until(busy, "holding")
    with pytest.raises(MemoryLocked, match=f"held by process {busy.pid} \\(python -c\\) since"):
        opened(folder, wait=0.2)
    busy.send_signal(signal.SIGKILL)
    busy.wait(10)
    with opened(folder) as memory:  # a killed holder blocks nobody
        assert [fact.object for fact in memory.facts()] == ["tea"]


def test_a_waiting_verb_gives_up_in_time_and_can_be_tried_again(folder: Path, run: Run) -> None:
    with opened(folder, wait=0.2) as memory:
        say(memory, "I like tea.")
        busy = run(
            """
            with memory._lock:
                print("holding", flush=True)
                time.sleep(60)
            """
        )
        until(busy, "holding")
        start = time.monotonic()
        with pytest.raises(MemoryLocked):
            memory.facts()
        assert time.monotonic() - start < 10
        busy.kill()
        busy.wait(10)
        assert [fact.object for fact in memory.facts()] == ["tea"]


def test_a_killed_waiter_blocks_nobody(folder: Path, run: Run) -> None:
    with opened(folder) as memory:
        with memory._lock:
            waiting = run("print('never', flush=True)")
            time.sleep(3)  # it stands at the turnstile, or is still on its way there
            waiting.send_signal(signal.SIGKILL)
            waiting.wait(10)
        say(memory, "I like tea.")
        assert [fact.object for fact in memory.facts()] == ["tea"]


def test_two_memories_in_one_process_take_turns_too(folder: Path) -> None:
    with opened(folder) as one, opened(folder) as other:
        say(one, "I like tea.")
        say(other, "I like chess.")
        assert {fact.object for fact in one.facts()} == {"tea", "chess"}
        assert {fact.object for fact in other.facts()} == {"tea", "chess"}
    with pytest.raises(StoreError, match="closed"):
        one.facts()


def test_an_index_that_another_process_made_anew_is_taken_up(folder: Path, run: Run) -> None:
    with opened(folder) as memory:
        say(memory, "I like tea.")
        done = run(
            "memory._search._database.throw_away(); memory.repair(); say(memory, 'I own a boat.')"
        )
        assert done.wait(60) == 0
        assert {item.text for item in memory.recall("tea or boat").items} == {
            "I like tea.",
            "I own a boat.",
        }
        assert memory.check().findings == ()


def test_a_forked_child_is_told(folder: Path) -> None:
    with opened(folder) as memory:
        say(memory, "I like tea.")
        child = os.fork()
        if child == 0:
            try:
                memory.facts()
            except MemoryLocked:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert len(memory.facts()) == 1


def test_none_is_lost_and_none_doubled(folder: Path, run: Run) -> None:
    """See tools/stress.py for the long run."""
    with opened(folder) as memory:
        say(memory, "I like tea.")
        workers = [
            run(
                f"""
                for n in range(20):
                    say(memory, f"Worker {name} saw bird number {{n}}.")
                    memory.recall("bird")
                """
            )
            for name in ("one", "two", "three")
        ]
        for n in range(20):
            say(memory, f"Worker zero saw bird number {n}.")
        assert [one.wait(120) for one in workers] == [0, 0, 0]
        said = memory.cypher("MATCH (s:Snapshot) RETURN s.text").rows
        assert len(said) == len(set(said)) == 81
        assert memory.check().findings == ()
