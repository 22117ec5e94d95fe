"""What speaks for the present in place of something older, and whose facts are asked for."""

import pytest

from graphmem.model import Worth


def test_one_answer_comes_from_the_newest_statement(world):
    world.say("the savings pot stands at 1,450", days_ago=60)
    world.say("the savings pot: 2,100", days_ago=10)
    found = world.recall("How much is in the savings pot?")
    assert "2,100" in found.context()
    assert "1,450" not in found.context()
    assert {"the savings pot stands at 1,450", "the savings pot: 2,100"} == {
        item.text for item in found.items
    }


def test_a_question_with_many_answers_keeps_them_all(world):
    world.say("we hiked the ridge trail near Arles", days_ago=60)
    world.say("we hiked the ridge trail near Nimes", days_ago=10)
    context = world.recall("Which trail near a town suits a hike?").context()
    assert "Arles" in context
    assert "Nimes" in context


def test_what_is_said_in_one_talk_adds_to_what_was_said(world):
    world.say("the server moved, address 192.0.2.17", days_ago=5.01)
    world.say("the server listens on port 2210", days_ago=5.0)
    context = world.recall("What is the server's address and port number?").context()
    assert "192.0.2.17" in context
    assert "2210" in context


def test_another_speaker_does_not_speak_for_the_first(world):
    world.say("my weight is 80 kilos", days_ago=60, speaker="Ana")
    world.say("my weight is 95 kilos", days_ago=10, speaker="Bo")
    assert "80" in world.recall("How much is the weight of Ana in kilos?").context()


def test_the_asker_asks_of_himself(world):
    world.say("Bo works at the port", entity="Bo", predicate="works_at", object="port", slot="job")
    world.say("I work at Acme", predicate="works_at", object="Acme", slot="job")
    assert world.recall("Where do I work?").items[0].text == "I work at Acme"


@pytest.mark.parametrize(("text", "told"), [("79.5!! finally", True), ("haha yes", False)])
def test_small_talk_is_told_when_it_says_something(world, text, told):
    world.say(text, worth=Worth.CHATTER)
    world.say("the weather in Lyon was fine", days_ago=2)
    assert (text in world.recall(f"finally haha {text}").context()) is told


def test_lines_of_talk_are_no_question_about_the_present(world):
    world.say("We danced at the winter party", days_ago=100)
    world.say("We danced at the winter party with Kim", days_ago=5)
    found = world.recall("I am so nervous about tonight\nWe will dance at the winter party!")
    assert found.question.talk
    assert found.question.focus == "We will dance at the winter party!"
    assert len(found.items) == 2
    assert found.aside == frozenset()


def test_what_is_said_of_others_stays_out_of_what_is_asked_of_oneself(world):
    world.say("my sister's rent is 1,100", days_ago=2)
    world.say("my rent is 880", days_ago=60)
    found = world.recall("How much is my rent?")
    assert found.items[0].text == "my rent is 880"
    assert "1,100" not in found.context()
    assert "1,100" in world.recall("How much is my sister's rent?").context()


def test_at_home_is_not_at_work(world):
    world.say("the wifi password at home is fox-1", days_ago=60)
    world.say("the wifi password at the office is owl-2", days_ago=2)
    assert "fox-1" in world.recall("What is the wifi password at home?").context()


def test_an_older_job_gives_way_to_a_newer_one_though_both_are_in_doubt(world):
    for text, days, place in (("I work at Acme", 90, "Acme"), ("I work at Bolt", 9, "Bolt")):
        world.say(
            text, days_ago=days, predicate="works_at", object=place, slot="job", state="unsure"
        )
    found = world.recall("Where do I work?")
    assert found.items[0].text == "I work at Bolt"
    assert "Acme" not in found.context()


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "chess club is at 20:15 in the town hall",
            "chess club is on hold",
            "Do I have chess club?",
        ),
        ("I owe Ruben 80 for the tyres", "Ruben and I are square", "Do I still owe Ruben money?"),
        ("周三晚上八点二十有合唱排练", "合唱排练先停了", "我还有合唱排练吗？"),
    ],
)
def test_what_is_told_to_be_over_is_not_told_as_present(world, old, new, question):
    world.say(old, days_ago=60)
    world.say(new, days_ago=5)
    context = world.recall(question).context()
    assert new in context
    assert old not in context


def test_what_says_that_another_thing_is_over_leaves_it(world):
    world.say("chess club is at 20:15 in the town hall", days_ago=60)
    world.say("the pottery course is on hold", days_ago=5)
    assert "20:15" in world.recall("Do I have chess club?").context()


def test_what_replaced_an_ended_thing_is_told_beside_the_end(world):
    world.say("I practise the trumpet with Mr Abbot", days_ago=90)
    world.say("Mr Abbot is gone, packed up and left for Spain", days_ago=30)
    world.say("found Ms Lindqvist, brass and all", days_ago=5)
    context = world.recall("Who is it that I practise the trumpet with?").context()
    assert "Lindqvist" in context
    assert "practise the trumpet" not in context
