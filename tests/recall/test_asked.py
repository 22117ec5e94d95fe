"""Slot questions: of whom they ask, and what fills the slot now."""

import pytest

from graphmem.model import State


@pytest.fixture
def homes(world):
    world.say(
        "I live in Leeds, quiet street",
        days_ago=300,
        predicate="lives_in",
        object="Leeds",
        slot="home",
        state=State.UNSURE,
    )
    world.say(
        "my sister Nell moved to Oban",
        days_ago=100,
        entity="Nell",
        predicate="moved_to",
        object="Oban",
        slot="home",
    )
    world.say("moved to Hull", days_ago=50, predicate="moved_to", object="Hull", slot="home")
    return world


def test_the_present_filler_comes_first_and_alone(homes):
    found = homes.recall("Where do I live?")
    assert found.items[0].text == "moved to Hull"
    context = found.context()
    assert "Leeds" not in context
    assert "Oban" not in context
    assert any("Leeds" in item.text for item in found.items)


def test_a_named_person_is_asked_of_alone(homes):
    context = homes.recall("Where does Nell live?").context()
    assert "Oban" in context
    assert "Hull" not in context


def test_what_is_only_noted_replaces_nothing(world):
    world.say(
        "I work at the dairy",
        days_ago=90,
        predicate="works_at",
        object="dairy",
        slot="job",
        state=State.UNSURE,
    )
    world.say("Fridays off at last", days_ago=9, predicate="noted", object="", slot="job")
    assert "dairy" in world.recall("Where do I work?").context()
