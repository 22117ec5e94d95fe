"""The tool set against the OpenAI Agents SDK itself, with a scripted model instead of a service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from graphmem import Memory
from graphmem.errors import InvalidQuery
from graphmem.integrations.openai_agents import instructions, memory_tools

set_tracing_disabled(disabled=True)


class Scripted(Model):
    """Calls tools as it is told, then says what the last one answered."""

    def __init__(self, *calls: tuple[str, Any]) -> None:
        self.calls = list(calls)
        self.seen: list[str] = []

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        items = given[1] if len(given) > 1 else named["input"]
        last = items[-1] if isinstance(items, list) else {}
        if last.get("type") == "function_call_output":
            self.seen.append(str(last["output"]))
        if self.calls:
            name, arguments = self.calls.pop(0)
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            output: Any = ResponseFunctionToolCall(
                type="function_call", name=name, arguments=text, call_id=f"c{len(self.calls)}"
            )
        else:
            said = ResponseOutputText(type="output_text", text=self.seen[-1], annotations=[])
            output = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[said]
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise AssertionError("not streamed")


def ran(memory: Memory, *calls: tuple[str, Any], **given: Any) -> tuple[Any, Scripted]:
    model = Scripted(*calls)
    agent = Agent(
        name="assistant",
        instructions=instructions(),
        tools=[*memory_tools(memory, **given)],
        model=model,
    )
    return asyncio.run(Runner.run(agent, "hello")), model


def test_an_agent_remembers_and_recalls(memory: Memory) -> None:
    result, model = ran(
        memory,
        ("remember", {"text": "I am allergic to peanuts."}),
        ("recall", {"question": "What am I allergic to?"}),
    )
    assert json.loads(model.seen[0])["status"] == "learnt"
    assert "I am allergic to peanuts." in result.final_output


def test_errors_come_back_as_words_to_act_on(memory: Memory) -> None:
    _, model = ran(
        memory,
        ("remember", {"text": ""}),
        ("update", {"fact_id": "f_none", "text": "I sail."}),
        ("remember", {"words": "I sail."}),
        ("recall", "{"),
        ("recall", "[]"),
    )
    assert len(model.seen) == 5
    assert all(one.startswith("met: ") for one in model.seen)
    assert memory.status()["snapshots"] == 0


def test_a_deletion_waits_for_approval(memory: Memory) -> None:
    fact = memory.remember("I drive a red Fiat.").facts[0].id
    call = ("forget", {"fact_id": fact, "confirm_deletion": True})
    result, _ = ran(memory, call)
    assert [one.name for one in result.interruptions] == ["forget"]
    assert memory.fact(fact)
    ran(memory, call, ask_before_deleting=False)
    assert memory.facts() == ()


def test_some_tools_only(memory: Memory) -> None:
    assert [tool.name for tool in memory_tools(memory, ["recall", "history"])] == [
        "recall",
        "history",
    ]
    with pytest.raises(InvalidQuery, match="burn"):
        memory_tools(memory, ["burn"])
