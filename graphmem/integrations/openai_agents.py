"""The memory as a tool set for the OpenAI Agents SDK (extra `openai-agents`).

The tools are those of the MCP server: the same names, schemas and errors.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from graphmem.errors import InvalidQuery
from graphmem.integrations import extra
from graphmem.memory import Memory

with extra("openai-agents"):
    from agents import FunctionTool
    from agents.tool_context import ToolContext
    from mcp_types import CallToolResult, TextContent

    from graphmem.mcp.server import MemoryServer, build, instructions, tools

__all__ = ["instructions", "memory_tools"]


def memory_tools(
    memory: Memory, names: Iterable[str] | None = None, *, ask_before_deleting: bool = True
) -> list[FunctionTool]:
    """The tools on an open memory, or those of `names`, for `Agent(tools=...)`.

    Put `instructions()` among the agent's own. Calls run beside the event loop. A run that calls `forget`
    or `resolve` is interrupted for approval, unless `ask_before_deleting` is False. Raises InvalidQuery for
    a name that there is no tool of.
    """
    server = build(memory)
    offered = {tool.name: tool for tool in tools(memory)}
    wanted = list(offered) if names is None else list(names)
    unknown = sorted(set(wanted) - set(offered))
    if unknown:
        raise InvalidQuery(f"no tool {', '.join(unknown)}", expected="of " + ", ".join(offered))
    return [
        FunctionTool(
            name=name,
            description=offered[name].description,
            params_json_schema=offered[name].parameters,
            on_invoke_tool=_calling(server, name),
            strict_json_schema=False,
            needs_approval=ask_before_deleting and _deletes(offered[name]),
        )
        for name in wanted
    ]


def _calling(server: MemoryServer, name: str) -> Callable[[ToolContext[Any], str], Awaitable[str]]:
    async def call(_: ToolContext[Any], arguments: str) -> str:
        try:
            given = json.loads(arguments) if arguments.strip() else {}
        except json.JSONDecodeError as error:
            return f"met: the arguments are no JSON ({error})\nexpected: a JSON object"
        if not isinstance(given, dict):
            return "met: the arguments are no object\nexpected: a JSON object"
        result = await server.call_tool(name, given)
        blocks = result.content if isinstance(result, CallToolResult) else []
        return "\n".join(block.text for block in blocks if isinstance(block, TextContent))

    return call


def _deletes(tool: Any) -> bool:
    return bool(tool.annotations and tool.annotations.destructive_hint)
