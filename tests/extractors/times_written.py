"""How the time tests write a span: "since 2024", "2025-06-12/2025-06-19", "2025-05-19T09:00 FREQ=...", "#after_work"."""

from __future__ import annotations

from datetime import datetime

from graphmem_extractors.times import Grammar

GRAMMAR = Grammar()
EN_SAID = datetime.fromisoformat("2025-05-14T10:30:00+02:00")  # a Wednesday
ZH_SAID = datetime.fromisoformat("2025-05-14T10:30:00+08:00")


def written(text: str, language: str, said_at: datetime | None = None) -> str:
    said = said_at or (ZH_SAID if language == "zh" else EN_SAID)
    return " | ".join(_one(span) for span in GRAMMAR.find(text, said_at=said, language=language))


def _one(span) -> str:
    def short(when):
        return when.iso[:16]

    parts = [] if span.anchor == "at" else [span.anchor]
    if span.when and span.kind != "routine":
        parts.append(short(span.when) + (f"/{short(span.until)}" if span.until else ""))
    if span.rule:
        parts.append(span.rule)
    if span.routine:
        parts.append(f"#{span.routine}")
    return " ".join(parts)
