"""The memory page: a local web page for its owner. It calls the facade and nothing below it (docs/web.md)."""
