"""English extraction: whose fact, polarity, times, reminders, hostile text, and a measured floor."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem.model import Message, Worth
from graphmem.protocols import Turn
from graphmem_extractors.english import EnglishExtractor

AT = datetime(2025, 6, 11, 10, 0, tzinfo=UTC)
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data_en.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def extractor():
    return EnglishExtractor()


def read(extractor, text, **knobs):
    [found] = extractor.extract([Turn(Message(text=text, speaker="Ana", said_at=AT, **knobs))])
    return found


def claims(found):
    return {(c.entity, c.predicate, c.object, c.polarity) for c in found.candidates}


def test_several_facts_in_one_sentence(extractor):
    found = read(extractor, "I live in Berlin and work as a nurse at Charité")
    assert claims(found) == {
        ("Ana", "lives_in", "Berlin", "+"),
        ("Ana", "works_as", "nurse", "+"),
        ("Ana", "works_at", "Charité", "+"),
    }
    assert {c.slot for c in found.candidates} == {"home", "job"}


def test_what_is_said_is_kept_verbatim_with_its_place(extractor):
    text = "hey! I drive a Dacia Duster. bye"
    [claim] = read(extractor, text).candidates
    assert text[slice(*claim.span)].startswith("I drive")
    assert claim.text == "I drive a Dacia Duster."


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_other_roles_state_nothing(extractor, role):
    found = read(extractor, "You live in Berlin and are vegan.", role=role)
    assert not found.candidates
    assert found.worth is Worth.OTHER_ROLE
    assert found.trace[0].reason == f"said by the {role}"


def test_a_relative_is_not_the_speaker(extractor):
    found = read(extractor, "My sister Lena moved to Oslo in 2022")
    assert ("Lena", "moved_to", "Oslo", "+") in claims(found)
    assert not any(c.entity == "Ana" and c.slot == "home" for c in found.candidates)
    assert ("Ana's sister", "Lena") in {(a.name, a.alias) for a in found.aliases}


def test_negation_is_a_fact_of_its_own(extractor):
    assert claims(read(extractor, "I don't eat meat")) == {("Ana", "eats", "meat", "-")}


def test_left_out_subjects(extractor):
    assert claims(read(extractor, "vegan now btw")) == {("Ana", "follows_diet", "vegan", "+")}


def test_plans_are_plans(extractor):
    [plan] = read(extractor, "I'm planning to move to Porto").candidates
    assert plan.predicate == "plans_to"
    assert plan.tense == "future"


def test_a_secret_is_marked(extractor):
    found = read(extractor, "Remember my key sk-test-4242")
    assert found.sensitive
    assert [c.object for c in found.candidates if c.sensitive] == ["sk-test-4242"]


def test_never_forget_is_vital(extractor):
    found = read(extractor, "Never forget: my locker number is 88")
    assert found.importance == 5
    assert all(c.importance == 5 for c in found.candidates)


def test_a_start_is_kept_at_its_precision(extractor):
    [claim] = read(extractor, "I've been vegan since 2021").candidates
    assert str(claim.valid_from) == "2021"
    assert claim.valid_to is None


def test_no_date_is_invented(extractor):
    [claim] = read(extractor, "I'm vegan").candidates
    assert (claim.valid_from, claim.valid_to, claim.happens_at) == (None, None, None)


def test_the_trace_tells_why_nothing_was_read(extractor):
    found = read(extractor, "If I bought a Tesla, where would I charge it?")
    assert not found.candidates
    assert any(t.rule.startswith("guard.") for t in found.trace)


@pytest.mark.parametrize(
    "text",
    [
        "\ud800\udfff I live in \ud83d Rome",
        "😀" * 10_000,
        "a" * 100_000,
        "I like tea. " * 9_000,
        "my " * 30_000,
        "'" * 20_000,
        ("\n" * 5_000) + "x",
        "".join(map(chr, range(1, 300))),
        "(" * 5_000,
    ],
)
def test_any_text_is_read_in_bounded_time(extractor, text):
    before = datetime.now(UTC)
    read(extractor, text)
    assert (datetime.now(UTC) - before).total_seconds() < 5


def test_one_extraction_per_turn_in_order(extractor):
    texts = ["I live in Ghent", "hello", "I own a boat"]
    found = extractor.extract(
        [Turn(Message(text=text, speaker="Ana", said_at=AT)) for text in texts]
    )
    assert [len(item.candidates) for item in found] == [1, 0, 1]


@pytest.fixture(scope="module")
def readings(extractor):
    turns = [
        Turn(
            Message(
                text=case["text"],
                speaker=case["speaker"],
                said_at=datetime.fromisoformat(case["at"]),
            )
        )
        for case in CASES
    ]
    return list(zip(CASES, extractor.extract(turns), strict=True))


def test_nothing_is_kept_where_nothing_is_to_keep(readings):
    kept = [
        case["text"]
        for case, found in readings
        if not case["keep"] and (found.candidates or found.reminders)
    ]
    assert kept == []


def test_most_facts_of_everyday_messages_are_found(readings):
    wanted = met = 0
    for case, found in readings:
        for fact in case["facts"]:
            if fact.get("alt"):
                continue
            wanted += 1
            met += any(
                c.entity in {fact["entity"], *fact.get("entity_alt", [])}
                and c.predicate in fact["predicate"]
                and c.polarity == fact["polarity"]
                for c in found.candidates
            )
    assert wanted > 100
    assert met / wanted >= 0.9


def test_reminders_are_found(readings):
    missed = [case["text"] for case, found in readings if case["reminder"] and not found.reminders]
    assert missed == []


@pytest.mark.parametrize(
    ("before", "text", "claim"),
    [
        ("My sister just called", "She moved to Oslo", ("Ana's sister", "moved_to", "Oslo", "+")),
        ("we met Jonas", "he works for Siemens", ("Jonas", "works_at", "Siemens", "+")),
    ],
)
def test_a_pronoun_may_mean_somebody_named_before(extractor, before, text, claim):
    turn = Turn(
        Message(text=text, speaker="Ana", said_at=AT),
        Message(text=before, speaker="Ana", said_at=AT),
    )
    [found] = extractor.extract([turn])
    assert claim in claims(found)


def test_a_pronoun_without_anybody_named_is_nobody(extractor):
    assert not read(extractor, "she lives in Rome").candidates


def test_a_spoken_order_is_named(extractor):
    assert read(extractor, "I cancelled the dentist tomorrow").command == "cancel"
    assert read(extractor, "I moved the meeting from Monday to Friday").command == "reschedule"
    assert read(extractor, "I live in Ghent").command is None
