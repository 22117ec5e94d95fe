#!/usr/bin/env python3
"""How often the claims of a confidence are right: the calibration table of docs/extraction.md.

    python tools/calibration.py tests/extractors/data_en.jsonl data/eval/extract_en.jsonl ...

Each file holds extraction cases, one JSON object a line (data/eval/README.md says how to read one). A claim
is right where the case has a fact of the same entity whose predicate, polarity and object fit; one of
`also_ok` counts as right. Claims that are right but were left out of a case count as wrong, so the
figures are a lower bound.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem import plugins
from graphmem.lexicon import Lexicon
from graphmem.model import Message
from graphmem.protocols import Candidate, Turn

BANDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.01)
_EXTRACTORS = {"en": "english", "zh": "chinese"}
_SMALL = frozenset({"a", "an", "the", "my", "our", "his", "her", "their", "of", "to", "in", "at", "on", "some"})  # fmt: skip


def folded(text: str) -> list[str]:
    """The words of a text that count: lower case, without articles; Chinese by the character."""
    words = re.findall(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+", text.casefold())
    return [word for word in words if word not in _SMALL]


def alike(one: str, other: str) -> bool:
    """One within the other and at least a third of it, or most words in common."""
    a, b = folded(one), folded(other)
    if not a or not b:
        return one.casefold() == other.casefold()
    common = len([word for word in a if word in b])
    return 2 * common >= 0.6 * (len(a) + len(b)) or (
        common == min(len(a), len(b)) and 3 * common >= max(len(a), len(b))
    )


def right(claim: Candidate, case: Mapping[str, Any]) -> bool:
    """Whether the case has this claim, by entity, predicate, object and polarity."""
    for fact in (*case["facts"], *case.get("also_ok", ())):
        names = (fact["entity"], *fact.get("entity_alt", ()))
        if (
            claim.predicate in fact["predicate"]
            and claim.polarity == fact["polarity"]
            and any(claim.entity.casefold() == name.casefold() for name in names)
            and any(alike(claim.object, said) for said in fact["object"])
        ):
            return True
    return False


def claims_of(cases: Sequence[Mapping[str, Any]]) -> Iterable[tuple[Candidate, bool]]:
    """Every claim taken out of the cases, and whether it is right."""
    by_language: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for case in cases:
        by_language[case["lang"]].append(case)
    for language, own in by_language.items():
        extractor = plugins.shared(plugins.EXTRACTORS, _EXTRACTORS[language], Lexicon.load())
        turns = [
            Turn(
                Message(
                    text=case["text"],
                    speaker=case["speaker"],
                    role=case.get("role", "user"),
                    said_at=datetime.fromisoformat(case["at"]),
                )
            )
            for case in own
        ]
        for case, found in zip(own, extractor.extract(turns), strict=True):
            for claim in found.candidates:
                yield claim, right(claim, case)


def table(claims: Iterable[tuple[Candidate, bool]]) -> list[str]:
    """Markdown rows: the band of confidence, how many claims, how many of them are right."""
    bands: dict[int, list[bool]] = defaultdict(list)
    for claim, good in claims:
        bands[sum(claim.confidence >= edge for edge in BANDS)].append(good)
    rows = ["| confidence | claims | right |", "|---|---|---|"]
    for band in sorted(band for band in bands if band):
        told = bands[band]
        upper = min(1.0, BANDS[band])
        rows.append(
            f"| {BANDS[band - 1]:.2f} - {upper:.2f} | {len(told)} | {sum(told) / len(told):.2f} |"
        )
    return rows


def main() -> None:
    """Print the table for the files named on the command line."""
    parser = argparse.ArgumentParser(description="How often claims of a confidence are right.")
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="extraction cases, .jsonl"
    )
    files = parser.parse_args().files
    cases = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]  # fmt: skip
    print("\n".join(table(claims_of(cases))))


if __name__ == "__main__":
    main()
