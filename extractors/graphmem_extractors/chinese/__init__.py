"""Reads claims in Chinese messages; `ChineseExtractor` is the entry point."""

from graphmem_extractors.chinese.extractor import ChineseExtractor

__all__ = ["ChineseExtractor"]
