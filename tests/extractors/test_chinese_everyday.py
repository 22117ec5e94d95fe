"""Everyday messages with the facts they state: how much of them the Chinese rules read, and how much is right."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from graphmem.model import Message
from graphmem.protocols import Turn
from graphmem_extractors.chinese import ChineseExtractor

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data_zh.jsonl").read_text("utf-8").splitlines()
]


def letters(text):
    return Counter(char for char in text.casefold() if char.isalnum() and char not in "的了是在")


def alike(one, other):
    a, b = letters(one), letters(other)
    common = (a & b).total()
    if common == 0:
        return one == other
    return 2 * common / (a.total() + b.total()) >= 0.6 or common == min(a.total(), b.total())


def fits(fact, claim):
    names = [fact["entity"], *fact.get("entity_alt", ())]
    who = any(
        name == claim.entity or ("的" in name and alike(name, claim.entity)) for name in names
    )
    return who and any(alike(wanted, claim.object) for wanted in fact["object"])


def states(fact, claim):
    return (
        fits(fact, claim)
        and claim.predicate in fact["predicate"]
        and claim.polarity == fact["polarity"]
    )


@pytest.fixture(scope="module")
def read():
    turns = [
        Turn(
            Message(
                text=case["text"],
                speaker=case["speaker"],
                role=case["role"],
                said_at=datetime.fromisoformat(case["at"]),
            ),
            None,
            "zh",
        )
        for case in CASES
    ]
    return list(zip(CASES, ChineseExtractor().extract(turns), strict=True))


def test_most_of_what_is_stated_is_read(read):
    wanted = met = 0
    for case, extraction in read:
        groups = {}
        for place, fact in enumerate(case["facts"]):
            groups.setdefault(fact.get("alt", place), []).append(fact)
        for facts in groups.values():
            wanted += 1
            met += any(states(fact, claim) for fact in facts for claim in extraction.candidates)
    assert met / wanted >= 0.8


def test_little_is_read_that_is_not_stated(read):
    claims = right = 0
    for case, extraction in read:
        for claim in extraction.candidates:
            claims += 1
            allowed = [*case["facts"], *case.get("also_ok", ())]
            right += any(fits(fact, claim) for fact in allowed)
    assert right / claims >= 0.92


def test_chatter_questions_and_fiction_leave_nothing(read):
    empty = [(case, extraction) for case, extraction in read if not case["keep"]]
    kept = [
        case["text"] for case, extraction in empty if extraction.candidates or extraction.reminders
    ]
    assert len(kept) / len(empty) <= 0.02, kept


def test_what_matters_for_health_and_family_is_important(read):
    for case, extraction in read:
        for fact in case["facts"]:
            if fact["importance"] != "high":
                continue
            found = [claim for claim in extraction.candidates if states(fact, claim)]
            assert all(claim.importance == 5 for claim in found), case["text"]


def test_times_are_read_and_none_is_made_up(read):
    timed = right = 0
    for case, extraction in read:
        for fact in case["facts"]:
            found = [claim for claim in extraction.candidates if states(fact, claim)]
            if not found:
                continue
            for name in ("valid_from", "valid_to", "happens_at"):
                said = [str(getattr(claim, name)) for claim in found if getattr(claim, name)]
                if fact.get(name):
                    timed += 1
                    right += any(value.startswith(fact[name]) for value in said)
    assert right / timed >= 0.85


def test_every_extraction_says_why(read):
    for case, extraction in read:
        assert extraction.trace, case["text"]
        for claim in extraction.candidates:
            start, end = claim.span
            assert 0 <= start < end <= len(case["text"])
            assert 0 < claim.confidence <= 1
