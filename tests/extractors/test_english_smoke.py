"""The English extractor on a few everyday sentences."""

from datetime import UTC, datetime

import pytest

from graphmem.model import Message, Worth
from graphmem.protocols import Turn
from graphmem_extractors.english import EnglishExtractor

AT = datetime(2025, 6, 11, 10, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def extractor():
    return EnglishExtractor()


def claims(extractor, text, **knobs):
    [found] = extractor.extract([Turn(Message(text=text, speaker="Ana", said_at=AT, **knobs))])
    return {(c.entity, c.predicate, c.object, c.polarity) for c in found.candidates}, found


def test_home_and_work_in_one_sentence(extractor):
    facts, found = claims(extractor, "I live in Berlin and work as a nurse at Charité")
    assert facts == {
        ("Ana", "lives_in", "Berlin", "+"),
        ("Ana", "works_as", "nurse", "+"),
        ("Ana", "works_at", "Charité", "+"),
    }
    assert {c.slot for c in found.candidates} == {"home", "job"}


def test_what_the_assistant_says_is_no_fact(extractor):
    facts, found = claims(extractor, "You live in Berlin.", role="assistant")
    assert not facts
    assert found.worth is Worth.OTHER_ROLE
