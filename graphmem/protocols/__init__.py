"""What can be swapped: each protocol has one contract test suite that every implementation passes."""

from __future__ import annotations

from graphmem.protocols.clock import Clock
from graphmem.protocols.extraction import (
    AliasCandidate,
    Candidate,
    Extraction,
    Extractor,
    ModelReader,
    ReminderCandidate,
    TimeGrammar,
    TimeSpan,
    Trace,
    Turn,
)
from graphmem.protocols.graph import GraphStore, Limits
from graphmem.protocols.models import Embedder, Judge, Reranker, Thresholds, Vectors
from graphmem.protocols.search import EVERYTHING, Filter, Health, Passage, SearchIndex

__all__ = [
    "EVERYTHING",
    "AliasCandidate",
    "Candidate",
    "Clock",
    "Embedder",
    "Extraction",
    "Extractor",
    "Filter",
    "GraphStore",
    "Health",
    "Judge",
    "Limits",
    "ModelReader",
    "Passage",
    "ReminderCandidate",
    "Reranker",
    "SearchIndex",
    "Thresholds",
    "TimeGrammar",
    "TimeSpan",
    "Trace",
    "Turn",
    "Vectors",
]
