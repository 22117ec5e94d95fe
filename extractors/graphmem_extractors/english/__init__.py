"""English: facts, reminders and worth of chat messages, by rules over a spaCy parse."""

from graphmem_extractors.english.extractor import EnglishExtractor

__all__ = ["EnglishExtractor"]
