"""A client that starts the MCP server in a process of its own and talks to it, as an assistant would.

Run it: python examples/mcp_session.py (needs the extra `mcp`)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

MEMORY = Path("examples-memory/mcp").absolute()
SERVER = StdioServerParameters(
    command=sys.executable,
    args=["-m", "graphmem.cli", "--memory", str(MEMORY), "mcp"],
    env=dict(os.environ),
)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; what went wrong is told in words."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        print(f"{tool}:", *(block.text for block in result.content if block.type == "text"))
        return {}
    return dict(result.structured_content or {})


async def session() -> None:
    """From the first statement to a decision and a recall."""
    async with Client(SERVER) as client:
        tools = await client.list_tools()
        print("tools:", ", ".join(tool.name for tool in tools.tools))
        await call(client, "remember", text="I drive a red Fiat.")
        sold = await call(client, "remember", text="I sold the Fiat and bought a Volvo.")
        for conflict in sold["conflicts"]:
            print("conflict:", conflict["older"]["text"], "/", conflict["newer"]["text"])
            await call(
                client,
                "resolve",
                conflict_id=conflict["conflict_id"],
                decision="mark_older_as_past",
            )
        found = await call(client, "recall", question="What car do I drive?")
        print(found["context"])
        await call(client, "forget", fact_id=found["items"][0]["id"])  # refused: no confirmation
        content = (await client.read_resource("graphmem://entity/user")).contents[0]
        print(getattr(content, "text", ""))


if __name__ == "__main__":
    anyio.run(session)
