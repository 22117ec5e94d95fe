"""graphmem: a long-term memory whose facts change but are never lost."""
