"""graphmem in agent frameworks; each module needs the extra of its name. See docs/integrations.md."""
