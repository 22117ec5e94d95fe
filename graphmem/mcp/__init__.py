"""The memory as an MCP server, for assistants that speak the Model Context Protocol. See docs/mcp.md.

The official SDK is the extra `graphmem[mcp]`; nothing here imports it before a server is started.
"""
