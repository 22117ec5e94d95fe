"""Times in English and Chinese texts (entry point `graphmem.times`)."""

from graphmem_extractors.times.grammar import Grammar

__all__ = ["Grammar"]
