"""Readers for chat logs: `registry.open_log` is the way in; see docs/chat-logs.md."""
