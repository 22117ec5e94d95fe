"""The memory on disk: the graph, and the indexes derived from it."""
