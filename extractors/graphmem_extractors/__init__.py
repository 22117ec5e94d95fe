"""Rule extractors for graphmem, one module a language or kind of value."""
