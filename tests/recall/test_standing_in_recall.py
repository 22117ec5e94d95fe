"""Which states are shown for which question (R4.3, R4.4, R4.5, R4.10)."""

from datetime import timedelta

import pytest
from fakes import NOW

from graphmem.model import State


def texts(found):
    return [item.text for item in found.items]


def test_a_present_question_never_shows_the_car_that_was_sold(life):
    found = life.recall("What car do I drive?")
    assert found.items[0].text == "I drive a blue Zoe"
    assert "I drive a red Golf" not in texts(found)
    assert "Golf" not in found.context()


@pytest.mark.parametrize(
    "question", ["What car did I drive before?", "which car did I use to drive"]
)
def test_a_question_about_the_past_shows_it(life, question):
    found = life.recall(question)
    assert "I drive a red Golf" in texts(found)
    assert "Historical, not current:\n- [2022-12-14] Ana: I drive a red Golf" in found.context()


def test_what_was_before_comes_first_when_asked_for(life):
    assert life.recall("What car did I drive previously?").items[0].text == "I drive a red Golf"


def test_historical_on_request(life):
    found = life.recall("What car do I drive?", include=frozenset({State.HISTORICAL}))
    assert "I drive a red Golf" in texts(found)


def test_the_newer_side_of_an_open_conflict_stands_in_for_the_older(life):
    found = life.recall("where do I live in London?")
    order = texts(found)
    assert order.index("My flat is in Paris") < order.index("I live in London")
    assert "Paris" in found.context()
    assert "London" not in found.context()
    assert found.open_conflicts == 1


def test_without_its_newer_side_the_older_one_is_possibly_outdated(world):
    world.say("I live in Rome", predicate="lives_in", object="Rome", state=State.UNSURE)
    assert (
        "Possibly outdated:\n- [2025-05-31] Ana: I live in Rome"
        in world.recall("do I live in Rome?").context()
    )


def test_expired_things_are_gone_even_before_upkeep(life):
    assert "meeting with Olga tomorrow" not in texts(life.recall("meeting with Olga"))
    then = NOW - timedelta(days=5)
    assert "meeting with Olga tomorrow" in texts(life.recall("meeting with Olga", at=then))
    assert "meeting with Olga tomorrow" in texts(life.recall("did I have a meeting with Olga?"))


def test_archived_only_when_asked_for(life):
    assert "the old kettle whistles" not in texts(life.recall("kettle"))
    found = life.recall("kettle", include=frozenset({State.ARCHIVED}))
    assert found.items[0].text == "the old kettle whistles"


def test_questions_and_what_the_assistant_says_stay_out_of_a_context(life):
    context = life.recall("where do I live?").context()
    assert "Madrid" not in context
    assert "again?" not in context


def test_what_the_assistant_says_is_told_when_nothing_else_fits(world):
    from graphmem.model import Worth

    world.say("The capital is Lima.", speaker="assistant", role="assistant", worth=Worth.OTHER_ROLE)
    assert "Lima" in world.recall("capital").context()


def test_as_of_shows_what_was_true_and_known_then(life):
    found = life.recall("What car do I drive?", as_of=NOW - timedelta(days=100))
    assert found.items[0].text == "I drive a red Golf"
    assert found.items[0].state is State.CURRENT
    assert "I drive a blue Zoe" not in texts(found)


def test_recall_writes_nothing(life):
    recaller = life.recaller()
    before = life.store.last_event()
    facts = list(life.store.scan_facts())
    recaller.recall("where do I live?")
    assert life.store.last_event() == before
    assert list(life.store.scan_facts()) == facts


def test_readers_are_kept_apart(world):
    world.say("my secret diary is under the bed", readers=("phone",))
    assert world.recall("diary", reader="phone").items
    assert not world.recall("diary", reader="tv").items
